//! Pages that a client asks its user to open, because the server has to get something from the user.
use axum::http::StatusCode;
use linepress_accounts::accounts::Plan;
use linepress_platform::scopes::Scopes;
use serde_json::{Value, json};

use crate::test_app::{Agent, Browser, Era, Form, TestApp, pictures};

const ADA: &str = "ada@example.com";

/// The answer to a question, with its state.
fn answer(asked: &Value, action: &str) -> Value {
    json!({"requestState": asked["requestState"], "inputResponses": {"page": {"action": action}}})
}

/// Sends a picture with the form behind an address, as a person without an account does.
async fn send_picture(app: &TestApp, url: &str) {
    let kind = Form::media_type();
    let form = Form::image(&pictures::png(576, 768)).finish();
    let sent = app
        .anonymous()
        .send("POST", url, &[("content-type", &kind)], form.into())
        .await;
    assert_eq!(sent.status, StatusCode::OK);
}

#[tokio::test]
async fn the_user_is_sent_to_the_page_that_takes_a_file() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await.that_opens_pages();
    let arguments = json!({"from_user": true});
    let asked = agent.call_with("create_artwork_upload", &arguments, json!({})).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["page"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["mode"], "url");
    assert!(
        question["params"]["message"]
            .as_str()
            .unwrap()
            .contains("ada@example.com"),
        "{asked}"
    );
    let url = question["params"]["url"].as_str().unwrap();
    let page = app.anonymous().get(url).await;
    assert_eq!(page.status, StatusCode::OK, "no sign-in is needed");

    // The call waits for the file.
    let accept = answer(&asked, "accept");
    let retried = agent.call_with("create_artwork_upload", &arguments, accept.clone());
    let (result, ()) = tokio::join!(retried, send_picture(&app, url));
    let upload = &result["structuredContent"]["artwork_upload"];
    assert_eq!(upload["url"], url, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("The file of the user has arrived, for upload_id upl_"),
        "{text}"
    );
    let imported = agent
        .call("import_page", json!({"title": "Mine", "upload_id": upload["id"]}))
        .await;
    assert_eq!(imported.expect()["page"]["status"], "ready");
    // The answer belongs to this upload: repeating it makes no other one.
    let again = agent.call_with("create_artwork_upload", &arguments, accept).await;
    assert_eq!(again["structuredContent"]["artwork_upload"], *upload);
    app.check_books().await;
}

#[tokio::test]
async fn without_a_file_the_result_has_the_address_and_says_what_happened() {
    let app = TestApp::builder()
        .config(|config| config.request_timeout_seconds = 1)
        .start()
        .await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await.that_opens_pages();
    let arguments = json!({"from_user": true});
    let asked = agent.call_with("create_artwork_upload", &arguments, json!({})).await;
    let url = &asked["inputRequests"]["page"]["params"]["url"];
    for (action, note) in [
        ("accept", "The user was sent to the page, but no file has arrived yet."),
        ("decline", "The user did not agree to send a file in a browser."),
        ("cancel", "The user did not agree to send a file in a browser."),
    ] {
        let result = agent
            .call_with("create_artwork_upload", &arguments, answer(&asked, action))
            .await;
        assert_eq!(result["structuredContent"]["note"], note, "{action}: {result}");
        assert_eq!(result["structuredContent"]["artwork_upload"]["url"], *url, "{action}");
    }
    // A forged or expired state is no answer, and the user is asked about another upload.
    let state = asked["requestState"].as_str().unwrap();
    let forged = json!({"requestState": state.replace('A', "B"), "inputResponses": {"page": {"action": "accept"}}});
    let again = agent.call_with("create_artwork_upload", &arguments, forged).await;
    assert_eq!(again["resultType"], "input_required", "{again}");
    assert_ne!(again["inputRequests"]["page"]["params"]["url"], *url);
    app.server.clock.advance(std::time::Duration::from_secs(601));
    let late = agent
        .call_with("create_artwork_upload", &arguments, answer(&asked, "accept"))
        .await;
    assert_eq!(late["resultType"], "input_required", "{late}");
}

#[tokio::test]
async fn only_a_client_that_opens_pages_is_asked_to() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    for (agent, arguments) in [
        (agent.clone(), json!({"from_user": true})),
        (agent.clone().that_asks(), json!({"from_user": true})),
        (agent.clone().in_era(Era::Sessions), json!({"from_user": true})),
        (agent.clone().that_opens_pages(), json!({"from_user": false})),
        (agent.clone().that_opens_pages(), json!({})),
    ] {
        let made = agent.call("create_artwork_upload", arguments).await;
        let url = made.expect()["artwork_upload"]["url"].as_str().unwrap();
        assert!(made.text().contains(url), "{}", made.text());
        assert!(made.text().contains("give the url to the user"), "{}", made.text());
    }
}

const PAGE: &str = r#"{"title": "A fox", "idempotency_key": "k2", "confirm_credits": 1}"#;

