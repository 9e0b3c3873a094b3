//! Grants of network access and of services by the operator.
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::pattern::OriginPattern;
use crate::services::Permission;

/// Network access and services that the operator grants to a plugin, for one digest of its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// SHA-256 of the folder in hexadecimal. The grant does not apply to a folder with other contents.
    pub digest: String,
    /// Origins that the plugin may reach.
    #[serde(default)]
    pub origins: Vec<String>,
    /// The subset of `origins` that may resolve to non-public addresses and may use plain http.
    #[serde(default)]
    pub private: Vec<String>,
    /// Services of the host that the plugin may use.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub permissions: BTreeSet<Permission>,
}

impl Grant {
    /// The granted origins and services for the operator.
    pub fn lines(&self) -> Vec<String> {
        let permissions = self.permissions.iter().map(|permission| permission.in_words());
        self.origins.iter().cloned().chain(permissions).collect()
    }

    /// Parses the granted origins. An error names the invalid one.
    pub(crate) fn origins(&self) -> Result<Vec<OriginPattern>, String> {
        parse(&self.origins, "origins")
    }

    /// Parses the private origins. Patterns are refused: the owner of a wildcard domain could point a name in it to any
    /// address of the private network.
    pub(crate) fn private(&self) -> Result<Vec<OriginPattern>, String> {
        let private = parse(&self.private, "private")?;
        match private.iter().find(|origin| origin.single().is_none()) {
            Some(origin) => Err(format!("`private` of its grant has {origin}, which must name one host")),
            None => Ok(private),
        }
    }
}

fn parse(texts: &[String], key: &str) -> Result<Vec<OriginPattern>, String> {
    let origin = |text: &String| {
        OriginPattern::parse(text).map_err(|problem| format!("`{key}` of its grant has {text:?}, which {problem}"))
    };
    texts.iter().map(origin).collect()
}
