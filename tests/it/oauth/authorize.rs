//! Attacks on the authorization request.
use serde_json::json;

use super::{CHALLENGE, Client, Scene, parameter};

/// Fails unless the browser is not redirected, the page reports the error, and nothing was granted.
async fn expect_page(scene: &mut Scene, address: &str) {
    let before = scene.issued().await;
    // The result is the same whether or not an account is signed in.
    for mut browser in [scene.browser.clone(), scene.app.browser()] {
        let page = browser.get(address).await;
        assert_eq!(page.status, 400, "{address}: {}", page.text);
        assert!(!page.headers.contains_key("location"), "{address}");
        assert!(page.text.contains("This app cannot be connected"), "{}", page.text);
    }
    assert_eq!(scene.issued().await, before);
}

#[tokio::test]
async fn no_browser_is_redirected_to_an_unregistered_address() {
    let mut scene = Scene::new().await;
    for uri in [
        "",
        "https://evil.test/callback",
        "https://agent.test/callback/",
        "https://agent.test/callback?more",
        "https://agent.test/callback#x",
        "https://agent.test/Callback",
        "https://agent.test:8443/callback",
        "https://agent.test:443/callback",
        "https://agent.test.evil.test/callback",
        "https://agent.test@evil.test/callback",
        "https://agent.test\\@evil.test/callback",
        "https://evil.test/https://agent.test/callback",
        "https://agent.test/callback/../callback",
        "http://agent.test/callback",
        "//agent.test/callback",
        "/oauth/authorize",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://localhost/callback",
    ] {
        let address = scene.client.address(&[("redirect_uri", uri)]);
        expect_page(&mut scene, &address).await;
        // Not even with an error that would normally be reported by a redirect.
        let address = scene
            .client
            .address(&[("redirect_uri", uri), ("response_type", "token")]);
        expect_page(&mut scene, &address).await;
    }
}

#[tokio::test]
async fn an_unknown_or_ambiguous_app_is_reported_on_a_page() {
    let mut scene = Scene::new().await;
    for id in [
        "",
        "client_01KAFMYG00000000000000000A",
        "nonsense",
        "client_\u{0}",
        "https://",
    ] {
        let address = scene.client.address(&[("client_id", id)]);
        expect_page(&mut scene, &address).await;
    }
    let usual = scene.client.address(&[]);
    for more in [
        format!("&client_id={}", scene.client.id),
        "&redirect_uri=https%3A%2F%2Fevil.test%2F".to_owned(),
        format!("&more={}", "x".repeat(8_000)),
        "&x=".repeat(50),
    ] {
        expect_page(&mut scene, &format!("{usual}{more}")).await;
    }
}

/// Invalid requests of a known app, with the error code of each.
fn faults() -> Vec<(Vec<(&'static str, &'static str)>, &'static str)> {
    vec![
        (vec![("response_type", "")], "invalid_request"),
        (vec![("response_type", "token")], "unsupported_response_type"),
        (vec![("response_type", "code id_token")], "unsupported_response_type"),
        (vec![("response_mode", "fragment")], "invalid_request"),
        (vec![("request", "x.y.z")], "request_not_supported"),
        (vec![("request_uri", "urn:x")], "request_uri_not_supported"),
        (vec![("resource", "https://other.test/mcp")], "invalid_target"),
        (vec![("resource", "http://linepress.test/")], "invalid_target"),
        (vec![("resource", "http://linepress.test/mcp/")], "invalid_target"),
        (vec![("resource", "http://linepress.test/mcp?x")], "invalid_target"),
        (
            vec![
                ("resource", "http://linepress.test/mcp"),
                ("resource", "http://linepress.test/mcp"),
            ],
            "invalid_request",
        ),
        (
            vec![("scope", "books:read"), ("scope", "books:write")],
            "invalid_request",
        ),
        (
            vec![("code_challenge", CHALLENGE), ("code_challenge", CHALLENGE)],
            "invalid_request",
        ),
    ]
}

#[tokio::test]
async fn other_errors_are_reported_to_a_local_app_with_its_state_and_our_issuer() {
    let mut scene = Scene::new().await;
    scene.client = Client::register(&scene.app, json!({"redirect_uris": ["http://127.0.0.1:4711/callback"]})).await;
    let before = scene.issued().await;
    for (others, word) in faults() {
        for mut browser in [scene.browser.clone(), scene.app.browser()] {
            let back = browser.get(&scene.client.address(&others)).await;
            assert_eq!(back.status, 303, "{others:?} {}", back.text);
            assert!(
                back.header("location").starts_with("http://127.0.0.1:4711/callback?"),
                "{others:?}"
            );
            assert_eq!(parameter(&back, "error").as_deref(), Some(word), "{others:?}");
            assert_eq!(parameter(&back, "state").as_deref(), Some("st&te"));
            assert_eq!(parameter(&back, "iss").as_deref(), Some("http://linepress.test"));
            assert_eq!(parameter(&back, "code"), None);
        }
    }
    // With two states, neither can be trusted to be the app's own.
    let back = scene.browser.get(&(scene.client.address(&[]) + "&state=other")).await;
    assert_eq!(
        (parameter(&back, "error").as_deref(), parameter(&back, "state")),
        (Some("invalid_request"), None)
    );
    assert_eq!(scene.issued().await, before);
}

#[tokio::test]
async fn no_browser_is_redirected_to_another_site_before_the_user_has_acted() {
    let mut scene = Scene::new().await;
    let own_scheme = json!({"redirect_uris": ["cursor://evil/cb"], "token_endpoint_auth_method": "none"});
    let native = Client::register(&scene.app, own_scheme).await;
    for (client, place, link) in [
        (scene.client.clone(), "agent.test", "https://agent.test/callback?error="),
        (native, "opens cursor: addresses", "cursor://evil/cb?error="),
    ] {
        for (others, word) in faults() {
            let address = client.address(&others);
            expect_page(&mut scene, &address).await;
            let page = scene.app.browser().get(&address).await;
            page.expect(400, place);
            page.expect(400, "What is wrong: ");
            // The user may choose to report the error to the app.
            page.expect(400, &format!("href=\"{link}{word}&#38;"));
            page.expect(400, "&#38;state=st%26te&#38;iss=http%3A%2F%2Flinepress.test");
        }
    }
}

#[tokio::test]
async fn the_query_of_the_redirect_address_is_preserved() {
    let mut scene = Scene::new().await;
    let uri = "https://agent.test/cb?tenant=a%20b&x";
    let client = Client::register(
        &scene.app,
        json!({"redirect_uris": [uri], "token_endpoint_auth_method": "none"}),
    )
    .await;
    let back = client
        .decide(&mut scene.browser, &client.address(&[]), &super::APPROVE_ALL)
        .await;
    assert!(
        back.header("location").starts_with(&format!("{uri}&code=")),
        "{:?}",
        back.headers
    );
    let own_scheme = "cursor://anysphere.cursor-retrieval/oauth/callback";
    let client = Client::register(&scene.app, json!({"redirect_uris": [own_scheme]})).await;
    let back = client
        .decide(&mut scene.browser, &client.address(&[]), &super::APPROVE_ALL)
        .await;
    assert!(back.header("location").starts_with(&format!("{own_scheme}?code=")));
}
