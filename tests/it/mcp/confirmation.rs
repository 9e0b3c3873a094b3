//! Confirmation of credits: only an agreed price is charged, and only once.
use std::time::Duration;

use linepress_core::artwork::Status;
use linepress_platform::scopes::{Scope, Scopes};
use serde_json::{Value, json};

use crate::test_app::{Agent, Era, TestApp};

const BOOK: &str = r#"{"title": "Woods", "pages": [{"title": "A fox"}, {"title": "An owl"}], "idempotency_key": "k1"}"#;

fn book(confirmed: Option<i64>) -> Value {
    let mut book: Value = serde_json::from_str(BOOK).unwrap();
    if let Some(confirmed) = confirmed {
        book["confirm_credits"] = confirmed.into();
    }
    book
}

#[tokio::test]
async fn an_order_without_its_exact_price_spends_nothing_and_names_the_price() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    for confirmed in [None, Some(0), Some(1), Some(3), Some(-2)] {
        let answer = agent.call("create_book", book(confirmed)).await;
        answer.expect_error("confirmation_required");
        assert_eq!(answer.0["structuredContent"]["credits_required"], 2);
        assert_eq!(answer.0["structuredContent"]["credits_available"], 9);
        assert!(answer.text().contains("confirm_credits: 2"), "{}", answer.text());
    }
    assert_eq!(ada.count("books").await, 0);
    assert_eq!(ada.count("pages").await, 0);
    assert_eq!(ada.count("operations").await, 0);
    assert_eq!(ada.credits().await, 9);
    app.check_ledger().await;
}

#[tokio::test]
async fn an_accepted_order_is_replayed_whatever_price_is_confirmed() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let first = agent.call("create_book", book(Some(2))).await;
    for confirmed in [None, Some(1)] {
        for asking in [agent.clone(), agent.clone().that_asks()] {
            let again = asking.call("create_book", book(confirmed)).await;
            assert_eq!(again.expect()["operation"]["id"], first.expect()["operation"]["id"]);
            assert_eq!(again.expect()["replayed"], true);
        }
    }
    assert_eq!(ada.credits().await, 7);
    assert_eq!(ada.count("books").await, 1);
}

#[tokio::test]
async fn the_user_is_not_asked_about_an_order_that_would_be_refused() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let page = app.ready_page(&ada, "A fox").await;
    let (capped, _) = app.agent_with("ada@example.com", Scopes::ALL, Some(0)).await;
    let agent = app.agent("ada@example.com").await;
    let too_much = json!({"title": "Woods", "pages": [{"title": "A"}, {"title": "B"}], "idempotency_key": "k1"});
    let unknown = json!({"title": "A", "character_ids": ["char_00000000000000000000000000"], "idempotency_key": "k2"});
    let missing = json!({"page_id": "page_00000000000000000000000000", "idempotency_key": "k3"});
    let fine = json!({"page_id": page, "idempotency_key": "k4"});
    for (agent, tool, arguments, price, code) in [
        (&agent, "create_book", too_much, 2, "insufficient_credits"),
        (&agent, "create_page", unknown, 1, "validation_failed"),
        (&agent, "regenerate_page", missing, 1, "not_found"),
        (&capped, "regenerate_page", fine, 1, "credit_cap_reached"),
    ] {
        for confirmed in [None, Some(price)] {
            let mut arguments = arguments.clone();
            if let Some(price) = confirmed {
                arguments["confirm_credits"] = price.into();
            }
            let answer = agent.clone().that_asks().call(tool, arguments).await;
            answer.expect_error(code);
        }
    }
    assert_eq!(ada.credits().await, 1);
}

