//! The client's response to an earlier question, and what all questions share.
use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{ElicitationAction, InputRequests, InputRequiredResult, JsonObject, RequestStateCodec, SealOptions};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::reply::Stop;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
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

    /// The subject of exactly this question, and whether the user agreed, if there is an answer.
    pub(super) fn answer_to<S: DeserializeOwned>(
        &self,
        app: &App,
        key: &str,
        bound_to: &[u8],
    ) -> Result<Option<(S, bool)>> {
        let (Some(state), Some(answers)) = (&self.state, &self.answers) else {
            return Ok(None);
        };
        let Ok(state) = codec(app)?.open_json_with::<State<S>>(state, bound_to) else {
            return Ok(None);
        };
        if Timestamp::from_microseconds(state.expires_at) <= app.clock.now() {
            return Ok(None);
        }
        Ok(Some((state.subject, is_agreement(answers.get(key)))))
    }
}

/// The time that the user has to answer a question.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The user's answer to a question without fields.
#[derive(Deserialize)]
struct Answer {
    action: ElicitationAction,
}

/// The contents of the sealed state of a question. What the question is bound to is not part of it: that is its
/// associated data.
#[derive(Serialize, Deserialize)]
struct State<S> {
    /// The time in microseconds after which an answer no longer counts.
    expires_at: i64,
    subject: S,
}

/// Has the client ask its user the question with this key. An answer counts only for what the question is bound to, and
/// brings the subject back.
pub(super) fn ask(app: &App, key: &str, params: &Value, bound_to: &[u8], subject: impl Serialize) -> Result<Stop> {
    let question = json!({"method": "elicitation/create", "params": params});
    let questions = InputRequests::from([(key.to_owned(), serde_json::from_value(question)?)]);
    let state = State {
        expires_at: app.clock.now().plus(ANSWER_TIMEOUT).microseconds(),
        subject,
    };
    let options = SealOptions::new().associated_data(bound_to);
    let state = codec(app)?.seal_json_with(&state, &options).map_err(Error::internal)?;
    let asked = InputRequiredResult::new(Some(questions), Some(state));
    Ok(Stop::Ask(Box::new(asked)))
}

/// Returns true if the user agreed. An answer that cannot be read is not an agreement.
fn is_agreement(answer: Option<&Value>) -> bool {
    let answer = answer.and_then(|answer| Answer::deserialize(answer).ok());
    answer.is_some_and(|answer| answer.action == ElicitationAction::Accept)
}

/// Seals the states that accompany questions. They are signed, but not encrypted.
fn codec(app: &App) -> Result<RequestStateCodec> {
    RequestStateCodec::try_new(app.root_secret.key_for("confirmations")).map_err(Error::internal)
}
