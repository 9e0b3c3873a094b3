//! The search words of a book, for the seven boxes in which Amazon KDP asks for them.
use std::collections::{HashMap, HashSet};

use linepress_core::books::Book;
use linepress_model::{Audience, DetailLevel, LineWeight};

use super::topics::Subjects;

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

/// Words that describe readers and occasions, but no book.
const GENERIC_WORDS: [&str; 9] = [
    "adults", "ages", "gift", "grown", "kids", "lovers", "teens", "toddlers", "ups",
];

/// Words that KDP refuses in keywords: claims, offers, and the names of its programs. Source: KDP, "Make Your Book More
/// Discoverable with Keywords".
const REFUSED_WORDS: [&str; 12] = [
    "amazon",
    "available",
    "best",
    "bestseller",
    "bestselling",
    "cheap",
    "free",
    "kdp",
    "kindle",
    "new",
    "prime",
    "sale",
];

/// The words for the readers of an audience in search phrases.
struct Readers {
    kind: &'static str,
    name: &'static str,
    ages: &'static str,
    /// Phrases for books whose subjects give too few.
    further: [&'static str; 4],
}

impl Readers {
    fn of(audience: Audience) -> Self {
        match audience {
            Audience::Toddler => Self {
                kind: "first coloring book for toddlers ages 1-3",
                name: "toddlers",
                ages: "ages 1-3",
                further: [
                    "my first coloring pages with big pictures",
                    "preschool coloring activity",
                    "easy coloring for little hands",
                    "simple pictures to color for two year olds",
                ],
            },
            Audience::Child => Self {
                kind: "coloring book for kids ages 4-8",
                name: "kids",
                ages: "ages 4-8",
                further: [
                    "preschool and kindergarten coloring activity",
                    "quiet time coloring for boys and girls",
                    "rainy day and travel coloring activity",
                    "fun pictures to color for children",
                ],
            },
            Audience::Teen => Self {
                kind: "coloring book for teens and tweens",
                name: "teens",
                ages: "ages 12-17",
                further: [
                    "relaxing coloring pages for teenagers",
                    "creative hobby for girls and boys",
                    "calm coloring after school",
                    "cool drawings to color",
                ],
            },
            Audience::Adult => Self {
                kind: "coloring book for adults relaxation",
                name: "adults",
                ages: "for grown ups",
                further: [
                    "mindful coloring for women and men",
                    "calm evening creative hobby",
                    "coloring pages for beginners and seniors",
                    "intricate drawings to color",
                ],
            },
        }
    }
}

/// The content of the boxes, most important first. A box may be empty. Phrases without a word that is missing in title
/// and subtitle are left out: shops search these anyway, and KDP asks not to repeat them.
pub(crate) fn keywords(book: &Book) -> [String; KEYWORD_BOXES] {
    let mut boxes = if is_english(&book.language) {
        phrases(book)
    } else {
        let titles = book.pages.iter().map(|page| page.title.as_str());
        packed(subjects(&book.language, &[&book.title, &book.subtitle], titles))
    };
    boxes.resize(KEYWORD_BOXES, String::new());
    std::array::from_fn(|index| std::mem::take(&mut boxes[index]))
}

/// The phrases that buyers of an English book may search for.
fn phrases(book: &Book) -> Vec<String> {
    let readers = Readers::of(book.audience);
    let look = match (book.detail, book.line_weight, book.audience) {
        (DetailLevel::Detailed, _, _) => "detailed coloring pages",
        (_, LineWeight::Bold, _) | (_, _, Audience::Toddler) => "bold and easy coloring pages",
        (DetailLevel::Simple, _, _) => "simple coloring pages with large pictures",
        _ => "line art coloring pages",
    };
    let titles = || book.pages.iter().map(|page| page.title.as_str());
    let found = Subjects::find(&[&book.title, &book.subtitle, &book.description], titles());
    let mut heroes: Vec<String> = found.heroes.iter().map(|hero| (*hero).to_owned()).collect();
    if heroes.is_empty() {
        heroes.extend(common_word(book));
    }
    let style = Some(book.style.to_lowercase()).filter(|style| !style.is_empty());
    let mut phrases = vec![readers.kind.to_owned(), look.to_owned()];
    phrases.extend(searches(&readers, &found, &heroes, style.as_deref()));
    let mut seen = HashSet::new();
    phrases.retain(|phrase| is_allowed(phrase, &[&book.title, &book.subtitle]) && seen.insert(phrase.clone()));
    phrases
}

/// The phrases of the subjects, the most specific first, then those of the readers alone.
fn searches(readers: &Readers, found: &Subjects, heroes: &[String], style: Option<&str>) -> Vec<String> {
    let Readers {
        name, ages, further, ..
    } = readers;
    let topics = found.topics.iter();
    let mut phrases: Vec<String> = topics
        .map(|topic| format!("{} coloring book for {name}", topic.phrase))
        .collect();
    phrases.extend(match heroes {
        [] => None,
        [hero] => Some(format!("{hero} coloring pages for {name}")),
        [hero, other, ..] => Some(format!("{hero} and {other} coloring pages")),
    });
    let others = found.topics.iter();
    phrases.extend(others.map(|topic| format!("{} coloring pages {ages}", topic.other)));
    phrases.extend(style.map(|style| format!("{style} coloring pages")));
    phrases.extend(heroes.first().map(|hero| format!("coloring gift for {hero} lovers")));
    phrases.extend(further.iter().map(|phrase| (*phrase).to_owned()));
    phrases
}

/// True if a box takes the phrase, KDP does not refuse it, and it says more than the known texts.
fn is_allowed(phrase: &str, known: &[&str]) -> bool {
    let known: HashSet<String> = known.iter().flat_map(|text| words(text, "en")).collect();
    let mut every = phrase.split(|letter: char| !letter.is_alphanumeric());
    let is_refused = every.any(|word| REFUSED_WORDS.contains(&word.to_lowercase().as_str()));
    let mut telling = words(phrase, "en");
    telling.retain(|word| !GENERIC_WORDS.contains(&word.as_str()));
    let repeats = !telling.is_empty() && telling.iter().all(|word| known.contains(word));
    phrase.chars().count() <= MAX_KEYWORD_CHARS && !is_refused && !repeats
}

/// The word that at least half of several page titles have in common. The name of a character is not one: buyers do not
/// know it.
fn common_word(book: &Book) -> Option<String> {
    let titles = || book.pages.iter().map(|page| page.title.as_str());
    let word = subjects("en", &[], titles()).into_iter().next()?;
    let pages = titles().filter(|title| words(title, "en").contains(&word)).count();
    let mut characters = book.characters.iter();
    let is_name = characters.any(|character| words(&character.name, "en").contains(&word));
    (pages > 1 && pages * 2 >= book.pages.len() && !is_name).then_some(word)
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
    fn the_phrases_of_a_book_are_those_that_buyers_search_for() {
        let texts = ["Forest Friends", "Woodland tea party scenes with foxes."];
        let found = Subjects::find(&texts, ["Fox and Bear", "The Fox by the Teapot"]);
        let heroes = ["fox", "bear"].map(str::to_owned);
        let phrases = searches(&Readers::of(Audience::Child), &found, &heroes, Some("kawaii"));
        assert_eq!(
            phrases[..7],
            [
                "forest animals coloring book for kids",
                "tea party coloring book for kids",
                "fox and bear coloring pages",
                "woodland coloring pages ages 4-8",
                "cupcakes and teapots coloring pages ages 4-8",
                "kawaii coloring pages",
                "coloring gift for fox lovers",
            ]
        );
    }

    #[test]
    fn phrases_are_short_and_make_no_claims() {
        for (phrase, allowed) in [
            ("forest animals coloring book for kids", true),
            ("forest coloring pages ages 4-8", false),
            ("line art coloring pages", true),
            ("best coloring pages", false),
            ("Kindle coloring pages", false),
            ("newborn coloring pages", true),
            ("coloring pages with a great many words in one phrase", false),
        ] {
            assert_eq!(is_allowed(phrase, &["In the Forest", ""]), allowed, "{phrase}");
        }
        for audience in [Audience::Toddler, Audience::Child, Audience::Teen, Audience::Adult] {
            let readers = Readers::of(audience);
            for phrase in readers.further.iter().chain([&readers.kind]) {
                assert!(is_allowed(phrase, &[]), "{phrase}");
            }
        }
    }

    #[test]
    fn every_phrase_of_a_topic_fits_into_a_box() {
        for phrase in Subjects::all_phrases() {
            assert!(
                is_allowed(&format!("{phrase} coloring book for toddlers"), &[]),
                "{phrase}"
            );
            assert!(
                is_allowed(&format!("{phrase} coloring pages for grown ups"), &[]),
                "{phrase}"
            );
        }
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
