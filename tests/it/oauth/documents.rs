//! Clients that publish a metadata document, and invalid documents.
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use linepress_egress::Fetcher;
use linepress_operator::administration::{Actor, apps};
use serde_json::{Value, json};

use super::{APPROVE_ALL, Client, EMAIL, Scene, parameter};
use crate::test_app::{Page, TestApp, Tripwire, Web};

const ADDRESS: &str = "https://pictures.test/client.json";
const REDIRECT: &str = "http://localhost/callback";

fn document(id: &str) -> Value {
    json!({
        "client_id": id, "client_name": "Claude Code", "client_uri": "https://pictures.test",
        "redirect_uris": [REDIRECT, "http://127.0.0.1/callback"], "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
    })
}

fn client(id: &str) -> Client {
    Client {
        id: id.into(),
        secret: None,
        redirect_uri: "http://localhost:4711/callback".into(),
    }
}

async fn scene(web: &Web) -> Scene {
    Scene::on(TestApp::builder().fetcher(web.fetcher()).start().await).await
}

#[tokio::test]
async fn a_client_with_a_document_is_known_by_its_host_and_needs_no_registration() {
    let web = Web::open().await;
    web.file("/client.json", document(ADDRESS).to_string().as_bytes());
    let mut scene = scene(&web).await;
    let client = client(ADDRESS);
    let page = scene.browser.get(&client.address(&[])).await;
    page.expect(200, "An app by <strong>pictures.test</strong>");
    page.expect(200, "an app on this device (localhost)");
    assert!(!page.text.contains("registered by itself"));
    let code = client.code(&mut scene.browser, &[]).await;
    let tokens = client.redeem(&scene.app, &code).await.expect(200);
    assert!(scene.opens(&tokens).await);
    client.refresh(&scene.app, &tokens).await.expect(200);
    // The document was fetched only once until it expires.
    assert_eq!(web.requests().len(), 1);
    scene.app.server.clock.advance(Duration::from_secs(3601));
    client.code(&mut scene.browser, &[]).await;
    assert_eq!(web.requests().len(), 2);
    let account = linepress_accounts::accounts::find(&scene.app.server, EMAIL)
        .await
        .unwrap()
        .unwrap();
    let granted = linepress_accounts::grants::list_of(&scene.app.server, &account)
        .await
        .unwrap();
    assert_eq!(granted[0].app.client_host.as_deref(), Some("pictures.test"));
}

#[tokio::test]
async fn changed_redirects_in_a_document_take_effect() {
    let web = Web::open().await;
    web.file("/client.json", document(ADDRESS).to_string().as_bytes());
    let mut scene = scene(&web).await;
    let client = client(ADDRESS);
    let page = scene.browser.get(&client.address(&[])).await;
    let code = client.code(&mut scene.browser, &[]).await;
    let mut changed = document(ADDRESS);
    changed["redirect_uris"] = json!(["https://pictures.test/cb"]);
    web.file("/client.json", changed.to_string().as_bytes());
    scene.app.server.clock.advance(Duration::from_secs(3601));
    let before = scene.issued().await;
    scene
        .browser
        .get(&client.address(&[]))
        .await
        .expect(400, "This app cannot be connected");
    // The new redirects also apply to a request that was already shown.
    let (token, request) = (page.value_of("csrf_token"), page.value_of("request"));
    let mut fields = vec![("csrf_token", token.as_str()), ("request", &request)];
    fields.extend(APPROVE_ALL);
    let decided = scene.browser.post("/oauth/authorize", &fields).await;
    assert_eq!(parameter(&decided, "code"), None);
    assert_eq!(client.redeem(&scene.app, &code).await.status, 400);
    assert_eq!(scene.issued().await, before);
}

/// Fails unless the page reports that the client is unknown, and nothing about it is stored.
async fn expect_unknown(scene: &mut Scene, id: &str) {
    let clients = linepress_accounts::grants::clients::list(&scene.app.server)
        .await
        .unwrap()
        .len();
    let page = scene.browser.get(&client(id).address(&[])).await;
    page.expect(400, "This app cannot be connected");
    assert!(!page.headers.contains_key("location"));
    assert_eq!(
        linepress_accounts::grants::clients::list(&scene.app.server)
            .await
            .unwrap()
            .len(),
        clients,
        "{id}"
    );
    // Waits until the fetch limit is restored, which this test does not cover.
    scene.app.server.clock.advance(Duration::from_secs(600));
}

