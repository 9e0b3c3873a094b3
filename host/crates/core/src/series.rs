//! Series: books whose titles differ only in the number of their volume, such as "Woodland Friends" and "Woodland Friends,
//! Volume 2".
use std::collections::HashSet;

use linepress_platform::text::Title;
use linepress_plugin_host::EarlierPage;

/// The words that come before the number of a volume in a title.
const VOLUME_WORDS: [&str; 10] = [
    "volume", "vol.", "vol", "book", "part", "band", "teil", "tome", "tomo", "volumen",
];

/// A volume of a series, as far as a plan of the next one needs it.
#[derive(Clone, Debug)]
pub struct Volume {
    pub title: String,
    pub pages: Vec<EarlierPage>,
}

/// The parts of a title: the name of the series, what separates it from the number, and the number.
struct Parts<'a> {
    name: &'a str,
    /// Such as ", Volume ".
    before: &'a str,
    number: u32,
    /// Such as ")".
    after: &'a str,
}

/// Reads the number of the volume at the end of a title. None if it has none.
fn parts(title: &str) -> Option<Parts<'_>> {
    let end = title.trim_end_matches([' ', ')', ']', '.']);
    let start = end.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = end[start.len()..].parse().ok()?;
    let with_word = start.trim_end();
    let word_start = with_word.rfind(' ').map_or(0, |space| space + 1);
    let word = with_word[word_start..].trim_start_matches(['(', '[']).to_lowercase();
    if !VOLUME_WORDS.contains(&word.as_str()) {
        return None;
    }
    let name = title[..word_start].trim_end_matches([' ', ',', '-', '–', '—', ':', ';', '(', '[']);
    (!name.is_empty()).then_some(Parts {
        name,
        before: &title[name.len()..start.len()],
        number,
        after: &title[end.len()..],
    })
}

/// The name of the series that a book with this title belongs to, or begins.
pub fn name(title: &str) -> &str {
    parts(title).map_or(title.trim(), |parts| parts.name)
}

/// Returns true if books with these titles are of one series.
pub fn is_same(one: &str, other: &str) -> bool {
    name(one).to_lowercase() == name(other).to_lowercase()
}

/// The title of the volume after this one and after all others of its series.
pub fn next_title<'a>(title: &str, others: impl Iterator<Item = &'a str>) -> String {
    let number = |title: &str| parts(title).map_or(1, |parts| parts.number);
    let last = others.filter(|other| is_same(title, other)).map(number);
    let last = last.chain([number(title)]).max().unwrap_or(1);
    let (name, before, after) = parts(title).map_or((title.trim(), ", Volume ", ""), |parts| {
        (parts.name, parts.before, parts.after)
    });
    let end = format!("{before}{}{after}", last.saturating_add(1));
    let most = Title::MAX_CHARS.saturating_sub(end.chars().count());
    let name: String = name.chars().take(most).collect();
    format!("{}{end}", name.trim_end())
}

/// The page of a plan that repeats the title or the prompt of an earlier page, if there is one.
pub fn repeated<'a>(pages: impl Iterator<Item = (&'a str, &'a str)>, earlier: &[EarlierPage]) -> Option<&'a str> {
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
    fn the_title_of_the_next_volume_counts_on() {
        for (title, others, next) in [
            ("Woodland Friends", vec![], "Woodland Friends, Volume 2"),
            ("Woodland Friends, Volume 2", vec![], "Woodland Friends, Volume 3"),
            (
                "Woodland Friends",
                vec!["woodland friends – Vol. 4", "Woods, Volume 9"],
                "Woodland Friends, Volume 5",
            ),
            ("Waldfreunde (Band 9)", vec![], "Waldfreunde (Band 10)"),
            ("Robots Vol. 1", vec![], "Robots Vol. 2"),
            ("Apollo 11", vec![], "Apollo 11, Volume 2"),
            ("Volume 2", vec![], "Volume 2, Volume 2"),
            (
                "99999999999 Volume 99999999999",
                vec![],
                "99999999999 Volume 99999999999, Volume 2",
            ),
        ] {
            assert_eq!(next_title(title, others.into_iter()), next);
        }
        let long = "x".repeat(Title::MAX_CHARS);
        let next = next_title(&long, std::iter::empty());
        assert_eq!(next.chars().count(), Title::MAX_CHARS);
        assert!(next.ends_with("x, Volume 2"), "{next}");
    }

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