/// An app with an agent that has spent its limit of one credit.
struct AtItsLimit {
    app: TestApp,
    owner: Browser,
    agent: Agent,
    /// The path of the page for the limit.
    path: String,
}

impl AtItsLimit {
    async fn start(capabilities: Value, request_timeout_seconds: u64) -> Self {
        let app = TestApp::builder()
            .config(|config| config.request_timeout_seconds = request_timeout_seconds)
            .start()
            .await;
        let owner = app.person(ADA, Plan::Business, 9).await;
        let (agent, granted) = app.agent_with(ADA, Scopes::ALL, Some(1)).await;
        let first = json!({"title": "An owl", "idempotency_key": "k1", "confirm_credits": 1});
        agent.call("create_page", first).await.expect();
        // The limit of another app of the account changes nothing.
        app.agent_with(ADA, Scopes::ALL, Some(100)).await;
        Self {
            app,
            owner,
            agent: agent.that_declares(capabilities),
            path: format!("/account/apps/{}/limit", granted.grant_id),
        }
    }

    async fn credits(&self) -> i64 {
        self.app.account_of(ADA).await.credits
    }
}

/// Raises the limit in the browser of the account's owner.
async fn raise(owner: &mut Browser, path: &str) {
    owner
        .submit(path, path, &[("credit_cap", "2")])
        .await
        .expect_redirect("/account/apps");
}

#[tokio::test]
async fn the_user_is_sent_to_the_page_that_raises_the_limit_and_the_order_goes_on() {
    let arguments: Value = serde_json::from_str(PAGE).unwrap();
    let mut it = AtItsLimit::start(json!({"elicitation": {"url": {}}}), 180).await;
    let asked = it.agent.call_with("create_page", &arguments, json!({})).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["page"]["params"];
    assert_eq!(question["url"], format!("http://linepress.test{}", it.path));
    let message = question["message"].as_str().unwrap();
    assert!(message.contains("may spend 0 more of its limit of 1"), "{message}");
    // The address alone does nothing: the owner of the account signs in.
    let stranger = it.app.browser().get(&it.path).await;
    assert!(
        stranger
            .header("location")
            .starts_with("/sign-in?return_to=%2Faccount%2Fapps%2F"),
        "{}",
        stranger.text
    );
    let retried = it.agent.call_with("create_page", &arguments, answer(&asked, "accept"));
    let (made, ()) = tokio::join!(retried, raise(&mut it.owner, &it.path));
    assert_eq!(made["structuredContent"]["operation"]["status"], "queued", "{made}");
    assert_eq!(it.credits().await, 7);
    it.app.check_ledger().await;
}

#[tokio::test]
async fn the_price_is_agreed_to_after_the_limit_was_raised() {
    let arguments: Value = serde_json::from_str(PAGE).unwrap();
    let mut it = AtItsLimit::start(json!({"elicitation": {"form": {}, "url": {}}}), 180).await;
    let asked = it.agent.call_with("create_page", &arguments, json!({})).await;
    assert!(asked["inputRequests"]["page"].is_object(), "{asked}");
    raise(&mut it.owner, &it.path).await;
    let asked = it
        .agent
        .call_with("create_page", &arguments, answer(&asked, "accept"))
        .await;
    assert!(asked["inputRequests"]["confirm"].is_object(), "{asked}");
    let yes = json!({"requestState": asked["requestState"], "inputResponses": {"confirm": {"action": "accept"}}});
    let made = it.agent.call_with("create_page", &arguments, yes).await;
    assert_eq!(made["structuredContent"]["operation"]["status"], "queued", "{made}");
    assert_eq!(it.credits().await, 7);
}

#[tokio::test]
async fn a_limit_that_is_not_raised_is_an_error_with_the_address_of_the_page() {
    let arguments: Value = serde_json::from_str(PAGE).unwrap();
    let it = AtItsLimit::start(json!({"elicitation": {"url": {}}}), 2).await;
    let asked = it.agent.call_with("create_page", &arguments, json!({})).await;
    let plain = it.agent.clone().that_declares(json!({}));
    let earlier = it.agent.clone().in_era(Era::Sessions);
    for (agent, more) in [
        (&it.agent, answer(&asked, "decline")),
        (&plain, json!({})),
        (&earlier, json!({})),
    ] {
        let refused = agent.call_with("create_page", &arguments, more).await;
        let error = &refused["structuredContent"]["error"];
        assert_eq!(error["code"], "credit_cap_reached", "{refused}");
        let message = error["message"].as_str().unwrap();
        let page = format!("It is at http://linepress.test{}", it.path);
        assert!(message.ends_with(&page), "{message}");
    }
    // The user agreed, but did not raise the limit while the call waited.
    let accepted = it
        .agent
        .call_with("create_page", &arguments, answer(&asked, "accept"))
        .await;
    assert_eq!(
        accepted["structuredContent"]["error"]["code"], "credit_cap_reached",
        "{accepted}"
    );
    assert_eq!(it.credits().await, 8);
}