#[tokio::test]
async fn an_invalid_document_creates_no_client_and_is_fetched_again() {
    let web = Web::open().await;
    let mut scene = scene(&web).await;
    let other = document("https://pictures.test/other.json").to_string();
    let mut secret = document(ADDRESS);
    secret["token_endpoint_auth_method"] = "client_secret_post".into();
    let mut key = document(ADDRESS);
    key["token_endpoint_auth_method"] = "private_key_jwt".into();
    let mut remote = document(ADDRESS);
    remote["redirect_uris"] = json!(["http://evil.test/callback"]);
    let mut script = document(ADDRESS);
    script["redirect_uris"] = json!(["javascript:alert(1)"]);
    let mut large = document(ADDRESS);
    large["padding"] = "x".repeat(64 * 1024).into();
    for wrong in [
        other,
        secret.to_string(),
        key.to_string(),
        remote.to_string(),
        script.to_string(),
        large.to_string(),
        "{".into(),
    ] {
        web.file("/client.json", wrong.as_bytes());
        expect_unknown(&mut scene, ADDRESS).await;
    }
    // A document behind a redirect, even on the same host.
    web.file("/real.json", document(ADDRESS).to_string().as_bytes());
    web.redirect("/client.json", "https://pictures.test/real.json");
    expect_unknown(&mut scene, ADDRESS).await;
    web.page(
        "/client.json",
        Page::Whole(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into()),
    );
    expect_unknown(&mut scene, ADDRESS).await;
    let asked = web.requests().len();
    assert_eq!(asked, 9);
    web.file("/client.json", document(ADDRESS).to_string().as_bytes());
    scene
        .browser
        .get(&client(ADDRESS).address(&[]))
        .await
        .expect(200, "pictures.test");
}

#[tokio::test]
async fn a_document_on_the_internal_network_is_never_fetched() {
    let web = Web::open().await;
    let tripwire = Tripwire::set();
    web.name("inside.test", tripwire.addresses());
    web.name("mixed.test", [web.address, tripwire.addresses()[0]]);
    let mut scene = scene(&web).await;
    let mut ids = vec![
        "https://inside.test/client.json".to_owned(),
        "https://mixed.test/client.json".into(),
    ];
    let port = tripwire.port();
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "localhost",
        "127%2e0%2e0%2e1",
        "pictures%2etest",
        "PICTURES.test",
        "pictures.test.",
        "user@pictures.test",
        "pictures.test\\@inside.test",
        "169.254.169.254",
    ] {
        ids.push(format!("https://{host}/client.json"));
        ids.push(format!("https://{host}:{port}/client.json"));
    }
    ids.extend([
        "http://pictures.test/client.json".into(),
        "https://pictures.test/".into(),
        "https://pictures.test".into(),
    ]);
    ids.extend([
        "https://pictures.test/a/../client.json".into(),
        "https://pictures.test/client.json#x".into(),
    ]);
    for id in ids {
        expect_unknown(&mut scene, &id).await;
    }
    assert_eq!((tripwire.touched(), web.requests().len()), (0, 0));
}

#[tokio::test]
async fn exceptions_for_imports_do_not_apply_to_documents() {
    let web = Web::open().await;
    web.file("/client.json", document(ADDRESS).to_string().as_bytes());
    let mut settings = web.settings();
    settings.exceptions.addresses.clear();
    let app = TestApp::builder()
        .fetcher(web.fetcher())
        .public_fetcher(Fetcher::new(settings));
    let mut scene = Scene::on(app.start().await).await;
    expect_unknown(&mut scene, ADDRESS).await;
    assert_eq!(web.requests().len(), 0);
}

#[tokio::test]
async fn fetches_of_documents_are_limited_for_each_account() {
    let web = Web::open().await;
    let mut scene = scene(&web).await;
    let mut refused = 0;
    for number in 0..30 {
        let id = format!("https://pictures.test/{number}.json");
        let page = scene.browser.get(&client(&id).address(&[])).await;
        refused += usize::from(page.status == 429);
    }
    assert_eq!((refused, web.requests().len()), (10, 20));
    web.file("/client.json", document(ADDRESS).to_string().as_bytes());
    let mut bob = scene.app.person("bob@example.com", Plan::Business, 0).await;
    bob.get(&client(ADDRESS).address(&[]))
        .await
        .expect(200, "pictures.test");
    // Known documents are shown to the first account, even expired ones and without fetches left.
    scene.app.server.clock.advance(Duration::from_secs(3700));
    for number in 30..60 {
        let id = format!("https://pictures.test/{number}.json");
        scene.browser.get(&client(&id).address(&[])).await;
    }
    let requests = web.requests().len();
    scene
        .browser
        .get(&client(ADDRESS).address(&[]))
        .await
        .expect(200, "pictures.test");
    assert_eq!(web.requests().len(), requests);
}

#[tokio::test]
async fn a_document_is_fetched_only_for_a_person_who_is_signed_in() {
    let web = Web::open().await;
    web.file("/client.json", document(ADDRESS).to_string().as_bytes());
    let scene = scene(&web).await;
    let address = client(ADDRESS).address(&[]);
    let page = scene.app.browser().get(&address).await;
    let location = page.header("location").to_owned();
    assert!(
        location.starts_with("/sign-in?return_to=%2Foauth%2Fauthorize"),
        "{location}"
    );
    assert_eq!(web.requests().len(), 0);
}

