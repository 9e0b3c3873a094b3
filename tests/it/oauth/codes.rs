//! Attacks on authorization codes.
use std::time::Duration;

use serde_json::json;

use super::{CHALLENGE, Client, OTHER_CHALLENGE, REDIRECT, Scene, VERIFIER, expect_refusal, parameter};

#[tokio::test]
async fn a_reused_code_is_refused_and_revokes_its_tokens() {
    let mut scene = Scene::new().await;
    let other = scene.tokens().await;
    let code = scene.code().await;
    let tokens = scene.client.redeem(&scene.app, &code).await.expect(200);
    assert!(scene.opens(&tokens).await);
    let before = scene.issued().await;
    expect_refusal(&scene.client.redeem(&scene.app, &code).await, 400, "invalid_grant");
    assert_eq!(scene.issued().await, before);
    assert!(!scene.opens(&tokens).await);
    expect_refusal(&scene.client.refresh(&scene.app, &tokens).await, 400, "invalid_grant");
    assert_eq!(scene.issued().await, before);
    // Other grants to the same app remain valid.
    assert!(scene.opens(&other).await);
}

#[tokio::test]
async fn a_code_of_another_client_is_refused_and_revokes_nothing() {
    let mut scene = Scene::new().await;
    let thief = json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"});
    let thief = Client::register(&scene.app, thief).await;
    let fresh = scene.code().await;
    let used = scene.code().await;
    let tokens = scene.client.redeem(&scene.app, &used).await.expect(200);
    let before = scene.issued().await;
    for code in [&fresh, &used] {
        expect_refusal(&thief.redeem(&scene.app, code).await, 400, "invalid_grant");
    }
    assert_eq!(scene.issued().await, before);
    assert!(scene.opens(&tokens).await);
    scene.client.redeem(&scene.app, &fresh).await.expect(200);
}

#[tokio::test]
async fn a_stolen_code_is_worthless_without_the_verifier() {
    let mut scene = Scene::new().await;
    let code = scene.code().await;
    let before = scene.issued().await;
    let wrong = "x".repeat(43);
    let long = format!("{VERIFIER}{}", "x".repeat(100));
    for verifier in ["", wrong.as_str(), CHALLENGE, &VERIFIER[..42], &long, "ä"] {
        let reply = scene
            .client
            .redeem_with(&scene.app, &code, &[("code_verifier", verifier)])
            .await;
        let word = if verifier.is_empty() {
            "invalid_request"
        } else {
            "invalid_grant"
        };
        expect_refusal(&reply, 400, word);
    }
    assert_eq!(scene.issued().await, before);
    // None of these attempts used up the code.
    let tokens = scene.client.redeem(&scene.app, &code).await.expect(200);
    let reply = scene
        .client
        .redeem_with(&scene.app, &code, &[("code_verifier", &wrong)])
        .await;
    expect_refusal(&reply, 400, "invalid_grant");
    assert!(
        scene.opens(&tokens).await,
        "a client without the verifier cannot revoke the app's tokens either"
    );
}

#[tokio::test]
async fn an_invalid_redemption_does_not_use_up_the_code() {
    let mut scene = Scene::new().await;
    let code = scene.code().await;
    let before = scene.issued().await;
    for (field, value, word) in [
        ("redirect_uri", "https://agent.test/callback/", "invalid_grant"),
        ("redirect_uri", "https://evil.test/callback", "invalid_grant"),
        ("redirect_uri", "", "invalid_request"),
        ("resource", "https://other.test/mcp", "invalid_target"),
        ("resource", "http://linepress.test", "invalid_target"),
        ("grant_type", "", "invalid_request"),
        ("grant_type", "password", "unsupported_grant_type"),
        ("grant_type", "client_credentials", "unsupported_grant_type"),
    ] {
        let reply = scene.client.redeem_with(&scene.app, &code, &[(field, value)]).await;
        expect_refusal(&reply, 400, word);
    }
    assert_eq!(scene.issued().await, before);
    scene.client.redeem(&scene.app, &code).await.expect(200);
}

#[tokio::test]
async fn a_code_is_valid_for_five_minutes() {
    let mut scene = Scene::new().await;
    let (late, in_time) = (scene.code().await, scene.code().await);
    scene.app.server.clock.advance(Duration::from_secs(299));
    scene.client.redeem(&scene.app, &in_time).await.expect(200);
    let before = scene.issued().await;
    scene.app.server.clock.advance(Duration::from_secs(1));
    expect_refusal(&scene.client.redeem(&scene.app, &late).await, 400, "invalid_grant");
    assert_eq!(scene.issued().await, before);
}

