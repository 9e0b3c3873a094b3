//! The apps, which exist only for clients that declare the extension.
use linepress_platform::config::Config;
use linepress_platform::scopes::{Scope, Scopes};
use serde_json::{Map, Value, json};

use crate::test_app::{Agent, Era, TestApp, last_message};

/// The tools whose results an app shows, and its address, in the order of the list of tools.
const SHOWN: [(&str, &str); 5] = [
    ("plan_book", "ui://linepress/plan"),
    ("create_book", "ui://linepress/contact-sheet"),
    ("get_book", "ui://linepress/contact-sheet"),
    ("restyle_book", "ui://linepress/contact-sheet"),
    ("get_book_pdf", "ui://linepress/viewer"),
];

const APPS: [&str; 3] = [
    "ui://linepress/plan",
    "ui://linepress/contact-sheet",
    "ui://linepress/viewer",
];

/// The restrictions of an app of a server at this origin.
fn restrictions(origin: &str) -> Value {
    json!({"csp": {"connectDomains": [], "resourceDomains": [origin]}, "prefersBorder": true})
}

/// Returns the error of a request of a client of any era.
async fn error(agent: &Agent, method: &str, params: Value, session: &[(&str, &str)]) -> Value {
    let message = agent.message(method, params.as_object().cloned().unwrap_or_default());
    let reply = agent.send(&message, session).await;
    reply.json()["error"].clone()
}

