//! The words of a plan without a drawing, for the plan's warnings.

use linepress_plugin_sdk::v1::vocabulary::{Question, Wording};

use crate::words::{Wish, unknown_in_theme};

/// Returns the words of one text that its drawing would not show.
pub fn unknown_words(question: &Question) -> Vec<String> {
    let names: Vec<&str> = question.names.iter().map(String::as_str).collect();
    match question.wording {
        Wording::Theme => unknown_in_theme(&question.text, &names),
        Wording::Cover | Wording::Page => Wish::within(&question.text, &names, &question.title).unknown,
    }
}
