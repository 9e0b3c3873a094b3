//! `/admin/plugins/{id}/calls`: the last calls of a plugin.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::Value;

use super::Tab;
use super::operator::Operator;
use crate::numbers::grouped;
use crate::when::When;
use linepress_http::html::{Frame, page};
use linepress_http::{PathId, Reply};
use linepress_operator::administration::plugin_calls::{self, PluginCall, PluginHttpRequest};
use linepress_platform::app::App;
use linepress_platform::error::Error;

#[derive(Template)]
#[template(path = "admin/plugin_calls.html")]
struct CallsPage {
    frame: Frame,
    tab: Tab,
    plugin: String,
    calls: Vec<CallRow>,
}

/// A call of the plugin.
struct CallRow {
    when: When,
    version: String,
    function: String,
    outcome: String,
    /// The class of the outcome's badge.
    class: &'static str,
    error: Option<String>,
    time: String,
    memory: String,
    /// The fields of the request with their values.
    request: Vec<(String, String)>,
    /// The fields of the returned value; empty if there is none.
    result: Vec<(String, String)>,
    http_requests: Vec<HttpRow>,
}

struct HttpRow {
    /// The method and the URL.
    target: String,
    outcome: String,
}

impl From<PluginCall> for CallRow {
    fn from(call: PluginCall) -> Self {
        let seconds = |milliseconds: i64| format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100);
        Self {
            memory: call.memory(),
            when: When::to_the_second(call.created_at),
            version: call.version,
            function: call.function,
            class: match call.outcome.as_str() {
                "completed" => "ready",
                "refused" | "abandoned" | "rate_limited" => "waits",
                _ => "incomplete",
            },
            outcome: call.outcome.replace('_', " "),
            error: call.error,
            time: format!("{} of {} s", seconds(call.duration_ms), call.deadline_ms / 1000),
            request: facts(&call.request),
            result: call.result.as_ref().map(facts).unwrap_or_default(),
            http_requests: call.http_requests.iter().map(http_request).collect(),
        }
    }
}

/// The fields of an object that have a value.
fn facts(object: &Value) -> Vec<(String, String)> {
    let fields = object.as_object().into_iter().flatten();
    let fields = fields.map(|(name, value)| (name.replace('_', " "), in_words(value)));
    fields.filter(|(_, value)| !value.is_empty()).collect()
}

/// A value without the punctuation of JSON; empty for null.
fn in_words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join("; "),
        Value::Object(_) => {
            let fields = facts(value).into_iter().map(|(name, value)| format!("{name} {value}"));
            fields.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn http_request(request: &PluginHttpRequest) -> HttpRow {
    HttpRow {
        target: format!("{} {}", request.method, request.url),
        outcome: format!(
            "{}, {} bytes sent, {} bytes received",
            request.answer(),
            grouped(request.sent_bytes),
            grouped(request.received_bytes)
        ),
    }
}

pub(super) async fn show(State(app): State<App>, operator: Operator, PathId(id): PathId<String>) -> Reply {
    let calls = plugin_calls::list(&app, &operator.actor, &id).await?;
    let calls = calls.ok_or_else(|| Error::not_found("plugin"))?;
    let view = CallsPage {
        frame: operator.frame(),
        tab: Tab::Plugins,
        plugin: id,
        calls: calls.into_iter().map(CallRow::from).collect(),
    };
    Ok(page(StatusCode::OK, &view))
}
