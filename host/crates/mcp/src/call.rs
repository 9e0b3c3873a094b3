//! One call of a tool.
use std::fmt;

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::arguments::Arguments;
use super::earlier_question::EarlierQuestion;
use super::reply::Client;
use linepress_accounts::caller::Caller;
use linepress_core::search::{ListSort, Search};
use linepress_http::request_log::ToolCall;
use linepress_model::Aspect;
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::Result;
use linepress_platform::field::Field;
use linepress_platform::text::SearchQuery;
use linepress_platform::validation;

/// One call of a tool.
pub(super) struct Call {
    pub app: App,
    pub caller: Caller,
    pub tool: &'static str,
    pub arguments: Arguments,
    /// The user's response to an earlier question.
    pub earlier_question: EarlierQuestion,
    pub context: RequestContext<RoleServer>,
}

impl Call {
    /// The properties of the calling client that its results depend on.
    pub(super) fn client(&self) -> Client {
        Client {
            knows_resource_links: self.speaks(&ProtocolVersion::V_2025_06_18),
        }
    }

    /// Returns true if the client speaks this revision of the protocol or a later one.
    pub(super) fn speaks(&self, revision: &ProtocolVersion) -> bool {
        speaks(&self.context, revision)
    }

    /// The description of the call for the request log.
    pub(super) fn log_entry(&self) -> ToolCall {
        log_entry(&self.context)
    }

    /// The data that the state of a question is bound to: account, tool, arguments, and what is asked.
    pub(super) fn bound_to(&self, question: impl fmt::Display) -> Vec<u8> {
        format!(
            "{}|{}|{}|{question}",
            self.caller.account_id(),
            self.tool,
            self.earlier_question.arguments
        )
        .into_bytes()
    }

    /// Reads which page of a list is requested; the ids of the list's items start with `prefix`.
    pub(super) fn take_page_request(&mut self, prefix: &'static str) -> Result<PageRequest> {
        let limit: Option<Value> = self.arguments.take_optional("limit")?;
        let after: Option<String> = self.arguments.take_optional("after")?;
        let scope = self.app.cursors.scope(self.caller.account_id(), prefix);
        PageRequest::parse(limit.map(|limit| limit.to_string()).as_deref(), after.as_deref(), scope)
    }

    /// Reads which items of a list are looked for, apart from their aspect.
    pub(super) fn take_search<S: DeserializeOwned>(&mut self, aspect: Option<Aspect>) -> Result<Search<S>> {
        let query: Option<SearchQuery> = self.arguments.take_optional("q")?;
        let status: Option<S> = self.arguments.take_optional("status")?;
        let query = query.unwrap_or_default();
        validation::check(&query).map_err(|error| error.within(&Field::named("q")))?;
        Ok(Search::new(&query, status, aspect, ListSort::Newest))
    }
}

/// Returns true if the client of a request speaks this revision of the protocol or a later one.
pub(super) fn speaks(context: &RequestContext<RoleServer>, revision: &ProtocolVersion) -> bool {
    // Revisions are dates.
    let spoken = context.protocol_version();
    spoken.is_some_and(|spoken| spoken.as_str() >= revision.as_str())
}

/// The description of a request for the request log.
pub(super) fn log_entry(context: &RequestContext<RoleServer>) -> ToolCall {
    let parts = context.extensions.get::<Parts>();
    let call = parts.and_then(|parts| parts.extensions.get::<ToolCall>());
    call.cloned().unwrap_or_default()
}
