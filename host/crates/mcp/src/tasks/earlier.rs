//! Tasks in the form of the revision 2025-11-25. The protocol library knows only the form of the later extension;
//! `passage` leads the messages of this form through it.
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, ErrorCode, ListToolsResult, ProtocolVersion, Task, TaskStatus};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{accepted, cancel, current, find, protocol_error, result, task};
use crate::call::Call;
use crate::reply::AcceptedOrder;
use crate::{description, waiting, words};
use linepress_core::operations::{self, Operation, OperationStatus};
use linepress_platform::database::PageRequest;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::OperationId;

/// The revision of the protocol.
pub(super) const REVISION: &str = "2025-11-25";

/// The beginning of the methods under which the messages pass through the protocol library. Only `passage` uses them: a
/// client that names one is refused.
pub(crate) const PASSAGE: &str = "linepress/";

/// The key of the text that the model gets in place of the result of a task that was just created.
const IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";

/// The key that names the task to which a result belongs.
const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// The error of a request that waited for the end of a task in vain. Clients know it as a timeout.
const STILL_WORKING: ErrorCode = ErrorCode(-32001);

/// A request of a client that is about tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskRequest {
    /// The list of tools, which says which of them may run as a task.
    ListTools,
    /// A call that is to run as a task.
    CallTool,
    Get,
    GetResult,
    List,
    Cancel,
}

impl TaskRequest {
    const ALL: [Self; 6] = [
        Self::ListTools,
        Self::CallTool,
        Self::Get,
        Self::GetResult,
        Self::List,
        Self::Cancel,
    ];

    /// Recognizes a message of a client.
    pub(super) fn from_client(method: &str, params: Option<&Value>) -> Option<Self> {
        let known = Self::ALL.into_iter().find(|request| request.method() == method)?;
        let wants_task = || params.is_some_and(|params| params.get("task").is_some_and(Value::is_object));
        (known != Self::CallTool || wants_task()).then_some(known)
    }

    /// Recognizes a message that has passed through the protocol library.
    pub(crate) fn from_passage(method: &str, revision: Option<&ProtocolVersion>) -> Option<Self> {
        let method = method.strip_prefix(PASSAGE)?;
        let is_earlier = revision.is_some_and(|revision| revision.as_str() == REVISION);
        let known = Self::ALL.into_iter().find(|request| request.method() == method);
        known.filter(|_| is_earlier)
    }

    /// The method under which the message passes through the protocol library.
    pub(super) fn passage(self) -> String {
        format!("{PASSAGE}{}", self.method())
    }

    fn method(self) -> &'static str {
        match self {
            Self::ListTools => "tools/list",
            Self::CallTool => "tools/call",
            Self::Get => "tasks/get",
            Self::GetResult => "tasks/result",
            Self::List => "tasks/list",
            Self::Cancel => "tasks/cancel",
        }
    }
}

/// The capability of the server.
pub(super) fn capability() -> Value {
    json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}})
}

/// The list of tools, in which those that order drawings may run as a task.
pub(crate) fn tools(mut list: ListToolsResult) -> Value {
    list.result_type = None;
    let mut list = json!(list);
    let tools = list.get_mut("tools").and_then(Value::as_array_mut);
    for tool in tools.into_iter().flatten() {
        let name = tool["name"].as_str().unwrap_or_default();
        if may_be_task(name) {
            tool["execution"] = json!({"taskSupport": "optional"});
        }
    }
    list
}

/// Returns true if the tool orders drawings.
fn may_be_task(tool: &str) -> bool {
    description::find(tool).is_some_and(|tool| tool.spec.effect.orders())
}

/// The response to a call that placed an order.
pub(crate) fn created(order: &AcceptedOrder) -> Value {
    let next = words::orders::after_order(&order.operation);
    let text = format!("{}\nNext: {next}", order.text);
    json!({"task": EarlierTask::new(accepted(order), &order.operation), "_meta": {IMMEDIATE_RESPONSE: text}})
}

/// The response to a call that placed no order: a call that is to run as a task has no other result.
pub(crate) fn refused(response: CallToolResponse) -> ErrorData {
    match response {
        CallToolResponse::Complete(result) => {
            let text = result.content.first().and_then(|block| block.as_text());
            let text = text.map(|text| text.text.clone()).unwrap_or_default();
            ErrorData::invalid_request(text, result.structured_content)
        }
        _ => ErrorData::internal_error("The call has no result.", None),
    }
}

/// The parameters of a request about one task.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OneTask {
    task_id: String,
}

/// The parameters of a request for a list.
#[derive(Default, Deserialize)]
struct Listing {
    cursor: Option<String>,
}

