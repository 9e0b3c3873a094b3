//! The English a plan needs: articles, plurals, lists and titles.
//!
//! The rules are correct for all words of the plugin's vocabularies, which the tests check. Unknown words of a theme
//! follow the common rules.

/// Irregular nouns, as pairs of singular and plural.
const IRREGULAR: &[(&str, &str)] = &[
    ("aircraft", "aircraft"),
    ("binoculars", "binoculars"),
    ("bison", "bison"),
    ("calf", "calves"),
    ("child", "children"),
    ("corgi", "corgis"),
    ("deer", "deer"),
    ("dice", "dice"),
    ("dwarf", "dwarves"),
    ("elf", "elves"),
    ("fireman", "firemen"),
    ("fish", "fish"),
    ("foot", "feet"),
    ("glasses", "glasses"),
    ("goose", "geese"),
    ("half", "halves"),
    ("headphones", "headphones"),
    ("hero", "heroes"),
    ("knife", "knives"),
    ("leaf", "leaves"),
    ("loaf", "loaves"),
    ("man", "men"),
    ("mango", "mangoes"),
    ("mantis", "mantises"),
    ("mongoose", "mongooses"),
    ("moose", "moose"),
    ("mouse", "mice"),
    ("octopus", "octopuses"),
    ("ox", "oxen"),
    ("person", "people"),
    ("potato", "potatoes"),
    ("reindeer", "reindeer"),
    ("salmon", "salmon"),
    ("scarf", "scarves"),
    ("scissors", "scissors"),
    ("sheep", "sheep"),
    ("shrimp", "shrimp"),
    ("squid", "squid"),
    ("superhero", "superheroes"),
    ("sunglasses", "sunglasses"),
    ("sushi", "sushi"),
    ("taxi", "taxis"),
    ("tomato", "tomatoes"),
    ("tooth", "teeth"),
    ("triceratops", "triceratops"),
    ("volcano", "volcanoes"),
    ("wolf", "wolves"),
    ("woman", "women"),
];

/// Words that exist only in the plural and are counted in pairs.
const PAIRS: &[&str] = &["binoculars", "glasses", "headphones", "scissors", "sunglasses"];

/// Mass nouns, which are not counted: "some bread".
const MASS: &[&str] = &[
    "bacon",
    "bread",
    "broccoli",
    "butter",
    "cheese",
    "chocolate",
    "coffee",
    "confetti",
    "coral",
    "corn",
    "fruit",
    "garlic",
    "hay",
    "honey",
    "ice",
    "juice",
    "lava",
    "lemonade",
    "milk",
    "music",
    "pasta",
    "popcorn",
    "rice",
    "salad",
    "sand",
    "seaweed",
    "snow",
    "soap",
    "soup",
    "spaghetti",
    "sushi",
    "tea",
    "thread",
    "water",
    "wheat",
    "wood",
    "wool",
    "yarn",
];

/// Words that remain lowercase inside a title.
const LOWERCASE_IN_TITLES: &[&str] = &[
    "a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "of", "on", "or", "over", "the", "to",
    "with",
];

/// Splits a noun phrase after the part that takes the plural: "cup" and " of tea".
fn split_head(noun: &str) -> (&str, &str) {
    let joint = [" of ", " in a ", " with a "].iter().find_map(|joint| noun.find(joint));
    joint.map_or((noun, ""), |at| noun.split_at(at))
}

/// Returns the plural of a singular noun phrase.
pub(crate) fn plural(noun: &str) -> String {
    let (head, rest) = split_head(noun);
    let start = head.rfind(' ').map_or(0, |at| at + 1);
    let (before, word) = head.split_at(start);
    if before == "Santa " || MASS.contains(&word) {
        return noun.to_owned();
    }
    format!("{before}{}{rest}", plural_word(word))
}

