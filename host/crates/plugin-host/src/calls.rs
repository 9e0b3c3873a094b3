//! The calls of plugins that have ended, for a log and for the trial of new versions.
use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::contract::CharacterSketch;
use crate::error::CallError;
use crate::network::HttpExchange;

/// Maximum size of a text in the description of a request.
const MAX_TEXT_CHARS: usize = 500;

/// A version of a plugin that was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PluginVersion {
    pub id: String,
    /// The version in the manifest.
    pub version: String,
    /// The SHA-256 of the component in hexadecimal.
    pub digest: String,
    /// Unique number of this load in this process. The same files have another one when they are loaded again.
    pub load: u64,
}

impl PluginVersion {
    /// Returns true if the other one was loaded from the same files.
    pub fn is_same_version(&self, other: &Self) -> bool {
        (&self.id, &self.version, &self.digest) == (&other.id, &other.version, &other.digest)
    }
}

/// A call that has ended. It contains no secrets, and digests in place of pictures.
#[derive(Debug)]
pub struct EndedCall<'a> {
    pub version: &'a PluginVersion,
    /// The called function.
    pub function: &'static str,
    /// The request, as JSON.
    pub request: String,
    pub end: CallEnd,
    /// The HTTP requests in their order.
    pub exchanges: Vec<HttpExchange>,
    pub took: Duration,
    pub deadline: Duration,
    /// The most memory that was in use at a time.
    pub memory_bytes: usize,
    pub memory_limit_bytes: usize,
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// The returned value, as JSON.
    Returned(String),
    Failed(CallError),
    /// The caller stopped waiting.
    Abandoned,
}

impl CallEnd {
    /// The outcome in a word, as the metrics have it.
    pub fn outcome(&self) -> &'static str {
        match self {
            Self::Returned(_) => "completed",
            Self::Failed(error) => error.kind(),
            Self::Abandoned => "abandoned",
        }
    }
}

/// Receives the calls that do work and have ended. It must return at once.
pub trait CallSink: fmt::Debug + Send + Sync {
    fn ended(&self, call: EndedCall<'_>);
}

/// A text of bounded size.
pub(crate) fn brief(text: &str) -> String {
    let mut brief: String = text.chars().take(MAX_TEXT_CHARS).collect();
    if brief.len() < text.len() {
        brief.push('…');
    }
    brief
}

/// Returns true for a text in the description of a request whose rest is not in it.
pub fn is_cut_text(text: &str) -> bool {
    text.ends_with('…') && text.chars().count() == MAX_TEXT_CHARS + 1
}

/// The digest of a value that consists of texts. It shows whether two calls returned the same value.
pub(crate) fn digest_of_texts<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(text);
    }
    hex::encode(digest.finalize())
}

/// A character of a request.
pub(crate) fn character(character: &CharacterSketch) -> Value {
    json!({
        "name": brief(&character.name),
        "description": brief(&character.description),
        "style": brief(&character.style),
        "seed": character.seed,
        "reference": character.reference.as_ref().map(|media| picture(&media.media_type, &media.bytes)),
    })
}

/// A picture by its digest.
pub(crate) fn picture(media_type: &str, bytes: &[u8]) -> Value {
    json!({
        "sha256": hex::encode(Sha256::digest(bytes)),
        "bytes": bytes.len(),
        "media_type": brief(media_type),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(brief("A fox"), "A fox");
        let long = brief(&"x".repeat(MAX_TEXT_CHARS + 1));
        assert!(long.ends_with('…') && long.chars().count() == MAX_TEXT_CHARS + 1);
        assert!(is_cut_text(&long) && !is_cut_text(&brief("A fox and so on…")));
    }

    #[test]
    fn the_digest_of_texts_depends_on_each_of_them() {
        let digest = |texts: &[&str]| digest_of_texts(texts.iter().copied());
        assert_eq!(digest(&["a fox", "snow"]), digest(&["a fox", "snow"]));
        for other in [
            &["a fox", "ice"][..],
            &["a fo", "xsnow"],
            &["a fox"],
            &["a fox", "snow", ""],
        ] {
            assert_ne!(digest(&["a fox", "snow"]), digest(other), "{other:?}");
        }
    }

    #[test]
    fn a_picture_is_described_by_its_digest() {
        let described = picture("image/png", b"abc");
        assert_eq!(described["bytes"], 3);
        assert!(
            described["sha256"]
                .as_str()
                .is_some_and(|digest| digest.starts_with("ba7816bf"))
        );
    }
}
