//! The OpenAPI document and the page that shows it: it must suffice to understand and test an operation.
use std::collections::BTreeSet;
use std::path::Path;

use linepress_accounts::credits::pricing;
use serde_json::{Value, json};

use crate::test_app::{TestApp, operations};

/// Calls `look` with every value of the document and its path.
pub(crate) fn visit<'a>(value: &'a Value, place: &str, look: &mut impl FnMut(&str, &'a Value)) {
    look(place, value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| visit(item, place, look)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, field)| visit(field, &format!("{place}/{name}"), look)),
        _ => {}
    }
}

/// Compares the committed document, which client developers without a server and reviewers of a change read.
#[tokio::test]
async fn the_committed_document_is_the_one_that_is_served() {
    let app = TestApp::builder()
        .config(|config| config.public_url = "http://127.0.0.1:8080".into())
        .start()
        .await;
    let served = format!("{:#}\n", app.openapi_document().await);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    if std::env::var_os("LINEPRESS_TEST_UPDATE_OPENAPI").is_some() {
        std::fs::write(&file, &served).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap();
    assert!(
        committed == served,
        "docs/openapi.json is not what the server serves. Write it anew with \
         `LINEPRESS_TEST_UPDATE_OPENAPI=1 cargo xtask test the_committed_document`, and read what changes for clients."
    );
}

/// The prices in the README and the glossary, which are not generated.
#[test]
fn the_prices_in_prose_are_those_that_are_charged() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let [page, character, again] = [pricing::PAGE, pricing::CHARACTER, pricing::COVER_AGAIN].map(pricing::credits);
    let cover = pricing::costs(pricing::COVER);
    let readme = words(include_str!("../../README.md"));
    assert!(readme.contains(&format!("Each new page costs {page}; the cover {cover}.")));
    assert!(readme.contains(&format!("/cover/regenerate` redraws it, for {again}.")));
    let glossary = words(include_str!("../../docs/glossary.md"));
    assert!(glossary.contains(&format!(
        "A page costs {page}, a character {character}, and a redrawn cover {again}; a book's first cover {cover}."
    )));
}

#[tokio::test]
async fn the_document_is_serialized_once() {
    let app = TestApp::start().await;
    let (first, second) = (
        app.anonymous().get("/openapi.json").await,
        app.anonymous().get("/openapi.json").await,
    );
    assert_eq!(first.header("content-type"), "application/json");
    // The same bytes at the same place in memory.
    assert_eq!(first.body.as_ptr(), second.body.as_ptr());
}

#[tokio::test]
async fn every_operation_that_takes_an_id_is_the_target_of_a_link() {
    let app = TestApp::start().await;
    let document = app.openapi_document().await;
    let operations = operations(&document);
    let mut linked = BTreeSet::new();
    for (_, _, operation) in &operations {
        for response in operation["responses"].as_object().unwrap().values() {
            for link in response["links"]
                .as_object()
                .into_iter()
                .flat_map(|links| links.values())
            {
                linked.insert(link["operationId"].as_str().unwrap());
            }
        }
    }
    let known: BTreeSet<&str> = operations
        .iter()
        .map(|(_, _, operation)| operation["operationId"].as_str().unwrap())
        .collect();
    assert!(linked.is_subset(&known), "{:?}", linked.difference(&known));
    for (_, path, operation) in &operations {
        let id = operation["operationId"].as_str().unwrap();
        assert!(
            !path.contains('{') || linked.contains(id),
            "{id} has no line in links.rs"
        );
    }
}

#[tokio::test]
async fn every_field_and_every_parameter_is_described() {
    let app = TestApp::start().await;
    let document = app.openapi_document().await;
    let mut bare = Vec::new();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
            // A description of a referenced type applies to every field of that type.
            let referred = schema.get("$ref").is_some() || schema["oneOf"][0].get("$ref").is_some();
            let listed = schema["items"].get("$ref").is_some();
            let plain = ["id", "title", "name"].contains(&field.as_str());
            if schema.get("description").is_none() && !referred && !listed && !plain {
                bare.push(format!("{name}.{field}"));
            }
        }
    }
    for (method, path, operation) in operations(&document) {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            if parameter.get("description").is_none() {
                bare.push(format!("{method} {path} {}", parameter["name"]));
            }
        }
    }
    assert_eq!(bare, [""; 0]);
}

#[tokio::test]
async fn every_text_in_a_request_has_a_pattern() {
    let app = TestApp::start().await;
    let document = app.openapi_document().await;
    visit(&document, "", &mut |place, value| {
        // Only a text in a request has a maximum length.
        if value.get("maxLength").is_some() {
            assert!(value.get("pattern").is_some(), "{place}: {value}");
        }
    });
}

