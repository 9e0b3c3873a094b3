//! A first reading of each message, before the protocol library reads it: authorization must know for certain which
//! tool is called.
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use rmcp::model::ErrorCode;
use serde_json::{Map, Value, json};

use super::tasks::earlier::PASSAGE;
use linepress_http::Failure;
use linepress_http::json;

/// The error for a message that is rejected before the protocol library reads it, because it is malformed or too large.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// An HTTP error, where JSON-RPC has no error code.
    Refused(Box<Failure>),
    /// A JSON-RPC error.
    Malformed {
        id: Value,
        code: ErrorCode,
        message: String,
    },
}

/// The longest name of a method, a tool or a prompt, in bytes. The protocol library logs unknown names, and repeats
/// them to the client.
const MAX_NAME_BYTES: usize = 128;

/// The tools that do the same as the methods about tasks. The methods need the scopes of these tools, and the request
/// log shows them under these names.
const TOOLS_OF_METHODS: [(&str, &str); 5] = [
    ("tasks/get", "get_operation"),
    ("tasks/update", "get_operation"),
    ("tasks/result", "wait_for_operation"),
    ("tasks/list", "list_operations"),
    ("tasks/cancel", "cancel_operation"),
];

/// Returns the name of the tool that a message calls, or of the one that does the same as the message; `None` for other
/// messages.
pub(super) fn called_tool(body: &[u8]) -> Result<Option<String>, Unreadable> {
    match json::check(body) {
        Ok(()) => {}
        Err(json::Refusal::TooManyValues) => {
            return Err(Unreadable::Refused(Box::new(Failure::too_many_values(
                json::MAX_BODY_VALUES,
            ))));
        }
        Err(json::Refusal::DuplicateField(name)) => {
            let message = format!(
                "The message repeats the field {:?} in one object.",
                json::shortened(&name)
            );
            return Err(Unreadable::Refused(Box::new(Failure::invalid_request(message))));
        }
        Err(json::Refusal::NotJson(_)) => return Err(not_json()),
    }
    let Ok(message) = serde_json::from_slice(body) else {
        return Err(not_json());
    };
    let Value::Object(message) = message else {
        let problem = "Send one message at a time: a JSON object. Batches are not supported.";
        return Err(malformed(Value::Null, ErrorCode::INVALID_REQUEST, problem));
    };
    let id = message.get("id").cloned().unwrap_or_default();
    match message.get("method") {
        Some(Value::String(method)) if method.len() > MAX_NAME_BYTES => {
            let problem = "The method is unknown, and its name is too long.";
            Err(malformed(id, ErrorCode::METHOD_NOT_FOUND, problem))
        }
        // Authorization would not learn which tool such a message calls.
        Some(Value::String(method)) if method.starts_with(PASSAGE) => {
            Err(malformed(id, ErrorCode::METHOD_NOT_FOUND, "The method is unknown."))
        }
        Some(Value::String(method)) if method == "tools/call" => called_tool_name(message.get("params"), id).map(Some),
        Some(Value::String(method)) if method == "prompts/get" => {
            check_prompt_name(message.get("params"), id).map(|()| None)
        }
        Some(Value::String(method)) => {
            let same = TOOLS_OF_METHODS.iter().find(|(known, _)| known == method);
            Ok(same.map(|(_, tool)| (*tool).to_owned()))
        }
        // The client's response to a request of the server.
        None if message.contains_key("result") || message.contains_key("error") => Ok(None),
        _ => {
            let problem = "The message has no `method`.";
            Err(malformed(id, ErrorCode::INVALID_REQUEST, problem))
        }
    }
}

fn called_tool_name(params: Option<&Value>, id: Value) -> Result<String, Unreadable> {
    let invalid = |problem| malformed(id, ErrorCode::INVALID_PARAMS, problem);
    let nothing = Map::new();
    let params = match params {
        Some(Value::Object(params)) => params,
        _ => &nothing,
    };
    let Some(Value::String(name)) = params.get("name") else {
        return Err(invalid(
            "`params.name` must be the name of a tool; tools/list lists all tools.",
        ));
    };
    if name.len() > MAX_NAME_BYTES {
        return Err(invalid(
            "The tool is unknown, and its name is too long. tools/list lists all tools.",
        ));
    }
    match params.get("arguments") {
        None | Some(Value::Null | Value::Object(_)) => Ok(name.clone()),
        Some(_) => Err(invalid("`params.arguments` must be a JSON object, or left out.")),
    }
}

