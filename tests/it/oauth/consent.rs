//! Consent: the information on the page, the decision of the user, and attacks on that decision.
use linepress_accounts::accounts::Plan;
use serde_json::json;

use super::{APPROVE_ALL, Client, EMAIL, REDIRECT, Scene, parameter};
use crate::test_app::borrowed;

#[tokio::test]
async fn the_page_shows_the_app_its_scopes_and_its_destination() {
    let mut scene = Scene::new().await;
    let metadata = json!({"redirect_uris": ["https://agent.test/cb"], "client_name": "Claude <b>& Co</b>"});
    let client = Client::register(&scene.app, metadata).await;
    let page = scene.browser.get(&client.address(&[])).await;
    for told in [
        "Claude &#60;b&#62;&#38; Co&#60;/b&#62;",
        "registered itself, and its maker has not been verified",
        "go back to agent.test",
        "See your books",
        "Change your books",
        "Spend your credits",
        "You have 20 credits",
        EMAIL,
    ] {
        page.expect(200, told);
    }
    assert_eq!(page.header("cache-control"), "private, no-store");
    let fewer = scene.browser.get(&client.address(&[("scope", "books:read")])).await;
    fewer.expect(200, "See your books");
    assert!(!fewer.text.contains("Spend your credits") && !fewer.text.contains("credit_cap"));
}

#[tokio::test]
async fn spending_is_preselected_only_for_an_app_that_requests_it_by_name() {
    let mut scene = Scene::new().await;
    let ticked = "name=\"credits_spend\" value=\"yes\" checked";
    let unnamed = scene.browser.get(&scene.client.address(&[])).await;
    unnamed.expect(200, "name=\"credits_spend\" value=\"yes\">");
    assert!(!unnamed.text.contains(ticked));
    let named = [("scope", "books:read books:write credits:spend openid")];
    scene
        .browser
        .get(&scene.client.address(&named))
        .await
        .expect(200, ticked);
}

#[tokio::test]
async fn unlimited_spending_is_granted_only_if_the_user_ticks_it() {
    let mut scene = Scene::new().await;
    let caps = |scene: &Scene| {
        let server = scene.app.server.clone();
        async move {
            let grants = linepress_accounts::grants::list_all(&server).await.unwrap();
            grants.last().map(|grant| grant.app.credit_cap)
        }
    };
    let address = scene.client.address(&[]);
    let page = scene.browser.get(&address).await;
    assert_eq!(page.value_of("credit_cap"), "50");
    let mut empty = APPROVE_ALL.to_vec();
    empty.push(("credit_cap", ""));
    let decided = scene.client.decide(&mut scene.browser, &address, &empty).await;
    decided.expect(422, "or tick");
    assert_eq!(caps(&scene).await, None);
    empty.push(("no_limit", "yes"));
    let decided = scene.client.decide(&mut scene.browser, &address, &empty).await;
    assert!(parameter(&decided, "code").is_some());
    assert_eq!(caps(&scene).await, Some(None));
}

#[tokio::test]
async fn a_click_counts_once_the_page_was_visible_for_a_moment() {
    let mut scene = Scene::new().await;
    let page = scene.browser.get(&scene.client.address(&[])).await;
    page.expect(200, "value=\"approve\" data-guarded");
    let script = page
        .text
        .split("src=\"")
        .find(|part| part.contains("consent."))
        .unwrap();
    let script = script.split('"').next().unwrap();
    let script = scene.browser.get(script).await;
    script.expect(200, "visibilitychange");
    assert!(!script.text.contains("import"));
}

#[tokio::test]
async fn the_page_cannot_be_framed_and_its_form_may_lead_back_to_the_app() {
    let mut scene = Scene::new().await;
    let page = scene.browser.get(&scene.client.address(&[])).await;
    let policy = page.header("content-security-policy");
    for part in [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self' https:",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    let native = Client::register(
        &scene.app,
        json!({"redirect_uris": ["http://localhost/cb", "vscode://x/cb"]}),
    )
    .await;
    for (uri, scheme) in [("http://localhost:1/cb", "http:"), ("vscode://x/cb", "vscode:")] {
        let page = scene.browser.get(&native.address(&[("redirect_uri", uri)])).await;
        let policy = page.header("content-security-policy");
        assert!(
            policy.ends_with(&format!("form-action 'self' https: {scheme}")),
            "{policy}"
        );
    }
}

