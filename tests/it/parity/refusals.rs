//! Parity of refusals.
use serde_json::{Value, json};

use super::{Both, order, with};
use crate::maintenance;
use crate::test_app::id;

#[tokio::test]
async fn book_requests_are_refused_with_the_same_code() {
    let both = Both::start(2).await;
    let wish = json!({"title": "Woods", "pages": [{"title": "A fox"}]});
    let arguments = order(&wish, "k1", 1);
    let made = both
        .same("POST /books", json!({"book": wish}), "create_book", arguments)
        .await;
    let book = id(&made, "book");
    let own = json!({"book_id": book});
    let pdf = format!("GET /books/{book}/pdf");
    both.refused("book_not_ready", &pdf, Value::Null, "get_book_pdf", own.clone())
        .await;
    let other = json!({"title": "Fields", "pages": [{"title": "A fox"}]});
    refuse_book(&both, "idempotency_conflict", other, "k1", 1).await;
    let page = json!({"title": "A hare"});
    let arguments = order(&with(&own, page.clone()), "k2", 1);
    let (add, body) = (format!("POST /books/{book}/pages"), json!({"page": page}));
    both.refused("generation_active", &add, body, "generate_book_page", arguments)
        .await;
    both.draw().await;
    let square = with(&own, json!({"format": "square_8"}));
    let (reply, answer) = both
        .ask(&format!("{pdf}?format=square_8"), Value::Null, "get_book_pdf", square)
        .await;
    let code = reply.json()["error"]["code"].as_str().unwrap().to_owned();
    assert!(
        ["format_mismatch", "invalid_request"].contains(&code.as_str()),
        "{code}"
    );
    answer.expect_error(&code);
    let large = json!({"title": "Woods", "pages": [{"title": "A"}, {"title": "B"}]});
    refuse_book(&both, "insufficient_credits", large, "k3", 2).await;
    let wrong = json!({"title": "", "pages": [{"title": "A", "caption": "x".repeat(400)}]});
    refuse_book(&both, "validation_failed", wrong, "k4", 1).await;
}

#[tokio::test]
async fn changes_are_refused_with_the_same_code_in_maintenance() {
    let both = Both::start(2).await;
    for app in [&both.rest, &both.mcp] {
        maintenance::begin(app).await;
    }
    let page = json!({"title": "A fox"});
    let (body, arguments) = (json!({"page": page}), order(&page, "k1", 1));
    both.refused("maintenance", "POST /pages", body, "create_page", arguments)
        .await;
    both.same("GET /pages", Value::Null, "list_pages", json!({})).await;
}

/// Fails unless both interfaces refuse this book with the same code.
async fn refuse_book(both: &Both, code: &str, wish: Value, key: &str, credits: i64) {
    let (body, arguments) = (json!({"book": wish}), order(&wish, key, credits));
    both.refused(code, "POST /books", body, "create_book", arguments).await;
}

#[tokio::test]
async fn invalid_requests_are_refused_with_the_same_code() {
    let both = Both::start(2).await;
    let unknown = json!({"title": "A", "colour": "red"});
    let (body, arguments) = (json!({"page": unknown}), order(&unknown, "k5", 1));
    both.refused("validation_failed", "POST /pages", body, "create_page", arguments)
        .await;
    for (request, tool, arguments) in [
        ("GET /pages?limit=0", "list_pages", json!({"limit": 0})),
        ("GET /books?after=x", "list_books", json!({"after": "x"})),
    ] {
        both.refused("invalid_pagination", request, Value::Null, tool, arguments)
            .await;
    }
    let short = json!({"title": "A"});
    let (body, arguments) = (json!({"page": short}), with(&short, json!({"confirm_credits": 1})));
    both.refused(
        "idempotency_key_required",
        "POST /pages",
        body,
        "create_page",
        arguments,
    )
    .await;
    let drawn_from = json!({"name": "Biscuit", "source_upload_id": "upl_none"});
    let (body, arguments) = (json!({"character": drawn_from}), order(&drawn_from, "k6", 1));
    both.refused(
        "validation_failed",
        "POST /characters",
        body,
        "create_character",
        arguments,
    )
    .await;
    // A tool takes no file, so its message differs.
    let nothing = json!({"title": "Mine"});
    let (reply, answer) = both
        .ask("POST /pages/import", nothing.clone(), "import_page", nothing)
        .await;
    reply.expect_error(422, "validation_failed");
    let error = answer.expect_error("validation_failed");
    assert_eq!(error["details"][0]["field"], "upload_id", "{error}");
}

#[tokio::test]
async fn a_locked_page_is_refused_with_the_same_code() {
    let both = Both::start(4).await;
    let wish = json!({"title": "A fox"});
    let arguments = order(&wish, "k1", 1);
    let made = both
        .same("POST /pages", json!({"page": wish}), "create_page", arguments)
        .await;
    both.draw().await;
    let page = id(&made, "page");
    let (path, own) = (format!("/pages/{page}"), json!({"page_id": page}));
    let lock = json!({"locked": true});
    let (body, arguments) = (json!({"page": lock}), with(&own, lock));
    both.same(&format!("PATCH {path}"), body, "update_page", arguments)
        .await;
    let request = format!("POST {path}/regenerate");
    both.refused(
        "page_locked",
        &request,
        json!({}),
        "regenerate_page",
        order(&own, "k2", 1),
    )
    .await;
}
