//! Tasks of the extension `io.modelcontextprotocol/tasks`, which belongs to the revision 2026-07-28.
use linepress::server;
use linepress_accounts::accounts::Plan;
use linepress_platform::scopes::{Scope, Scopes};
use serde_json::json;

use super::{book, get, order, page};
use crate::maintenance;
use crate::test_app::{Agent, TestApp};
use crate::testing;

#[tokio::test]
async fn an_order_becomes_a_task_that_ends_with_the_result_of_its_tool() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await.that_takes_tasks();
    let made = order(&agent, "create_book", book("k1")).await;
    assert_eq!(made["status"], "working");
    assert_eq!(made["createdAt"], "2026-11-21T12:00:00.000Z");
    assert!(made["ttlMs"].is_null() && made["pollIntervalMs"].is_u64(), "{made}");
    let message = made["statusMessage"].as_str().unwrap();
    assert!(
        message.starts_with("Accepted for 2 credits; the account has 7 credits now."),
        "{message}"
    );

    let id = &made["taskId"];
    let working = get(&agent, id).await;
    assert_eq!(working["resultType"], "complete", "{working}");
    assert_eq!(working["status"], "working");
    assert_eq!(working["statusMessage"], "0 of 3 drawn, 0 failed.");
    assert!(working["result"].is_null(), "{working}");

    app.draw_what_is_due().await;
    let done = get(&agent, id).await;
    assert_eq!(done["status"], "completed", "{done}");
    let result = &done["result"];
    assert_eq!(result["isError"], false, "{done}");
    let structured = &result["structuredContent"];
    assert_eq!(structured["book"]["status"], "ready");
    assert_eq!(structured["operation"]["id"], *id);
    assert_eq!(structured["operation"]["status"], "succeeded");
    assert_eq!(structured["credits_available"], 7);
    let text = result["content"][0]["text"].as_str().unwrap();
    let next = structured["next"].as_str().unwrap();
    assert!(next.starts_with("get_book book_"), "{next}");
    assert!(text.ends_with(&format!("\nNext: {next}")), "{text}");

    // A repeat of the order names the same task.
    let again = order(&agent, "create_book", book("k1")).await;
    assert_eq!(again["taskId"], *id);
    assert_eq!(ada.credits().await, 7);
}

#[tokio::test]
async fn the_result_of_each_tool_that_orders_drawings_fits_its_schema() {
    let app = TestApp::start().await;
    let ada = app.account(40).await;
    let own = app.ready_resources(&ada).await;
    let agent = app.agent("ada@example.com").await.that_takes_tasks();
    let listed = agent.request("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap().iter();
    let orders = tools.filter(|tool| tool["inputSchema"]["properties"]["confirm_credits"].is_object());
    let mut seen = 0;
    for tool in orders {
        let name = tool["name"].as_str().unwrap();
        let mut arguments = match name {
            "create_book" => json!({"title": "B", "pages": [{"title": "A"}]}),
            "regenerate_book_cover" => json!({"book_id": own.book}),
            "restyle_book" => json!({"book_id": own.book, "line_weight": "thin"}),
            "generate_book_page" => json!({"book_id": own.book, "title": "A hare"}),
            "create_character" => json!({"name": "Tuck", "description": "A mole"}),
            "regenerate_character" => json!({"character_id": own.character}),
            "create_page" => json!({"title": "A wren"}),
            "regenerate_page" => json!({"page_id": own.page}),
            "refine_page" => json!({"page_id": own.page, "instruction": "Remove the hat"}),
            other => panic!("a tool without a test: {other}"),
        };
        arguments["idempotency_key"] = name.into();
        // Without the price nothing is ordered, and there is no task.
        let unconfirmed = agent.call(name, arguments.clone()).await;
        unconfirmed.expect_error("confirmation_required");
        arguments["confirm_credits"] = unconfirmed.0["structuredContent"]["credits_required"].clone();
        let made = order(&agent, name, arguments).await;
        app.draw_what_is_due().await;
        let done = get(&agent, &made["taskId"]).await;
        assert_eq!(done["status"], "completed", "{name}: {done}");
        let result = &done["result"]["structuredContent"];
        for field in tool["outputSchema"]["anyOf"][0]["required"].as_array().unwrap() {
            assert!(!result[field.as_str().unwrap()].is_null(), "{name}: {field}: {result}");
        }
        assert_eq!(result["operation"]["status"], "succeeded", "{name}");
        seen += 1;
    }
    assert_eq!(seen, 9);
}

#[tokio::test]
async fn a_task_of_another_account_does_not_exist() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.account_named("bob@example.com", Plan::Business, 9).await;
    let agent = app.agent("ada@example.com").await.that_takes_tasks();
    let stranger = app.agent("bob@example.com").await.that_takes_tasks();
    let made = order(&agent, "create_page", page("k1")).await;
    let id = made["taskId"].as_str().unwrap();
    for unknown in [id, "op_01KAFMYG00000000000000000A", "page_1"] {
        for (method, params) in [
            ("tasks/get", json!({"taskId": unknown})),
            ("tasks/cancel", json!({"taskId": unknown})),
            ("tasks/update", json!({"taskId": unknown, "inputResponses": {}})),
        ] {
            let error = stranger.refused(method, params).await;
            assert_eq!(error["code"], -32602, "{method} {unknown}: {error}");
            assert!(error["message"].as_str().unwrap().contains("does not exist"), "{error}");
        }
    }
    assert_eq!(get(&agent, &made["taskId"]).await["status"], "working");
    assert_eq!(ada.credits().await, 8);
}