#[tokio::test]
async fn a_user_may_grant_less_than_requested() {
    let mut scene = Scene::new().await;
    for (fields, granted) in [
        (vec![("decision", "approve")], "books:read"),
        (
            vec![("decision", "approve"), ("books_write", "yes")],
            "books:read books:write",
        ),
        // A form with all fields: scopes that the app did not request cannot be granted.
        (APPROVE_ALL.to_vec(), "books:read books:write"),
    ] {
        let address = scene
            .client
            .address(&[("scope", "books:read books:write offline_access")]);
        let decided = scene.client.decide(&mut scene.browser, &address, &fields).await;
        let code = parameter(&decided, "code").unwrap();
        let tokens = scene.client.redeem(&scene.app, &code).await.expect(200);
        assert_eq!(tokens["scope"], granted);
    }
}

#[tokio::test]
async fn a_limit_is_whole_credits_and_binds_what_the_app_spends() {
    let mut scene = Scene::new().await;
    let page = scene.browser.get(&scene.client.address(&[])).await;
    let (token, request) = (page.value_of("csrf_token"), page.value_of("request"));
    for wrong in ["-1", "1.5", "ten", "99999999999999999999"] {
        let mut fields = vec![
            ("csrf_token", token.as_str()),
            ("request", &request),
            ("credit_cap", wrong),
        ];
        fields.extend(APPROVE_ALL);
        let again = scene.browser.post("/oauth/authorize", &fields).await;
        again.expect(422, "as a whole number of credits");
        assert_eq!(again.value_of("request"), request);
        assert_eq!(again.value_of("credit_cap"), wrong);
    }
    let mut fields = vec![
        ("csrf_token", token.as_str()),
        ("request", &request),
        ("credit_cap", " 2 "),
    ];
    fields.extend(APPROVE_ALL);
    let decided = scene.browser.post("/oauth/authorize", &fields).await;
    let code = parameter(&decided, "code").unwrap();
    let tokens = scene.client.redeem(&scene.app, &code).await.expect(200);
    let agent = scene.app.agent_of(tokens["access_token"].as_str());
    let page = |key: &str| json!({"title": "A fox", "idempotency_key": key, "confirm_credits": 1});
    let accepted = agent.call("create_page", page("k1")).await;
    accepted.expect();
    agent.call("create_page", page("k2")).await.expect();
    agent
        .call("create_page", page("k3"))
        .await
        .expect_error("credit_cap_reached");
    scene.app.check_ledger().await;
    let account = linepress_accounts::accounts::find(&scene.app.server, EMAIL)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(account.credits, 18);
}

#[tokio::test]
async fn a_user_who_declines_grants_nothing() {
    let mut scene = Scene::new().await;
    let before = scene.issued().await;
    let address = scene.client.address(&[]);
    let decided = scene
        .client
        .decide(
            &mut scene.browser,
            &address,
            &[("decision", "deny"), ("books_write", "yes")],
        )
        .await;
    assert_eq!(parameter(&decided, "error").as_deref(), Some("access_denied"));
    assert_eq!(parameter(&decided, "state").as_deref(), Some("st&te"));
    assert_eq!(parameter(&decided, "iss").as_deref(), Some("http://linepress.test"));
    assert_eq!(scene.issued().await, before);
}

