//! Parity of REST and MCP: results, charges and error codes. Two servers with the same clock and the same seed
//! perform the same requests, one over each interface, so that even ids and times must be equal.
mod books;
mod pages;
mod refusals;

use axum::body::Body;
use serde_json::{Value, json};

use crate::test_app::{Actor, Agent, Answer, Reply, TestApp, pictures};

/// One server for each interface.
struct Both {
    rest: TestApp,
    mcp: TestApp,
    ada: Actor,
    agent: Agent,
    /// Ada's REST client on the server that is called over MCP.
    shadow: Actor,
}

impl Both {
    async fn start(credits: i64) -> Self {
        let (rest, mcp) = (TestApp::start().await, TestApp::start().await);
        let ada = rest.account(credits).await;
        let shadow = mcp.account(credits).await;
        // On both servers, because creating an agent uses up randomness.
        rest.agent("ada@example.com").await;
        let agent = mcp.agent("ada@example.com").await;
        Self {
            rest,
            mcp,
            ada,
            agent,
            shadow,
        }
    }

    /// Calls both interfaces; returns the REST reply and the tool's answer. `request` is a method and a path.
    async fn ask(&self, request: &str, body: Value, tool: &str, arguments: Value) -> (Reply, Answer) {
        let (method, path) = request.split_once(' ').expect("a method and a path");
        let mut headers = Vec::new();
        let key = arguments["idempotency_key"].as_str().unwrap_or_default().to_owned();
        if !key.is_empty() {
            headers.push(("idempotency-key", key.as_str()));
        }
        let body = if body.is_null() {
            Body::empty()
        } else {
            headers.push(("content-type", "application/json"));
            body.to_string().into()
        };
        let reply = self.ada.send(method, path, &headers, body).await;
        let answer = self.agent.call(tool, arguments).await;
        (reply, answer)
    }

    /// Fails unless both interfaces return the same file.
    async fn same_file(&self, path: &str, tool: &str, arguments: Value) {
        let (file, answer) = self.ask(&format!("GET {path}"), Value::Null, tool, arguments).await;
        assert_eq!(file.status.as_u16(), 200, "{tool}");
        let link = answer.expect()["url"].as_str().unwrap();
        assert_eq!(file.body, self.mcp.anonymous().get(link).await.body, "{tool}");
        // The REST server has received one request fewer, and each request uses up some randomness.
        self.ada.get("/me").await;
    }

    /// Fails unless both interfaces succeed with the same result; returns it.
    async fn same(&self, request: &str, body: Value, tool: &str, arguments: Value) -> Value {
        let (reply, answer) = self.ask(request, body, tool, arguments).await;
        assert!(reply.status.is_success(), "{tool}: {:?}", reply.body);
        let result = answer.expect();
        if reply.status.as_u16() != 204 {
            assert!(
                is_included(result, &reply.json()),
                "{tool}: {result} of {}",
                reply.json()
            );
        }
        self.same_balance(tool).await;
        result.clone()
    }

    /// Fails unless both interfaces return the same for a `GET`; returns it.
    async fn read(&self, path: &str, tool: &str, arguments: Value) -> Value {
        self.same(&format!("GET {path}"), Value::Null, tool, arguments).await
    }

    /// Fails unless both interfaces refuse with the same code, for the same fields.
    async fn refused(&self, code: &str, request: &str, body: Value, tool: &str, arguments: Value) {
        let envelope = body
            .as_object()
            .and_then(|body| body.keys().next().cloned())
            .unwrap_or_default();
        let (reply, answer) = self.ask(request, body, tool, arguments).await;
        let over_rest = &reply.json()["error"];
        assert_eq!(over_rest["code"], code, "{tool}: {over_rest}");
        let over_mcp = answer.expect_error(code);
        let fields = |error: &Value| -> Vec<String> {
            let details = error["details"].as_array().cloned().unwrap_or_default();
            let fields = details
                .iter()
                .map(|detail| detail["field"].as_str().unwrap().to_owned());
            fields
                .map(|field| field.trim_start_matches(&format!("{envelope}.")).to_owned())
                .collect()
        };
        assert_eq!(fields(over_rest), fields(over_mcp), "{tool}");
        self.same_balance(tool).await;
    }

    async fn same_balance(&self, tool: &str) {
        assert_eq!(self.ada.credits().await, self.shadow.credits().await, "{tool}");
    }

    async fn draw(&self) {
        self.rest.draw_what_is_due().await;
        self.mcp.draw_what_is_due().await;
    }
}

/// Fields that results of tools have in addition to those of REST.
const TOOL_ONLY_FIELDS: [&str; 8] = [
    "next",
    "note",
    "grant",
    "faults",
    "credits_available",
    "replayed",
    "print_format",
    "printers",
];

/// Reports whether REST returns everything that the tool returns: tools leave out much, and items of lists are in the
/// same order.
fn is_included(by_tool: &Value, by_rest: &Value) -> bool {
    match (by_tool, by_rest) {
        (Value::Object(told), Value::Object(known)) => told
            .iter()
            .filter(|(name, _)| !TOOL_ONLY_FIELDS.contains(&name.as_str()))
            .all(|(name, value)| known.get(name).is_some_and(|known| is_included(value, known))),
        (Value::Array(told), Value::Array(known)) => {
            let mut known = known.iter();
            told.iter().all(|told| known.any(|known| is_included(told, known)))
        }
        (told, known) => told == known,
    }
}

/// Returns a tool's arguments for an order.
fn order(wish: &Value, key: &str, credits: i64) -> Value {
    with(wish, json!({"idempotency_key": key, "confirm_credits": credits}))
}

/// Merges the fields of two objects.
fn with(arguments: &Value, more: Value) -> Value {
    let mut all = arguments.clone();
    let fields = all.as_object_mut().expect("an object");
    fields.extend(more.as_object().cloned().expect("an object"));
    all
}

/// Uploads a picture to both servers; returns the body that names it.
async fn upload(both: &Both) -> Value {
    let made = both
        .same("POST /artwork_uploads", Value::Null, "create_artwork_upload", json!({}))
        .await;
    let upload = &made["artwork_upload"];
    for client in [&both.ada, &both.shadow] {
        let sent = client
            .send_to(upload["url"].as_str().unwrap(), pictures::png(576, 768))
            .await;
        assert_eq!(sent.status.as_u16(), 204);
    }
    json!({"upload_id": upload["id"]})
}
