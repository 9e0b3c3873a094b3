//! The request of a drawing to a provider.
use linepress_model::{Aspect, Audience, CoverStyle, Look};
use serde::{Deserialize, Serialize};

use linepress_platform::ids::{BookId, CharacterId};

/// The request to a provider. It is fixed when the generation is accepted, so that every attempt sends the same
/// request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DrawingRequest {
    pub prompt: String,
    /// The prompt that the page gets once this is drawn, if the request changes it.
    #[serde(default)]
    pub new_prompt: Option<String>,
    /// The page's prompt when the request was accepted. If the page's prompt has changed since, the newer one remains.
    #[serde(default)]
    pub old_prompt: Option<String>,
    /// The page's title, changed under the same rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_title: Option<Rewording>,
    /// The page's caption, changed under the same rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_caption: Option<Rewording>,
    pub title: String,
    pub aspect: Aspect,
    pub audience: Audience,
    pub seed: i64,
    pub characters: Vec<CharacterSnapshot>,
    /// The customer's picture that the drawing is made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourcePicture>,
    /// The change of the page's present picture that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement: Option<Refinement>,
    /// True for a cover in color.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_color: bool,
    /// The style that the cover gets once this is drawn, if the request changes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_style: Option<CoverStyle>,
    /// How it is to look, where that differs from what the audience needs.
    #[serde(default, skip_serializing_if = "Look::is_usual")]
    pub look: Look,
    /// The book from whose id the seed of a page's book is derived: that book itself, the first one of its
    /// series, or the original of a copy.
    #[serde(default, rename = "book_id", skip_serializing_if = "Option::is_none")]
    pub seed_book_id: Option<BookId>,
    /// True for the order of a test key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_test: bool,
}

impl DrawingRequest {
    /// What a refinement is to change.
    pub fn instruction(&self) -> Option<&str> {
        self.refinement
            .as_ref()
            .map(|refinement| refinement.instruction.as_str())
    }

    /// The seed of what all pages of a series, or of a book outside any, have in common. 53 bits, so that it survives
    /// every JSON reader.
    pub fn book_seed(&self) -> Option<u64> {
        // FNV-1a: the hash of an id must not change with the standard library.
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let id = self.seed_book_id.as_ref()?;
        Some(id.as_str().bytes().fold(0xcbf2_9ce4_8422_2325, mix) >> 11)
    }

    /// The seed of a drawing from text. A refinement has that of the present picture, so that the provider may keep its
    /// composition.
    pub fn seed_from_text(&self) -> i64 {
        let present = self.refinement.as_ref().and_then(|refinement| refinement.seed);
        present.unwrap_or(self.seed)
    }
}

/// A change of a page's present picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refinement {
    /// What to change, in the customer's words.
    pub instruction: String,
    /// What earlier refinements changed in the present picture since it was drawn from its prompt, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<String>,
    /// The object key of the present picture, which remains the page's while the drawing is under way.
    pub picture: String,
    /// The seed that the present picture was drawn from text with. None if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
}

impl Refinement {
    /// The maximum number of refinements that a further one repeats.
    const MAX_REPEATED: usize = 10;

    /// What the refinements of a picture changed, oldest first, from the request that drew it. Empty if it was drawn
    /// from its prompt alone, or the request is not stored any more.
    pub fn instructions_from_request(request: &str) -> Vec<String> {
        #[derive(Deserialize)]
        struct Drawn {
            #[serde(default)]
            refinement: Option<Refinement>,
        }
        let drawn = serde_json::from_str::<Drawn>(request).ok();
        let Some(Refinement {
            earlier, instruction, ..
        }) = drawn.and_then(|drawn| drawn.refinement)
        else {
            return Vec::new();
        };
        let mut all: Vec<String> = earlier.into_iter().chain([instruction]).collect();
        all.drain(..all.len().saturating_sub(Self::MAX_REPEATED));
        all
    }
}

/// A text change that takes effect once the page is drawn, unless the text was changed meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewording {
    pub new: String,
    pub old: String,
}

/// A customer's picture that a drawing is made from. It is deleted when the drawing ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePicture {
    /// The key of its object, a JPEG.
    pub key: String,
    pub byte_size: i64,
}

/// The source picture of a queued request.
pub fn source_from_request(request: &str) -> Option<SourcePicture> {
    #[derive(Deserialize)]
    struct Queued {
        #[serde(default)]
        source: Option<SourcePicture>,
    }
    // A request that another version of the server queued may be unreadable. Its source picture is then deleted once it
    // is old enough.
    serde_json::from_str::<Queued>(request).ok()?.source
}

/// A character as it was when the generation was accepted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CharacterSnapshot {
    pub name: String,
    pub description: String,
    pub style: String,
    pub seed: i64,
    /// The object key of its reference image, if it has one.
    pub reference: Option<String>,
    /// The character's id. If the character is redrawn before this drawing starts, its new reference image is found by
    /// it.
    #[serde(default)]
    pub id: Option<CharacterId>,
}

/// Returns true for the stored request of a test key's drawing. An unreadable request fails before any provider is
/// called.
pub(super) fn is_test_request(request: &str) -> bool {
    #[derive(Deserialize)]
    struct Queued {
        #[serde(default)]
        is_test: bool,
    }
    serde_json::from_str::<Queued>(request).is_ok_and(|queued| queued.is_test)
}