#[tokio::test]
async fn only_the_user_can_decide() {
    let mut scene = Scene::new().await;
    let mut eve = scene.app.person("eve@example.com", Plan::Business, 5).await;
    let page = scene.browser.get(&scene.client.address(&[])).await;
    let (token, request) = (page.value_of("csrf_token"), page.value_of("request"));
    let eves = eve.get(&scene.client.address(&[])).await;
    let (eves_token, eves_request) = (eves.value_of("csrf_token"), eves.value_of("request"));
    let before = scene.issued().await;
    let with = |token: &str, request: &str| {
        let mut fields = vec![
            ("csrf_token".to_owned(), token.to_owned()),
            ("request".into(), request.into()),
        ];
        fields.extend(APPROVE_ALL.map(|(name, value)| (name.to_owned(), value.to_owned())));
        fields
    };
    // Forms of another site: without the token, with that of another session, and with an invalid one.
    for token in ["", &eves_token, "x"] {
        let fields = with(token, &request);
        let fields = borrowed(&fields);
        let refused = scene.browser.post("/oauth/authorize", &fields).await;
        assert_eq!(refused.status, 403, "{}", refused.text);
    }
    // With the right token, but with headers by which the browser reports another site.
    let fields = with(&token, &request);
    let fields = borrowed(&fields);
    for (header, value) in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.test")] {
        let mut elsewhere = scene.browser.clone();
        elsewhere.headers.push((header, value.into()));
        let refused = elsewhere.post("/oauth/authorize", &fields).await;
        assert_eq!(refused.status, 403, "{header}: {}", refused.text);
    }
    // A request of one user cannot be decided by another.
    for (browser, token, request) in [
        (&mut eve, &eves_token, &request),
        (&mut scene.browser, &token, &eves_request),
    ] {
        let fields = with(token, request);
        let fields = borrowed(&fields);
        browser
            .post("/oauth/authorize", &fields)
            .await
            .expect(400, "There is nothing to decide here");
    }
    let signed_out = scene.app.browser().post("/oauth/authorize", &fields).await;
    signed_out.expect_redirect("/sign-in?ended=yes");
    assert_eq!(scene.issued().await, before);
    // The user's own decision counts once.
    let decided = scene.browser.post("/oauth/authorize", &fields).await;
    assert!(parameter(&decided, "code").is_some());
    let again = scene.browser.post("/oauth/authorize", &fields).await;
    again.expect(400, "You have already decided");
}

#[tokio::test]
async fn nothing_that_the_browser_sends_changes_the_request() {
    let mut scene = Scene::new().await;
    let other = Client::register(&scene.app, json!({"redirect_uris": ["https://evil.test/cb"]})).await;
    let mut fields = APPROVE_ALL.to_vec();
    fields.extend([
        ("client_id", other.id.as_str()),
        ("redirect_uri", "https://evil.test/cb"),
        ("scope", "books:read books:write credits:spend"),
        ("state", "evil"),
    ]);
    let address = scene.client.address(&[("scope", "books:read")]);
    let decided = scene.client.decide(&mut scene.browser, &address, &fields).await;
    assert!(decided.header("location").starts_with(&format!("{REDIRECT}?code=")));
    assert_eq!(parameter(&decided, "state").as_deref(), Some("st&te"));
    let code = parameter(&decided, "code").unwrap();
    let tokens = scene.client.redeem(&scene.app, &code).await.expect(200);
    assert_eq!(tokens["scope"], "books:read");
}

#[tokio::test]
async fn an_app_revoked_before_the_decision_gets_nothing() {
    let mut scene = Scene::new().await;
    let page = scene.browser.get(&scene.client.address(&[])).await;
    let (token, request) = (page.value_of("csrf_token"), page.value_of("request"));
    let clients = linepress_accounts::grants::clients::list(&scene.app.server)
        .await
        .unwrap();
    assert!(
        linepress_accounts::grants::clients::revoke(&scene.app.server, &clients[0].id)
            .await
            .unwrap()
    );
    let before = scene.issued().await;
    let mut fields = vec![("csrf_token", token.as_str()), ("request", &request)];
    fields.extend(APPROVE_ALL);
    let decided = scene.browser.post("/oauth/authorize", &fields).await;
    decided.expect(400, "There is nothing to decide here");
    assert_eq!(scene.issued().await, before);
}
