//! What the page is told, as JSON.
use linepress_print::{Diagnostic, Finding, PageBoxes};
use linepress_printers::{Edition, Part};
use serde::{Deserialize, Serialize};

/// What somebody looks at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub(super) struct View {
    pub(super) format: String,
    pub(super) edition: Edition,
    pub(super) part: Part,
}

/// What can be looked at.
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

/// The pages of a book as they were the last time that there were any, and what is wrong with them now.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Shown {
    /// Of the templates.
    pub(super) version: u64,
    pub(super) pages: Vec<ShownPage>,
    /// Whether the pages are of an earlier version, because this one failed.
    pub(super) is_old: bool,
    /// Why there is no proof at all.
    pub(super) problem: Option<String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) findings: Vec<ShownFinding>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct ShownPage {
    /// Where its picture is: another one has another address.
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
