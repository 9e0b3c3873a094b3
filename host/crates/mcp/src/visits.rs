//! Pages that the user is asked to open in a browser. The client reports only whether the user agreed to open the page;
//! what was done there, the server looks up itself.
use rmcp::model::ProtocolVersion;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::call::Call;
use super::earlier_question::ask;
use super::reply::Stop;
use linepress_platform::error::Result;

/// The key of the only question in a request for input.
const PAGE_KEY: &str = "page";

/// The user's answer to the question whether they open a page.
#[derive(Clone, Copy)]
pub(super) struct Visit<S> {
    /// What the page is for, as the question had it.
    pub subject: S,
    /// True if the user agreed to open the page. It may still be open.
    pub agreed: bool,
}

impl Call {
    /// Returns true if the client can ask its user to open a page. In earlier revisions, a server without sessions does
    /// not learn that.
    pub(super) fn can_open_pages(&self) -> bool {
        let elicitation = self.context.client_capabilities().and_then(|known| known.elicitation);
        self.speaks(&ProtocolVersion::V_2026_07_28) && elicitation.is_some_and(|shown| shown.url.is_some())
    }

    /// The question whether the user opens this page. The state is signed, but not encrypted.
    pub(super) fn ask_to_open(&self, url: &str, message: &str, subject: impl Serialize) -> Result<Stop> {
        let params = json!({"mode": "url", "message": message, "url": url});
        ask(&self.app, PAGE_KEY, &params, &self.bound_to(PAGE_KEY), subject)
    }

    /// The user's answer to the question of an earlier call with the same arguments, if there is one.
    pub(super) fn visit<S: DeserializeOwned>(&self) -> Result<Option<Visit<S>>> {
        let answer = self
            .earlier_question
            .answer_to(&self.app, PAGE_KEY, &self.bound_to(PAGE_KEY))?;
        Ok(answer.map(|(subject, agreed)| Visit { subject, agreed }))
    }
}
