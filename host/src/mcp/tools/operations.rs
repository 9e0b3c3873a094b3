//! Operations: looked at and waited for.
use futures::FutureExt as _;
use serde_json::json;

use crate::error::Error;
use crate::ids::OperationId;
use crate::mcp::reply::{Outcome, Reply};
use crate::mcp::tool::{Call, Effect, Input, Shape, ToolSpec};
use crate::mcp::{waiting, words};
use crate::operations::{self, Operation, OperationStatus};

const OPERATION: &[(&str, Shape)] = &[("operation", Shape::One("Operation"))];

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "wait_for_operation",
        title: "Wait for drawings",
        description: "Waits until an operation has ended, at most 50 seconds, and reports progress. Call it again while it is queued or running.",
        effect: Effect::Reads,
        envelope: "",
        input: &[
            Input::Id("operation_id"),
            Input::Number("seconds", "How long at most; 50 when left out."),
        ],
        output: OPERATION,
        call: |call| wait(call).boxed(),
    },
    ToolSpec {
        name: "get_operation",
        title: "Operation",
        description: "Status, progress and credits of an operation, at once.",
        effect: Effect::Reads,
        envelope: "",
        input: &[Input::Id("operation_id")],
        output: OPERATION,
        call: |call| get(call).boxed(),
    },
    ToolSpec {
        name: "list_operations",
        title: "Operations",
        description: "The account's orders, newest first. Look here when an answer got lost.",
        effect: Effect::Reads,
        envelope: "",
        input: &[Input::OneOf("status", "OperationStatus"), Input::Page],
        output: &[("operations", Shape::Many("Operation")), ("meta", Shape::Raw("object"))],
        call: |call| list(call).boxed(),
    },
];

async fn wait(mut call: Call) -> Outcome<Reply> {
    let id: OperationId = call.arguments.take("operation_id")?;
    let seconds = call.arguments.take_optional("seconds")?;
    call.arguments.end()?;
    Ok(reply(waiting::wait(&call, &id, seconds).await?))
}

async fn get(mut call: Call) -> Outcome<Reply> {
    let id: OperationId = call.arguments.take("operation_id")?;
    call.arguments.end()?;
    let operation = operations::get(&call.app, &call.caller, &id).await?;
    Ok(reply(operation.ok_or_else(|| Error::not_found("operation"))?))
}

async fn list(mut call: Call) -> Outcome<Reply> {
    let request = call.take_page_request(OperationId::PREFIX)?;
    let status: Option<OperationStatus> = call.arguments.take_optional("status")?;
    call.arguments.end()?;
    let page = operations::list(&call.app, &call.caller, status, &request).await?;
    let body = json!({"operations": page.items, "meta": {"next_cursor": page.next_cursor}});
    let text = words::many(&body, "operations");
    Ok(Reply::new(body, text))
}

fn reply(operation: Operation) -> Reply {
    let body = json!({"operation": operation});
    let text = words::operation(&body);
    Reply::new(body, text)
}
