//! One call of a tool.
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::Value;

use super::arguments::Arguments;
use super::earlier_question::EarlierQuestion;
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::Result;

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
    /// Reads which page of a list is requested; the ids of the list's items start with `prefix`.
    pub(super) fn take_page_request(&mut self, prefix: &'static str) -> Result<PageRequest> {
        let limit: Option<Value> = self.arguments.take_optional("limit")?;
        let after: Option<String> = self.arguments.take_optional("after")?;
        let scope = self.app.cursors.scope(self.caller.account_id(), prefix);
        PageRequest::parse(limit.map(|limit| limit.to_string()).as_deref(), after.as_deref(), scope)
    }
}
