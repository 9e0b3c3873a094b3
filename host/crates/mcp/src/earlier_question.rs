//! The client's response to an earlier question, and what all questions share.
use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{ElicitationAction, JsonObject, RequestStateCodec};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};

/// The client's response to an earlier question, if there was one.
#[derive(Clone, Debug, Default)]
pub(super) struct EarlierQuestion {
    pub state: Option<String>,
    pub answers: Option<BTreeMap<String, Value>>,
    /// A digest of the arguments as the client sent them.
    pub arguments: String,
}

impl EarlierQuestion {
    pub(super) fn new(
        arguments: Option<&JsonObject>,
        state: Option<String>,
        answers: Option<BTreeMap<String, Value>>,
    ) -> Self {
        let arguments = arguments.map(|fields| serde_json::to_vec(fields).unwrap_or_default());
        Self {
            state,
            answers,
            arguments: hex::encode(Sha256::digest(arguments.unwrap_or_default())),
        }
    }
}

/// The time that the user has to answer a question.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The user's answer to a question without fields.
#[derive(Deserialize)]
struct Answer {
    action: ElicitationAction,
}

/// Returns true if the user agreed. An answer that cannot be read is not an agreement.
pub(super) fn is_agreement(answer: Option<&Value>) -> bool {
    let answer = answer.and_then(|answer| Answer::deserialize(answer).ok());
    answer.is_some_and(|answer| answer.action == ElicitationAction::Accept)
}

/// Seals the states that accompany questions. They are signed, but not encrypted.
pub(super) fn codec(app: &App) -> Result<RequestStateCodec> {
    RequestStateCodec::try_new(app.root_secret.key_for("confirmations")).map_err(Error::internal)
}
