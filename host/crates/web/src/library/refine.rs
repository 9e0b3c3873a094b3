//! The form that changes something in a page's picture.
use super::form::{Complaints, Typed};
use linepress_core::pages::Page;

/// The name of the form on its page.
pub(super) const REFINE: &str = "refine";

/// The inputs of the form, and its words.
pub(super) struct RefineForm {
    /// What to change.
    pub instruction: String,
    /// The texts that the page gets with the new picture.
    pub title: String,
    pub caption: String,
    /// True if the title or the caption was changed, so that both are shown.
    pub has_changed_texts: bool,
    pub complaints: Complaints,
    /// What the form does with everything else in the picture.
    pub hint: &'static str,
    /// The button, without the price.
    pub button: &'static str,
}

impl RefineForm {
    /// The form of this page. `edits` is true if a provider can change the present picture.
    pub(super) fn new(page: &Page, edits: bool, typed: &Typed<'_>) -> Self {
        let title = typed.text(REFINE, "title", &page.title);
        let caption = typed.text(REFINE, "caption", &page.caption);
        let (hint, button) = words(edits);
        Self {
            instruction: typed.text(REFINE, "instruction", ""),
            has_changed_texts: title != page.title || caption != page.caption,
            title,
            caption,
            complaints: typed.complaints_of(REFINE),
            hint,
            button,
        }
    }
}

/// The hint and the button.
fn words(edits: bool) -> (&'static str, &'static str) {
    match edits {
        true => (
            "Everything else stays as it is. You can return to the present picture.",
            "Change it",
        ),
        false => (
            "This server cannot change a picture: it draws the page again with your change, so other parts may change \
             too. You can return to the present picture.",
            "Draw it again with this change",
        ),
    }
}