/// Rejects a prompt name that is too long. A missing name is reported by the protocol library.
fn check_prompt_name(params: Option<&Value>, id: Value) -> Result<(), Unreadable> {
    let name = params.and_then(|params| params.get("name")).and_then(Value::as_str);
    if name.is_some_and(|name| name.len() > MAX_NAME_BYTES) {
        let problem = "The prompt is unknown, and its name is too long. prompts/list lists all prompts.";
        return Err(malformed(id, ErrorCode::INVALID_PARAMS, problem));
    }
    Ok(())
}

fn not_json() -> Unreadable {
    malformed(Value::Null, ErrorCode::PARSE_ERROR, "The message is not valid JSON.")
}

fn malformed(id: Value, code: ErrorCode, message: &str) -> Unreadable {
    Unreadable::Malformed {
        id,
        code,
        message: message.into(),
    }
}

impl Unreadable {
    pub(super) fn into_response(self) -> Response {
        match self {
            Self::Refused(failure) => failure.into_response(),
            Self::Malformed { id, code, message } => {
                // A client matches an error to its request by the id in an ordinary response, so invalid parameters get
                // status 200.
                let status = if code == ErrorCode::INVALID_PARAMS {
                    StatusCode::OK
                } else {
                    StatusCode::BAD_REQUEST
                };
                let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": message}});
                (status, Json(error)).into_response()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_called_tool_is_recognized_and_ambiguous_messages_are_rejected() {
        let tool = |body: &str| called_tool(body.as_bytes()).ok();
        let call = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_book"}}"#;
        assert_eq!(tool(call), Some(Some("get_book".into())));
        assert_eq!(
            tool(r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#),
            Some(None)
        );
        assert_eq!(tool(r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#), Some(None));
        assert_eq!(
            tool(r#"{"jsonrpc": "2.0", "id": 1, "method": "tasks/cancel", "params": {"taskId": "op_1"}}"#),
            Some(Some("cancel_operation".into()))
        );
        for (_, same) in TOOLS_OF_METHODS {
            assert!(crate::tools::all().any(|spec| spec.name == same), "{same}");
        }
        for unclear in [
            "",
            "{",
            "null",
            "[]",
            r#"{"id": 1}"#,
            r#"{"method": ["tools/call"], "params": {"name": "get_book"}}"#,
            r#"{"method": "tools/call"}"#,
            r#"{"method": "linepress/tools/call", "params": {"name": "get_book"}}"#,
            r#"{"method": "tools/call", "params": ["get_book"]}"#,
            r#"{"method": "tools/call", "params": {"name": {"name": "get_book"}}}"#,
            r#"{"method": "tools/call", "params": {"name": "get_book", "arguments": []}}"#,
            r#"{"method": "tools/call", "params": {"name": "get_book"}} {"method": "tools/call"}"#,
        ] {
            assert_eq!(tool(unclear), None, "{unclear}");
        }
        let nested = format!(
            r#"{{"method": "tools/call", "params": {{"name": "get_book", "arguments": {}1{}}}}}"#,
            r#"{"a":"#.repeat(200),
            "}".repeat(200)
        );
        assert_eq!(tool(&nested), None);
    }

    #[test]
    fn too_long_names_are_rejected() {
        let is_refused = |body: &str| called_tool(body.as_bytes()).is_err();
        for (length, refused) in [(128, false), (129, true), (1 << 20, true)] {
            let name = "x".repeat(length);
            let method = format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "{name}"}}"#);
            let tool =
                format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "{name}"}}}}"#);
            let prompt = tool.replace("tools/call", "prompts/get");
            for message in [method, tool, prompt] {
                assert_eq!(is_refused(&message), refused, "{length}");
            }
        }
    }
}
