//! The topics of coloring books that buyers search for, and the topics and heroes of one book.

/// A topic: the phrase that buyers search for, another phrase for the same, and the words of a book that show it.
#[derive(Debug)]
pub(crate) struct Topic {
    pub phrase: &'static str,
    pub other: &'static str,
    /// Words of the book's texts that name the topic.
    words: &'static [&'static str],
    /// The heroes of the topic. Two different ones show it.
    heroes: &'static [&'static str],
}

/// The maximum number of topics of a book: more would make its keywords vague.
const MAX_TOPICS: usize = 3;
const MAX_HEROES: usize = 2;
/// The number of pages of which one must show a hero, at least.
const PAGES_PER_HERO: usize = 8;

const fn topic(
    phrase: &'static str,
    other: &'static str,
    words: &'static [&'static str],
    heroes: &'static [&'static str],
) -> Topic {
    Topic {
        phrase,
        other,
        words,
        heroes,
    }
}

/// Nouns are in the singular.
#[rustfmt::skip]
const TOPICS: &[Topic] = &[
    topic("forest animals", "woodland", &["forest", "woodland", "woods"],
        &["badger", "bear", "beaver", "deer", "fox", "hedgehog", "moose", "owl", "rabbit", "raccoon", "skunk", "squirrel",
            "wolf"]),
    topic("farm animals", "farm life", &["farm", "farmyard", "barn"],
        &["chicken", "cow", "donkey", "duck", "goat", "goose", "horse", "pig", "rooster", "sheep", "turkey"]),
    topic("ocean animals", "under the sea", &["ocean", "under the sea", "underwater", "coral reef"],
        &["dolphin", "jellyfish", "octopus", "seahorse", "shark", "starfish", "whale"]),
    topic("dinosaur", "prehistoric animals", &["dinosaur", "prehistoric", "jurassic"],
        &["pterodactyl", "sauropod", "stegosaurus", "triceratops"]),
    topic("jungle animals", "rainforest", &["jungle", "rainforest"],
        &["leopard", "monkey", "parrot", "sloth", "tiger", "toucan"]),
    topic("safari animals", "african animals", &["safari", "savanna"],
        &["elephant", "giraffe", "hippo", "lion", "rhino", "zebra"]),
    topic("pets", "cats and dogs", &["pet"], &["cat", "dog", "hamster", "kitten", "puppy"]),
    topic("birds", "bird lover", &["bird"], &["eagle", "flamingo", "peacock", "robin", "sparrow", "swan"]),
    topic("bugs and insects", "butterflies and bees", &["bug", "insect"],
        &["bee", "beetle", "butterfly", "caterpillar", "ladybug"]),
    topic("fantasy creatures", "fairy tale", &["fairy tale", "fantasy", "magic", "magical"],
        &["dragon", "fairy", "mermaid", "unicorn"]),
    topic("trucks and cars", "things that go", &["vehicle"],
        &["airplane", "bus", "digger", "fire truck", "helicopter", "tractor", "train", "truck"]),
    topic("outer space", "rockets and planets", &["galaxy", "outer space", "planet"], &["alien", "astronaut", "rocket"]),
    topic("robots", "cute robot", &["robot"], &[]),
    topic("pirates", "treasure ship", &["pirate"], &[]),
    topic("princess and castle", "knights and dragons", &["castle", "kingdom", "princess"],
        &["king", "knight", "prince", "queen"]),
    topic("flowers", "floral", &["botanical", "floral", "flower"], &["daisy", "rose", "sunflower", "tulip"]),
    topic("mandala", "pattern", &["mandala"], &[]),
    topic("winter", "snow day", &["snow", "snowy", "snowman", "winter"], &[]),
    topic("autumn", "fall leaves", &["autumn"], &[]),
    topic("christmas", "winter holiday", &["christmas", "santa", "santa claus"], &[]),
    topic("halloween", "cute spooky", &["halloween"], &[]),
    topic("easter", "spring bunny", &["easter"], &[]),
    topic("birthday party", "party activity", &["birthday"], &[]),
    topic("tea party", "cupcakes and teapots", &["tea party", "teapot"], &[]),
    topic("lake and nature", "outdoor fun", &["lake", "lakeside"], &[]),
    topic("beach", "seaside vacation", &["beach", "seaside"], &[]),
    topic("camping", "mountains and tents", &["campfire", "camping"], &[]),
    topic("bedtime", "good night", &["bedtime", "good night"], &[]),
    topic("cute food", "cakes and sweets", &["bakery", "food", "kitchen"], &["cupcake", "donut", "ice cream", "pizza"]),
];

