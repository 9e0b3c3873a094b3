//! Lists: short enough for a conversation whatever they hold, and complete when they are followed to their end.
use std::collections::BTreeSet;

use serde_json::json;

use crate::test_app::{Agent, Answer, TestApp};

/// The most bytes of the text, and of the structured content.
const MAX_HALF_BYTES: usize = 12_000;

/// The ids on this part of a list, each of which both halves name.
fn ids(part: &Answer, list: &str) -> Vec<String> {
    let shown = part.expect();
    for (half, bytes) in [("structure", shown.to_string().len()), ("text", part.text().len())] {
        assert!(bytes <= MAX_HALF_BYTES, "{list}: {half} of {bytes} bytes");
    }
    let items = shown[list].as_array().unwrap().iter();
    let ids: Vec<String> = items.map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    for id in &ids {
        assert!(part.text().contains(id), "{}", part.text());
    }
    ids
}

/// The ids of all parts of a list with a limit of 100, part by part.
async fn walk(agent: &Agent, list: &str) -> Vec<Vec<String>> {
    let tool = format!("list_{list}");
    let mut parts = Vec::new();
    let mut arguments = json!({"limit": 100});
    loop {
        let part = agent.call(&tool, arguments.clone()).await;
        let ids = ids(&part, list);
        assert!(!ids.is_empty());
        let Some(cursor) = part.expect()["meta"]["next_cursor"].as_str() else {
            parts.push(ids);
            return parts;
        };
        let more = format!("call it again with after: {cursor} for more");
        assert!(part.text().contains(&more), "{}", part.text());
        assert!(part.expect()["next"].as_str().unwrap().contains(&more));
        // The cursor is that of a request for exactly as many.
        let mut smaller = arguments.clone();
        smaller["limit"] = ids.len().into();
        let smaller = agent.call(&tool, smaller).await;
        assert_eq!(smaller.expect()["meta"]["next_cursor"], cursor);
        parts.push(ids);
        arguments["after"] = cursor.into();
    }
}

#[tokio::test]
async fn a_list_of_long_texts_comes_in_parts_that_fit_and_join() {
    let app = TestApp::start().await;
    let ada = app.account(200).await;
    let agent = app.agent("ada@example.com").await;
    let long = |number: usize| format!("{number} {}", "ö".repeat(190));
    let pages: Vec<_> = (0..60)
        .map(|number| json!({"title": long(number), "caption": "ö".repeat(300)}))
        .collect();
    let book = json!({"book": {"title": "B", "pages": pages}});
    app.accepted(&ada, "/books", &book).await;
    for number in 0..60 {
        let book = json!({"book": {"title": long(number), "pages": [{"title": long(number)}]}});
        app.accepted(&ada, "/books", &book).await;
    }
    for (list, count) in [("pages", 120), ("books", 61), ("operations", 61)] {
        let parts = walk(&agent, list).await;
        assert!(parts.len() > 1, "{list}");
        assert!(parts[0].len() > 5, "{list}: {}", parts[0].len());
        let all: Vec<String> = parts.concat();
        let distinct: BTreeSet<&String> = all.iter().collect();
        assert_eq!((all.len(), distinct.len()), (count, count), "{list}");
    }
}

#[tokio::test]
async fn a_wrong_cursor_is_told_by_the_names_that_agents_see() {
    let app = TestApp::start().await;
    app.account(0).await;
    let agent = app.agent("ada@example.com").await;
    let refused = agent.call("list_books", json!({"after": "x"})).await;
    refused.expect_error("invalid_pagination");
    assert_eq!(
        refused.text(),
        "after must be the cursor that `next` of an earlier result of this list names. Leave it out to begin with the newest."
    );
}

#[tokio::test]
async fn an_argument_that_a_list_does_not_know_is_answered_with_those_it_knows() {
    let app = TestApp::start().await;
    app.account(0).await;
    let agent = app.agent("ada@example.com").await;
    for (tool, problem) in [
        (
            "list_pages",
            "is not known here; the fields are limit, after, book_id, aspect, q, status",
        ),
        (
            "list_books",
            "is not known here; the fields are limit, after, aspect, q, status",
        ),
        (
            "list_operations",
            "is not known here; the fields are limit, after, status",
        ),
        ("get_account", "is not known here; no fields are expected"),
    ] {
        let refused = agent.call(tool, json!({"page_size": 5})).await;
        let error = refused.expect_error("validation_failed");
        assert_eq!(
            error["details"],
            json!([{"field": "page_size", "message": problem}]),
            "{tool}"
        );
    }
}