/// Responds to a request about tasks that exist.
pub(crate) async fn respond(call: &Call, request: TaskRequest, params: Value) -> Result<Value, ErrorData> {
    if request == TaskRequest::List {
        let listing = match params {
            Value::Null => Listing::default(),
            params => read(params)?,
        };
        return list(call, listing).await.map_err(|error| protocol_error(call, &error));
    }
    let OneTask { task_id } = read(params)?;
    match request {
        TaskRequest::GetResult => result_after_end(call, &task_id).await,
        TaskRequest::Cancel => cancel_open(call, &task_id).await,
        _ => {
            let found = get(call, &task_id).await;
            found.map_err(|error| protocol_error(call, &error))
        }
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, ErrorData> {
    serde_json::from_value(params)
        .map_err(|_| ErrorData::invalid_params("`taskId` must be the id of a task, and `cursor` a text.", None))
}

async fn get(call: &Call, id: &str) -> Result<Value> {
    let operation = find(call, id).await?;
    Ok(json!(EarlierTask::new(current(call, &operation).await?, &operation)))
}

async fn list(call: &Call, Listing { cursor }: Listing) -> Result<Value> {
    let scope = call.app.cursors.scope(call.caller.account_id(), OperationId::PREFIX);
    let request = PageRequest::parse(None, cursor.as_deref(), scope)?;
    let page = operations::list(&call.app, &call.caller, None, &request).await?;
    let tasks = page.items.iter().map(|operation| {
        let progress = words::operations::progress(operation);
        EarlierTask::new(task(operation, progress), operation)
    });
    let mut list = json!({"tasks": tasks.collect::<Vec<_>>()});
    if let Some(cursor) = page.next_cursor {
        list["nextCursor"] = cursor.into();
    }
    Ok(list)
}

/// Cancels a task. One that has ended is an error in this revision.
async fn cancel_open(call: &Call, id: &str) -> Result<Value, ErrorData> {
    let refused = |error: Error| protocol_error(call, &error);
    let before = find(call, id).await.map_err(refused)?;
    if before.status.is_terminal() {
        let problem = "The task has ended already, and nothing of it can be canceled any more.";
        return Err(ErrorData::invalid_params(problem, None));
    }
    let operation = cancel(call, id).await.map_err(refused)?;
    let task = current(call, &operation).await.map_err(refused)?;
    Ok(json!(EarlierTask::new(task, &operation)))
}

/// Waits for the end of a task, but not longer than clients wait for a response.
async fn result_after_end(call: &Call, id: &str) -> Result<Value, ErrorData> {
    let refused = |error: Error| protocol_error(call, &error);
    let id = OperationId::from_client(id);
    let operation = waiting::wait(call, &id, None).await.map_err(refused)?.operation;
    if !operation.status.is_terminal() {
        let problem = "The task has not ended yet. Poll tasks/get until it has, and then request the result again.";
        return Err(ErrorData::new(STILL_WORKING, problem, None));
    }
    let mut result = result::of(call, &operation).await.map_err(refused)?;
    result.result_type = None;
    let mut result = json!(result);
    result["_meta"][RELATED_TASK] = json!({"taskId": id});
    Ok(result)
}

/// A task in the names of this revision.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EarlierTask {
    task_id: String,
    status: TaskStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_message: Option<String>,
    created_at: String,
    last_updated_at: String,
    ttl: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    poll_interval: Option<u64>,
}

impl EarlierTask {
    /// In this revision, a task whose result is an error has failed.
    fn new(task: Task, operation: &Operation) -> Self {
        let is_error = task.status == TaskStatus::Completed && operation.status == OperationStatus::Failed;
        Self {
            task_id: task.task_id,
            status: if is_error { TaskStatus::Failed } else { task.status },
            status_message: task.status_message,
            created_at: task.created_at,
            last_updated_at: task.last_updated_at,
            ttl: task.ttl_ms,
            poll_interval: task.poll_interval_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn only_messages_about_tasks_of_this_revision_are_recognized() {
        let task = json!({"name": "create_page", "task": {}});
        let plain = json!({"name": "create_page"});
        for (method, params, expected) in [
            ("tools/call", Some(&task), Some(TaskRequest::CallTool)),
            ("tools/call", Some(&plain), None),
            ("tools/call", None, None),
            ("tasks/get", None, Some(TaskRequest::Get)),
            ("tools/list", None, Some(TaskRequest::ListTools)),
            ("prompts/list", None, None),
            ("linepress/tasks/get", None, None),
        ] {
            assert_eq!(TaskRequest::from_client(method, params), expected, "{method}");
        }
        let revision = ProtocolVersion::V_2025_11_25;
        for request in TaskRequest::ALL {
            let passage = request.passage();
            assert_eq!(TaskRequest::from_passage(&passage, Some(&revision)), Some(request));
            for other in [
                None,
                Some(&ProtocolVersion::V_2026_07_28),
                Some(&ProtocolVersion::V_2025_06_18),
            ] {
                assert_eq!(TaskRequest::from_passage(&passage, other), None, "{other:?}");
            }
        }
        assert_eq!(TaskRequest::from_passage("tasks/get", Some(&revision)), None);
    }

    #[test]
    fn a_task_without_any_drawing_has_failed_in_this_revision() {
        let failed = samples::operation(OperationStatus::Failed, 1);
        let shown = json!(EarlierTask::new(task(&failed, "Not drawn.".into()), &failed));
        assert_eq!(shown["status"], "failed");
        assert_eq!((&shown["ttl"], &shown["pollInterval"]), (&Value::Null, &json!(2_000)));
        let ended = samples::operation(OperationStatus::PartiallySucceeded, 1);
        let shown = json!(EarlierTask::new(task(&ended, "Drawn.".into()), &ended));
        assert_eq!(shown["status"], "completed");
    }
}
