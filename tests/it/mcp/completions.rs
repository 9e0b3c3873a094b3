//! Completions of the arguments of prompts.
use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use linepress_platform::scopes::{Scope, Scopes};
use serde_json::{Value, json};

use crate::test_app::{Actor, Agent, TestApp, last_message};

fn request(prompt: &str, argument: &str, typed: &str) -> Value {
    json!({"ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": argument, "value": typed}})
}

/// Returns the values that begin as typed, all of them.
async fn values(agent: &Agent, prompt: &str, argument: &str, typed: &str) -> Vec<String> {
    let found = agent
        .request("completion/complete", request(prompt, argument, typed))
        .await;
    let completion = &found["completion"];
    let values: Vec<String> = serde_json::from_value(completion["values"].clone()).unwrap();
    assert_eq!(
        (&completion["total"], &completion["hasMore"]),
        (&json!(values.len()), &json!(false))
    );
    values
}

/// Returns the error for a completion.
async fn refusal(agent: &Agent, params: Value) -> Value {
    let message = agent.message("completion/complete", params.as_object().cloned().unwrap());
    last_message(&agent.send(&message, &[]).await)["error"].clone()
}

/// Orders a book of one page; returns its id.
async fn book(app: &TestApp, owner: &Actor, title: &str) -> String {
    let book = json!({"book": {"title": title, "pages": [{"title": "A fox"}]}});
    app.accepted(owner, "/books", &book).await.book_id()
}

#[tokio::test]
async fn words_are_completed_by_their_beginnings() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    for (prompt, argument, typed, expected) in [
        ("make_book", "audience", "", &["toddler", "child", "teen", "adult"][..]),
        ("make_book", "audience", "T", &["toddler", "teen"]),
        ("make_book", "audience", "x", &[]),
        ("make_book", "aspect", "s", &["square"]),
        ("prepare_book_for_print", "edition", "k", &["kdp"]),
        ("make_book", "theme", "W", &[]),
        ("make_book", "page_count", "1", &[]),
        ("make_book", "theme", &"x".repeat(1_001), &[]),
    ] {
        assert_eq!(
            values(&agent, prompt, argument, typed).await,
            expected,
            "{argument} {typed:.9}"
        );
    }
}

