//! Checks that apply to the description of every plugin. A description stays in memory for as long as the plugin is
//! loaded, and is displayed to users.
use linepress_model::alters_line;

use crate::log_text::excerpt;

/// Checks the id, name and version of a description.
pub(crate) fn check_identity(manifest_id: &str, id: &str, name: &str, version: &str) -> Result<(), String> {
    if manifest_id != id {
        let id = excerpt(id.to_owned(), 100);
        return Err(format!(
            "its id is {manifest_id} in plugin.toml, but {id:?} in its own description"
        ));
    }
    check_label("its name", name)?;
    check_label("its version", version)
}

/// Checks a short text that is displayed to users.
pub(crate) fn check_label(what: &str, label: &str) -> Result<(), String> {
    if label.trim().is_empty() || label.len() > 200 || label.contains(alters_line) {
        return Err(format!("{what} must be one line of 1 to 200 bytes"));
    }
    Ok(())
}

/// Returns true for a name that is safe in file names, logs and templates: it begins with a lowercase letter, and has
/// at most 64 lowercase letters, digits and `joint` characters.
pub(crate) fn is_word(text: &str, joint: char) -> bool {
    let known = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == joint;
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.len() <= 64 && text.chars().all(known)
}

/// Returns true for lowercase words joined by dots, at most 64 bytes in total.
pub(crate) fn is_id(id: &str) -> bool {
    let known = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let is_word = |word: &str| word.starts_with(|first: char| first.is_ascii_lowercase()) && word.chars().all(known);
    id.len() <= 64 && id.split('.').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_lowercase_words_joined_by_dots() {
        for id in ["sketchbook", "acme.flux", "acme.flux-2.fast"] {
            assert!(is_id(id), "{id}");
        }
        for id in [
            "",
            "Acme",
            "acme..flux",
            "acme.",
            "-acme",
            "acme/flux",
            "äcme",
            &"a".repeat(65),
        ] {
            assert!(!is_id(id), "{id}");
        }
    }
}
