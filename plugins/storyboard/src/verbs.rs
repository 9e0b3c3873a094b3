//! The verb forms that a plan needs. Only the first word of a phrase, the verb, changes.

use crate::english::is_vowel;

/// Short verbs whose last consonant is doubled before -ing.
const DOUBLING: &[&str] = &[
    "clap", "cut", "dig", "drip", "flip", "hit", "hop", "hug", "hum", "jog", "knit", "nap", "nod", "pat", "put", "rub",
    "run", "sip", "sit", "skip", "spin", "stir", "stop", "swim", "tap", "trot", "tug", "wag", "wrap", "drum", "strum",
    "get", "zip", "plan",
];

/// Returns the -ing form: "read a book" becomes "reading a book".
pub(crate) fn gerund(phrase: &str) -> String {
    on_verb(phrase, |verb| {
        if DOUBLING.contains(&verb) {
            let last = verb.chars().next_back().unwrap_or_default();
            return format!("{verb}{last}ing");
        }
        match verb.strip_suffix('e') {
            Some(stem) if stem.ends_with('i') => format!("{}ying", &stem[..stem.len() - 1]),
            Some(stem) if !stem.ends_with(['e', 'o', 'y']) => format!("{stem}ing"),
            _ => format!("{verb}ing"),
        }
    })
}

/// Returns the third person: "read a book" becomes "reads a book".
pub(crate) fn third_person(phrase: &str) -> String {
    on_verb(phrase, |verb| {
        if ["s", "x", "z", "ch", "sh"].iter().any(|ending| verb.ends_with(ending)) || verb == "go" || verb == "do" {
            return format!("{verb}es");
        }
        let before_last = verb.chars().rev().nth(1).unwrap_or('a');
        match verb.strip_suffix('y') {
            Some(stem) if !is_vowel(before_last) => format!("{stem}ies"),
            _ => format!("{verb}s"),
        }
    })
}

fn on_verb(phrase: &str, change: impl Fn(&str) -> String) -> String {
    match phrase.split_once(' ') {
        Some((verb, rest)) => format!("{} {rest}", change(verb)),
        None => change(phrase),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_of_the_worlds_that_doubles_its_consonant_is_listed() {
        // A verb doubles its last consonant if its only vowel is directly before it, unless the consonant is w, x or y.
        let doubles = |verb: &str| {
            let letters: Vec<char> = verb.chars().collect();
            let vowels = letters.iter().filter(|letter| is_vowel(**letter)).count();
            let [.., before, last] = letters.as_slice() else {
                return false;
            };
            vowels == 1 && is_vowel(*before) && !is_vowel(*last) && !matches!(last, 'w' | 'x' | 'y')
        };
        for activity in crate::world::all()
            .iter()
            .flat_map(|world| &world.casts)
            .flat_map(|cast| &cast.activities)
        {
            let verb = activity.split(' ').next().unwrap();
            assert_eq!(DOUBLING.contains(&verb), doubles(verb), "{activity}");
        }
    }

    #[test]
    fn verbs_get_the_right_endings() {
        for (base, ing, third) in [
            ("read a book", "reading a book", "reads a book"),
            ("ride a sled", "riding a sled", "rides a sled"),
            ("dig a hole", "digging a hole", "digs a hole"),
            ("carry a leaf", "carrying a leaf", "carries a leaf"),
            ("munch a leaf", "munching a leaf", "munches a leaf"),
            ("play chess", "playing chess", "plays chess"),
            ("tie a knot", "tying a knot", "ties a knot"),
            ("listen to a bird", "listening to a bird", "listens to a bird"),
        ] {
            assert_eq!(gerund(base), ing);
            assert_eq!(third_person(base), third);
        }
    }
}
