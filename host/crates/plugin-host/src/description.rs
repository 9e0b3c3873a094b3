//! What every plugin says about itself, checked: a description is kept for as long as the server runs, and shown to people.
use crate::log_text::{excerpt, is_control};

/// What every description must have right, whatever its world.
pub(crate) fn check_identity(manifest_id: &str, id: &str, name: &str, version: &str) -> Result<(), String> {
    if manifest_id != id {
        let id = excerpt(id.to_owned(), 100);
        return Err(format!(
            "plugin.toml calls it {manifest_id}, but it calls itself {id:?}"
        ));
    }
    check_label("its name", name)?;
    check_label("its version", version)
}

/// A short text that people are shown.
pub(crate) fn check_label(what: &str, label: &str) -> Result<(), String> {
    if label.trim().is_empty() || label.len() > 200 || label.contains(is_control) {
        return Err(format!("{what} must be one line of 1 to 200 bytes"));
    }
    Ok(())
}

/// A name that may stand in a file name, in a log and in a template.
pub(crate) fn is_word(text: &str, joint: char) -> bool {
    let known = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == joint;
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.len() <= 64 && text.chars().all(known)
}
