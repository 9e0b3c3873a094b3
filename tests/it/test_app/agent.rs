//! A client of the MCP interface in either era of the protocol.
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use linepress_platform::scopes::Scopes;
use serde_json::{Map, Value, json};
use tower::ServiceExt as _;

use super::actor::Reply;
use super::{Granted, TestApp};

/// The revision of the protocol that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2025-03-26, without a session.
    Early,
    /// 2025-11-25, without a session.
    Sessions,
    /// 2026-07-28.
    Stateless,
}

/// A client with or without an access token. It is cheap to clone.
#[derive(Clone)]
pub(crate) struct Agent {
    router: Router,
    token: Option<String>,
    era: Era,
    /// The capabilities that the client declares.
    capabilities: Value,
}

/// The result of a tool call.
#[derive(Debug)]
pub(crate) struct Answer(pub Value);

impl Answer {
    /// Returns the structured content; fails if the tool reports an error.
    #[track_caller]
    pub(crate) fn expect(&self) -> &Value {
        assert_ne!(self.0["isError"], true, "{}", self.0);
        assert!(
            self.0["content"][0]["text"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{}",
            self.0
        );
        &self.0["structuredContent"]
    }

    /// Returns the error; fails unless it has this code.
    #[track_caller]
    pub(crate) fn expect_error(&self, code: &str) -> &Value {
        assert_eq!(self.0["isError"], true, "{}", self.0);
        assert_eq!(self.0["structuredContent"]["error"]["code"], code, "{}", self.0);
        &self.0["structuredContent"]["error"]
    }

    pub(crate) fn text(&self) -> &str {
        self.0["content"][0]["text"].as_str().unwrap()
    }
}

impl TestApp {
    /// Returns an agent with a grant of all scopes for the account with this address.
    pub(crate) async fn agent(&self, email: &str) -> Agent {
        self.agent_with(email, Scopes::ALL, None).await.0
    }

    /// Returns an agent with a grant of these scopes and this credit cap, and the grant.
    pub(crate) async fn agent_with(&self, email: &str, scopes: Scopes, cap: Option<i64>) -> (Agent, Granted) {
        let granted = self.grant(email, scopes, cap).await;
        (self.agent_of(Some(&granted.access_token)), granted)
    }

    pub(crate) fn agent_of(&self, token: Option<&str>) -> Agent {
        Agent::new(self.router.clone(), token)
    }
}

impl Agent {
    /// Returns a client of the server behind this router.
    pub(crate) fn new(router: Router, token: Option<&str>) -> Self {
        Self {
            router,
            token: token.map(str::to_owned),
            era: Era::Stateless,
            capabilities: json!({}),
        }
    }

    pub(crate) fn in_era(self, era: Era) -> Self {
        Self { era, ..self }
    }

    /// Returns the same agent with a client that can ask its user.
    pub(crate) fn that_asks(self) -> Self {
        self.that_declares(json!({"elicitation": {"form": {}}}))
    }

    /// Returns the same agent with a client that can send its user to a page.
    pub(crate) fn that_opens_pages(self) -> Self {
        self.that_declares(json!({"elicitation": {"url": {}}}))
    }