#[tokio::test]
async fn a_canceled_task_refunds_what_was_not_begun() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await.that_takes_tasks();
    let made = order(&agent, "create_book", book("k1")).await;
    let cancel = json!({"taskId": made["taskId"]});
    // A repetition changes nothing.
    for _ in 0..2 {
        let canceled = agent.request("tasks/cancel", cancel.clone()).await;
        assert_eq!(canceled, json!({"resultType": "complete"}));
    }
    let task = get(&agent, &made["taskId"]).await;
    assert_eq!(task["status"], "cancelled", "{task}");
    let message = task["statusMessage"].as_str().unwrap();
    assert!(message.contains("canceled"), "{message}");
    assert!(task["result"].is_null(), "{task}");
    assert_eq!(ada.credits().await, 9);
    assert!(!testing::work_once(&app.server).await.unwrap(), "nothing is drawn");
    app.check_ledger().await;
}

#[tokio::test]
async fn a_drawing_that_has_begun_is_finished_and_completes_its_canceled_task() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await.that_takes_tasks();
    let made = order(&agent, "create_book", book("k1")).await;
    // The cover, and then the first page.
    assert!(testing::work_once(&app.server).await.unwrap());
    let held = testing::claim(&app.server).await.unwrap().unwrap();
    agent.request("tasks/cancel", json!({"taskId": made["taskId"]})).await;
    let task = get(&agent, &made["taskId"]).await;
    assert_eq!(
        (&task["status"], &task["statusMessage"]),
        (&json!("working"), &json!("1 of 3 drawn, 1 failed."))
    );
    assert_eq!(ada.credits().await, 8);
    testing::attempt(&app.server, &held).await;
    let task = get(&agent, &made["taskId"]).await;
    assert_eq!(task["status"], "completed", "{task}");
    let structured = &task["result"]["structuredContent"];
    assert_eq!(structured["operation"]["status"], "partially_succeeded");
    assert_eq!(
        structured["operation"]["items"][0]["error"]["code"],
        "generation_canceled"
    );
    app.check_ledger().await;
}

#[tokio::test]
async fn a_task_of_which_nothing_was_drawn_completes_with_an_error() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "refused", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await.that_takes_tasks();
    let made = order(&agent, "create_page", page("k1")).await;
    app.draw_everything().await;
    let task = get(&agent, &made["taskId"]).await;
    assert_eq!(task["status"], "completed", "{task}");
    let result = &task["result"];
    assert_eq!(result["isError"], true, "{task}");
    assert_eq!(
        result["structuredContent"]["operation"]["error"]["code"],
        "generation_refused"
    );
    assert!(
        task["statusMessage"].as_str().unwrap().contains("declined to draw"),
        "{task}"
    );
    assert_eq!(ada.credits().await, 9);
}

#[tokio::test]
async fn a_task_whose_book_was_deleted_completes_with_an_error() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await.that_takes_tasks();
    let made = order(&agent, "create_book", book("k1")).await;
    app.draw_what_is_due().await;
    let done = get(&agent, &made["taskId"]).await;
    let id = done["result"]["structuredContent"]["book"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    ada.delete(&format!("/books/{id}")).await.expect_no_content();
    let result = get(&agent, &made["taskId"]).await["result"].clone();
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.ends_with(&format!("\nNext: list_books: {id} was deleted.")),
        "{text}"
    );
}

