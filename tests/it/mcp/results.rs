//! Tool results: short enough for a conversation, and complete both as text and as structure, because a client may
//! show its model only one of the two.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use crate::test_app::{Accepted, Answer, Form, TestApp, book_of, id, pictures};

/// About 4,000 tokens, for text and structure together.
const MAX_RESULT_BYTES: usize = 12_000;

#[track_caller]
fn check_length(answer: &Answer, what: &str) {
    let bytes = answer.0.to_string().len();
    assert!(bytes <= MAX_RESULT_BYTES, "{what}: {bytes} bytes");
}

/// Orders a portrait book with this number of pages, whose drawings remain queued.
async fn queued_book(app: &TestApp, ada: &crate::test_app::Actor, pages: usize) -> Accepted {
    app.accepted(ada, "/books", &book_of(pages)).await
}

#[tokio::test]
async fn no_result_exceeds_the_size_limit() {
    let app = TestApp::start().await;
    let ada = app.account(2_000).await;
    let agent = app.agent("ada@example.com").await;
    for _ in 0..25 {
        queued_book(&app, &ada, 40).await;
    }
    let listed = agent.call("list_books", json!({})).await;
    assert_eq!(listed.expect()["books"].as_array().unwrap().len(), 25);
    check_length(&listed, "list_books");

    let mut order = book_of(100)["book"].clone();
    order["idempotency_key"] = "k".into();
    order["confirm_credits"] = 100.into();
    let made = agent.call("create_book", order).await;
    check_length(&made, "create_book");
    let (book, operation) = (id(made.expect(), "book"), id(made.expect(), "operation"));
    let own = json!({"book_id": book});
    check_length(&agent.call("get_book", own.clone()).await, "get_book");
    let arguments = json!({"operation_id": operation, "seconds": 1});
    check_length(&agent.call("wait_for_operation", arguments).await, "wait_for_operation");
    let mut ids = ada.page_ids(&book).await;
    ids.reverse();
    let arguments = json!({"book_id": book, "page_ids": ids});
    let reordered = agent.call("reorder_book_pages", arguments).await;
    assert_eq!(reordered.expect()["book"]["page_count"], 100);
    check_length(&reordered, "reorder_book_pages");
    let change = json!({"book_id": book, "subtitle": "At night"});
    check_length(&agent.call("update_book", change).await, "update_book");
    for tool in ["list_pages", "list_operations"] {
        check_length(&agent.call(tool, json!({})).await, tool);
    }
}

#[tokio::test]
async fn the_pages_of_a_long_book_are_shown_in_parts_and_in_full_on_request() {
    let app = TestApp::start().await;
    let ada = app.account(100).await;
    let agent = app.agent("ada@example.com").await;
    let pages: Vec<Value> = (1..=100)
        .map(|number| json!({"title": format!("Page {number}"), "prompt": format!("A fox counts to {number}"), "caption": format!("{number}!")}))
        .collect();
    let made = app
        .accepted(&ada, "/books", &json!({"book": {"title": "B", "pages": pages}}))
        .await;
    let book = made.book_id();
    for (detail, least) in [("brief", 30), ("full", 10)] {
        let mut seen = Vec::new();
        let mut from = 1;
        loop {
            let arguments = json!({"book_id": book, "from_page": from, "pages": detail});
            let part = agent.call("get_book", arguments).await;
            check_length(&part, detail);
            let pages = part.expect()["book"]["pages"].as_array().unwrap().clone();
            assert_eq!(pages[0]["position"], from);
            let last = pages.last().unwrap()["position"].as_u64().unwrap();
            for page in &pages {
                // Text and structure agree.
                assert!(part.text().contains(page["id"].as_str().unwrap()), "{}", part.text());
                if detail == "full" {
                    let prompt = page["prompt"].as_str().unwrap();
                    assert_eq!(prompt, format!("A fox counts to {}", page["position"]));
                    assert!(part.text().contains(prompt), "{}", part.text());
                }
            }
            seen.extend(pages);
            from = last + 1;
            let more = format!("from_page: {from}");
            assert_eq!(part.expect()["next"].as_str().unwrap().contains(&more), last < 100);
            if last == 100 {
                break;
            }
            assert!(seen.len() >= least, "{detail}: {}", seen.len());
        }
        assert_eq!(seen.len(), 100);
    }
}