#[tokio::test]
async fn every_body_has_an_example_and_those_of_requests_are_valid() {
    let app = TestApp::start().await;
    let ada = app.account(100).await;
    app.make_operator("ada@example.com").await;
    let document = app.openapi_document().await;
    for (method, path, operation) in operations(&document) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            if let Some(content) = response["content"].get("application/json") {
                let example = content.get("example").or(content.get("examples"));
                assert!(example.is_some(), "{method} {path} {status}");
            }
        }
        let Some(body) = operation.pointer("/requestBody/content/application~1json") else {
            continue;
        };
        let example = body.get("example").unwrap_or_else(|| panic!("{method} {path}"));
        if method == "post" && !path.contains('{') {
            let reply = ada.generate(path, path, example).await;
            if path == "/pages/import" {
                // The address belongs to no server: the example is valid if the address alone is rejected.
                let error = reply.expect_error(422, "validation_failed");
                assert_eq!(error["details"][0]["field"], "image_url");
                continue;
            }
            assert!(reply.status.is_success(), "{path}: {}", reply.json());
        }
    }
}

#[tokio::test]
async fn the_example_of_the_secret_of_callbacks_is_the_reply_that_it_has() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let document = app.openapi_document().await;
    let operation = &document["paths"]["/callback_secret"]["post"];
    let request = &operation["requestBody"]["content"]["application/json"]["example"];
    let example = &operation["responses"]["200"]["content"]["application/json"]["example"];
    let reply = ada.post("/callback_secret", request).await.expect(200);
    for field in ["url", "description", "events", "failing_since", "paused_at"] {
        assert_eq!(example["webhook"][field], reply["webhook"][field], "{field}");
    }
    for field in ["callbacks_since", "previous_secret_expires_at"] {
        assert!(reply["webhook"][field].is_string(), "{field}: {reply}");
        assert!(example["webhook"][field].is_string(), "{field}: {example}");
    }
}

#[tokio::test]
async fn a_whole_number_may_be_written_with_a_point() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let plan = async |count: Value| {
        let body = json!({"book_plan": {"theme": "A woodland day", "page_count": count}});
        ada.post("/book_plans", &body).await
    };
    assert_eq!(
        plan(json!(2.0)).await.expect(200)["book_plan"]["credit_estimate"]["pages"],
        2
    );
    plan(json!(2.5)).await.expect_error(422, "validation_failed");
}

#[tokio::test]
async fn the_base_address_asks_for_a_key_like_every_address_below_it() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    for path in ["/api/v1", "/api/v1/", "/nowhere"] {
        app.anonymous().get(path).await.expect_error(401, "unauthorized");
        ada.get(path).await.expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn the_reference_loads_nothing_from_other_sites_and_all_that_it_loads_is_cached() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    for path in ["/docs", "/docs/books", "/docs/api-keys", "/docs/types"] {
        let page = anonymous.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(page.header("cache-control"), "public, max-age=3600");
        let policy = page.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none';") && !policy.contains("http") && !policy.contains("unsafe"),
            "{policy}"
        );
        let html = String::from_utf8(page.body.to_vec()).unwrap();
        let assets: Vec<&str> = html.split('"').filter(|word| word.starts_with("/assets/")).collect();
        assert_eq!(assets.len(), 4, "{assets:?}");
        let mut browser = app.browser();
        for asset in assets {
            let file = browser.open(asset).await;
            assert_eq!(file.status(), 200, "{asset}");
            assert_eq!(file.headers()["cache-control"], "public, max-age=31536000, immutable");
        }
    }
}

#[tokio::test]
async fn the_guides_and_the_overview_for_models_are_served_as_text() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    let llms = browser.get("/llms.txt").await;
    assert_eq!(llms.header("content-type"), "text/plain; charset=utf-8");
    llms.expect(200, "`POST /books`");
    llms.expect(200, "`linepress-client`");
    let guides = llms.text.split("/api/v1/docs/").skip(1);
    let guides: Vec<_> = guides
        .filter_map(|rest| rest.split(')').next())
        .filter(|name| name.ends_with(".md"))
        .map(str::to_owned)
        .collect();
    assert_eq!(guides.len(), 7, "{guides:?}");
    for name in guides {
        let guide = browser.get(&format!("/api/v1/docs/{name}")).await;
        guide.expect(200, "# ");
        assert!(
            !guide.text.contains("](../"),
            "{name} leads to a file that the server does not serve"
        );
    }
}

#[tokio::test]
async fn the_reference_has_no_other_pages_and_takes_no_other_method() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    for path in ["/docs/nothing.js", "/docs/..%2Fopenapi.json", "/docs/nothing"] {
        anonymous.get(path).await.expect_error(404, "not_found");
    }
    let reply = anonymous.post_nothing("/docs").await;
    reply.expect_error(405, "method_not_allowed");
}