/// The topics and the most frequent heroes of one book.
pub(crate) struct Subjects {
    pub topics: Vec<&'static Topic>,
    pub heroes: Vec<&'static str>,
}

impl Subjects {
    /// Finds what the texts of a book and the titles of its pages name.
    pub(crate) fn find<'a>(texts: &[&str], titles: impl IntoIterator<Item = &'a str>) -> Self {
        let texts = normalized(&texts.join(" . "));
        let titles: Vec<String> = titles.into_iter().map(normalized).collect();
        let pages = |hero: &str| {
            let forms = forms(hero);
            titles.iter().filter(|title| names(title, &forms)).count()
        };
        let fewest = titles.len().div_ceil(PAGES_PER_HERO);
        let is_shown = |topic: &&Topic| {
            let is_named = topic.words.iter().any(|word| names(&texts, &forms(word)));
            is_named || topic.heroes.iter().filter(|hero| pages(hero) > 0).count() > 1
        };
        let mut heroes: Vec<&'static str> = TOPICS.iter().flat_map(|topic| topic.heroes).copied().collect();
        heroes.retain(|hero| pages(hero) >= fewest.max(1));
        // A stable sort: heroes of equally many pages remain in the order of the table.
        heroes.sort_by_cached_key(|hero| std::cmp::Reverse(pages(hero)));
        heroes.truncate(MAX_HEROES);
        Self {
            topics: TOPICS.iter().filter(is_shown).take(MAX_TOPICS).collect(),
            heroes,
        }
    }

    #[cfg(test)]
    pub(crate) fn all_phrases() -> impl Iterator<Item = &'static str> {
        TOPICS.iter().flat_map(|topic| [topic.phrase, topic.other])
    }
}

/// The words of a text in lower case, each with a space before and after it. Two spaces are a mark, which ends a
/// phrase.
fn normalized(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|letter: char| !letter.is_alphanumeric()).collect();
    format!(" {} ", words.join(" "))
}

/// The singular and the plural of a noun, as a normalized text contains them.
fn forms(noun: &str) -> [String; 2] {
    [format!(" {noun} "), format!(" {} ", plural(noun))]
}

/// True if a normalized text contains one of the forms of a noun.
fn names(text: &str, forms: &[String; 2]) -> bool {
    forms.iter().any(|form| text.contains(form))
}

fn plural(noun: &str) -> String {
    match noun {
        "deer" | "sheep" | "moose" => noun.to_owned(),
        "goose" => "geese".to_owned(),
        "wolf" => "wolves".to_owned(),
        _ if noun.ends_with(['x', 's']) => format!("{noun}es"),
        _ => match noun.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
            _ => format!("{noun}s"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_has_the_topics_and_heroes_of_its_texts() {
        for (texts, titles, topics, heroes) in [
            (
                vec!["Forest Friends: Tea Time", "Woodland tea party scenes with foxes."],
                vec!["Fox and Bear", "Foxes by the Teapot", "The Curious Deer"],
                vec!["forest animals", "tea party"],
                vec!["fox", "bear"],
            ),
            (
                vec!["Snowy Days"],
                vec!["Wolf and Rabbit", "Two Wolves", "A Sled"],
                vec!["forest animals", "winter"],
                vec!["wolf", "rabbit"],
            ),
            (vec!["My Dog"], vec!["The Dog at Home", "A Walk"], vec![], vec!["dog"]),
            (vec!["Nothing known"], vec!["A Gramophone"], vec![], vec![]),
            // Part of a word is not the word.
            (vec!["Foxglove, petals"], vec!["Catalog"], vec![], vec![]),
        ] {
            let found = Subjects::find(&texts, titles);
            let phrases: Vec<&str> = found.topics.iter().map(|topic| topic.phrase).collect();
            assert_eq!((phrases, found.heroes), (topics, heroes), "{texts:?}");
        }
    }

    #[test]
    fn no_topic_is_listed_twice() {
        let mut phrases: Vec<&str> = Subjects::all_phrases().collect();
        phrases.sort_unstable();
        assert!(phrases.windows(2).all(|pair| pair[0] != pair[1]), "{phrases:?}");
    }
}