#[tokio::test]
async fn no_result_holds_an_address_that_an_agent_cannot_open() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let own = app.ready_resources(&ada).await;
    let agent = app.agent("ada@example.com").await;
    let order = |mut arguments: Value| {
        arguments["idempotency_key"] = app.new_key().into();
        arguments["confirm_credits"] = 1.into();
        arguments
    };
    for (tool, arguments) in [
        ("get_book", json!({"book_id": own.book})),
        ("get_book", json!({"book_id": own.book, "pages": "full"})),
        ("list_books", json!({})),
        ("update_book", json!({"book_id": own.book, "subtitle": "At night"})),
        ("attach_book_page", json!({"book_id": own.book, "page_id": own.page})),
        ("get_page", json!({"page_id": own.page})),
        ("list_pages", json!({})),
        ("get_character", json!({"character_id": own.character})),
        ("list_characters", json!({})),
        ("get_operation", json!({"operation_id": own.operation})),
        ("list_operations", json!({})),
        ("create_page", order(json!({"title": "A hare"}))),
        (
            "generate_book_page",
            order(json!({"book_id": own.book, "title": "A mole"})),
        ),
        ("regenerate_page", order(json!({"page_id": own.page}))),
        (
            "refine_page",
            order(json!({"page_id": own.book_page, "instruction": "A hat"})),
        ),
        ("regenerate_character", order(json!({"character_id": own.character}))),
        ("create_character", order(json!({"name": "Pip"}))),
    ] {
        let answer = agent.call(tool, arguments).await;
        answer.expect();
        assert!(!answer.0.to_string().contains("/api/v1/"), "{tool}: {}", answer.0);
    }
}

#[tokio::test]
async fn the_operation_that_draws_one_page_of_a_book_is_named() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let agent = app.agent("ada@example.com").await;
    let page = ada.page_ids(&book).await.remove(1);
    let arguments = json!({"page_id": page, "idempotency_key": "k", "confirm_credits": 1});
    let ordered = agent.call("regenerate_page", arguments).await;
    let operation = id(ordered.expect(), "operation");
    let next = format!("wait_for_operation {operation}.");
    assert_eq!(ordered.expect()["next"], next);
    let shown = agent.call("get_book", json!({"book_id": book})).await;
    assert_eq!(shown.expect()["book"]["status"], "generating");
    assert_eq!(shown.expect()["book"]["pages"][1]["active_operation_id"], operation);
    assert_eq!(shown.expect()["next"], next);
    assert!(shown.text().ends_with(&next), "{}", shown.text());
}

#[tokio::test]
async fn a_drawing_that_failed_is_named_and_the_others_are_counted() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let made = queued_book(&app, &ada, 3).await;
    let page = made.book().pages[1].id.as_str();
    // Waiting drawings of a deleted page fail.
    ada.delete(&format!("/pages/{page}")).await;
    let operation = json!({"operation_id": made.operation_id()});
    let shown = agent.call("get_operation", operation).await;
    let items = shown.expect()["operation"]["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(items[0]["id"], page);
    assert_eq!(
        shown.expect()["operation"]["progress"],
        json!({"completed": 0, "failed": 1, "total": 4})
    );
    assert!(shown.text().contains(page), "{}", shown.text());
}

