//! Tasks: operations as those clients follow them that know the extension `io.modelcontextprotocol/tasks`, or the tasks
//! of the revision 2025-11-25. A task is derived from its operation each time it is read, and nothing of it is stored.
//! So it belongs to the account of its operation, any node can answer for it, and it survives a restart.
pub(super) mod earlier;
pub(super) mod passage;
mod result;

use rmcp::model::{DetailedTask, ProtocolVersion, Task, TaskPayload, TaskStatus};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use super::call::{self, Call};
use super::refusal;
use super::reply::AcceptedOrder;
use super::waiting::{self, WaitEnd};
use super::words;
use linepress_core::cancellation;
use linepress_core::operations::{self, FailureCode, Operation, OperationStatus};
use linepress_http::ErrorCode;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::ids::OperationId;
use linepress_platform::maintenance;

/// The time between two polls that is suggested to clients, in milliseconds. A drawing takes seconds.
const POLL_INTERVAL_MS: u64 = 2_000;

/// The message for an id that is not that of an operation of the account.
const UNKNOWN_TASK: &str =
    "The task does not exist. Its id is that of an operation: list_operations lists those of the account.";

/// Returns true if the client of a request may receive a task instead of a result.
pub(super) fn are_declared(context: &RequestContext<RoleServer>) -> bool {
    let declared = context.client_capabilities();
    call::speaks(context, &ProtocolVersion::V_2026_07_28) && declared.is_some_and(|known| known.supports_tasks())
}

/// The task of an order that was just accepted, which says what was ordered and at which price.
pub(super) fn accepted(order: &AcceptedOrder) -> Task {
    task(&order.operation, order.text.clone())
}

/// The operation of a task.
pub(super) async fn find(call: &Call, id: &str) -> Result<Operation> {
    let found = operations::get(&call.app, &call.caller, &OperationId::from_client(id)).await?;
    found.ok_or_else(|| Error::not_found("operation"))
}

/// A task with its result, if it has one.
pub(super) async fn get(call: &Call, id: &str) -> Result<DetailedTask> {
    let operation = find(call, id).await?;
    let task = current(call, &operation).await?;
    let payload = match task.status {
        TaskStatus::Completed => {
            let result = serde_json::to_value(result::of(call, &operation).await?)?;
            TaskPayload::Completed {
                result: serde_json::from_value(result)?,
            }
        }
        TaskStatus::Cancelled => TaskPayload::Cancelled,
        _ => TaskPayload::Working,
    };
    Ok(DetailedTask::new(task, payload))
}

/// Cancels the drawings of a task that have not begun. A drawing that has begun is finished and charged, so that the
/// task may still be completed.
pub(super) async fn cancel(call: &Call, id: &str) -> Result<Operation> {
    maintenance::require_off(&call.app).await?;
    let canceled = cancellation::cancel(&call.app, &call.caller, &OperationId::from_client(id)).await?;
    canceled.ok_or_else(|| Error::not_found("operation"))
}

/// The JSON-RPC error of a request about a task. Its code is recorded in the request log.
pub(super) fn protocol_error(call: &Call, error: &Error) -> ErrorData {
    call.log_entry().set_code(ErrorCode::from(error).as_str());
    match error.kind {
        ErrorKind::NotFound { .. } => ErrorData::invalid_params(UNKNOWN_TASK, None),
        ErrorKind::InvalidPagination(_) => ErrorData::invalid_params(
            "`cursor` must be the `nextCursor` of an earlier list of tasks, or left out.",
            None,
        ),
        _ => refusal::protocol_error(error),
    }
}

/// The task of an operation, with its progress and the reason if there is none.
async fn current(call: &Call, operation: &Operation) -> Result<Task> {
    let progress = words::operations::progress(operation);
    let advice = waiting::advice(call, operation, WaitEnd::Normal).await?;
    let message = match advice {
        Some((problem, _)) => format!("{progress} {problem}"),
        None => progress,
    };
    Ok(task(operation, message))
}

fn task(operation: &Operation, message: String) -> Task {
    let changed_at = operation.finished_at.or(operation.started_at);
    let changed_at = changed_at.unwrap_or(operation.created_at);
    let created_at = operation.created_at.to_string();
    // Operations are never deleted, so that a task has no limited lifetime.
    Task::new(
        operation.id.as_str(),
        status(operation),
        created_at,
        changed_at.to_string(),
    )
    .with_status_message(message)
    .with_poll_interval_ms(POLL_INTERVAL_MS)
}

/// A failed drawing is a result of its tool: `failed` is reserved for errors of the protocol.
fn status(operation: &Operation) -> TaskStatus {
    if !operation.status.is_terminal() {
        TaskStatus::Working
    } else if was_canceled(operation) {
        TaskStatus::Cancelled
    } else {
        TaskStatus::Completed
    }
}

/// Returns true if all drawings of an operation were canceled before they began.
fn was_canceled(operation: &Operation) -> bool {
    let mut errors = operation.items.iter().map(|item| item.error.as_ref());
    operation.status == OperationStatus::Failed
        && errors.all(|error| error.is_some_and(|error| error.code == FailureCode::Canceled))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::samples;

    #[test]
    fn the_status_of_a_task_follows_that_of_its_operation() {
        for (ended, expected) in [
            (OperationStatus::Queued, TaskStatus::Working),
            (OperationStatus::Running, TaskStatus::Working),
            (OperationStatus::Succeeded, TaskStatus::Completed),
            (OperationStatus::PartiallySucceeded, TaskStatus::Completed),
            (OperationStatus::Failed, TaskStatus::Completed),
        ] {
            assert_eq!(status(&samples::operation(ended, 2)), expected, "{ended}");
        }
    }

    #[test]
    fn a_task_is_canceled_if_all_its_drawings_were() {
        let mut operation = samples::operation(OperationStatus::Failed, 2);
        for (index, expected) in [(0, TaskStatus::Completed), (1, TaskStatus::Cancelled)] {
            operation.items[index].error.as_mut().unwrap().code = FailureCode::Canceled;
            assert_eq!(status(&operation), expected);
        }
        // Drawings that had begun were finished.
        operation.status = OperationStatus::PartiallySucceeded;
        assert_eq!(status(&operation), TaskStatus::Completed);
    }

    #[test]
    fn a_task_has_the_times_of_its_operation_and_no_limited_lifetime() {
        let mut operation = samples::operation(OperationStatus::Running, 0);
        let created_at = operation.created_at;
        let shown = json!(task(&operation, "Half.".into()));
        assert_eq!(shown["taskId"], "op_1");
        assert_eq!(shown["statusMessage"], "Half.");
        assert_eq!(shown["lastUpdatedAt"], json!(created_at));
        assert_eq!(
            (&shown["ttlMs"], &shown["pollIntervalMs"]),
            (&Value::Null, &json!(2_000))
        );
        let finished_at = created_at.plus(std::time::Duration::from_secs(9));
        operation.finished_at = Some(finished_at);
        let shown = json!(task(&operation, "Done.".into()));
        assert_eq!(
            (&shown["createdAt"], &shown["lastUpdatedAt"]),
            (&json!(created_at), &json!(finished_at))
        );
    }
}
