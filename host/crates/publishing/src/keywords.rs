//! The search words of a book, for the seven boxes in which Amazon KDP asks for them.
use std::collections::{HashMap, HashSet};

use linepress_core::books::Book;
use linepress_model::{Audience, DetailLevel, LineWeight};

/// The number of boxes. Source: KDP, "Make Your Book More Discoverable with Keywords".
pub const KEYWORD_BOXES: usize = 7;
/// The number of characters that a box takes.
pub const MAX_KEYWORD_CHARS: usize = 50;

/// The least length of an English word. Shorter ones, such as "a", say nothing about a book.
const MIN_WORD_CHARS: usize = 3;
/// The least length of a word in another language, whose articles and conjunctions are not known: "der", "und", "les".
const MIN_FOREIGN_WORD_CHARS: usize = 4;

/// English words that say nothing about a book.
const STOP_WORDS: [&str; 48] = [
    "about",
    "after",
    "all",
    "and",
    "are",
    "around",
    "away",
    "back",
    "before",
    "behind",
    "book",
    "but",
    "color",
    "coloring",
    "colouring",
    "down",
    "drawing",
    "for",
    "from",
    "has",
    "have",
    "her",
    "his",
    "into",
    "its",
    "not",
    "off",
    "one",
    "onto",
    "our",
    "out",
    "over",
    "page",
    "pages",
    "she",
    "some",
    "that",
    "the",
    "their",
    "them",
    "they",
    "this",
    "two",
    "under",
    "was",
    "who",
    "with",
    "you",
];

/// The content of the boxes, most important first. A box may be empty. The words of title and subtitle are left out: shops
/// search them anyway, and KDP asks not to repeat them.
pub(crate) fn keywords(book: &Book) -> [String; KEYWORD_BOXES] {
    let mut boxes = phrases(book);
    let titles = book.pages.iter().map(|page| page.title.as_str());
    boxes.extend(packed(subjects(&book.language, &[&book.title, &book.subtitle], titles)));
    boxes.resize(KEYWORD_BOXES, String::new());
    std::array::from_fn(|index| std::mem::take(&mut boxes[index]))
}

/// What the book is and for whom. Only English is known.
fn phrases(book: &Book) -> Vec<String> {
    if !is_english(&book.language) {
        return Vec::new();
    }
    let kind = match book.audience {
        Audience::Toddler => "first coloring book for toddlers ages 1-3",
        Audience::Child => "coloring book for kids ages 4-8",
        Audience::Teen => "coloring book for teens and tweens",
        Audience::Adult => "coloring book for adults relaxation",
    };
    let look = match (book.detail, book.line_weight, book.audience) {
        (DetailLevel::Detailed, _, _) => "detailed coloring pages",
        (_, LineWeight::Bold, _) | (_, _, Audience::Toddler) => "bold and easy coloring pages",
        (DetailLevel::Simple, _, _) => "simple coloring pages with large pictures",
        _ => "line art coloring pages",
    };
    let style = format!("{} coloring pages", book.style.to_lowercase());
    let style = Some(style).filter(|style| !book.style.is_empty() && style.chars().count() <= MAX_KEYWORD_CHARS);
    [Some(kind.to_owned()), Some(look.to_owned()), style]
        .into_iter()
        .flatten()
        .collect()
}

pub(crate) fn is_english(language: &str) -> bool {
    language
        .split('-')
        .next()
        .is_some_and(|first| first.eq_ignore_ascii_case("en"))
}

/// The words of the pages' titles that are not in the known texts, those on most pages first.
fn subjects<'a>(language: &str, known: &[&str], titles: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let known: HashSet<String> = known.iter().flat_map(|text| words(text, language)).collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut found = Vec::new();
    for title in titles {
        // A word counts once for each page. In the order of the title, so that the result is always the same.
        let mut of_page = HashSet::new();
        for word in words(title, language) {
            if known.contains(&word) || !of_page.insert(word.clone()) {
                continue;
            }
            let count = counts.entry(word.clone()).or_default();
            if *count == 0 {
                found.push(word);
            }
            *count += 1;
        }
    }
    // A stable sort: words that are equally frequent remain in the order of the pages.
    found.sort_by_key(|word| std::cmp::Reverse(counts[word]));
    found
}

/// The words of a text that say something, in lower case.
fn words(text: &str, language: &str) -> Vec<String> {
    let least = match is_english(language) {
        true => MIN_WORD_CHARS,
        false => MIN_FOREIGN_WORD_CHARS,
    };
    let split = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '’');
    let lower = split.map(|word| word.trim_matches(['\'', '’']).to_lowercase());
    let telling = lower.filter(|word| {
        (least..=MAX_KEYWORD_CHARS).contains(&word.chars().count()) && !STOP_WORDS.contains(&word.as_str())
    });
    telling.collect()
}

/// The words in as few boxes as possible, in their order.
fn packed(words: Vec<String>) -> Vec<String> {
    let mut boxes: Vec<String> = Vec::new();
    for word in words {
        match boxes.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= MAX_KEYWORD_CHARS => {
                last.push(' ');
                last.push_str(&word);
            }
            _ => boxes.push(word),
        }
    }
    boxes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_at_most_fifty_characters() {
        let words: Vec<String> = (0..40).map(|number| format!("wörter{number:02}")).collect();
        let boxes = packed(words.clone());
        assert!(boxes.iter().all(|text| text.chars().count() <= MAX_KEYWORD_CHARS));
        assert!(boxes[0].chars().count() > MAX_KEYWORD_CHARS - 9);
        assert_eq!(boxes.join(" "), words.join(" "));
    }

    #[test]
    fn words_that_say_nothing_are_left_out() {
        let found = words("The Fox and her Baker's Dozen (2 of 3), “Füchse”!", "en");
        assert_eq!(found, ["fox", "baker's", "dozen", "füchse"]);
        assert_eq!(words("Der Fuchs und das Reh", "de"), ["fuchs"]);
        assert!(words(&"x".repeat(51), "en").is_empty());
    }

    #[test]
    fn the_words_of_most_pages_come_first() {
        let titles = ["Fox meets fox meets fox", "A bear sleeps", "A bear eats", "The lantern"];
        let found = subjects("en", &["Lantern walk"], titles);
        assert_eq!(found, ["bear", "fox", "meets", "sleeps", "eats"]);
    }

    #[test]
    fn the_stop_words_are_sorted_so_that_none_is_repeated() {
        assert!(STOP_WORDS.is_sorted());
    }
}
