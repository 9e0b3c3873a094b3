//! Pages of a plan that repeat those of earlier volumes.
use std::collections::HashSet;

use linepress_plugin_host::EarlierPage;

/// The page of a plan that repeats the title or the prompt of an earlier page, if there is one.
pub(super) fn repeated<'a>(
    pages: impl Iterator<Item = (&'a str, &'a str)>,
    earlier: &[EarlierPage],
) -> Option<&'a str> {
    let known =
        |text: fn(&EarlierPage) -> &str| -> HashSet<String> { earlier.iter().map(|page| plain(text(page))).collect() };
    let (titles, prompts) = (known(|page| &page.title), known(|page| &page.prompt));
    let repeats = |known: &HashSet<String>, text: &str| {
        let text = plain(text);
        !text.is_empty() && known.contains(&text)
    };
    let mut pages = pages.filter(|(title, prompt)| repeats(&titles, title) || repeats(&prompts, prompt));
    pages.next().map(|(title, _)| title)
}

/// The words of a text in lower case, without punctuation.
fn plain(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_repeats_an_earlier_one_by_its_title_or_its_prompt() {
        let earlier = [EarlierPage {
            title: "The Den".into(),
            prompt: "A fox sleeps.".into(),
        }];
        for (page, is_repeated) in [
            (("the den!", "An owl"), true),
            (("Asleep", "A fox  sleeps"), true),
            (("Asleep", "A fox sleeps in a den"), false),
            (("", ""), false),
        ] {
            let found = repeated([page].into_iter(), &earlier);
            assert_eq!(found, is_repeated.then_some(page.0), "{page:?}");
        }
    }
}
