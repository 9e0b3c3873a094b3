//! Prompts: the common jobs, which a user chooses in their client.
use linepress_platform::scopes::{Scope, Scopes};
use serde_json::{Value, json};

use crate::test_app::{Agent, Era, TestApp, last_message};

/// Returns the error for a prompt.
async fn refusal(agent: &Agent, params: Value) -> Value {
    let message = agent.message("prompts/get", params.as_object().cloned().unwrap());
    last_message(&agent.send(&message, &[]).await)["error"].clone()
}

#[tokio::test]
async fn the_common_jobs_are_listed_with_their_arguments() {
    let app = TestApp::start().await;
    app.account(1).await;
    for era in [Era::Sessions, Era::Stateless] {
        let agent = app.agent("ada@example.com").await.in_era(era);
        let listed = agent.request("prompts/list", json!({})).await;
        let mut shown = Vec::new();
        for prompt in listed["prompts"].as_array().unwrap() {
            for field in ["title", "description"] {
                assert!(prompt[field].as_str().is_some_and(|text| !text.is_empty()), "{prompt}");
            }
            let arguments = prompt["arguments"].as_array().unwrap();
            for argument in arguments {
                for field in ["title", "description"] {
                    assert!(argument[field].is_string(), "{argument}");
                }
            }
            let names = |is_required: bool| {
                let some = arguments.iter().filter(|argument| argument["required"] == is_required);
                some.map(|argument| argument["name"].as_str().unwrap())
                    .collect::<Vec<_>>()
            };
            shown.push((prompt["name"].as_str().unwrap(), names(true), names(false)));
        }
        assert_eq!(
            shown,
            [
                (
                    "make_book",
                    vec!["theme"],
                    vec!["audience", "page_count", "aspect", "format", "character"]
                ),
                ("review_book", vec!["book"], vec!["wishes"]),
                ("prepare_book_for_print", vec!["book"], vec!["edition", "format"]),
            ]
        );
        assert_eq!(listed["cacheScope"], "private");
        assert!(listed["ttlMs"].as_u64().unwrap() > 0);
    }
}

#[tokio::test]
async fn a_prompt_states_the_choices_of_the_user_and_the_prices() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    let arguments = json!({"theme": " Woods \"at\nnight\" ", "audience": "Teen", "page_count": "012", "format": " "});
    let prompt = agent
        .request("prompts/get", json!({"name": "make_book", "arguments": arguments}))
        .await;
    assert!(prompt["description"].is_string(), "{prompt}");
    let [message] = &prompt["messages"].as_array().unwrap()[..] else {
        panic!("{prompt}");
    };
    assert_eq!(
        (&message["role"], &message["content"]["type"]),
        (&json!("user"), &json!("text"))
    );
    let text = message["content"]["text"].as_str().unwrap();
    for words in [
        "1 credit for each page that is drawn; the cover is free",
        "at most 100",
        "at most 50 seconds",
        "15 minutes",
        "`plan_book`",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let choices = "The user's choices:\n- Theme: \"Woods \\\"at\\nnight\\\"\"\n- Audience: \"teen\"\n\
        - Number of pages: \"12\"\n- Aspect: not chosen\n- Print format: not chosen\n- Character: not chosen";
    assert!(text.ends_with(choices), "{text}");
    // A placeholder in a choice is a part of the choice.
    let prompt = json!({"name": "review_book", "arguments": {"book": "{page_price}"}});
    let prompt = agent.request("prompts/get", prompt).await;
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("- Book: \"{page_price}\""), "{text}");
}

#[tokio::test]
async fn a_prompt_with_wrong_arguments_is_refused_with_the_reason() {
    let app = TestApp::start().await;
    app.account(1).await;
    let agent = app.agent("ada@example.com").await;
    for (name, arguments, problem) in [
        ("make_book", json!({}), "The argument theme is required."),
        ("make_book", json!({"theme": " "}), "The argument theme is required."),
        ("make_book", json!({"theme": 7}), "The argument theme must be a text."),
        (
            "make_book",
            json!({"theme": "x".repeat(1_001)}),
            "at most 1000 characters",
        ),
        (
            "make_book",
            json!({"theme": "Woods", "audience": "robot"}),
            "The argument audience must be one of toddler, child, teen, adult.",
        ),
        (
            "make_book",
            json!({"theme": "Woods", "page_count": "0"}),
            "The argument page_count must be a whole number from 1 to 100.",
        ),
        (
            "make_book",
            json!({"theme": "Woods", "page_count": "101"}),
            "from 1 to 100",
        ),
        (
            "make_book",
            json!({"theme": "Woods", "page_count": "ten"}),
            "from 1 to 100",
        ),
        (
            "prepare_book_for_print",
            json!({"book": "Woods", "format": "a0"}),
            "The argument format must be one of ",
        ),
        (
            "prepare_book_for_print",
            json!({"book": "Woods", "editoin": "kdp"}),
            "The argument \"editoin\" does not exist; the arguments are book, edition, format.",
        ),
        (
            "sell_book",
            json!({}),
            "The prompt \"sell_book\" does not exist; prompts/list lists all prompts.",
        ),
    ] {
        let error = refusal(&agent, json!({"name": name, "arguments": arguments})).await;
        assert_eq!(error["code"], -32602, "{error}");
        assert!(
            error["message"].as_str().unwrap().contains(problem),
            "{problem}: {error}"
        );
    }
}

#[tokio::test]
async fn a_prompt_that_the_grant_does_not_allow_is_not_offered() {
    let app = TestApp::start().await;
    app.account(1).await;
    let read = Scopes::of(&[Scope::BooksRead]);
    let (agent, _) = app.agent_with("ada@example.com", read, None).await;
    let listed = agent.request("prompts/list", json!({})).await;
    let names: Vec<&str> = listed["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["review_book", "prepare_book_for_print"]);
    let error = refusal(&agent, json!({"name": "make_book", "arguments": {"theme": "Woods"}})).await;
    assert_eq!(
        (&error["code"], &error["message"]),
        (
            &json!(-32602),
            &json!("The prompt make_book needs scopes that were not granted: books:write credits:spend.")
        )
    );
    let allowed = json!({"name": "review_book", "arguments": {"book": "Woods"}});
    agent.request("prompts/get", allowed).await;
}
