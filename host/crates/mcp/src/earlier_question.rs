//! The client's response to an earlier question.
use std::collections::BTreeMap;

use rmcp::model::JsonObject;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

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
