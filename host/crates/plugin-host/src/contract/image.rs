//! The exchange with image providers.
use std::fmt;

use linepress_model::{Aspect, Audience, Look};

/// A provider's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageProviderDescription {
    pub id: String,
    /// The display name.
    pub name: String,
    pub version: String,
    /// The aspects that it can draw; at least one.
    pub aspects: Vec<Aspect>,
    /// Maximum number of character reference images per request.
    pub max_references: u32,
    pub sources: Sources,
    /// True if it can change a picture, given as the source, as an instruction says.
    pub edits: bool,
    /// True if the provider can draw covers in color.
    pub draws_color: bool,
    /// True if the provider knows the values of a look. Another one gets a look in the words of its prompt.
    pub follows_looks: bool,
}

/// How a provider uses a source, the customer's picture to draw from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sources {
    /// It cannot draw from a source.
    #[default]
    None,
    /// It accepts a source in addition to its references.
    Taken,
    /// It draws only from a source.
    Required,
    /// It accepts a source in place of one of its references.
    AsReference,
}

impl ImageProviderDescription {
    /// Returns true if the provider can draw a request with, or without, a source.
    pub fn draws(&self, with_source: bool) -> bool {
        match self.sources {
            Sources::None => !with_source,
            Sources::Required => with_source,
            Sources::Taken | Sources::AsReference => true,
        }
    }

    /// Maximum number of character references in a request with, or without, a source.
    pub fn max_references_with_source(&self, with_source: bool) -> u32 {
        let taken = u32::from(with_source && self.sources == Sources::AsReference);
        self.max_references.saturating_sub(taken)
    }
}

/// The purpose of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Page,
    Cover,
    /// A cover in color, like that of a book in a shop. Only a provider that can draw it gets one.
    CoverInColor,
    /// The reference image of the one character in the request.
    Character,
}

/// A request for one drawing.
#[derive(Clone, Debug)]
pub struct DrawRequest {
    pub purpose: Purpose,
    pub prompt: String,
    pub title: String,
    /// The recommended width in pixels.
    pub width: u32,
    /// The recommended height in pixels.
    pub height: u32,
    pub aspect: Aspect,
    pub audience: Audience,
    /// The most important character first.
    pub characters: Vec<CharacterSketch>,
    /// The customer's picture to draw from; for an edit, the picture to change.
    pub source: Option<Media>,
    pub seed: u64,
    pub options: DrawOptions,
}

/// Wishes for a drawing that a provider may not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawOptions {
    /// The change of the present picture that the customer asked for.
    pub change: Option<Change>,
    /// How the drawing is to look, where that differs from what the audience needs.
    pub look: Look,
    /// The same for all pages of a book and of its series. None for everything else.
    pub book_seed: Option<u64>,
}

/// A change of a picture that was drawn before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What to change, in the customer's words.
    pub instruction: String,
    /// The prompt of the present picture. The prompt of the request contains it and the instruction.
    pub present_prompt: String,
}

/// A recurring character, in the form that is sent to plugins.
#[derive(Clone, Debug)]
pub struct CharacterSketch {
    pub name: String,
    pub description: String,
    pub style: String,
    /// Stays the same for the life of the character.
    pub seed: u64,
    pub reference: Option<Media>,
}

/// A media file in memory.
#[derive(Clone)]
pub struct Media {
    pub media_type: String,
    pub bytes: Vec<u8>,
}

// Implemented manually, so that no log contains the bytes of a picture.
impl fmt::Debug for Media {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} bytes", self.media_type, self.bytes.len())
    }
}

/// A provider's drawing. Its first bytes match its media type, but it has not been decoded yet.
#[derive(Clone, PartialEq, Eq)]
pub struct Drawing {
    /// `image/png`, `image/jpeg` or `image/webp`.
    pub media_type: String,
    pub bytes: Vec<u8>,
    /// One line to display to the customer.
    pub note: Option<String>,
    /// Words of the prompt that the drawing does not show, if the provider reports them: at most 20 lines of at most 60
    /// characters.
    pub unknown_words: Vec<String>,
    /// The model that produced the drawing, if the provider names it: one line of at most 100 characters.
    pub model: Option<String>,
    /// The cost in millionths of a US dollar, if the provider reports it.
    pub cost_microdollars: Option<i64>,
}

impl fmt::Debug for Drawing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} bytes", self.media_type, self.bytes.len())
    }
}