#[tokio::test]
async fn without_pkce_by_s256_no_code_is_given() {
    let mut scene = Scene::new().await;
    let metadata = json!({"redirect_uris": ["http://localhost/callback"], "token_endpoint_auth_method": "none"});
    scene.client = Client::register(&scene.app, metadata).await;
    let before = scene.issued().await;
    for others in [
        vec![("code_challenge", "")],
        vec![("code_challenge_method", "")],
        vec![("code_challenge_method", "plain")],
        vec![("code_challenge_method", "s256")],
        vec![("code_challenge", VERIFIER), ("code_challenge_method", "plain")],
        vec![("code_challenge", ""), ("code_challenge_method", "")],
        vec![("code_challenge", "short")],
    ] {
        let back = scene.browser.get(&scene.client.address(&others)).await;
        assert_eq!(
            parameter(&back, "error").as_deref(),
            Some("invalid_request"),
            "{others:?}"
        );
        assert_eq!(parameter(&back, "code"), None);
    }
    assert_eq!(scene.issued().await, before);
    // A challenge whose verifier the app does not know can be redeemed only with that verifier.
    let code = scene
        .client
        .code(&mut scene.browser, &[("code_challenge", OTHER_CHALLENGE)])
        .await;
    expect_refusal(&scene.client.redeem(&scene.app, &code).await, 400, "invalid_grant");
}

#[tokio::test]
async fn a_code_is_exchanged_once_despite_concurrent_attempts() {
    let mut scene = Scene::new().await;
    let code = scene.code().await;
    let (app, client) = (&scene.app, &scene.client);
    let replies = futures::future::join_all((0..6).map(|_| client.redeem(app, &code))).await;
    let good: Vec<_> = replies.iter().filter(|reply| reply.status == 200).collect();
    assert_eq!(good.len(), 1);
    // The other attempts were replays, so the tokens of the successful one have been revoked.
    assert!(!scene.opens(&good[0].json()).await);
}

#[tokio::test]
async fn an_unknown_client_and_a_wrong_secret_look_alike() {
    let mut scene = Scene::new().await;
    let client = Client::register(&scene.app, json!({"redirect_uris": [REDIRECT]})).await;
    assert!(client.secret.is_some());
    let code = client.code(&mut scene.browser, &[]).await;
    let before = scene.issued().await;
    let mut shown = Vec::new();
    for (id, secret) in [
        (client.id.clone(), Some("x".repeat(43))),
        (client.id.clone(), Some("wrong".into())),
        (client.id.clone(), None),
        ("client_01KAFMYG00000000000000000A".into(), Some("x".repeat(43))),
        ("client_01KAFMYG00000000000000000A".into(), None),
        ("nonsense\u{0}".into(), None),
        ("https://agent.test/unknown".into(), None),
        // A public client has no secret.
        (scene.client.id.clone(), Some("x".repeat(43))),
    ] {
        let pretender = Client {
            id,
            secret,
            ..client.clone()
        };
        let reply = pretender.redeem(&scene.app, &code).await;
        expect_refusal(&reply, 401, "invalid_client");
        shown.push((reply.json(), reply.header("www-authenticate").to_owned()));
    }
    assert!(shown.windows(2).all(|pair| pair[0] == pair[1]), "{shown:?}");
    assert_eq!(scene.issued().await, before);
    client.redeem(&scene.app, &code).await.expect(200);
}

#[tokio::test]
async fn repeated_oversized_and_misplaced_fields_are_refused() {
    let mut scene = Scene::new().await;
    let code = scene.code().await;
    let before = scene.issued().await;
    let twice = [("code", code.as_str()), ("code", code.as_str())];
    expect_refusal(
        &scene.client.redeem_with(&scene.app, "", &twice).await,
        400,
        "invalid_request",
    );
    let twice = [
        ("resource", "http://linepress.test/mcp"),
        ("resource", "http://linepress.test/mcp"),
    ];
    expect_refusal(
        &scene.client.redeem_with(&scene.app, &code, &twice).await,
        400,
        "invalid_request",
    );
    let large = "x".repeat(20_000);
    let reply = scene.client.redeem_with(&scene.app, &code, &[("more", &large)]).await;
    expect_refusal(&reply, 400, "invalid_request");
    let names: Vec<String> = (0..50).map(|number| format!("more{number}")).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), "x")).collect();
    expect_refusal(
        &scene.client.redeem_with(&scene.app, &code, &many).await,
        400,
        "invalid_request",
    );
    let json = json!({"grant_type": "authorization_code", "code": code, "client_id": scene.client.id});
    let reply = scene.app.anonymous().post("/oauth/token", &json).await;
    expect_refusal(&reply, 400, "invalid_request");
    let query = format!(
        "/oauth/token?grant_type=authorization_code&code={code}&client_id={}",
        scene.client.id
    );
    let reply = super::form(&scene.app, &query, &[]).await;
    expect_refusal(&reply, 400, "invalid_request");
    assert_eq!(scene.issued().await, before);
    scene.client.redeem(&scene.app, &code).await.expect(200);
}
