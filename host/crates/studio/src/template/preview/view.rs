//! The JSON of the preview's page.
use linepress_print::{Diagnostic, Finding, PageBoxes, Place, SourceArea};
use linepress_printers::{Backs, Edition, Part};
use serde::{Deserialize, Serialize};

/// The view that the page requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub(super) struct View {
    pub(super) format: String,
    pub(super) edition: Edition,
    pub(super) part: Part,
    #[serde(default)]
    pub(super) backs: Backs,
    /// The name of a sample book. Empty for the first one that is offered.
    #[serde(default)]
    pub(super) sample: String,
    /// The number of drawings, where it differs from that of the sample book.
    pub(super) drawings: Option<usize>,
}

/// The options that the page offers.
#[derive(Serialize)]
pub(super) struct Choices {
    pub(super) layout: String,
    pub(super) folder: String,
    pub(super) first: String,
    pub(super) formats: Vec<FormatChoice>,
    pub(super) editions: Vec<Edition>,
    pub(super) backs: Vec<Backs>,
    /// The names of the sample books. Empty if a book of the server is shown.
    pub(super) samples: Vec<&'static str>,
    pub(super) max_drawings: usize,
    pub(super) has_wraparound: bool,
    /// The link that opens a line in the designer's editor, with placeholders.
    pub(super) editor: String,
}

#[derive(Serialize)]
pub(super) struct FormatChoice {
    pub(super) id: String,
    pub(super) name: String,
}

/// The pages of the last proof that had any, and the problems of the latest proof.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Shown {
    /// The version of the templates.
    pub(super) version: u64,
    pub(super) pages: Vec<ShownPage>,
    /// True if the pages belong to an earlier version, because this one failed.
    pub(super) is_old: bool,
    /// The error that prevented a proof.
    pub(super) problem: Option<String>,
    /// The reason why the printer would not print this book.
    pub(super) refusal: Option<String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) findings: Vec<ShownFinding>,
    /// The places to which the pages' elements refer.
    pub(super) places: Vec<Place>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct ShownPage {
    /// The URL of its picture, which changes with the picture.
    pub(super) picture: String,
    #[serde(flatten)]
    pub(super) boxes: Option<PageBoxes>,
    /// The elements of the page, in the order in which they are painted.
    pub(super) sources: Vec<SourceArea>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct ShownFinding {
    #[serde(flatten)]
    pub(super) finding: Finding,
    pub(super) remedy: &'static str,
}
