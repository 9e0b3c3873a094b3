//! Warnings of a plan: words that no page is about, words that the image provider cannot draw, and characters worth
//! creating.
use std::time::{Duration, Instant};

use linepress_model::{Aspect, Audience, text_enum};
use linepress_plugin_host::{CallOptions, ImageProvider, Plan, Wording, WordingKind};
use serde::Serialize;

use linepress_drawings::routing;
use linepress_platform::app::App;

/// Maximum time for the image provider to check the words of a plan.
const VOCABULARY_DEADLINE: Duration = Duration::from_secs(5);

/// The provider is not called when less time than this remains.
const MIN_CALL_DURATION: Duration = Duration::from_millis(100);

text_enum! {
    /// The kind of a plan's warning.
    pub enum WarningCode {
        /// The image provider cannot draw these words.
        NotDrawn = "not_drawn",
        /// No page of the plan is about these words of the theme.
        NotPlanned = "not_planned",
        /// The theme names a figure that is not among the characters. As a character it would look the same on every
        /// page.
        CharacterSuggested = "character_suggested",
    }
}

/// A difference between the theme and the book that the plan would make, or something to do before the book is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = PlanWarning)]
pub struct Warning {
    pub code: WarningCode,
    /// One or two sentences for people: the problem, then a remedy.
    pub message: String,
    /// The words of the theme or the prompt that the warning is about.
    pub words: Vec<String>,
    /// The number of the page concept that the warning is about, from 1. Missing if it is about the whole book.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub page_number: Option<usize>,
    /// The character to create; only with `character_suggested`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub character: Option<CharacterSuggestion>,
}

/// A figure that a theme names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct CharacterSuggestion {
    /// A name, for example `Biscuit`.
    pub name: String,
    /// A kind of figure, for example `dog`, with which the character's description can begin.
    pub kind: String,
}

/// The parts of a plan's request that the warnings are derived from.
pub(super) struct WarningInput<'a> {
    pub theme: &'a str,
    pub aspect: Aspect,
    pub audience: Audience,
    pub names: Vec<String>,
}

/// The warnings of a plan: those about the whole book, then those about its pages in order. Without a provider's answer
/// by `end`, the warnings about words that it cannot draw are missing.
pub(super) async fn for_plan(app: &App, asked: WarningInput<'_>, plan: &Plan, end: Instant) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = plan.suggested.iter().map(suggestion).collect();
    let unknown = unknown_words(app, &asked, plan, end).await.unwrap_or_default();
    let of_the_book = without_duplicates(unknown.iter().take(2));
    let unplaced: Vec<String> = plan
        .unplaced
        .iter()
        .filter(|word| !of_the_book.contains(word))
        .cloned()
        .collect();
    if !unplaced.is_empty() {
        warnings.push(Warning::about(WarningCode::NotPlanned, unplaced, &[]));
    }
    if !of_the_book.is_empty() {
        warnings.push(Warning::about(WarningCode::NotDrawn, of_the_book, &[]));
    }
    let pages = unknown.into_iter().skip(2).zip(1..);
    let pages = pages.filter(|(words, _)| !words.is_empty());
    warnings.extend(pages.map(|(words, page)| Warning::about(WarningCode::NotDrawn, words, &[page])));
    warnings
}

/// The words that cannot be drawn: of the theme, of the cover, and of each page. None when the provider has no
/// vocabulary or does not answer in time.
async fn unknown_words(app: &App, asked: &WarningInput<'_>, plan: &Plan, end: Instant) -> Option<Vec<Vec<String>>> {
    let draws = |provider: &ImageProvider| {
        let description = provider.description();
        description.draws(false) && description.aspects.contains(&asked.aspect)
    };
    let provider = routing::loaded(app).into_iter().find(draws)?;
    let left = end.saturating_duration_since(Instant::now()) * 9 / 10;
    let deadline = left.min(VOCABULARY_DEADLINE);
    if !provider.has_vocabulary() || deadline < MIN_CALL_DURATION {
        return None;
    }
    let wording = |kind: WordingKind, title: &str, text: &str| Wording {
        kind,
        text: text.to_owned(),
        title: title.to_owned(),
        audience: asked.audience,
        names: asked.names.clone(),
    };
    let mut wordings = vec![
        wording(WordingKind::Theme, &plan.title, asked.theme),
        wording(WordingKind::Cover, &plan.title, &plan.cover_prompt),
    ];
    let pages = plan.pages.iter();
    wordings.extend(pages.map(|page| wording(WordingKind::Page, &page.title, &page.prompt)));
    let options = CallOptions {
        deadline: Some(deadline),
        ..CallOptions::default()
    };
    // The call's own deadline begins only when the call has a place, so the wait for a place is limited as well.
    let answer = tokio::time::timeout(deadline, provider.unknown_words(wordings, &options)).await;
    answer.ok()?.ok()?
}