    /// Returns the same agent with a client that follows orders as tasks, by the extension.
    pub(crate) fn that_takes_tasks(self) -> Self {
        self.that_declares(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
    }

    /// Returns the same agent with a client that declares these capabilities.
    pub(crate) fn that_declares(self, capabilities: Value) -> Self {
        Self { capabilities, ..self }
    }

    /// Returns the same agent with a client that shows apps.
    pub(crate) fn that_shows_apps(self) -> Self {
        let settings = json!({"mimeTypes": ["text/html;profile=mcp-app"]});
        Self {
            capabilities: json!({"extensions": {"io.modelcontextprotocol/ui": settings}}),
            ..self
        }
    }

    /// Returns the capabilities that the client declares.
    pub(crate) fn capabilities(&self) -> &Value {
        &self.capabilities
    }

    /// Returns a message in the form of this era.
    pub(crate) fn message(&self, method: &str, mut params: Map<String, Value>) -> Value {
        if self.era == Era::Stateless {
            let meta = params.entry("_meta").or_insert_with(|| json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    }

    /// Sends a message with additional headers.
    pub(crate) async fn send(&self, message: &Value, more: &[(&str, &str)]) -> Reply {
        self.send_to("linepress.test", message, more).await
    }

    /// Sends a message to the server under another host name.
    pub(crate) async fn send_to(&self, host: &str, message: &Value, more: &[(&str, &str)]) -> Reply {
        let mut request = Request::post("/mcp")
            .header("host", host)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        match self.era {
            Era::Early => request = request.header("mcp-protocol-version", "2025-03-26"),
            Era::Sessions => request = request.header("mcp-protocol-version", "2025-11-25"),
            Era::Stateless => {
                request = request
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", message["method"].as_str().unwrap());
                let params = &message["params"];
                let name = ["name", "uri", "taskId"]
                    .into_iter()
                    .find_map(|key| params[key].as_str());
                if let Some(name) = name {
                    request = request.header("mcp-name", name);
                }
            }
        }
        for (name, value) in more {
            request = request.header(*name, *value);
        }
        self.respond(request.body(Body::from(message.to_string())).unwrap())
            .await
    }

    /// Sends a body verbatim to a path, as a client of the older era with this `Accept` header.
    pub(crate) async fn send_as(&self, path: &str, accept: Option<&str>, body: &str) -> Reply {
        let mut request = Request::post(path)
            .header("host", "linepress.test")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2025-11-25")
            .header(
                "authorization",
                format!("Bearer {}", self.token.as_deref().unwrap_or_default()),
            );
        if let Some(accept) = accept {
            request = request.header("accept", accept);
        }
        self.respond(request.body(Body::from(body.to_owned())).unwrap()).await
    }

    async fn respond(&self, request: Request<Body>) -> Reply {
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        Reply {
            status: parts.status,
            headers: parts.headers,
            body: to_bytes(body, usize::MAX).await.unwrap(),
        }
    }

    /// Sends the CORS preflight request that a browser sends for a page of this origin.
    pub(crate) async fn ask_whether(&self, origin: &str) -> Reply {
        let request = Request::options("/mcp")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization,mcp-protocol-version");
        self.respond(request.body(Body::empty()).unwrap()).await
    }

    /// Sends an empty request with another method.
    pub(crate) async fn plain(&self, method: &str) -> Reply {
        let request = Request::builder()
            .method(method)
            .uri("/mcp")
            .header("host", "linepress.test")
            .header("accept", "text/event-stream")
            .header(
                "authorization",
                format!("Bearer {}", self.token.as_deref().unwrap_or_default()),
            );
        self.respond(request.body(Body::empty()).unwrap()).await
    }

    /// Sends a request; returns its result.
    pub(crate) async fn request(&self, method: &str, params: Value) -> Value {
        let params = params.as_object().cloned().unwrap_or_default();
        let reply = self.send(&self.message(method, params), &[]).await;
        let body = last_message(&reply);
        assert!(body["error"].is_null(), "{body}");
        body["result"].clone()
    }

    /// Sends a request; returns its JSON-RPC error.
    pub(crate) async fn refused(&self, method: &str, params: Value) -> Value {
        let params = params.as_object().cloned().unwrap_or_default();
        let body = self.send(&self.message(method, params), &[]).await.json();
        assert!(body["error"].is_object(), "{body}");
        body["error"].clone()
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        Answer(self.call_with(tool, &arguments, json!({})).await)
    }

    /// Calls a tool with these further parameters; returns the result.
    pub(crate) async fn call_with(&self, tool: &str, arguments: &Value, more: Value) -> Value {
        let mut params = json!({"name": tool, "arguments": arguments});
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        self.request("tools/call", params).await
    }
}

/// Returns the response, which is the last message in a stream of events.
pub(crate) fn last_message(reply: &Reply) -> Value {
    let is_stream = reply
        .headers
        .get("content-type")
        .is_some_and(|kind| kind == "text/event-stream");
    if !is_stream {
        return reply.expect(200);
    }
    messages(reply).pop().unwrap()
}

/// Returns every message in a stream of events.
pub(crate) fn messages(reply: &Reply) -> Vec<Value> {
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}