fn plural_word(word: &str) -> String {
    if let Some((stem, plural)) = irregular(word, |pair| pair.0) {
        return format!("{stem}{}", plural.1);
    }
    let before_last = word.chars().rev().nth(1).unwrap_or('a');
    if word.ends_with('y') && !is_vowel(before_last) {
        return format!("{}ies", &word[..word.len() - 1]);
    }
    if ["s", "x", "z", "ch", "sh"].iter().any(|ending| word.ends_with(ending)) {
        return format!("{word}es");
    }
    format!("{word}s")
}

/// Looks up a word among the irregular nouns, also as the last part of a compound: "goldfish", "snowman".
fn irregular(
    word: &str,
    side: fn(&'static (&'static str, &'static str)) -> &'static str,
) -> Option<(&str, &'static (&'static str, &'static str))> {
    IRREGULAR.iter().find_map(|pair| {
        let stem = word.strip_suffix(side(pair))?;
        let compound = matches!(pair.0, "fish" | "man" | "woman" | "child" | "hero");
        (stem.is_empty() || (compound && stem.len() > 2 && !matches!(stem, "hu" | "ger" | "sha" | "ro")))
            .then_some((stem, pair))
    })
}

/// Returns the singular of a word. A word that is already singular is returned unchanged.
pub(crate) fn singular(word: &str) -> String {
    if let Some((stem, pair)) = irregular(word, |pair| pair.1) {
        return format!("{stem}{}", pair.0);
    }
    if ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) || word.len() < 4 {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        // "cookies" and "fairies" have the same ending: a short list of -ie words decides.
        let keeps = ["brown", "cook", "neckt", "gen", "mov", "p", "pix", "smooth", "zomb"].contains(&stem);
        return if keeps { format!("{stem}ie") } else { format!("{stem}y") };
    }
    // These endings lose "es": "buses" and "walruses", but not "houses".
    for ending in [
        "xes", "ches", "shes", "sses", "zes", "buses", "cuses", "puses", "ruses", "suses", "tuses",
    ] {
        if word.ends_with(ending) && !["axes", "aches"].contains(&word) {
            return word[..word.len() - 2].to_owned();
        }
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

/// Returns true if the form of the word looks like a plural.
pub(crate) fn looks_plural(word: &str) -> bool {
    singular(word) != word
}

/// Returns true for the vowel letters a, e, i, o and u.
pub(crate) fn is_vowel(letter: char) -> bool {
    matches!(letter.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Adds the indefinite article: "a fox", "an owl", "a unicorn", "Santa Claus", "a pair of sunglasses".
pub(crate) fn with_article(noun: &str) -> String {
    // "Some bread", but "a loaf of bread".
    let (head, _) = split_head(noun);
    let last = head.rsplit(' ').next().unwrap_or(head);
    if PAIRS.contains(&last) {
        return format!("a pair of {noun}");
    }
    if noun == "Santa Claus" {
        return noun.to_owned();
    }
    if MASS.contains(&last) {
        return format!("some {noun}");
    }
    format!("{} {noun}", article(noun))
}

/// Returns the indefinite article of a phrase, which depends on its initial sound.
pub(crate) fn article(phrase: &str) -> &'static str {
    let lower = phrase.to_lowercase();
    let vowel_sound = ["hour", "honest", "heir"].iter().any(|start| lower.starts_with(start))
        || (lower.starts_with(is_vowel)
            && !["uni", "use", "usu", "eu", "one", "once", "ufo", "uk", "ute"]
                .iter()
                .any(|start| lower.starts_with(start)));
    if vowel_sound || lower.starts_with("unin") {
        "an"
    } else {
        "a"
    }
}

/// Adds the definite article: "the fox", but "Santa Claus".
pub(crate) fn definite(noun: &str) -> String {
    if noun == "Santa Claus" {
        noun.to_owned()
    } else {
        format!("the {noun}")
    }
}

/// Returns a count with its noun: "two mushrooms", "three pairs of sunglasses".
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let last = noun.rsplit(' ').next().unwrap_or(noun);
    if PAIRS.contains(&last) {
        return format!("{} pairs of {noun}", number(count));
    }
    format!("{} {}", number(count), plural(noun))
}

/// Returns a number up to a hundred in words.
pub(crate) fn number(count: usize) -> String {
    const ONES: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 10] = [
        "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    match count {
        0..=19 => ONES[count].to_owned(),
        20..=99 if count.is_multiple_of(10) => TENS[count / 10].to_owned(),
        20..=99 => format!("{}-{}", TENS[count / 10], ONES[count % 10]),
        100 => "one hundred".to_owned(),
        _ => count.to_string(),
    }
}

/// Joins items into a list: "a, b and c".
pub(crate) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}

