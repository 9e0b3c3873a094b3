//! Tasks of the revision 2025-11-25.
use linepress::server;
use linepress_accounts::accounts::Plan;
use linepress_platform::scopes::Scopes;
use serde_json::{Value, json};

use super::{book, get, page};
use crate::test_app::{Agent, Era, TestApp};
use crate::testing;

/// Returns an agent of this revision. It declares nothing: its calls say which of them are to run as tasks.
async fn agent(app: &TestApp) -> Agent {
    app.agent("ada@example.com").await.in_era(Era::Sessions)
}

/// The parameters of a call that is to run as a task.
fn call(tool: &str, arguments: Value) -> Value {
    json!({"name": tool, "arguments": arguments, "task": {"ttl": 60_000}})
}

/// Calls a tool; returns the task that it became.
async fn order(agent: &Agent, tool: &str, arguments: Value) -> Value {
    agent.request("tools/call", call(tool, arguments)).await["task"].clone()
}

async fn handshake(agent: &Agent, revision: &str) -> Value {
    let hello =
        json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    agent.request("initialize", hello).await
}

#[tokio::test]
async fn tasks_are_declared_in_this_revision_only() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = agent(&app).await;
    let welcome = handshake(&agent, "2025-11-25").await;
    assert_eq!(
        welcome["capabilities"]["tasks"],
        json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}})
    );
    assert!(welcome["capabilities"]["tools"].is_object(), "{welcome}");
    assert!(welcome["capabilities"]["extensions"].is_null(), "{welcome}");
    let early = agent.clone().in_era(Era::Early);
    let welcome = handshake(&early, "2025-03-26").await;
    assert!(welcome["capabilities"]["tasks"].is_null(), "{welcome}");

    // Of all revisions, only this one says which tools may run as a task: those that cost credits.
    let mut listed = agent.request("tools/list", json!({})).await;
    assert!(listed["tools"].to_string().len() < 48_000);
    for tool in listed["tools"].as_array_mut().unwrap() {
        let costs = tool["inputSchema"]["properties"]["confirm_credits"].is_object();
        let execution = tool.as_object_mut().unwrap().remove("execution");
        assert_eq!(
            execution,
            costs.then(|| json!({"taskSupport": "optional"})),
            "{}",
            tool["name"]
        );
    }
    assert_eq!(early.request("tools/list", json!({})).await, listed);
}

#[tokio::test]
async fn an_order_runs_as_a_task_whose_result_is_fetched() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = agent(&app).await;
    let made = agent.request("tools/call", call("create_book", book("k1"))).await;
    let task = &made["task"];
    assert_eq!(task["status"], "working", "{made}");
    assert_eq!(task["createdAt"], "2026-11-21T12:00:00.000Z");
    assert!(task["ttl"].is_null() && task["pollInterval"].is_u64(), "{task}");
    let immediate = made["_meta"]["io.modelcontextprotocol/model-immediate-response"]
        .as_str()
        .unwrap();
    assert!(immediate.starts_with("Accepted for 2 credits;"), "{immediate}");
    let id = &task["taskId"];
    let next = format!("\nNext: wait_for_operation {}.", id.as_str().unwrap());
    assert!(immediate.ends_with(&next), "{immediate}");

    let working = get(&agent, id).await;
    assert_eq!((&working["status"], &working["taskId"]), (&json!("working"), id));
    assert_eq!(working["statusMessage"], "0 of 3 drawn, 0 failed.");
    let listed = agent.request("tasks/list", json!({})).await;
    assert_eq!(listed["tasks"], json!([working]));

    // The result is sent as soon as there is one.
    let asked = json!({"taskId": id});
    let (result, ()) = tokio::join!(agent.request("tasks/result", asked.clone()), app.draw_what_is_due());
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/related-task"],
        json!({"taskId": id})
    );
    assert_eq!(result["isError"], false, "{result}");
    assert!(result["resultType"].is_null(), "{result}");
    assert_eq!(result["structuredContent"]["book"]["status"], "ready");
    assert_eq!(result["structuredContent"]["credits_available"], 7);
    assert_eq!(get(&agent, id).await["status"], "completed");
    assert_eq!(agent.request("tasks/result", asked).await, result);
    assert_eq!(ada.credits().await, 7);
}

#[tokio::test]
async fn a_call_that_does_not_ask_for_a_task_gets_its_result() {
    let app = TestApp::start().await;
    app.account(9).await;
    let agent = agent(&app).await;
    let made = agent.call("create_page", page("k1")).await;
    assert_eq!(made.expect()["operation"]["status"], "queued");
    // Earlier revisions have no tasks: what a call says about one is ignored, and their methods do not exist.
    let early = agent.clone().in_era(Era::Early);
    let made = early.request("tools/call", call("create_page", page("k2"))).await;
    assert_eq!(made["structuredContent"]["operation"]["status"], "queued", "{made}");
    for method in ["tasks/list", "tasks/result", "tasks/get", "tasks/cancel"] {
        let operation = &made["structuredContent"]["operation"]["id"];
        let error = early.refused(method, json!({"taskId": operation})).await;
        assert!(error["code"] == -32601 || error["code"] == -32021, "{method}: {error}");
    }
}

