//! Links to files, valid for a quarter of an hour and for files of the account only.
use std::time::Duration;

use crate::testing;
use axum::body::Body;
use axum::http::StatusCode;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use linepress_accounts::accounts::{self, Plan};
use linepress_platform::scopes::Scopes;
use serde_json::json;
use sha2::Sha256;

use crate::test_app::{Answer, Era, TestApp};

#[tokio::test]
async fn a_link_leads_every_holder_to_the_file() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let agent = app.agent("ada@example.com").await;
    for (tool, arguments, path) in [
        (
            "get_book_pdf",
            json!({"book_id": own.book, "format": "a4"}),
            format!("/books/{}/pdf?format=a4", own.book),
        ),
        (
            "get_page_image",
            json!({"page_id": own.page}),
            format!("/pages/{}/image", own.page),
        ),
        (
            "get_character_image",
            json!({"character_id": own.character}),
            format!("/characters/{}/reference_image", own.character),
        ),
        (
            "get_book_cover_image",
            json!({"book_id": own.book}),
            format!("/books/{}/cover_image", own.book),
        ),
    ] {
        let answer = agent.call(tool, arguments).await;
        let link = answer.expect();
        assert!(
            answer.text().contains(link["url"].as_str().unwrap()),
            "{}",
            answer.text()
        );
        let over_rest = ada.get(&path).await;
        let file = app.anonymous().get(link["url"].as_str().unwrap()).await;
        assert_eq!(file.status, StatusCode::OK, "{tool}");
        assert_eq!(file.body, over_rest.body, "{tool}");
        assert_eq!(link["byte_size"], file.body.len(), "{tool}");
        assert_eq!(link["media_type"], file.header("content-type"), "{tool}");
        assert_eq!(link["expires_at"], "2026-11-21T12:15:00.000Z", "{tool}");
        // Clients that show files get the same as a resource link.
        let shown = answer.0["content"].as_array().unwrap().last().unwrap();
        let name = file.header("content-disposition").split('"').nth(1).unwrap();
        let expected = json!({
            "type": "resource_link",
            "uri": link["url"],
            "name": name,
            "title": name,
            "description": "Works until 2026-11-21T12:15:00.000Z.",
            "mimeType": link["media_type"],
            "size": link["byte_size"],
            "annotations": {"audience": ["user"]},
        });
        assert_eq!(*shown, expected, "{tool}");
    }
}

#[tokio::test]
async fn a_client_of_an_early_revision_gets_no_resource_links() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let page = app.ready_page(&ada, "A fox").await;
    for (era, blocks) in [(Era::Early, 1), (Era::Sessions, 2), (Era::Stateless, 2)] {
        let agent = app.agent("ada@example.com").await.in_era(era);
        let answer = agent.call("get_page_image", json!({"page_id": page})).await;
        assert!(answer.expect()["url"].is_string());
        assert_eq!(answer.0["content"].as_array().unwrap().len(), blocks, "{era:?}");
    }
}

#[tokio::test]
async fn an_interrupted_download_can_be_resumed() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let page = app.ready_page(&ada, "A fox").await;
    let agent = app.agent("ada@example.com").await;
    let answer = agent.call("get_page_image", json!({"page_id": page})).await;
    let url = answer.expect()["url"].as_str().unwrap();
    let whole = app.anonymous().get(url).await.body;
    let ask = async |method: &str, range: &str| {
        app.anonymous()
            .send(method, url, &[("range", range)], Body::empty())
            .await
    };
    let part = ask("GET", "bytes=100-199").await;
    assert_eq!(part.status, StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.header("content-range"), format!("bytes 100-199/{}", whole.len()));
    assert_eq!(part.body, whole.slice(100..200));
    assert_eq!(ask("GET", "bytes=-50").await.body, whole.slice(whole.len() - 50..));
    let beyond = ask("GET", &format!("bytes={}-", whole.len())).await;
    assert_eq!(beyond.status, StatusCode::RANGE_NOT_SATISFIABLE);
    let head = app.anonymous().send("HEAD", url, &[], Body::empty()).await;
    assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0));
    assert_eq!(head.header("content-length"), whole.len().to_string());
    assert_eq!(head.header("accept-ranges"), "bytes");
}

#[tokio::test]
async fn a_download_is_resumed_only_with_the_same_file() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let agent = app.agent("ada@example.com").await;
    let answer = agent
        .call("get_book_pdf", json!({"book_id": own.book, "format": "a4"}))
        .await;
    let url = answer.expect()["url"].as_str().unwrap();
    let whole = app.anonymous().get(url).await;
    let etag = whole.header("etag").to_owned();
    let rest = async || {
        let headers = [("range", "bytes=100-"), ("if-range", etag.as_str())];
        app.anonymous().send("GET", url, &headers, Body::empty()).await
    };
    let part = rest().await;
    assert_eq!(part.status, StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.body, whole.body.slice(100..));
    let renamed = json!({"book": {"title": "Another title"}});
    ada.patch(&format!("/books/{}", own.book), &renamed).await.expect(200);
    let other = rest().await;
    assert_eq!(other.status, StatusCode::OK);
    assert_ne!(other.header("etag"), etag);
    assert_ne!(other.body, whole.body);
}