#[tokio::test]
async fn the_print_formats_are_those_that_fit_the_other_choices() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let listed = agent.call("list_print_formats", json!({})).await;
    let formats = listed.expect()["print_formats"].as_array().unwrap();
    let ids = |fits: &dyn Fn(&Value) -> bool| {
        let fitting = formats.iter().filter(|format| fits(format));
        fitting
            .map(|format| format["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let all = ids(&|_| true);
    assert!(all.len() > 1, "{all:?}");
    assert_eq!(values(&agent, "make_book", "format", "").await, all);
    let letter = ids(&|format| format["id"].as_str().unwrap().starts_with("us_l"));
    assert_eq!(values(&agent, "make_book", "format", "US_L").await, letter);
    let square = ids(&|format| format["aspect"] == "square");
    let printed = ids(&|format| format["printers"].to_string().contains("\"kdp\""));
    for (prompt, name, value, expected) in [
        ("make_book", "aspect", "square", square),
        ("prepare_book_for_print", "edition", "kdp", printed),
        ("prepare_book_for_print", "edition", "home", all.clone()),
        ("make_book", "aspect", "round", all.clone()),
    ] {
        let mut asked = request(prompt, "format", "");
        asked["context"] = json!({"arguments": {name: value}});
        let found = agent.request("completion/complete", asked).await;
        assert_eq!(found["completion"]["values"], json!(expected), "{name} {value}");
    }
}

#[tokio::test]
async fn books_are_completed_by_title_and_by_id() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.account_named("ben@example.com", Plan::Business, 0).await;
    let [woods, toys, prince] = [
        book(&app, &ada, "Woods").await,
        book(&app, &ada, "Wooden toys").await,
        book(&app, &ada, "Fürst im Wald").await,
    ];
    let agent = app.agent("ada@example.com").await;
    let (woods_value, toys_value) = (format!("Woods ({woods})"), format!("Wooden toys ({toys})"));
    let prince_value = format!("Fürst im Wald ({prince})");
    for (typed, expected) in [
        ("", vec![prince_value.clone(), toys_value.clone(), woods_value.clone()]),
        ("woo", vec![toys_value, woods_value.clone()]),
        ("WOODS", vec![woods_value]),
        ("furst im", vec![prince_value]),
        ("oods", vec![]),
        ("%", vec![]),
        ("W_ods", vec![]),
        ("x\0", vec![]),
        (woods.as_str(), vec![woods.clone()]),
    ] {
        // A text without any letter is no beginning, and finds everything.
        if typed == "%" {
            assert_eq!(values(&agent, "review_book", "book", typed).await.len(), 3);
            continue;
        }
        for prompt in ["review_book", "prepare_book_for_print"] {
            assert_eq!(values(&agent, prompt, "book", typed).await, expected, "{typed:?}");
        }
    }
    let by_id = values(&agent, "review_book", "book", "book_").await;
    assert_eq!(by_id.len(), 3);
    assert!(by_id.iter().all(|value| value.starts_with("book_")), "{by_id:?}");
    // Neither books of another account nor deleted ones are offered.
    let ben = app.agent("ben@example.com").await;
    for typed in ["", "woo", woods.as_str()] {
        assert!(values(&ben, "review_book", "book", typed).await.is_empty(), "{typed}");
    }
    ada.delete(&format!("/books/{woods}")).await;
    assert!(values(&agent, "review_book", "book", "woods").await.is_empty());
}

#[tokio::test]
async fn active_characters_are_completed_by_name_and_by_id() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let ona = app.ready_character(&ada, "Ona the owl").await;
    let agent = app.agent("ada@example.com").await;
    let named = |typed: &'static str| values(&agent, "make_book", "character", typed);
    assert_eq!(
        named("").await,
        [format!("Ona the owl ({ona})"), format!("Pip ({pip})")]
    );
    assert_eq!(named("p").await, [format!("Pip ({pip})")]);
    assert_eq!(
        values(&agent, "make_book", "character", &pip).await,
        std::slice::from_ref(&pip)
    );
    let archive = json!({"character_id": pip});
    agent.call("archive_character", archive).await.expect();
    assert!(named("p").await.is_empty());
}

#[tokio::test]
async fn more_books_than_a_completion_may_have_are_announced() {
    let app = TestApp::builder()
        .config(|config| config.limits.generations = 200)
        .start()
        .await;
    let ada = app.account(200).await;
    for number in 0..101 {
        book(&app, &ada, &format!("Book {number:03}")).await;
    }
    let agent = app.agent("ada@example.com").await;
    let found = agent
        .request("completion/complete", request("review_book", "book", "book"))
        .await;
    let completion = &found["completion"];
    let shown = completion["values"].as_array().unwrap();
    assert_eq!((shown.len(), &completion["hasMore"]), (100, &json!(true)));
    assert!(completion["total"].is_null(), "{completion}");
    assert!(shown[99].as_str().unwrap().starts_with("Book 099 ("), "{}", shown[99]);
    assert_eq!(values(&agent, "review_book", "book", "book 10").await.len(), 1);
}

#[tokio::test]
async fn a_completion_of_something_else_is_refused() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let resource =
        json!({"ref": {"type": "ref/resource", "uri": "file:///{path}"}, "argument": {"name": "path", "value": ""}});
    for (params, problem) in [
        (resource, "this server has no resources"),
        (request("sell_book", "theme", ""), "prompts/list"),
        (request("review_book", "theme", ""), "the arguments are book, wishes."),
    ] {
        let error = refusal(&agent, params).await;
        assert_eq!(error["code"], -32602, "{error}");
        assert!(
            error["message"].as_str().unwrap().contains(problem),
            "{problem}: {error}"
        );
    }
    let read = Scopes::of(&[Scope::BooksRead]);
    let (reader, _) = app.agent_with("ada@example.com", read, None).await;
    let error = refusal(&reader, request("make_book", "audience", "")).await;
    assert!(error["message"].as_str().unwrap().contains("not granted"), "{error}");
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    testing::set_plan(&app.server, &account, Plan::Free).await.unwrap();
    let error = refusal(&agent, request("review_book", "book", "")).await;
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32600), &json!("plan_required"))
    );
}