/// The words of all lists, without duplicates.
fn without_duplicates<'a>(lists: impl Iterator<Item = &'a Vec<String>>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in lists.flatten() {
        if !words.contains(word) {
            words.push(word.clone());
        }
    }
    words
}

fn suggestion(suggested: &linepress_plugin_host::SuggestedCharacter) -> Warning {
    let (name, kind) = (suggested.name.clone(), suggested.kind.clone());
    Warning {
        code: WarningCode::CharacterSuggested,
        message: format!("The theme names {name}. Create a character ({kind}) to have the same {name} on every page."),
        words: vec![name.clone()],
        page_number: None,
        character: Some(CharacterSuggestion { name, kind }),
    }
}

impl Warning {
    /// The warning about words of these pages, which are in ascending order; without pages, of the whole book.
    pub fn about(code: WarningCode, words: Vec<String>, pages: &[usize]) -> Self {
        let quoted = quoted(&words);
        let them = if words.len() == 1 { "it" } else { "them" };
        let message = match (code, pages) {
            (WarningCode::NotPlanned, _) => {
                format!("No page is about {quoted}. Describe it in other words, or edit the pages.")
            }
            (_, []) => format!(
                "The image provider knows no drawing of {quoted}. Use other words, or expect a book that does not show {them}."
            ),
            (_, pages) => format!(
                "{} cannot show {quoted}: the image provider knows no drawing of {them}. Use other words in {}.",
                numbered(pages),
                if pages.len() == 1 {
                    "its prompt"
                } else {
                    "their prompts"
                },
            ),
        };
        Self {
            code,
            message,
            words,
            page_number: pages.first().copied().filter(|_| pages.len() == 1),
            character: None,
        }
    }
}

/// Names pages by their numbers in ascending order: "Page 3", "Pages 1 and 2", "Pages 1 to 4 and 6".
fn numbered(pages: &[usize]) -> String {
    if let [page] = pages {
        return format!("Page {page}");
    }
    let runs = pages.chunk_by(|before, after| before + 1 == *after);
    let parts: Vec<String> = runs
        .flat_map(|run| match run {
            [first, .., last] if run.len() > 2 => vec![format!("{first} to {last}")],
            few => few.iter().map(usize::to_string).collect(),
        })
        .collect();
    format!("Pages {}", listed(&parts))
}

/// Joins quoted words to a text such as `"axolotl", "party" and "tea"`.
fn quoted(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    listed(&quoted)
}

/// Joins parts to a text such as `one, two and three`.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [part] => part.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_names_its_words_and_pages_in_correct_grammar() {
        let message = |words: &[&str], pages: &[usize]| {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            Warning::about(WarningCode::NotDrawn, words, pages).message
        };
        assert_eq!(
            message(&["axolotl"], &[]),
            "The image provider knows no drawing of \"axolotl\". Use other words, or expect a book that does not show it."
        );
        assert_eq!(
            message(&["axolotl", "cello"], &[]),
            "The image provider knows no drawing of \"axolotl\" and \"cello\". Use other words, or expect a book that \
             does not show them."
        );
        assert_eq!(
            message(&["axolotl"], &[3]),
            "Page 3 cannot show \"axolotl\": the image provider knows no drawing of it. Use other words in its prompt."
        );
        assert_eq!(
            message(&["axolotl", "cello"], &[1, 2, 3, 4, 5, 6, 7, 8]),
            "Pages 1 to 8 cannot show \"axolotl\" and \"cello\": the image provider knows no drawing of them. Use other \
             words in their prompts."
        );
    }

    #[test]
    fn neighboring_pages_are_named_as_ranges() {
        for (pages, named) in [
            (vec![2], "Page 2"),
            (vec![1, 2], "Pages 1 and 2"),
            (vec![1, 2, 3, 4, 6], "Pages 1 to 4 and 6"),
            (vec![1, 3, 5, 6, 7], "Pages 1, 3 and 5 to 7"),
        ] {
            assert_eq!(numbered(&pages), named);
        }
    }
}