#[tokio::test]
async fn a_plan_can_be_ordered_from_its_text_alone() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let wish = json!({"theme": "Woods", "page_count": 2, "aspect": "square", "audience": "toddler"});
    let plan = agent.call("plan_book", wish).await;
    let arguments = plan
        .text()
        .lines()
        .find_map(|line| line.strip_prefix("Arguments of create_book: "));
    let mut order: Value = serde_json::from_str(arguments.unwrap()).unwrap();
    assert_eq!(order, plan.expect()["book_plan"]["generation_request"]["book"]);
    assert_eq!(order["aspect"], "square");
    order["idempotency_key"] = "k".into();
    order["confirm_credits"] = 2.into();
    agent.call("create_book", order).await.expect();
}

#[tokio::test]
async fn the_warnings_of_a_plan_are_in_both_halves() {
    let app = TestApp::start().await;
    app.account(0).await;
    let agent = app.agent("ada@example.com").await;
    let wish = json!({"theme": "Foxes who parade before breakfast", "page_count": 3});
    let plan = agent.call("plan_book", wish).await;
    let warnings = plan.expect()["book_plan"]["warnings"].as_array().unwrap();
    assert_eq!(warnings[0]["words"], json!(["parade"]), "{warnings:?}");
    let line = format!("Warning: {}", warnings[0]["message"].as_str().unwrap());
    assert!(plan.text().lines().any(|told| told == line), "{}", plan.text());
}

#[tokio::test]
async fn texts_contain_the_facts_that_agents_choose_by() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let page = json!({"page": {"title": "A fox", "prompt": "A fox on a bicycle", "caption": "Ring, ring"}});
    let page = app.accepted(&ada, "/pages", &page).await.page_id();
    app.draw_what_is_due().await;
    for (tool, arguments, words) in [
        (
            "get_page",
            json!({"page_id": page}),
            &["A fox on a bicycle", "Ring, ring", "portrait"][..],
        ),
        (
            "list_print_formats",
            json!({}),
            &["for portrait books", "8.5 x 11.0 inches", "us_letter"],
        ),
        (
            "get_account",
            json!({}),
            &["8 credits", "pages 1 of", "may spend all credits"],
        ),
        ("list_pages", json!({}), &["A fox", "Ring, ring"]),
    ] {
        let answer = agent.call(tool, arguments).await;
        for words in words {
            assert!(
                answer.text().contains(words),
                "{tool}: {words:?} is not in {}",
                answer.text()
            );
        }
    }
}

#[tokio::test]
async fn a_result_with_a_picture_has_no_structure_that_would_replace_it() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    app.account_named("ben@example.com", Plan::Business, 0).await;
    let agent = app.agent("ada@example.com").await;
    let ben = app.agent("ben@example.com").await;
    for (tool, arguments, size) in [
        ("look_at_page", json!({"page_id": own.page}), (480, 640)),
        ("look_at_cover", json!({"book_id": own.book}), (480, 640)),
        ("look_at_character", json!({"character_id": own.character}), (640, 640)),
        (
            "look_at_attempt",
            json!({"page_id": own.page, "attempt_id": own.attempts.page}),
            (480, 640),
        ),
    ] {
        let seen = agent.call(tool, arguments.clone()).await;
        seen.expect();
        assert!(seen.0.get("structuredContent").is_none(), "{tool}: {}", seen.0);
        assert!(seen.text().contains("Next: "), "{tool}: {}", seen.text());
        let bytes = STANDARD.decode(seen.0["content"][1]["data"].as_str().unwrap()).unwrap();
        assert!(bytes.len() <= 24_000, "{}", bytes.len());
        let picture = image::load_from_memory(&bytes).unwrap();
        assert_eq!((picture.width(), picture.height()), size, "{tool}");
        // Nothing of another account is returned.
        ben.call(tool, arguments).await.expect_error("not_found");
    }
}

