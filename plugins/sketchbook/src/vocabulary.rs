//! The words of a plan that no drawing would show, for the plan's warnings.

use linepress_plugin_sdk::vocabulary::{Question, Wording};

use crate::words::{Wish, unknown_in_theme};

/// The words of one text that the drawing of it would not show.
pub fn unknown_words(question: &Question) -> Vec<String> {
    let names: Vec<&str> = question.names.iter().map(String::as_str).collect();
    match question.wording {
        Wording::Theme => unknown_in_theme(&question.text, &names),
        Wording::Cover | Wording::Page => Wish::within(&question.text, &names, &question.title).unknown,
    }
}
