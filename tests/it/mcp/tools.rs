//! The list of tools, which an agent pays for in every conversation.
use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::maintenance;
use crate::test_app::{Era, TestApp};

/// Every tool and its operations in the REST document, separated by spaces; there are none if the tool has none.
pub(crate) const TOOLS: [(&str, &str); 50] = [
    ("get_account", "get_account"),
    ("list_print_formats", "list_print_formats"),
    ("plan_book", "plan_book"),
    ("create_book", "create_book"),
    ("list_books", "list_books"),
    ("get_book", "get_book"),
    ("update_book", "update_book"),
    ("delete_book", "delete_book"),
    ("regenerate_book_cover", "regenerate_book_cover"),
    ("restyle_book", "restyle_book"),
    ("replace_book_cover_image", "replace_book_cover_image"),
    ("get_book_pdf", "get_book_pdf"),
    ("check_book_print", "check_book_print"),
    ("generate_book_page", "add_book_page"),
    ("attach_book_page", "add_book_page"),
    ("detach_book_page", "detach_book_page"),
    ("reorder_book_pages", "reorder_book_pages"),
    ("wait_for_operation", "follow_operation"),
    ("get_operation", "get_operation"),
    ("cancel_operation", "cancel_operation"),
    ("list_operations", "list_operations"),
    ("create_character", "create_character"),
    ("list_characters", "list_characters"),
    ("get_character", "get_character"),
    ("update_character", "update_character"),
    ("archive_character", "archive_character"),
    ("restore_character", "restore_character"),
    ("regenerate_character", "regenerate_character"),
    ("create_page", "create_page"),
    ("list_pages", "list_pages"),
    ("get_page", "get_page"),
    ("update_page", "update_page"),
    ("delete_page", "delete_page"),
    ("regenerate_page", "regenerate_page"),
    ("refine_page", "refine_page"),
    ("create_artwork_upload", "create_artwork_upload"),
    ("import_page", "import_page"),
    ("replace_page_image", "replace_page_image"),
    ("get_page_image", "get_page_image"),
    ("get_character_image", "get_character_image"),
    ("get_book_cover_image", "get_book_cover_image"),
    ("look_at_page", ""),
    ("look_at_cover", ""),
    ("look_at_character", ""),
    (
        "list_attempts",
        "list_page_attempts list_book_cover_attempts list_character_attempts",
    ),
    (
        "choose_attempt",
        "choose_page_attempt choose_book_cover_attempt choose_character_attempt",
    ),
    (
        "get_attempt_image",
        "get_page_attempt_image get_book_cover_attempt_image get_character_attempt_image",
    ),
    ("look_at_attempt", ""),
    ("list_bin", "list_bin"),
    ("restore_deleted", "restore_deleted"),
];

/// Operations without a tool: they duplicate another operation, serve callers without a token, tell programs what an
/// agent waits for or did, manage API keys, which no app does, destroy what cannot be restored, or pack files that
/// other tools link to. Review links are for people, and their owner makes and reads them on the page of the book.
const OPERATIONS_WITHOUT_TOOL: [&str; 32] = [
    "copy_book",
    "get_book_package",
    "put_page",
    "put_book",
    "put_character",
    "send_artwork",
    "list_webhooks",
    "create_webhook",
    "get_webhook",
    "update_webhook",
    "delete_webhook",
    "rotate_webhook_secret",
    "renew_callback_secret",
    "test_webhook",
    "list_webhook_deliveries",
    "replay_webhook_delivery",
    "list_requests",
    "list_ledger",
    "get_usage",
    "list_keys",
    "create_key",
    "get_key",
    "revoke_key",
    "rotate_key",
    "delete_for_good",
    "empty_bin",
    "list_review_links",
    "create_review_link",
    "withdraw_review_link",
    "list_book_comments",
    "update_comment",
    "delete_comment",
];

async fn list() -> Value {
    let app = TestApp::start().await;
    app.account(1).await;
    app.agent("ada@example.com")
        .await
        .request("tools/list", json!({}))
        .await
}

