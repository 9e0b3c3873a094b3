use serde::{Deserialize, Serialize};

use super::pattern::OriginPattern;

/// What the operator grants to a plugin, for one digest of its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// SHA-256 of the folder, in hexadecimal: another folder is another plugin.
    pub digest: String,
    /// Origins that it may reach.
    #[serde(default)]
    pub origins: Vec<String>,
    /// Those of the origins that may have addresses that are not public, and may be plain http.
    #[serde(default)]
    pub private: Vec<String>,
}

impl Grant {
    /// The granted origins; an error names the one that is wrong.
    pub(crate) fn origins(&self) -> Result<Vec<OriginPattern>, String> {
        parse(&self.origins, "origins")
    }

    /// Without asterisks: whoever rules the names below one could lead the server to any address of the private network.
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