#[tokio::test]
async fn a_task_is_found_after_a_restart_and_on_another_node() {
    let app = TestApp::start().await;
    app.account(9).await;
    let granted = app.grant("ada@example.com", Scopes::ALL, None).await;
    let agent = app.agent_of(Some(&granted.access_token)).that_takes_tasks();
    let made = order(&agent, "create_page", page("k1")).await;
    // A node that was started after the order shares nothing with the first one but the database and the objects.
    let restarted = server::router(app.another_node().await);
    let restarted = Agent::new(restarted, Some(&granted.access_token)).that_takes_tasks();
    assert_eq!(get(&restarted, &made["taskId"]).await["status"], "working");
    app.draw_what_is_due().await;
    let (there, here) = (
        get(&restarted, &made["taskId"]).await,
        get(&agent, &made["taskId"]).await,
    );
    assert_eq!(there["status"], "completed", "{there}");
    assert_eq!(there, here);
}

#[tokio::test]
async fn a_client_that_does_not_declare_tasks_gets_results() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = app.agent("ada@example.com").await;
    let made = agent.call("create_page", page("k1")).await;
    assert_eq!(made.0["resultType"], "complete", "{}", made.0);
    let id = made.expect()["operation"]["id"].clone();
    for (method, params) in [
        ("tasks/get", json!({"taskId": id})),
        ("tasks/cancel", json!({"taskId": id})),
        ("tasks/update", json!({"taskId": id, "inputResponses": {}})),
    ] {
        let error = agent.refused(method, params).await;
        assert_eq!(error["code"], -32021, "{method}: {error}");
        let required = &error["data"]["requiredCapabilities"]["extensions"];
        assert!(required["io.modelcontextprotocol/tasks"].is_object(), "{error}");
    }
    // The methods of the earlier revision do not exist in this one.
    let following = agent.clone().that_takes_tasks();
    for method in [
        "tasks/list",
        "tasks/result",
        "linepress/tasks/get",
        "linepress/tools/list",
        "linepress/tools/call",
    ] {
        let error = following.refused(method, json!({})).await;
        assert_eq!(error["code"], -32601, "{method}: {error}");
    }
    // A tool that draws nothing has its result at once.
    following.call("list_books", json!({})).await.expect();
    // Both see the same tools.
    let plain = agent.request("tools/list", json!({})).await;
    assert_eq!(plain, following.request("tools/list", json!({})).await);
    assert!(!plain.to_string().contains("taskSupport"));
    let found = agent.request("server/discover", json!({})).await;
    let extensions = &found["capabilities"]["extensions"];
    assert_eq!(*extensions, json!({"io.modelcontextprotocol/tasks": {}}));
}

#[tokio::test]
async fn the_user_agrees_to_the_price_before_the_task_begins() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let capabilities = json!({"elicitation": {"form": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
    let agent = app.agent("ada@example.com").await.that_declares(capabilities);
    let arguments = page("k1");
    let asked = agent
        .request("tools/call", json!({"name": "create_page", "arguments": arguments}))
        .await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(ada.credits().await, 9);
    let yes = json!({"confirm": {"action": "accept"}});
    let answered = json!({
        "name": "create_page",
        "arguments": arguments,
        "requestState": asked["requestState"],
        "inputResponses": yes,
    });
    let made = agent.request("tools/call", answered).await;
    assert_eq!(made["resultType"], "task", "{made}");
    // The task asks for nothing more, so that an answer to it is ignored.
    let update = json!({"taskId": made["taskId"], "inputResponses": yes});
    assert_eq!(
        agent.request("tasks/update", update).await,
        json!({"resultType": "complete"})
    );
    assert_eq!(ada.credits().await, 8);
}

#[tokio::test]
async fn a_task_is_canceled_only_with_the_scope_and_outside_of_maintenance() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = app.agent("ada@example.com").await.that_takes_tasks();
    let made = order(&agent, "create_page", page("k1")).await;
    let id = json!({"taskId": made["taskId"]});
    let reading = Scopes::of(&[Scope::BooksRead]);
    let (reader, _) = app.agent_with("ada@example.com", reading, None).await;
    let reader = reader.that_takes_tasks();
    assert_eq!(get(&reader, &made["taskId"]).await["status"], "working");
    let message = reader.message("tasks/cancel", id.as_object().cloned().unwrap());
    let refused = reader.send(&message, &[]).await;
    let error = refused.expect_error(403, "insufficient_scope");
    assert!(error["message"].as_str().unwrap().contains("books:write"), "{error}");
    maintenance::begin(&app).await;
    let error = agent.refused("tasks/cancel", id.clone()).await;
    assert_eq!(error["data"]["code"], "maintenance", "{error}");
    assert_eq!(get(&agent, &made["taskId"]).await["status"], "working");
    maintenance::end(&app).await;
    agent.request("tasks/cancel", id).await;
    assert_eq!(ada.credits().await, 9);
}