#[tokio::test]
async fn every_operation_of_the_rest_interface_is_a_tool() {
    let app = TestApp::start().await;
    let document = app.openapi_document().await;
    let operations: BTreeSet<String> = crate::test_app::operations(&document)
        .into_iter()
        .map(|(_, _, operation)| operation["operationId"].as_str().unwrap().to_owned())
        // Agents act for customers: no app administers the server.
        .filter(|id| !OPERATIONS_WITHOUT_TOOL.contains(&id.as_str()) && !id.starts_with("admin_"))
        .collect();
    let covered: BTreeSet<String> = TOOLS
        .iter()
        .flat_map(|(_, ids)| ids.split_whitespace().map(str::to_owned))
        .collect();
    assert_eq!(covered, operations);
    let listed = list().await;
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, TOOLS.map(|(name, _)| name));
}

/// Compares the committed list of tools, in which a reviewer of a change sees what agents will read.
#[tokio::test]
async fn the_committed_tools_are_those_that_are_listed() {
    let listed = format!("{:#}\n", list().await["tools"]);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/fixtures/tools.json");
    if std::env::var_os("LINEPRESS_TEST_UPDATE_TOOLS").is_some() {
        std::fs::write(&file, &listed).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == listed,
        "tests/it/fixtures/tools.json is not the list that the server returns. Write it again with \
         `LINEPRESS_TEST_UPDATE_TOOLS=1 cargo xtask test the_committed_tools`, and read what changes for agents."
    );
}

