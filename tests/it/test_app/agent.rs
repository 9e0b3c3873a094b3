//! A client of the MCP interface, in either era of the protocol.
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
    /// 2025-11-25, without a session.
    Sessions,
    /// 2026-07-28.
    Stateless,
}

/// A client with an access token, or without one. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Agent {
    router: Router,
    token: Option<String>,
    era: Era,
    /// What it says that it can do.
    capabilities: Value,
}

/// What a tool answered.
#[derive(Debug)]
pub(crate) struct Answer(pub Value);

impl Answer {
    /// The structured content of a result.
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

    /// The error of this code.
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
    /// An agent of the account of this address, with a grant for everything.
    pub(crate) async fn agent(&self, email: &str) -> Agent {
        self.agent_with(email, Scopes::ALL, None).await.0
    }

    /// The same with a grant of its own.
    pub(crate) async fn agent_with(&self, email: &str, scopes: Scopes, cap: Option<i64>) -> (Agent, Granted) {
        let granted = self.grant(email, scopes, cap).await;
        (self.agent_of(Some(&granted.access_token)), granted)
    }

    pub(crate) fn agent_of(&self, token: Option<&str>) -> Agent {
        Agent {
            router: self.router.clone(),
            token: token.map(str::to_owned),
            era: Era::Stateless,
            capabilities: json!({}),
        }
    }
}

impl Agent {
    pub(crate) fn in_era(self, era: Era) -> Self {
        Self { era, ..self }
    }

    /// The same whose client can ask its person.
    pub(crate) fn that_asks(self) -> Self {
        Self {
            capabilities: json!({"elicitation": {"form": {}}}),
            ..self
        }
    }

    /// A message as this era sends it.
    pub(crate) fn message(&self, method: &str, mut params: Map<String, Value>) -> Value {
        if self.era == Era::Stateless {
            let meta = params.entry("_meta").or_insert_with(|| json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "1"});
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    }

    /// Sends a message with further headers.
    pub(crate) async fn send(&self, message: &Value, more: &[(&str, &str)]) -> Reply {
        self.send_to("linepress.test", message, more).await
    }

    /// The same to a server under another name.
    pub(crate) async fn send_to(&self, host: &str, message: &Value, more: &[(&str, &str)]) -> Reply {
        let mut request = Request::post("/mcp")
            .header("host", host)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        match self.era {
            Era::Sessions => request = request.header("mcp-protocol-version", "2025-11-25"),
            Era::Stateless => {
                request = request
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", message["method"].as_str().unwrap());
                if let Some(name) = message["params"]["name"].as_str() {
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

    /// Sends a body as it stands to an address, as a client of the older era that accepts this.
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

    /// Asks whether a page of this origin may call, as a browser does before it lets it.
    pub(crate) async fn ask_whether(&self, origin: &str) -> Reply {
        let request = Request::options("/mcp")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization,mcp-protocol-version");
        self.respond(request.body(Body::empty()).unwrap()).await
    }

    /// Sends nothing by another method.
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

    /// The result of a request.
    pub(crate) async fn request(&self, method: &str, params: Value) -> Value {
        let params = params.as_object().cloned().unwrap_or_default();
        let reply = self.send(&self.message(method, params), &[]).await;
        let body = last_message(&reply);
        assert!(body["error"].is_null(), "{body}");
        body["result"].clone()
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        Answer(
            self.request("tools/call", json!({"name": tool, "arguments": arguments}))
                .await,
        )
    }
}

/// The response, which stands last in a stream of events.
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

/// Every message of a stream of events.
pub(crate) fn messages(reply: &Reply) -> Vec<Value> {
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}