#[tokio::test]
async fn a_document_remains_valid_for_a_day_while_it_cannot_be_fetched() {
    let web = Web::open().await;
    web.file("/client.json", document(ADDRESS).to_string().as_bytes());
    let mut scene = scene(&web).await;
    let client = client(ADDRESS);
    client.code(&mut scene.browser, &[]).await;
    let gone = || Page::Whole(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n".into());
    web.page("/client.json", gone());
    scene.app.server.clock.advance(Duration::from_secs(2 * 3600));
    client.code(&mut scene.browser, &[]).await;
    assert_eq!(web.requests().len(), 2);
    // An invalid document is treated differently from an unreachable one.
    let mut wrong = document(ADDRESS);
    wrong["redirect_uris"] = json!([]);
    web.file("/client.json", wrong.to_string().as_bytes());
    let refused = scene.browser.get(&client.address(&[])).await;
    refused.expect(400, "Its metadata document could not be fetched or used");
    web.page("/client.json", gone());
    scene.app.server.clock.advance(Duration::from_secs(24 * 3600));
    scene
        .browser
        .get(&client.address(&[]))
        .await
        .expect(400, "could not be fetched or used");
}

#[tokio::test]
async fn chatgpt_connects_with_the_document_that_it_publishes() {
    let web = Web::open().await;
    let mut chatgpt = document(ADDRESS);
    chatgpt["redirect_uris"] = json!(["https://chatgpt.com/connector_platform_oauth_redirect"]);
    chatgpt["token_endpoint_auth_method"] = "private_key_jwt".into();
    chatgpt["token_endpoint_auth_methods_supported"] = json!(["none", "private_key_jwt"]);
    chatgpt["token_endpoint_auth_signing_alg"] = "RS256".into();
    chatgpt["jwks_uri"] = "https://chatgpt.com/oauth/jwks.json".into();
    web.file("/client.json", chatgpt.to_string().as_bytes());
    let mut scene = scene(&web).await;
    let client = Client {
        redirect_uri: "https://chatgpt.com/connector_platform_oauth_redirect".into(),
        ..client(ADDRESS)
    };
    let code = client.code(&mut scene.browser, &[]).await;
    let tokens = client.redeem(&scene.app, &code).await.expect(200);
    assert!(scene.opens(&tokens).await);
    client.refresh(&scene.app, &tokens).await.expect(200);
}

#[tokio::test]
async fn an_app_whose_redirects_are_all_local_comes_with_a_warning() {
    let web = Web::open().await;
    web.file("/client.json", document(ADDRESS).to_string().as_bytes());
    let mut scene = scene(&web).await;
    let warning = "any program could impersonate it";
    scene
        .browser
        .get(&client(ADDRESS).address(&[]))
        .await
        .expect(200, warning);
    let mut hosted = document("https://pictures.test/hosted.json");
    hosted["redirect_uris"] = json!([REDIRECT, "https://pictures.test/cb"]);
    web.file("/hosted.json", hosted.to_string().as_bytes());
    let page = scene
        .browser
        .get(&client("https://pictures.test/hosted.json").address(&[]))
        .await;
    page.expect(200, "pictures.test");
    assert!(!page.text.contains(warning));
}

#[tokio::test]
async fn an_operator_revokes_all_apps_of_a_host() {
    let web = Web::open().await;
    let mut scene = scene(&web).await;
    for name in ["one", "two"] {
        let id = format!("https://pictures.test/{name}.json");
        web.file(&format!("/{name}.json"), document(&id).to_string().as_bytes());
        client(&id).code(&mut scene.browser, &[]).await;
    }
    let actor = Actor::command_line();
    let revoke = || apps::revoke_host(&scene.app.server, &actor, "pictures.test");
    assert_eq!(revoke().await.unwrap(), 2);
    assert_eq!(revoke().await.unwrap(), 0);
    scene
        .browser
        .get(&client("https://pictures.test/one.json").address(&[]))
        .await
        .expect(400, "cannot be connected");
}

#[tokio::test]
async fn an_operator_blocks_a_client_with_a_document() {
    let web = Web::open().await;
    web.file("/client.json", document(ADDRESS).to_string().as_bytes());
    let mut scene = scene(&web).await;
    let client = client(ADDRESS);
    let code = client.code(&mut scene.browser, &[]).await;
    let tokens = client.redeem(&scene.app, &code).await.expect(200);
    let known = linepress_accounts::grants::clients::list(&scene.app.server)
        .await
        .unwrap();
    let known = known.iter().find(|client| client.document_url.is_some()).unwrap();
    assert!(
        linepress_accounts::grants::clients::revoke(&scene.app.server, &known.id)
            .await
            .unwrap()
    );
    assert!(!scene.opens(&tokens).await);
    super::expect_refusal(&client.refresh(&scene.app, &tokens).await, 401, "invalid_client");
    scene.app.server.clock.advance(Duration::from_secs(200 * 24 * 3600));
    crate::testing::forget_grants(&scene.app.server).await.unwrap();
    let mut bob = scene.app.person("bob@example.com", Plan::Business, 0).await;
    bob.get(&client.address(&[]))
        .await
        .expect(400, "This app cannot be connected");
}
