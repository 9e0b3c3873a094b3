//! The inputs for a look: line weight, detail, frame and style.
use linepress_model::{DetailLevel, FrameStyle, LineWeight, Look};

use super::choices::{self, Choice};
use super::form::{Complaints, Fields, Typed};
use super::words;
use linepress_core::books::{BookChange, BookRestyling};
use linepress_core::pages::PageChange;
use linepress_platform::field::Field;

/// The inputs of a form.
pub(super) struct LookInputs {
    pub line_weights: Vec<Choice>,
    pub details: Vec<Choice>,
    pub frames: Vec<Choice>,
    pub style: String,
    /// The look that is stored, which the form sends with the typed one.
    pub stored: Look,
    /// The complaint about the style.
    pub complaint: Option<String>,
}

impl LookInputs {
    /// The inputs of the form with this name on the page of a book or page with this look.
    pub(super) fn of_form(form: &str, stored: Look, typed: &Typed<'_>) -> Self {
        Self {
            line_weights: line_weights(&typed.text(form, "line_weight", stored.line_weight.as_str())),
            details: details(&typed.text(form, "detail", stored.detail.as_str())),
            frames: frames(&typed.text(form, "frame", stored.frame.as_str())),
            style: typed.text(form, "style", &stored.style),
            complaint: typed.complaints().at(&Field::style()),
            stored,
        }
    }

    /// The inputs of a draft with this look.
    pub(super) fn of_draft(look: &Look, complaints: &Complaints) -> Self {
        Self {
            line_weights: line_weights(look.line_weight.as_str()),
            details: details(look.detail.as_str()),
            frames: frames(look.frame.as_str()),
            style: look.style.clone(),
            stored: look.clone(),
            complaint: complaints.at(&Field::style()),
        }
    }
}

fn line_weights(chosen: &str) -> Vec<Choice> {
    choices::of(LineWeight::ALL, chosen, LineWeight::as_str, words::line_weight)
}

fn details(chosen: &str) -> Vec<Choice> {
    choices::of(DetailLevel::ALL, chosen, DetailLevel::as_str, words::detail)
}

fn frames(chosen: &str) -> Vec<Choice> {
    choices::of(FrameStyle::ALL, chosen, FrameStyle::as_str, words::frame)
}

/// The look in a draft's form. A form that was opened before the server knew looks leaves the stored one.
pub(super) fn of_draft(fields: &Fields, stored: Look) -> Look {
    Look {
        line_weight: LineWeight::parse(&fields.text("line_weight")).unwrap_or(stored.line_weight),
        detail: DetailLevel::parse(&fields.text("detail")).unwrap_or(stored.detail),
        style: fields.all("style").next().unwrap_or(stored.style),
        frame: FrameStyle::parse(&fields.text("frame")).unwrap_or(stored.frame),
    }
}

/// The part of a page's change that is about its look.
pub(super) fn page_change(fields: &Fields) -> PageChange {
    PageChange {
        line_weight: fields.changed_word("line_weight"),
        detail: fields.changed_word("detail"),
        style: fields.changed("style").map(Into::into),
        frame: fields.changed_word("frame"),
        ..PageChange::default()
    }
}

/// The part of a book's change that is about its look.
pub(super) fn book_change(fields: &Fields) -> BookChange {
    BookChange {
        line_weight: fields.changed_word("line_weight"),
        detail: fields.changed_word("detail"),
        style: fields.changed("style").map(Into::into),
        frame: fields.changed_word("frame"),
        ..BookChange::default()
    }
}

/// The look with which all pages of a book are drawn again.
pub(super) fn restyling(fields: &Fields) -> BookRestyling {
    BookRestyling {
        line_weight: fields.changed_word("line_weight"),
        detail: fields.changed_word("detail"),
        style: fields.changed("style").map(Into::into),
        frame: fields.changed_word("frame"),
        page_ids: None,
    }
}