#[tokio::test]
async fn the_question_names_what_is_drawn_its_price_and_the_balance() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let page = app.ready_page(&ada, "Carrying a Cupcake").await;
    let agent = app.agent("ada@example.com").await.that_asks();
    let arguments = json!({"page_id": page, "idempotency_key": "k1", "confirm_credits": 1});
    let asked = agent
        .request("tools/call", json!({"name": "regenerate_page", "arguments": arguments}))
        .await;
    let question = &asked["inputRequests"]["confirm"]["params"]["message"];
    assert_eq!(
        question,
        "A new drawing of the page \"Carrying a Cupcake\" costs 1 credit. The account ada@example.com has 19. Order it?"
    );
    // Asking draws nothing.
    assert_eq!(ada.page(&page).await.status, Status::Ready);
    assert_eq!(ada.count("operations").await, 1);
}

#[tokio::test]
async fn an_irreversible_deletion_requires_the_users_consent() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let agent = app.agent("ada@example.com").await.that_asks();
    for (tool, arguments, path) in [
        (
            "delete_book",
            json!({"book_id": own.book}),
            format!("/books/{}", own.book),
        ),
        (
            "delete_page",
            json!({"page_id": own.page}),
            format!("/pages/{}", own.page),
        ),
    ] {
        let call = async |answer: Value| {
            let mut params = answer;
            params["name"] = tool.into();
            params["arguments"] = arguments.clone();
            agent.request("tools/call", params).await
        };
        let asked = call(json!({})).await;
        let question = &asked["inputRequests"]["confirm"]["params"]["message"];
        assert!(
            question.as_str().unwrap().contains("It can be restored for 30 days."),
            "{asked}"
        );
        let responses = input_responses(&json!({"action": "decline"}));
        let no = json!({"requestState": asked["requestState"], "inputResponses": responses});
        let refused = call(no).await;
        assert_eq!(
            refused["structuredContent"]["error"]["code"], "confirmation_declined",
            "{refused}"
        );
        ada.get(&path).await.expect(200);
        let responses = input_responses(&json!({"action": "accept"}));
        let yes = json!({"requestState": asked["requestState"], "inputResponses": responses});
        assert_eq!(call(yes).await["structuredContent"]["deleted"], true);
        ada.get(&path).await.expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn an_app_learns_its_remaining_credit_limit() {
    let app = TestApp::start().await;
    app.account(9).await;
    let (agent, _) = app.agent_with("ada@example.com", Scopes::ALL, Some(3)).await;
    agent.call("create_book", book(Some(2))).await.expect();
    let answer = agent.call("get_account", json!({})).await;
    let grant = &answer.expect()["grant"];
    assert_eq!(
        (&grant["credit_cap"], &grant["credits_left"]),
        (&json!(3), &json!(1)),
        "{grant}"
    );
    assert!(answer.text().contains("1 credit more of the 3"), "{}", answer.text());
}

#[tokio::test]
async fn an_app_that_may_not_spend_is_told_so() {
    let app = TestApp::start().await;
    app.account(9).await;
    let scopes = Scopes::of(&[Scope::BooksRead]);
    let (agent, _) = app.agent_with("ada@example.com", scopes, None).await;
    let answer = agent.call("get_account", json!({})).await;
    let grant = &answer.expect()["grant"];
    assert_eq!(
        (&grant["may_spend"], &grant["credits_left"]),
        (&json!(false), &json!(0)),
        "{grant}"
    );
    let words = "This app may spend no credits, because the user did not grant that. Its granted scopes: books:read.";
    assert!(answer.text().contains(words), "{}", answer.text());
}

#[tokio::test]
async fn the_question_before_a_page_is_deleted_is_a_sentence() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let agent = app.agent("ada@example.com").await.that_asks();
    let arguments = json!({"page_id": own.book_page});
    let asked = agent
        .request("tools/call", json!({"name": "delete_page", "arguments": arguments}))
        .await;
    assert_eq!(
        asked["inputRequests"]["confirm"]["params"]["message"],
        "Delete the page \"An owl\", which is in 1 book? It can be restored for 30 days."
    );
}

