//! Proofs: a book's pages as pictures, and what is wrong with them. For designers, and for templates that are about to serve.
//!
//! A template may loop, or take all memory, so it is typeset in a process of its own ([`proof_child`]) as for a PDF. Unlike
//! that one it stays: fonts are read once, and Typst typesets anew only what has changed. Where it breaks its limits it is
//! killed, and the next proof begins with another ([`Proofer`]).

/// The boxes of each page.
mod boxes;
/// The process that makes proofs.
mod child;
/// What is wrong with a page.
mod finding;
/// What is wrong with laid-out pages.
mod frames;
/// Which colors are black.
mod ink;
/// Pictures that a designer brings as PDFs.
mod ornament;
/// Pages as SVG.
mod picture;
/// The parent's side.
mod proofer;
/// Template folders, watched.
mod watch;

use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;

pub use boxes::PageBoxes;
pub use child::proof_child;
pub use finding::{Finding, Rule};
pub use picture::ARTWORK;
pub use proofer::Proofer;
pub use watch::TemplateWatch;

/// A book's pages, or why there are none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// Nothing where the template failed: then there is an error among the diagnostics.
    pub pages: Option<Vec<ProofPage>>,
    pub diagnostics: Vec<Diagnostic>,
    pub findings: Vec<Finding>,
}

/// A page as it was laid out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProofPage {
    /// Nothing where the template made more pages than there are leaves.
    pub boxes: Option<PageBoxes>,
    /// With its bleed, as SVG, where it was asked for.
    pub picture: Option<String>,
}

/// Of which pages pictures are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pictures {
    All,
    /// Of those with which something is wrong.
    OfFindings,
    None,
}
