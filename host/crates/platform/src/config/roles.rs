//! The roles of a node: the parts of the server's work that it does.
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, de};

/// A part of the server's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Serves every interface, and accepts drawings.
    Api,
    /// Draws what any node has accepted, and does the housekeeping.
    Worker,
}

impl Role {
    pub const ALL: [Self; 2] = [Self::Api, Self::Worker];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Worker => "worker",
        }
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|role| role.as_str() == text.trim());
        known.ok_or_else(|| format!("{text:?} is not a role; the roles are api and worker"))
    }
}

/// Reads a list of roles, which may not be empty.
pub(super) fn roles<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Role>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    if texts.iter().all(|text| text.trim().is_empty()) {
        return Err(de::Error::custom("must name at least one role: api, worker, or both"));
    }
    let roles = texts.iter().map(|text| text.parse().map_err(de::Error::custom));
    roles.collect()
}