#[tokio::test]
async fn a_page_gets_new_words_with_its_new_picture() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let page = json!({"page": {"title": "Carrying a cupcake", "caption": "Not far now"}});
    let page = app.accepted(&ada, "/pages", &page).await.page_id();
    app.draw_what_is_due().await;
    let path = format!("/pages/{page}");
    let again = async |more: Value| {
        let mut arguments = more;
        arguments["page_id"] = page.as_str().into();
        arguments["idempotency_key"] = app.new_key().into();
        arguments["confirm_credits"] = 1.into();
        agent.call("regenerate_page", arguments).await
    };
    let words = async || {
        let page = ada.look(&path, "page").await;
        ["title", "prompt", "caption"].map(|field| page[field].as_str().unwrap().to_owned())
    };
    let wish = json!({"prompt": "A fox on a bicycle", "title": "Riding a bicycle", "caption": ""});
    let reworded = again(wish).await;
    let note = "The new picture comes with the title \"Riding a bicycle\" and no caption.";
    assert_eq!(reworded.expect()["note"], note);
    assert!(reworded.text().contains(note), "{}", reworded.text());
    // The page remains unchanged until its new picture is drawn.
    assert_eq!(
        words().await,
        ["Carrying a cupcake", "Carrying a cupcake", "Not far now"]
    );
    app.draw_what_is_due().await;
    assert_eq!(words().await, ["Riding a bicycle", "A fox on a bicycle", ""]);
    // The result says that unchanged words stay.
    let kept = again(json!({"prompt": "A fox in a boat"})).await;
    let note = kept.expect()["note"].as_str().unwrap();
    assert!(
        note.contains("\"Riding a bicycle\"") && note.contains("update_page"),
        "{note}"
    );
    assert!(kept.text().contains(note), "{}", kept.text());
    // Words that are written while the page is drawn take precedence.
    app.draw_what_is_due().await;
    again(json!({"title": "On a train"})).await.expect();
    ada.patch(&path, &json!({"page": {"title": "In a plane"}}))
        .await
        .expect(200);
    app.draw_what_is_due().await;
    assert_eq!(words().await, ["In a plane", "A fox in a boat", ""]);
}

#[tokio::test]
async fn what_makes_a_page_hard_to_color_is_explained() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let agent = app.agent("ada@example.com").await;
    let form = Form::image(&pictures::blank(576, 768)).text("title", "Snow");
    let page = id(&ada.import(form).await.expect(201), "page");
    for (tool, arguments) in [
        ("get_page", json!({"page_id": page})),
        ("look_at_page", json!({"page_id": page})),
        ("list_pages", json!({})),
    ] {
        let shown = agent.call(tool, arguments).await;
        let words = "blank (Next to nothing is drawn on the page)";
        assert!(
            shown.text().contains("hard to color: ") && shown.text().contains(words),
            "{tool}: {}",
            shown.text()
        );
    }
}

#[tokio::test]
async fn pages_beyond_the_end_of_a_book_are_said_to_be_none() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let agent = app.agent("ada@example.com").await;
    let beyond = agent.call("get_book", json!({"book_id": book, "from_page": 7})).await;
    assert_eq!(beyond.expect()["book"]["pages"], json!([]));
    let note = "No page is shown: the book has 1 page, and from_page is 7.";
    assert_eq!(beyond.expect()["note"], note);
    assert!(beyond.text().contains(note), "{}", beyond.text());
    let last = agent.call("get_book", json!({"book_id": book, "from_page": 1})).await;
    assert!(last.expect()["note"].is_null());
}

#[tokio::test]
async fn a_new_order_of_pages_is_shown_in_brief() {
    let app = TestApp::start().await;
    let ada = app.account(12).await;
    let agent = app.agent("ada@example.com").await;
    let book = queued_book(&app, &ada, 12).await.book_id();
    let mut ids = ada.page_ids(&book).await;
    ids.reverse();
    let arguments = json!({"book_id": book, "page_ids": ids});
    let reordered = agent.call("reorder_book_pages", arguments).await;
    let first: Vec<String> = (1..=10)
        .map(|position| format!("{position}. {} \"Page {}\"", ids[position - 1], 12 - position))
        .collect();
    let note = format!("The order is now: {}, and 2 more.", first.join(", "));
    assert_eq!(reordered.expect()["note"], note);
    assert!(reordered.text().contains(&note), "{}", reordered.text());
}
