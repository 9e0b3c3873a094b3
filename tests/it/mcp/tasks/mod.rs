//! Tasks: orders that a client follows by polling, in both revisions of the protocol that have them.
mod earlier;
mod extension;

use serde_json::{Value, json};

use crate::test_app::Agent;

/// The arguments of an order of a page for one credit.
fn page(key: &str) -> Value {
    json!({"title": "A fox", "idempotency_key": key, "confirm_credits": 1})
}

/// The arguments of an order of a book with two pages for two credits.
fn book(key: &str) -> Value {
    json!({
        "title": "Woods",
        "pages": [{"title": "A fox"}, {"title": "An owl"}],
        "idempotency_key": key,
        "confirm_credits": 2,
    })
}

/// Calls a tool; returns the task that it became.
async fn order(agent: &Agent, tool: &str, arguments: Value) -> Value {
    let made = agent
        .request("tools/call", json!({"name": tool, "arguments": arguments}))
        .await;
    assert_eq!(made["resultType"], "task", "{made}");
    made
}

async fn get(agent: &Agent, task: &Value) -> Value {
    agent.request("tasks/get", json!({"taskId": task})).await
}