#[tokio::test]
async fn a_retry_with_the_same_key_pays_once_and_finds_its_result() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let first = agent.call("create_book", book(Some(2))).await;
    let operation = &first.expect()["operation"];
    assert_eq!(operation["credits"]["charged"], 2);
    // A client that lost the answer repeats the call, in either era.
    for era in [Era::Sessions, Era::Stateless] {
        let again = agent.clone().in_era(era).call("create_book", book(Some(2))).await;
        assert_eq!(again.expect()["operation"], first.expect()["operation"]);
        assert_eq!(again.expect()["book"], first.expect()["book"]);
    }
    assert_eq!(ada.credits().await, 7);
    let mut other = book(Some(2));
    other["title"] = "Fields".into();
    agent
        .call("create_book", other)
        .await
        .expect_error("idempotency_conflict");
    // The key has the same meaning over REST.
    let rest = json!({"book": {"title": "Woods", "pages": [{"title": "A fox"}, {"title": "An owl"}]}});
    let replayed = ada.generate("/books", "k1", &rest).await;
    assert_eq!(replayed.expect(202)["operation"]["id"], operation["id"]);
    assert_eq!(ada.credits().await, 7);
}

#[tokio::test]
async fn a_used_key_with_another_call_conflicts_whatever_else_is_wrong_with_it() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    agent.call("create_book", book(Some(2))).await.expect();
    for (tool, arguments) in [
        ("create_book", json!({"title": "", "pages": []})),
        ("create_page", json!({"titel": "A fox"})),
        ("create_page", json!({"title": 7, "confirm_credits": 1})),
        ("create_page", json!({"title": "A fox"})),
        (
            "regenerate_page",
            json!({"page_id": "page_of_nobody", "confirm_credits": 1}),
        ),
        ("regenerate_book_cover", json!({"book_id": "book_of_nobody"})),
        ("import_page", json!({"title": "A fox"})),
    ] {
        for asking in [agent.clone(), agent.clone().that_asks()] {
            let mut arguments = arguments.clone();
            arguments["idempotency_key"] = "k1".into();
            asking.call(tool, arguments).await.expect_error("idempotency_conflict");
        }
    }
    // A key that no accepted order used does not hide what is wrong, and is not used up.
    let wrong = json!({"title": "", "confirm_credits": 1, "idempotency_key": "k2"});
    agent.call("create_page", wrong).await.expect_error("validation_failed");
    let right = json!({"title": "A fox", "confirm_credits": 1, "idempotency_key": "k2"});
    agent.call("create_page", right).await.expect();
    assert_eq!(ada.credits().await, 6);
}

#[tokio::test]
async fn an_accepted_cover_is_replayed_after_its_book_was_deleted() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let own = app.ready_resources(&ada).await;
    let agent = app.agent("ada@example.com").await;
    let order = json!({"book_id": own.book, "confirm_credits": 1, "idempotency_key": "k1"});
    let first = agent.call("regenerate_book_cover", order.clone()).await;
    agent.call("delete_book", json!({"book_id": own.book})).await.expect();
    let again = agent.call("regenerate_book_cover", order).await;
    assert_eq!(again.expect()["operation"]["id"], first.expect()["operation"]["id"]);
    assert_eq!(again.expect()["replayed"], true);
}

#[tokio::test]
async fn a_client_that_goes_away_in_the_middle_and_retries_pays_once_and_finds_its_result() {
    let app = TestApp::start().await;
    let ada = app.account(30).await;
    let agent = app.agent("ada@example.com").await;
    for microseconds in [0, 200, 1_000, 3_000, 6_000, 10_000, 20_000, 40_000] {
        let mut order = book(Some(2));
        order["idempotency_key"] = format!("gone-after-{microseconds}").into();
        // The order may or may not have been accepted by then; the client never sees the result.
        let patience = Duration::from_micros(microseconds);
        drop(tokio::time::timeout(patience, agent.call("create_book", order.clone())).await);
        let found = agent.call("create_book", order.clone()).await;
        let again = agent.call("create_book", order).await;
        assert_eq!(again.expect()["operation"], found.expect()["operation"]);
    }
    assert_eq!(ada.count("books").await, 8);
    assert_eq!(ada.credits().await, 30 - 8 * 2);
    app.check_ledger().await;
}

