//! The part of the request log that an interface knows: who sent a request, and which tool it called. The interface
//! attaches it to the response, and the middleware in [`request_id`](crate::request_id) logs the request. Requests of
//! browser sessions have none and are not logged.
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::ended_requests::{EndedRequest, RequestInterface};
use linepress_platform::ids::AccountId;

/// The sender of a request, as an extension of its response.
#[derive(Clone, Debug)]
pub struct Sender {
    caller: Caller,
    interface: RequestInterface,
    call: ToolCall,
}

impl Sender {
    /// The sender of a request over REST.
    pub(crate) fn over_rest(caller: Caller) -> Self {
        Self {
            caller,
            interface: RequestInterface::Rest,
            call: ToolCall::default(),
        }
    }

    /// The sender of a message over MCP.
    pub fn over_mcp(caller: Caller, call: ToolCall) -> Self {
        Self {
            caller,
            interface: RequestInterface::Mcp,
            call,
        }
    }

    /// The account that the request was sent for.
    pub(crate) fn account_id(&self) -> &AccountId {
        self.caller.account_id()
    }

    /// Adds the request to those that wait to be written to the request log.
    pub(crate) fn log(&self, app: &App, ended: Ended<'_>) {
        app.ended_requests.add(self.account_id(), || EndedRequest {
            account_id: self.account_id().clone(),
            key_id: self.caller.key_id().cloned(),
            grant_id: self.caller.grant().map(|grant| grant.id.clone()),
            interface: self.interface,
            method: ended.method,
            route: ended.route.map(str::to_owned),
            tool: self.call.tool(),
            status: ended.status,
            code: ended.code.or(self.call.code()),
            duration: ended.duration,
            request_id: ended.request_id.to_owned(),
            ended_at: app.clock.now(),
        });
    }
}

/// The part of a request that all interfaces share.
pub(crate) struct Ended<'a> {
    pub method: &'static str,
    pub route: Option<&'a str>,
    pub status: u16,
    pub code: Option<&'static str>,
    pub duration: Duration,
    pub request_id: &'a str,
}

/// The call of a tool, which its function describes while it runs. Clones share the description.
#[derive(Clone, Debug, Default)]
pub struct ToolCall(Arc<Description>);

#[derive(Debug, Default)]
struct Description {
    tool: OnceLock<&'static str>,
    code: OnceLock<&'static str>,
}

impl ToolCall {
    /// Records the name of the tool.
    pub fn set_tool(&self, tool: &'static str) {
        self.0.tool.get_or_init(|| tool);
    }

    /// Records the error code of the result.
    pub fn set_code(&self, code: &'static str) {
        self.0.code.get_or_init(|| code);
    }

    fn tool(&self) -> Option<&'static str> {
        self.0.tool.get().copied()
    }

    fn code(&self) -> Option<&'static str> {
        self.0.code.get().copied()
    }
}
