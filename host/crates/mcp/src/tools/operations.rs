//! Tools that read operations and wait for them.
use futures::FutureExt as _;

use crate::call::Call;
use crate::handler::Returns;
use crate::list::list_reply;
use crate::reply::{Outcome, Reply};
use crate::results::operations::{OperationResult, OperationsResult};
use crate::tool::{Effect, Input, ToolSpec};
use crate::waiting::{self, WaitEnd, Waited};
use crate::{schemas, words};
use linepress_core::operations::{self, Operation, OperationStatus, ResourceType};
use linepress_core::{books, cancellation, characters, pages};
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{BookId, CharacterId, OperationId, PageId};

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "wait_for_operation",
        title: "Wait for drawings",
        description: "Waits until an operation has ended, at most {max_wait_seconds} seconds, and reports progress. Another call continues to wait. The result lists failed drawings only.",
        effect: Effect::Reads,
        input: &[
            Input::Id("operation_id"),
            Input::Number("seconds", "The longest wait. Default: {max_wait_seconds}."),
        ],
        handler: &Returns(|call| wait(call).boxed()),
    },
    ToolSpec {
        name: "get_operation",
        title: "Operation",
        description: "Status, progress and credits of an operation, without waiting.",
        effect: Effect::Reads,
        input: &[Input::Id("operation_id")],
        handler: &Returns(|call| get(call).boxed()),
    },
    ToolSpec {
        name: "cancel_operation",
        title: "Cancel drawings",
        description: "Cancels and refunds the drawings of an operation that have not begun. The others are finished and charged.",
        effect: Effect::Sets,
        input: &[Input::Id("operation_id")],
        handler: &Returns(|call| cancel(call).boxed()),
    },
    ToolSpec {
        name: "list_operations",
        title: "Operations",
        description: "The account's orders, newest first, as many as fit. Includes orders whose response was lost.",
        effect: Effect::Reads,
        input: &[
            Input::OneOf(
                "status",
                schemas::words::<OperationStatus>,
                "Only operations with this status.",
            ),
            Input::Page,
        ],
        handler: &Returns(|call| list(call).boxed()),
    },
];

async fn wait(mut call: Call) -> Outcome<Reply<OperationResult>> {
    let id: OperationId = call.arguments.take("operation_id")?;
    let seconds = call.arguments.take_optional("seconds")?;
    call.arguments.end()?;
    let Waited { operation, end } = waiting::wait(&call, &id, seconds).await?;
    reply(&call, &operation, end).await
}

async fn get(mut call: Call) -> Outcome<Reply<OperationResult>> {
    let id: OperationId = call.arguments.take("operation_id")?;
    call.arguments.end()?;
    let operation = operations::get(&call.app, &call.caller, &id).await?;
    let operation = operation.ok_or_else(|| Error::not_found("operation"))?;
    reply(&call, &operation, WaitEnd::Normal).await
}

async fn cancel(mut call: Call) -> Outcome<Reply<OperationResult>> {
    let id: OperationId = call.arguments.take("operation_id")?;
    call.arguments.end()?;
    let operation = cancellation::cancel(&call.app, &call.caller, &id).await?;
    let operation = operation.ok_or_else(|| Error::not_found("operation"))?;
    reply(&call, &operation, WaitEnd::Normal).await
}

async fn list(mut call: Call) -> Outcome<Reply<OperationsResult>> {
    let request = call.take_page_request(OperationId::PREFIX)?;
    let status: Option<OperationStatus> = call.arguments.take_optional("status")?;
    call.arguments.end()?;
    let page = operations::list(&call.app, &call.caller, status, &request).await?;
    let then = "get_operation returns one with its failed drawings.";
    Ok(list_reply(&page, &request, then)?)
}

/// The reply for an operation, with advice if its drawings make no progress.
async fn reply(call: &Call, operation: &Operation, end: WaitEnd) -> Outcome<Reply<OperationResult>> {
    let advice = waiting::advice(call, operation, end).await?;
    let exists = !operation.status.is_terminal() || exists(call, operation).await?;
    let (result, text) = (operation.into(), words::operations::operation(operation));
    Ok(match advice {
        Some((words, next)) => Reply::new(result, text, next).with_note(words),
        None => Reply::new(result, text, words::operations::after_operation(operation, exists)),
    })
}

/// Returns true if the resource of an operation was not deleted or archived.
async fn exists(call: &Call, operation: &Operation) -> Result<bool> {
    let (app, caller, id) = (&call.app, &call.caller, operation.resource.id.as_str());
    Ok(match operation.resource.kind {
        ResourceType::Book => books::get(app, caller, &BookId::from_text(id)).await?.is_some(),
        ResourceType::Page => pages::get(app, caller, &PageId::from_text(id)).await?.is_some(),
        ResourceType::Character => characters::get(app, caller, &CharacterId::from_text(id))
            .await?
            .is_some(),
    })
}