#[tokio::test]
async fn the_list_of_tools_is_short() {
    let listed = list().await;
    let bytes = listed["tools"].to_string().len();
    assert!(bytes < 48_000, "{bytes} bytes");
    assert_eq!(listed["cacheScope"], "private");
    assert!(listed["ttlMs"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn every_tool_says_what_it_takes_returns_and_does() {
    for tool in list().await["tools"].as_array().unwrap() {
        let name = &tool["name"];
        for field in ["title", "description"] {
            assert!(
                tool[field].as_str().is_some_and(|text| !text.is_empty()),
                "{name}: {field}"
            );
        }
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        // A client that sees an output schema may show its model only the structure, and no pictures.
        let is_to_see = name.as_str().unwrap().starts_with("look_at_");
        assert_eq!(tool["outputSchema"]["type"] == "object", !is_to_see, "{name}");
        for hint in ["readOnlyHint", "destructiveHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name}: {hint}");
        }
        // The hint has no meaning for a tool that only reads, and is false by default.
        let hint = &tool["annotations"]["idempotentHint"];
        assert!(
            hint.is_null() || (*hint == true && tool["annotations"]["readOnlyHint"] == false),
            "{name}"
        );
        // A tool with a price names it, and takes a key that makes retries free.
        let fields = &tool["inputSchema"]["properties"];
        let costs = tool["description"].as_str().unwrap().contains("exactly 1 credit");
        assert_eq!(fields["confirm_credits"].is_object(), costs, "{name}");
        let required = tool["inputSchema"]["required"].to_string();
        assert_eq!(required.contains("idempotency_key"), costs, "{name}");
        assert!(!tool["inputSchema"].to_string().contains("$ref"), "{name}");
        assert!(!tool["outputSchema"].to_string().contains("$ref"), "{name}");
    }
}

#[tokio::test]
async fn tools_that_are_not_read_only_are_refused_in_maintenance_like_their_operations() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let document = app.openapi_document().await;
    let operations = crate::test_app::operations(&document);
    let listed = agent.request("tools/list", json!({})).await;
    maintenance::begin(&app).await;
    let before = maintenance::stored(&app.server).await;
    for (tool, (name, operation)) in listed["tools"].as_array().unwrap().iter().zip(TOOLS) {
        let only_reads = tool["annotations"]["readOnlyHint"] == true;
        let described = operations
            .iter()
            .find(|(_, _, described)| described["operationId"] == operation);
        if let Some((method, ..)) = described {
            assert_eq!(only_reads, *method == "get" || operation == "plan_book", "{name}");
        }
        let answer = agent.call(name, json!({})).await;
        if only_reads {
            assert_ne!(answer.0["structuredContent"]["error"]["code"], "maintenance", "{name}");
            continue;
        }
        let error = answer.expect_error("maintenance");
        assert_eq!(error["retry_after_seconds"], 60, "{name}");
        let message = error["message"].as_str().unwrap();
        let expected = format!("{} Try again in 60 seconds.", maintenance::MESSAGE);
        assert!(message.ends_with(&expected), "{name}: {message}");
    }
    assert_eq!(maintenance::stored(&app.server).await, before);
}

#[tokio::test]
async fn results_of_both_eras_fit_their_schemas_and_have_a_short_text() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    for era in [Era::Sessions, Era::Stateless] {
        let agent = app.agent("ada@example.com").await.in_era(era);
        for (tool, arguments, field) in [
            ("get_account", json!({}), "account"),
            ("list_print_formats", json!({}), "print_formats"),
            ("plan_book", json!({"theme": "Woods", "page_count": 2}), "book_plan"),
            ("list_books", json!({"limit": 5}), "books"),
            ("get_book", json!({"book_id": own.book}), "book"),
            ("list_pages", json!({"book_id": own.book}), "pages"),
            ("get_page", json!({"page_id": own.page}), "page"),
            ("list_characters", json!({}), "characters"),
            ("get_character", json!({"character_id": own.character}), "character"),
            ("list_operations", json!({"status": "succeeded"}), "operations"),
            ("get_operation", json!({"operation_id": own.operation}), "operation"),
        ] {
            let answer = agent.call(tool, arguments).await;
            assert!(!answer.expect()[field].is_null(), "{tool}: {}", answer.0);
            let next = answer.expect()["next"].as_str().unwrap();
            assert!(
                answer.text().ends_with(&format!("\nNext: {next}")),
                "{tool}: {}",
                answer.text()
            );
            assert!(answer.text().len() < 2_000, "{tool}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn wrong_arguments_are_reported_by_the_names_of_the_tool() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    for (tool, arguments, field) in [
        ("plan_book", json!({"theme": "Woods"}), "page_count"),
        ("plan_book", json!({"theme": "Woods", "page_count": 0}), "page_count"),
        ("get_book", json!({}), "book_id"),
        ("get_book", json!({"book_id": "book_1", "verbose": true}), "verbose"),
        (
            "create_page",
            json!({"title": "", "idempotency_key": "k", "confirm_credits": 1}),
            "title",
        ),
        (
            "create_book",
            json!({"title": "B", "pages": [{"title": "A", "promt": "x"}], "idempotency_key": "k", "confirm_credits": 1}),
            "pages[0].promt",
        ),
        ("list_books", json!({"limit": "many"}), ""),
    ] {
        let answer = agent.call(tool, arguments).await;
        if field.is_empty() {
            answer.expect_error("invalid_pagination");
        } else {
            let error = answer.expect_error("validation_failed");
            assert_eq!(error["details"][0]["field"], field, "{error}");
            assert!(answer.text().contains(field), "{}", answer.text());
        }
    }
    assert_eq!(
        app.agent("ada@example.com")
            .await
            .call("get_account", json!({}))
            .await
            .expect()["account"]["credits"]["available"],
        9
    );
}

#[tokio::test]
async fn the_page_about_agents_lists_every_tool_with_its_description() {
    let page = include_str!("../../../docs/agents.md");
    for tool in list().await["tools"].as_array().unwrap() {
        let (name, description) = (tool["name"].as_str().unwrap(), tool["description"].as_str().unwrap());
        let row = format!("| `{name}` | {description} |");
        assert!(page.contains(&row), "docs/agents.md lacks: {row}");
    }
}