/// Converts the first letter to upper case.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Converts a text to title case. Small words remain lowercase unless they begin the title.
pub(crate) fn title_case(text: &str) -> String {
    let words = text.split_whitespace().enumerate().map(|(index, word)| {
        if index > 0 && LOWERCASE_IN_TITLES.contains(&word.to_lowercase().as_str()) {
            word.to_lowercase()
        } else {
            sentence(word)
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Makes a place definite: "beside a mossy log" becomes "beside the mossy log".
pub(crate) fn definite_place(place: &str) -> String {
    let mut words: Vec<&str> = place.split(' ').collect();
    let article = words.iter().position(|word| *word == "a" || *word == "an");
    if let Some(at) = article {
        words[at] = "the";
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_noun_of_the_worlds_is_the_singular_of_its_plural() {
        let mut broken = Vec::new();
        for world in crate::world::all() {
            let heroes = world.casts.iter().flat_map(|cast| &cast.heroes);
            // "Glasses" is also the plural of "glass".
            for noun in heroes
                .chain(&world.companions)
                .chain(&world.props)
                .filter(|noun| !noun.contains("glass"))
            {
                let (head, _) = split_head(noun);
                let many = plural(head);
                let last = |phrase: &str| phrase.rsplit(' ').next().map(str::to_owned).unwrap_or_default();
                if singular(&last(&many)) != last(head) {
                    broken.push(many);
                }
            }
        }
        assert!(broken.is_empty(), "{broken:?}");
    }

    #[test]
    fn articles_follow_the_sound() {
        for (noun, expected) in [
            ("owl", "an owl"),
            ("unicorn", "a unicorn"),
            ("umbrella", "an umbrella"),
            ("hour glass", "an hour glass"),
            ("T-rex", "a T-rex"),
            ("Santa Claus", "Santa Claus"),
            ("bread", "some bread"),
            ("cup of tea", "a cup of tea"),
            ("person in a wheelchair", "a person in a wheelchair"),
            ("sunglasses", "a pair of sunglasses"),
        ] {
            assert_eq!(with_article(noun), expected);
        }
    }

    #[test]
    fn plurals_and_singulars_convert_both_ways() {
        for (one, many) in [
            ("fox", "foxes"),
            ("wolf", "wolves"),
            ("butterfly", "butterflies"),
            ("monkey", "monkeys"),
            ("mouse", "mice"),
            ("goldfish", "goldfish"),
            ("snowman", "snowmen"),
            ("police officer", "police officers"),
            ("cookie", "cookies"),
            ("bus", "buses"),
            ("octopus", "octopuses"),
            ("hedgehog", "hedgehogs"),
            ("witch", "witches"),
        ] {
            assert_eq!(plural(one), many);
            let last = |phrase: &str| phrase.rsplit(' ').next().map(str::to_owned).unwrap_or_default();
            assert_eq!(singular(&last(many)), last(one));
        }
        assert_eq!(plural("cup of tea"), "cups of tea");
        assert_eq!(plural("woman with a headscarf"), "women with a headscarf");
        assert_eq!(plural("bread"), "bread");
        assert_eq!(counted(2, "sunglasses"), "two pairs of sunglasses");
    }

    #[test]
    fn small_words_remain_lowercase_in_titles() {
        assert_eq!(title_case("my cat's trip to the moon"), "My Cat's Trip to the Moon");
    }
}
