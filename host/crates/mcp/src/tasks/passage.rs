//! Messages about tasks of the revision 2025-11-25, before and after the protocol library reads them. The library would
//! take them for messages of the later extension, and drops what a call says about its task. So they are renamed to
//! methods that it does not know, and that it passes on to the server; all of its other checks apply.
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

use super::earlier::{REVISION, TaskRequest, capability};
use linepress_http::Failure;
use linepress_platform::error::Error;

/// The header in which clients name the revision of the protocol.
const REVISION_HEADER: &str = "mcp-protocol-version";

/// Renames messages about tasks, and declares tasks in the response to the handshake. The size of the body was limited
/// when it was first read.
pub(crate) async fn lead(request: Request, next: Next) -> Response {
    let revision = request.headers().get(REVISION_HEADER);
    let is_this_revision = revision.is_some_and(|revision| revision.as_bytes() == REVISION.as_bytes());
    // A client may leave out the header of the handshake.
    if request.method() != Method::POST || (revision.is_some() && !is_this_revision) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Failure::invalid_request("The body ended before it was complete.").into_response();
    };
    // The library reports a message that cannot be read.
    let message: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let is_handshake = message.get("method").is_some_and(|method| method == "initialize");
    let body = match renamed(message).filter(|_| is_this_revision) {
        Some(renamed) => with_new_length(&mut parts.headers, &renamed),
        None => Body::from(bytes),
    };
    let response = next.run(Request::from_parts(parts, body)).await;
    if is_handshake {
        declare(response).await
    } else {
        response
    }
}

/// The message under the method with which it passes; `None` if it is not about tasks.
fn renamed(mut message: Value) -> Option<Value> {
    let method = message.get("method")?.as_str()?;
    let request = TaskRequest::from_client(method, message.get("params"))?;
    let fields = message.as_object_mut()?;
    fields.insert("method".to_owned(), request.passage().into());
    Some(message)
}

/// Declares tasks in the response to the handshake if the client and the server agreed to this revision.
async fn declare(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let bytes = match to_bytes(body, usize::MAX).await {
        Ok(bytes) => bytes,
        Err(error) => return Failure::from(Error::internal(error)).into_response(),
    };
    let body = match with_capability(&bytes) {
        Some(message) => with_new_length(&mut parts.headers, &message),
        None => Body::from(bytes),
    };
    Response::from_parts(parts, body)
}

/// The response with the capability of tasks; `None` if it is not one of this revision.
fn with_capability(response: &[u8]) -> Option<Value> {
    let mut message: Value = serde_json::from_slice(response).ok()?;
    let result = message.get_mut("result")?;
    if result.get("protocolVersion")? != REVISION {
        return None;
    }
    let capabilities = result.get_mut("capabilities")?.as_object_mut()?;
    capabilities.insert("tasks".to_owned(), capability());
    Some(message)
}

fn with_new_length(headers: &mut HeaderMap, message: &Value) -> Body {
    headers.remove(header::CONTENT_LENGTH);
    Body::from(message.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_about_tasks_gets_another_method_and_keeps_the_rest() {
        let message = json!({"id": 1, "method": "tasks/get", "params": {"taskId": "op_1"}});
        let expected = json!({"id": 1, "method": "linepress/tasks/get", "params": {"taskId": "op_1"}});
        assert_eq!(renamed(message), Some(expected));
        for other in [
            json!({"id": 1, "method": "ping"}),
            json!({"id": 1, "result": {}}),
            Value::Null,
        ] {
            assert_eq!(renamed(other), None);
        }
    }

    #[test]
    fn only_a_handshake_of_this_revision_declares_tasks() {
        let response = |revision: &str| {
            let response = json!({"result": {"protocolVersion": revision, "capabilities": {"tools": {}}}});
            with_capability(response.to_string().as_bytes())
        };
        let declared = response(REVISION).unwrap();
        assert_eq!(
            declared["result"]["capabilities"],
            json!({"tools": {}, "tasks": capability()})
        );
        assert_eq!(response("2025-06-18"), None);
        assert_eq!(with_capability(b"{\"error\": {}}"), None);
        assert_eq!(with_capability(b"data: {}"), None);
    }
}
