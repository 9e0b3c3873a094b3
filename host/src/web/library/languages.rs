//! The languages that a book's page offers for the few words that are printed around the drawings.

/// A language to choose.
pub(super) struct LanguageChoice {
    /// A BCP 47 tag.
    pub value: String,
    pub label: String,
    pub chosen: bool,
}

/// Those that the layouts that come with the server have words in, each by its own name.
const LANGUAGES: &[(&str, &str)] = &[
    ("en", "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("it", "Italiano"),
    ("pt", "Português"),
];

/// The languages, and the book's own where it is another one.
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
