//! Tools that read operations and wait for them.
use futures::FutureExt as _;
use serde_json::json;

use crate::reply::{Outcome, Reply};
use crate::tool::{Call, Effect, Input, Kind, ToolSpec};
use crate::waiting::{self, Waited};
use crate::{results, words};
use linepress_core::operations::{self, Operation, OperationStatus};
use linepress_platform::error::Error;
use linepress_platform::ids::OperationId;

const OPERATION: &[(&str, Kind)] = &[("operation", Kind::Object)];

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "wait_for_operation",
        title: "Wait for drawings",
        description: "Waits until an operation has ended, at most 50 seconds, and reports progress. Call it again while it is queued or running. The result lists failed drawings only.",
        effect: Effect::Reads,
        envelope: "",
        input: &[
            Input::Id("operation_id"),
            Input::Number("seconds", "The longest wait. Default: 50."),
        ],
        output: OPERATION,
        call: |call| wait(call).boxed(),
    },
    ToolSpec {
        name: "get_operation",
        title: "Operation",
        description: "Status, progress and credits of an operation, without waiting.",
        effect: Effect::Reads,
        envelope: "",
        input: &[Input::Id("operation_id")],
        output: OPERATION,
        call: |call| get(call).boxed(),
    },
    ToolSpec {
        name: "list_operations",
        title: "Operations",
        description: "The account's orders, newest first. Call it when a response was lost.",
        effect: Effect::Reads,
        envelope: "",
        input: &[
            Input::OneOf("status", "OperationStatus", "Only operations with this status."),
            Input::Page,
        ],
        output: &[("operations", Kind::List), ("meta", Kind::Object)],
        call: |call| list(call).boxed(),
    },
];

async fn wait(mut call: Call) -> Outcome<Reply> {
    let id: OperationId = call.arguments.take("operation_id")?;
    let seconds = call.arguments.take_optional("seconds")?;
    call.arguments.end()?;
    let Waited { operation, end } = waiting::wait(&call, &id, seconds).await?;
    Ok(match waiting::advice(&call, &operation, end).await? {
        Some((words, next)) => reply(&operation, Some(&next)).with_note(&words),
        None => reply(&operation, None),
    })
}

async fn get(mut call: Call) -> Outcome<Reply> {
    let id: OperationId = call.arguments.take("operation_id")?;
    call.arguments.end()?;
    let operation = operations::get(&call.app, &call.caller, &id).await?;
    Ok(reply(&operation.ok_or_else(|| Error::not_found("operation"))?, None))
}

async fn list(mut call: Call) -> Outcome<Reply> {
    let request = call.take_page_request(OperationId::PREFIX)?;
    let status: Option<OperationStatus> = call.arguments.take_optional("status")?;
    call.arguments.end()?;
    let page = operations::list(&call.app, &call.caller, status, &request).await?;
    let body = json!({"operations": page.items, "meta": {"next_cursor": page.next_cursor}});
    let shown = results::summaries(&body, "operations", results::operation_in_short);
    let text = words::summary_lines(&shown, "operations");
    let next = words::after_list(&body, "get_operation returns one with its failed drawings.");
    Ok(Reply::new(shown, text, next))
}

fn reply(operation: &Operation, next: Option<&str>) -> Reply {
    let operation = json!(operation);
    let text = words::operation(&operation);
    let next = next.map_or_else(|| words::after_operation(&operation), str::to_owned);
    Reply::new(json!({"operation": results::operation(&operation)}), text, next)
}