#[tokio::test]
async fn a_link_ends_with_its_time_its_grant_its_plan_and_its_file() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let page = app.ready_page(&ada, "A fox").await;
    let (agent, granted) = app.agent_with("ada@example.com", Scopes::ALL, None).await;
    let link = async |agent: &crate::test_app::Agent| {
        let answer = agent.call("get_page_image", json!({"page_id": page})).await;
        answer.expect()["url"].as_str().unwrap().to_owned()
    };
    let status = async |url: &str| app.anonymous().get(url).await.status.as_u16();
    let url = link(&agent).await;
    assert_eq!(status(&url).await, 200);
    // The end of its grant.
    let (other, _) = app.agent_with("ada@example.com", Scopes::ALL, None).await;
    let others = link(&other).await;
    assert!(testing::revoke_grant(&app.server, &granted.grant_id).await.unwrap());
    assert_eq!(status(&url).await, 404);
    assert_eq!(status(&others).await, 200);
    // The end of its plan.
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    testing::set_plan(&app.server, &account, Plan::Free).await.unwrap();
    assert_eq!(status(&others).await, 403);
    testing::set_plan(&app.server, &account, Plan::Business).await.unwrap();
    assert_eq!(status(&others).await, 200);
    // The end of its file.
    ada.delete(&format!("/pages/{page}")).await;
    assert_eq!(status(&others).await, 404);
    // The end of its validity.
    let second = app.ready_page(&ada, "An owl").await;
    let answer = other.call("get_page_image", json!({"page_id": second})).await;
    let url = answer.expect()["url"].as_str().unwrap();
    app.server.clock.advance(Duration::from_secs(15 * 60 - 1));
    assert_eq!(status(url).await, 200);
    app.server.clock.advance(Duration::from_secs(1));
    assert_eq!(status(url).await, 404);
}

#[tokio::test]
async fn links_cannot_be_forged_or_lead_to_files_of_another_account() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.account_named("ben@example.com", Plan::Business, 9).await;
    let own = app.ready_resources(&ada).await;
    let ben = app.agent("ben@example.com").await;
    for (tool, arguments) in [
        ("get_book_pdf", json!({"book_id": own.book})),
        ("get_page_image", json!({"page_id": own.page, "include_preview": true})),
        ("get_character_image", json!({"character_id": own.character})),
        ("get_book_cover_image", json!({"book_id": own.book})),
    ] {
        ben.call(tool, arguments).await.expect_error("not_found");
    }
    let agent = app.agent("ada@example.com").await;
    let answer = agent.call("get_page_image", json!({"page_id": own.page})).await;
    let url = answer.expect()["url"].as_str().unwrap().to_owned();
    let token = url.rsplit('/').next().unwrap();
    for forged in [
        "nonsense".to_owned(),
        format!("{token}A"),
        token[..token.len() - 1].to_owned(),
        token.replacen('e', "f", 1),
    ] {
        let reply = app.anonymous().get(&format!("/downloads/{forged}")).await;
        reply.expect_error(404, "not_found");
    }
}

/// A token forged by an attacker who has read the secrets in the database.
fn forged(app: &TestApp, sealed: &serde_json::Value) -> String {
    let mut bytes = serde_json::to_vec(sealed).unwrap();
    let key = app.server.root_secret.key_for("downloads");
    let mac = Hmac::<Sha256>::new_from_slice(&key).unwrap().chain_update(&bytes);
    bytes.extend(&mac.finalize().into_bytes()[..16]);
    URL_SAFE_NO_PAD.encode(bytes)
}

#[tokio::test]
async fn a_valid_seal_alone_does_not_open_a_file() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.account_named("ben@example.com", Plan::Business, 9).await;
    let page = app.ready_page(&ada, "A fox").await;
    let account = ada.get("/me").await.expect(200)["account"]["id"].clone();
    let (_, own) = app.agent_with("ada@example.com", Scopes::ALL, None).await;
    let (_, others) = app.agent_with("ben@example.com", Scopes::ALL, None).await;
    let minutes = |minutes: u64| {
        app.server
            .clock
            .now()
            .plus(Duration::from_secs(minutes * 60))
            .microseconds()
    };
    let sealed = json!({"a": account, "g": own.grant_id, "t": {"p": page}, "e": minutes(15)});
    let ask = async |changed: &[(&str, serde_json::Value)]| {
        let mut sealed = sealed.clone();
        for (name, value) in changed {
            sealed[*name] = value.clone();
        }
        if sealed["g"].is_null() {
            sealed.as_object_mut().unwrap().remove("g");
        }
        let token = forged(&app, &sealed);
        app.anonymous().get(&format!("/downloads/{token}")).await
    };
    assert_eq!(ask(&[]).await.status, StatusCode::OK);
    for changed in [
        ("g", json!(null)),
        ("g", json!(others.grant_id)),
        ("g", json!("grant_nowhere")),
        ("e", json!(minutes(17))),
        ("e", json!(i64::MAX)),
        ("e", json!(minutes(0))),
    ] {
        ask(&[changed]).await.expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn an_agent_that_looks_at_a_picture_gets_a_small_one() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let page = app.ready_page(&ada, "A fox").await;
    let agent = app.agent("ada@example.com").await;
    let plain = agent.call("get_page_image", json!({"page_id": page})).await;
    let images = |answer: &Answer| {
        let content = answer.0["content"].as_array().unwrap();
        content.iter().filter(|block| block["type"] == "image").count()
    };
    assert_eq!(images(&plain), 0);
    let seen = agent
        .call("get_page_image", json!({"page_id": page, "include_preview": true}))
        .await;
    assert_eq!(images(&seen), 1);
    let image = &seen.0["content"][1];
    assert_eq!(
        (&image["type"], &image["mimeType"]),
        (&json!("image"), &json!("image/png"))
    );
    let bytes = STANDARD.decode(image["data"].as_str().unwrap()).unwrap();
    assert!(bytes.len() <= 24_000, "{}", bytes.len());
    let picture = image::load_from_memory(&bytes).unwrap();
    assert_eq!((picture.width(), picture.height()), (480, 640));
}
