//! The languages that a book's page offers for the few texts that are printed in addition to titles and captions.

/// A language as an option of a form.
pub(super) struct LanguageChoice {
    /// A BCP 47 tag.
    pub value: String,
    pub label: String,
    pub chosen: bool,
}

/// The languages that the built-in layouts have texts in, each by its own name.
const LANGUAGES: &[(&str, &str)] = &[
    ("en", "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("it", "Italiano"),
    ("pt", "Português"),
];

/// The options, including the book's own language if it is a different one.
pub(super) fn choices(chosen: &str) -> Vec<LanguageChoice> {
    let choice = |value: &str, label: &str| LanguageChoice {
        value: value.into(),
        label: label.into(),
        chosen: value == chosen,
    };
    let mut choices: Vec<_> = LANGUAGES.iter().map(|(value, label)| choice(value, label)).collect();
    if choices.iter().all(|choice| !choice.chosen) {
        choices.push(choice(chosen, chosen));
    }
    choices
}