#[tokio::test]
async fn a_call_that_cannot_become_a_task_is_an_error() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let agent = agent(&app).await;
    let mut unconfirmed = page("k1");
    unconfirmed["confirm_credits"] = 5.into();
    for (tool, arguments, code, words) in [
        ("get_account", json!({}), -32601, "cannot run as a task"),
        ("create_page", unconfirmed, -32600, "confirm_credits: 1"),
        ("create_book", book("k2"), -32600, "credits"),
        ("steal_book", json!({}), -32602, "does not exist"),
    ] {
        let error = agent.refused("tools/call", call(tool, arguments)).await;
        assert_eq!(error["code"], code, "{tool}: {error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{tool}: {error}");
    }
    let error = agent.refused("tools/call", call("create_book", book("k3"))).await;
    assert_eq!(error["data"]["error"]["code"], "insufficient_credits", "{error}");
    assert_eq!((ada.credits().await, ada.count("operations").await), (1, 0));
}

#[tokio::test]
async fn a_task_is_canceled_once_and_refunded() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let agent = agent(&app).await;
    let task = order(&agent, "create_book", book("k1")).await;
    let id = json!({"taskId": task["taskId"]});
    let canceled = agent.request("tasks/cancel", id.clone()).await;
    assert_eq!(canceled["status"], "cancelled", "{canceled}");
    assert_eq!(ada.credits().await, 9);
    let error = agent.refused("tasks/cancel", id.clone()).await;
    assert_eq!(error["code"], -32602, "{error}");
    let result = agent.request("tasks/result", id).await;
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(
        result["structuredContent"]["operation"]["error"]["code"],
        "generation_canceled"
    );
    assert!(!testing::work_once(&app.server).await.unwrap(), "nothing is drawn");
    app.check_ledger().await;
}

#[tokio::test]
async fn a_task_of_which_nothing_was_drawn_has_failed() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "refused", "seeds": "all"}))
        .start()
        .await;
    app.account(9).await;
    let agent = agent(&app).await;
    let task = order(&agent, "create_page", page("k1")).await;
    app.draw_everything().await;
    assert_eq!(get(&agent, &task["taskId"]).await["status"], "failed");
    let result = agent.request("tasks/result", json!({"taskId": task["taskId"]})).await;
    assert_eq!(result["isError"], true, "{result}");
}

#[tokio::test]
async fn the_result_of_a_task_that_still_works_is_a_timeout() {
    let app = TestApp::builder()
        .config(|config| config.request_timeout_seconds = 1)
        .start()
        .await;
    app.account(9).await;
    let agent = agent(&app).await;
    let task = order(&agent, "create_page", page("k1")).await;
    let error = agent.refused("tasks/result", json!({"taskId": task["taskId"]})).await;
    assert_eq!(error["code"], -32001, "{error}");
    assert!(error["message"].as_str().unwrap().contains("tasks/get"), "{error}");
}

#[tokio::test]
async fn a_task_of_another_account_does_not_exist() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.account_named("bob@example.com", Plan::Business, 9).await;
    let agent = agent(&app).await;
    let stranger = app.agent("bob@example.com").await.in_era(Era::Sessions);
    let task = order(&agent, "create_page", page("k1")).await;
    let own = task["taskId"].as_str().unwrap();
    for unknown in [
        json!(own),
        json!("op_01KAFMYG00000000000000000A"),
        json!("op_\u{0}"),
        json!(7),
        Value::Null,
    ] {
        for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
            let error = stranger.refused(method, json!({"taskId": unknown})).await;
            assert_eq!(error["code"], -32602, "{method} {unknown}: {error}");
        }
    }
    assert_eq!(stranger.request("tasks/list", json!({})).await, json!({"tasks": []}));
    assert_eq!(get(&agent, &task["taskId"]).await["status"], "working");
    assert_eq!(ada.credits().await, 8);
}

#[tokio::test]
async fn the_list_of_tasks_continues_at_its_cursor() {
    let app = TestApp::start().await;
    app.account(60).await;
    let agent = agent(&app).await;
    let mut ordered = Vec::new();
    for number in 0..27 {
        let task = order(&agent, "create_page", page(&format!("k{number}"))).await;
        ordered.push(task["taskId"].as_str().unwrap().to_owned());
        app.draw_what_is_due().await;
    }
    let (mut seen, mut parts) = (Vec::new(), 0);
    let mut params = json!({});
    loop {
        parts += 1;
        let part = agent.request("tasks/list", params).await;
        let tasks = part["tasks"].as_array().unwrap().iter();
        seen.extend(tasks.map(|task| task["taskId"].as_str().unwrap().to_owned()));
        if part["nextCursor"].is_null() {
            break;
        }
        params = json!({"cursor": part["nextCursor"]});
    }
    // All of them began at the same time.
    seen.sort();
    ordered.sort();
    assert_eq!((seen, parts), (ordered, 2));
    let error = agent.refused("tasks/list", json!({"cursor": "made-up"})).await;
    assert_eq!(error["code"], -32602, "{error}");
    assert!(error["message"].as_str().unwrap().contains("nextCursor"), "{error}");
}

#[tokio::test]
async fn a_task_is_found_after_a_restart_and_on_another_node() {
    let app = TestApp::start().await;
    app.account(9).await;
    let granted = app.grant("ada@example.com", Scopes::ALL, None).await;
    let agent = app.agent_of(Some(&granted.access_token)).in_era(Era::Sessions);
    let task = order(&agent, "create_page", page("k1")).await;
    let restarted = server::router(app.another_node().await);
    let restarted = Agent::new(restarted, Some(&granted.access_token)).in_era(Era::Sessions);
    app.draw_what_is_due().await;
    let id = json!({"taskId": task["taskId"]});
    let (there, here) = (
        restarted.request("tasks/result", id.clone()).await,
        agent.request("tasks/result", id).await,
    );
    assert_eq!(there["structuredContent"]["page"]["status"], "ready", "{there}");
    assert_eq!(there, here);
}
