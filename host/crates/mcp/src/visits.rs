//! Pages that the user is asked to open in a browser. The client reports only whether the user agreed to open the page;
//! what was done there, the server looks up itself.
use rmcp::model::{InputRequests, InputRequiredResult, ProtocolVersion, SealOptions};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::call::Call;
use super::earlier_question::{ANSWER_TIMEOUT, codec, is_agreement};
use super::reply::Stop;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, Result};

/// The key of the only question in a request for input.
const PAGE_KEY: &str = "page";

/// The contents of the sealed state.
#[derive(Serialize, Deserialize)]
struct State<S> {
    /// The time in microseconds after which an answer no longer counts.
    expires_at: i64,
    subject: S,
}

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
        let question = json!({"method": "elicitation/create", "params": {
            "mode": "url",
            "message": message,
            "url": url,
        }});
        let questions = InputRequests::from([(PAGE_KEY.to_owned(), serde_json::from_value(question)?)]);
        let state = State {
            expires_at: self.app.clock.now().plus(ANSWER_TIMEOUT).microseconds(),
            subject,
        };
        let bound_to = self.bound_to(PAGE_KEY);
        let options = SealOptions::new().associated_data(&bound_to);
        let state = codec(&self.app)?
            .seal_json_with(&state, &options)
            .map_err(Error::internal)?;
        Ok(Stop::Ask(Box::new(InputRequiredResult::new(
            Some(questions),
            Some(state),
        ))))
    }

    /// The user's answer to the question of an earlier call with the same arguments, if there is one.
    pub(super) fn visit<S: DeserializeOwned>(&self) -> Result<Option<Visit<S>>> {
        let (Some(state), Some(answers)) = (&self.earlier_question.state, &self.earlier_question.answers) else {
            return Ok(None);
        };
        let bound_to = self.bound_to(PAGE_KEY);
        let Ok(state) = codec(&self.app)?.open_json_with::<State<S>>(state, &bound_to) else {
            return Ok(None);
        };
        if Timestamp::from_microseconds(state.expires_at) <= self.app.clock.now() {
            return Ok(None);
        }
        Ok(Some(Visit {
            subject: state.subject,
            agreed: is_agreement(answers.get(PAGE_KEY)),
        }))
    }
}
