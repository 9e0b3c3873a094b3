//! The languages that forms offer for the few texts that layouts print in addition to titles and captions.

/// A language as an option of a form.
pub(super) struct LanguageChoice {
    /// A BCP 47 tag.
    pub value: String,
    pub label: String,
    pub chosen: bool,
}

/// The language of a book without one.
pub(super) const DEFAULT_LANGUAGE: &str = "en";

/// The languages that the built-in layouts have texts in, each by its own name. A test compares them with the layouts'
/// `words.typ`.
const LANGUAGES: &[(&str, &str)] = &[
    ("en", "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("it", "Italiano"),
    ("nl", "Nederlands"),
    ("pl", "Polski"),
    ("pt", "Português"),
    ("he", "עברית"),
    ("ar", "العربية"),
    ("ja", "日本語"),
    ("zh", "中文"),
];

/// The options, including the chosen language if it is a different one. Without a chosen language, English is chosen.
pub(super) fn choices(chosen: &str) -> Vec<LanguageChoice> {
    let chosen = if chosen.is_empty() { DEFAULT_LANGUAGE } else { chosen };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The tags of the languages in a layout's table of words.
    fn tags(words: &str) -> Vec<&str> {
        let entries = words.lines().filter_map(|line| line.strip_prefix("  "));
        let mut tags: Vec<_> = entries.filter_map(|entry| entry.strip_suffix(": (")).collect();
        tags.retain(|tag| !tag.starts_with(' '));
        tags.sort_unstable();
        tags
    }

    #[test]
    fn forms_offer_the_languages_that_every_built_in_layout_has_words_in() {
        let mut offered: Vec<_> = LANGUAGES.iter().map(|(tag, _)| *tag).collect();
        offered.sort_unstable();
        for words in [
            include_str!("../../../../../templates/classic/words.typ"),
            include_str!("../../../../../templates/print-on-demand/words.typ"),
            include_str!("../../../../../templates/print-on-demand/paperback-words.typ"),
            include_str!("../../../../../templates/storybook/words.typ"),
        ] {
            assert_eq!(tags(words), offered);
        }
    }

    #[test]
    fn the_chosen_language_is_offered_even_if_no_layout_has_words_in_it() {
        let chosen = |language: &str| {
            let chosen = choices(language).into_iter().filter(|choice| choice.chosen);
            chosen.map(|choice| choice.value).collect::<Vec<_>>()
        };
        assert_eq!(chosen("he"), ["he"]);
        assert_eq!(chosen("ko"), ["ko"]);
        assert_eq!(chosen(""), ["en"]);
    }
}