#[tokio::test]
async fn an_order_without_a_key_is_refused() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let answer = agent
        .call("create_page", json!({"title": "A fox", "confirm_credits": 1}))
        .await;
    answer.expect_error("idempotency_key_required");
}

#[tokio::test]
async fn spending_stops_at_the_limit_of_the_grant() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let (agent, _) = app.agent_with("ada@example.com", Scopes::ALL, Some(3)).await;
    agent.call("create_book", book(Some(2))).await.expect();
    let mut second = book(Some(2));
    second["idempotency_key"] = "k2".into();
    agent
        .call("create_book", second)
        .await
        .expect_error("credit_cap_reached");
    assert_eq!(ada.credits().await, 7);
    let page = json!({"title": "A fox", "idempotency_key": "k3", "confirm_credits": 1});
    agent.call("create_page", page).await.expect();
    assert_eq!(ada.credits().await, 6);
    app.check_ledger().await;
}

async fn order(agent: &Agent, arguments: &Value, more: Value) -> Value {
    agent.call_with("create_book", arguments, more).await
}

fn input_responses(answer: &Value) -> Value {
    json!({"confirm": answer})
}

#[tokio::test]
async fn a_client_that_can_ask_its_user_is_requested_to() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await.that_asks();
    let asked = order(&agent, &book(Some(2)), json!({})).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["confirm"]["params"];
    assert!(question["message"].as_str().unwrap().contains("2 credits"), "{asked}");
    assert_eq!(ada.credits().await, 9);
    let state = &asked["requestState"];
    let yes = input_responses(&json!({"action": "accept"}));
    let answered = json!({"requestState": state, "inputResponses": yes});
    let ordered = order(&agent, &book(Some(2)), answered.clone()).await;
    assert_eq!(
        ordered["structuredContent"]["operation"]["credits"]["charged"], 2,
        "{ordered}"
    );
    // Repeating the answer repeats the same order.
    order(&agent, &book(Some(2)), answered.clone()).await;
    assert_eq!(ada.credits().await, 7);
    // The answer does not confirm another order, or one at another price.
    let mut other = book(Some(2));
    other["idempotency_key"] = "k2".into();
    assert_eq!(
        order(&agent, &other, answered.clone()).await["resultType"],
        "input_required"
    );
    let mut larger = book(Some(3));
    larger["pages"].as_array_mut().unwrap().push(json!({"title": "A hare"}));
    larger["idempotency_key"] = "k3".into();
    assert_eq!(order(&agent, &larger, answered).await["resultType"], "input_required");
    assert_eq!(ada.credits().await, 7);
}

#[tokio::test]
async fn a_user_who_does_not_agree_pays_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await.that_asks();
    let asked = order(&agent, &book(Some(2)), json!({})).await;
    let state = asked["requestState"].as_str().unwrap();
    for no in [json!({"action": "decline"}), json!({"action": "cancel"}), json!({})] {
        let answered = json!({"requestState": state, "inputResponses": input_responses(&no)});
        let refused = order(&agent, &book(Some(2)), answered).await;
        assert_eq!(
            refused["structuredContent"]["error"]["code"], "confirmation_declined",
            "{refused}"
        );
    }
    // A forged or expired state does not confirm anything.
    let yes = input_responses(&json!({"action": "accept", "content": {}}));
    for forged in ["", "rs1.AAAA.AAAA", &state.replace('A', "B")] {
        let answered = json!({"requestState": forged, "inputResponses": yes});
        let again = order(&agent, &book(Some(2)), answered).await;
        assert_eq!(again["resultType"], "input_required", "{again}");
    }
    app.server.clock.advance(Duration::from_secs(601));
    let late = json!({"requestState": state, "inputResponses": yes});
    let again = order(&agent, &book(Some(2)), late).await;
    assert_eq!(again["resultType"], "input_required", "{again}");
    assert_eq!(ada.credits().await, 9);
}
