//! The JSON of the preview's page.
use linepress_print::{Diagnostic, Finding, PageBoxes};
use linepress_printers::{Edition, Part};
use serde::{Deserialize, Serialize};

/// The view that the page requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub(super) struct View {
    pub(super) format: String,
    pub(super) edition: Edition,
    pub(super) part: Part,
}

/// The options that the page offers.
#[derive(Serialize)]
pub(super) struct Choices {
    pub(super) layout: String,
    pub(super) folder: String,
    pub(super) first: String,
    pub(super) formats: Vec<FormatChoice>,
    pub(super) editions: Vec<Edition>,
    pub(super) has_wraparound: bool,
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
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) findings: Vec<ShownFinding>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct ShownPage {
    /// The URL of its picture, which changes with the picture.
    pub(super) picture: String,
    #[serde(flatten)]
    pub(super) boxes: Option<PageBoxes>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct ShownFinding {
    #[serde(flatten)]
    pub(super) finding: Finding,
    pub(super) remedy: &'static str,
}