#[tokio::test]
async fn a_client_that_declares_no_apps_is_offered_none() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let found = agent.request("server/discover", json!({})).await;
    assert!(found["capabilities"].get("resources").is_none(), "{found}");
    assert!(!found.to_string().contains("io.modelcontextprotocol/ui"), "{found}");
    let list = agent.request("tools/list", json!({})).await;
    assert!(!list.to_string().contains("ui://"), "{list}");
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": APPS[0]})),
    ] {
        assert_eq!(error(&agent, method, params, &[]).await["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn a_client_that_shows_apps_finds_them_by_its_tools() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let plain = agent.request("tools/list", json!({})).await["tools"].clone();
    let agent = agent.that_shows_apps();
    let found = agent.request("server/discover", json!({})).await;
    assert_eq!(
        found["capabilities"]["extensions"]["io.modelcontextprotocol/ui"],
        json!({})
    );
    assert_eq!(found["capabilities"]["resources"], json!({}));
    let mut linked = agent.request("tools/list", json!({})).await["tools"].clone();
    // An agent pays for the links in every conversation.
    let bytes = linked.to_string().len() - plain.to_string().len();
    assert!(bytes < 500, "{bytes} bytes");
    let mut shown = Vec::new();
    for tool in linked.as_array_mut().unwrap() {
        if let Some(meta) = tool.as_object_mut().unwrap().remove("_meta") {
            let uri = meta["ui"]["resourceUri"].as_str().unwrap().to_owned();
            assert_eq!(meta, json!({"ui": {"resourceUri": uri}}));
            shown.push((tool["name"].as_str().unwrap().to_owned(), uri));
        }
    }
    shown.sort();
    let mut expected = SHOWN.map(|(tool, uri)| (tool.to_owned(), uri.to_owned()));
    expected.sort();
    assert_eq!(shown, expected);
    // Apart from the links, the list is the same.
    assert_eq!(linked, plain);
}

#[tokio::test]
async fn the_apps_can_be_read_and_load_pictures_from_the_server_only() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await.that_shows_apps();
    let list = agent.request("resources/list", json!({})).await;
    assert_eq!(list["cacheScope"], "private");
    let resources = list["resources"].as_array().unwrap();
    let uris: Vec<&str> = resources.iter().map(|listed| listed["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, APPS);
    for listed in resources {
        let read = agent.request("resources/read", json!({"uri": listed["uri"]})).await;
        let [contents] = &read["contents"].as_array().unwrap()[..] else {
            panic!("{read}");
        };
        assert_eq!(contents["uri"], listed["uri"]);
        for described in [listed, contents] {
            assert_eq!(described["mimeType"], "text/html;profile=mcp-app");
            assert_eq!(described["_meta"], json!({"ui": restrictions("http://linepress.test")}));
        }
        let page = contents["text"].as_str().unwrap();
        assert!(page.starts_with("<!doctype html>"), "{}", listed["uri"]);
        let title = format!("<title>{}</title>", listed["title"].as_str().unwrap());
        assert!(page.contains(&title), "{title}");
    }
    let templates = agent.request("resources/templates/list", json!({})).await;
    assert_eq!(templates["resourceTemplates"], json!([]));
    for unknown in ["ui://linepress/account", "file:///etc/passwd"] {
        let refused = error(&agent, "resources/read", json!({"uri": unknown}), &[]).await;
        assert_eq!(refused["code"], -32602, "{unknown}: {refused}");
    }
}

#[tokio::test]
async fn the_contact_sheet_learns_of_each_page_whether_its_picture_can_be_changed() {
    let portraits = json!({"prompt": "no prompt holds this", "aspects": ["portrait"]});
    let app = TestApp::builder()
        .image_provider("testbed.flaky", portraits)
        .next_image_provider("linepress.sketchbook", json!({}))
        .start()
        .await;
    let operator = app.operator().await;
    let ada = app.account(5).await;
    let portrait = app.ready_page(&ada, "A fox").await;
    let square = json!({"page": {"title": "An owl", "aspect": "square"}});
    let square = app.accepted(&ada, "/pages", &square).await.page_id();
    let plain = app.agent("ada@example.com").await;
    let agent = plain.clone().that_shows_apps();
    let edits = async |agent: &Agent, page: &str| {
        let result = agent.call("get_page", json!({"page_id": page})).await.0;
        result["_meta"]["linepress/edits-picture"].clone()
    };
    assert_eq!(edits(&agent, &portrait).await, true);
    assert_eq!(edits(&agent, &square).await, false);
    assert_eq!(edits(&plain, &portrait).await, Value::Null);
    // Hosts may cache the document, so it cannot say so.
    let document = async || agent.request("resources/read", json!({"uri": APPS[1]})).await["contents"].clone();
    let before = document().await;
    let reason = json!({"reason": "Too slow"});
    let switch = "/admin/providers/testbed.flaky/switch_off";
    operator.post(switch, &reason).await.expect(200);
    assert_eq!(edits(&agent, &portrait).await, false);
    assert_eq!(document().await, before);
}

#[tokio::test]
async fn the_pictures_of_an_app_come_from_the_origin_of_the_server() {
    let remote = |config: &mut Config| config.public_url = "https://books.example.com:8443".into();
    let app = TestApp::builder().config(remote).start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await.that_shows_apps();
    let message = agent.message("resources/list", Map::new());
    let reply = agent.send_to("books.example.com:8443", &message, &[]).await;
    let listed = last_message(&reply)["result"]["resources"][0].clone();
    assert_eq!(listed["_meta"]["ui"], restrictions("https://books.example.com:8443"));
}

#[tokio::test]
async fn a_client_of_the_older_era_declares_apps_once() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app
        .agent("ada@example.com")
        .await
        .in_era(Era::Sessions)
        .that_shows_apps();
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": agent.capabilities(),
        "clientInfo": {"name": "test", "version": "1"},
    });
    let hello = agent.message("initialize", hello.as_object().cloned().unwrap());
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let reply = agent.send(&hello, &[]).await;
        let result = last_message(&reply)["result"].clone();
        assert_eq!(result["protocolVersion"], "2025-11-25");
        assert_eq!(
            result["capabilities"]["extensions"],
            json!({"io.modelcontextprotocol/ui": {}})
        );
        assert_eq!(result["capabilities"]["resources"], json!({}));
        sessions.push(reply.headers["mcp-session-id"].to_str().unwrap().to_owned());
    }
    assert_ne!(sessions[0], sessions[1]);
    let in_session = [("mcp-session-id", sessions[0].as_str())];
    let list = agent.send(&agent.message("tools/list", Map::new()), &in_session).await;
    assert!(!list.headers.contains_key("mcp-session-id"));
    let tools = last_message(&list)["result"]["tools"].to_string();
    assert_eq!(tools.matches("ui://").count(), SHOWN.len());
    let uri = Map::from_iter([("uri".to_owned(), APPS[2].into())]);
    let read = agent.send(&agent.message("resources/read", uri), &in_session).await;
    assert_eq!(last_message(&read)["result"]["contents"][0]["uri"], APPS[2]);
    let refused = error(
        &agent,
        "resources/read",
        json!({"uri": "ui://linepress/account"}),
        &in_session,
    )
    .await;
    assert_eq!(refused["code"], -32002, "{refused}");
    // Without the id, or with that of another server, the client is one without apps.
    let without: [&[(&str, &str)]; 2] = [&[], &[("mcp-session-id", "another-server")]];
    for session in without {
        let list = agent.send(&agent.message("tools/list", Map::new()), session).await;
        let tools = last_message(&list)["result"]["tools"].to_string();
        assert!(!tools.contains("ui://"), "{session:?}");
        assert_eq!(
            error(&agent, "resources/list", json!({}), session).await["code"],
            -32601
        );
    }
}

#[tokio::test]
async fn an_app_without_the_scopes_of_a_tool_is_not_offered_it() {
    let app = TestApp::start().await;
    app.account(1).await;
    let scopes = Scopes::of(&[Scope::BooksRead]);
    let (agent, _) = app.agent_with("ada@example.com", scopes, None).await;
    let list = agent.that_shows_apps().request("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap();
    let linked = tools.iter().filter(|tool| tool["_meta"]["ui"].is_object());
    let linked: Vec<&str> = linked.map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(linked, ["plan_book", "get_book", "get_book_pdf"]);
}

#[tokio::test]
async fn an_app_learns_the_price_of_an_order_without_placing_it() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let before = ada.credits().await;
    let agent = app.agent("ada@example.com").await.that_shows_apps();
    // Even a free order is not placed, because no order costs less than nothing.
    for (pages, price) in [
        (json!([{"title": "A"}, {"title": "B"}]), 2),
        (json!([{"page_id": own.page}]), 0),
    ] {
        let asked = json!({"title": "Book", "pages": pages, "idempotency_key": "price", "confirm_credits": -1});
        let answer = agent.call("create_book", asked).await;
        answer.expect_error("confirmation_required");
        assert_eq!(answer.0["structuredContent"]["credits_required"], price);
    }
    assert_eq!(ada.credits().await, before);
}
