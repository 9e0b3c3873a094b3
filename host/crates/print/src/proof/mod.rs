//! Proofs: a book's pages as pictures, with the problems found on them. Designers use them, and the server checks new
//! templates with them.
//!
//! A template may loop or exhaust memory, so a separate process ([`proof_child`]) typesets it, as for a PDF. The
//! process stays alive between proofs: fonts are read once, and Typst typesets only what has changed. A process that
//! exceeds its limits is killed, and [`Proofer`] starts another for the next proof.

/// The boxes of each page.
mod boxes;
/// The process that makes proofs.
mod child;
/// The problems that a proof reports.
mod finding;
/// The checks of laid-out pages.
mod frames;
/// The colors that print with black ink alone.
mod ink;
/// The checks of a designer's PDF pictures.
mod ornament;
/// Pages as SVG.
mod picture;
/// The parent process's side.
mod proofer;
/// The checks of a designer's SVG pictures.
mod vector;
/// A watcher for template folders.
mod watch;

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Place};
use crate::measures::Rectangle;

pub use boxes::PageBoxes;
pub use child::proof_child;
pub use finding::{Finding, Rule};
pub use picture::ARTWORK;
pub use proofer::Proofer;
pub use watch::TemplateWatch;

/// The result of a proof: the pages of a book, or the errors that prevented them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// `None` where the template failed. Then the diagnostics contain an error.
    pub pages: Option<Vec<ProofPage>>,
    pub diagnostics: Vec<Diagnostic>,
    pub findings: Vec<Finding>,
    /// The places in the templates to which the pages refer.
    pub places: Vec<Place>,
}

/// A laid-out page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProofPage {
    /// `None` where the template made more pages than there are leaves.
    pub boxes: Option<PageBoxes>,
    /// The page with its bleed as SVG, if the request asked for it.
    pub picture: Option<String>,
    /// The elements of the page in the order in which they are painted, if the request asked for all pictures.
    pub sources: Vec<SourceArea>,
}

/// An element of a page, and the place in the templates that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceArea {
    pub area: Rectangle,
    /// The index of its place in the proof.
    pub place: usize,
}

/// The pages that get a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pictures {
    All,
    /// Only pages with a finding.
    OfFindings,
    None,
}
