//! The words and phrases that no prompt may contain, by audience.
use std::collections::HashMap;

use linepress_model::Audience;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::queue::{DrawingRequest, NewDrawingJob};
use linepress_platform::app::App;
use linepress_platform::config::BlockedWords;
use linepress_platform::error::{Detail, Error, Result};
use linepress_platform::field::Field;

/// Words that no audience may get.
const FOR_ALL: &[&str] = &[
    "bestiality",
    "child porn",
    "child pornography",
    "csam",
    "lolicon",
    "shotacon",
];

/// Words that teenagers and children may not get in addition.
const FOR_TEENS: &[&str] = &[
    "bdsm",
    "blowjob",
    "cocaine",
    "decapitated",
    "decapitation",
    "dildo",
    "disemboweled",
    "disembowelled",
    "erotic",
    "erotica",
    "genitals",
    "gory",
    "hentai",
    "methamphetamine",
    "nsfw",
    "nude",
    "nudes",
    "nudity",
    "orgy",
    "penis",
    "porn",
    "porno",
    "pornographic",
    "pornography",
    "self harm",
    "striptease",
    "suicide",
    "vagina",
];

/// Words that children and toddlers may not get in addition.
const FOR_CHILDREN: &[&str] = &[
    "assault rifle",
    "bloodbath",
    "cannabis",
    "cigarette",
    "cigarettes",
    "corpse",
    "corpses",
    "lingerie",
    "machine gun",
    "machine guns",
    "marijuana",
    "sexy",
    "stripper",
    "topless",
    "vodka",
    "whiskey",
    "whisky",
];

/// Refuses drawings whose texts contain a word that the server, or its operator, does not draw for their audience.
/// `field_of` returns the field of the request that contains the texts of a drawing.
pub fn check_words(app: &App, jobs: &[NewDrawingJob], field_of: impl Fn(&NewDrawingJob) -> Field) -> Result<()> {
    let live = app.live();
    // The drawings of an order have the same audience.
    let mut lists: HashMap<Audience, Vec<Blocked<'_>>> = HashMap::new();
    let mut details = Vec::new();
    for job in jobs {
        let audience = job.request.audience;
        let blocked = lists
            .entry(audience)
            .or_insert_with(|| blocked_words(&live.blocked_words, audience));
        if let Some(word) = first_of(blocked, &texts(&job.request)) {
            let title = &job.title;
            details.push(Detail {
                field: field_of(job),
                message: format!(
                    "contains {word:?}, which this server does not draw for the audience {audience}: change the text \
                     of {title:?}"
                ),
            });
        }
    }
    match details.is_empty() {
        true => Ok(()),
        false => Err(Error::validation(details)),
    }
}

/// The customer's words in a request.
fn texts(request: &DrawingRequest) -> Vec<&str> {
    let instruction = request.instruction().into_iter();
    let texts = [&*request.prompt, &request.title, &request.look.style];
    texts.into_iter().chain(instruction).collect()
}

/// A word or phrase that may not occur in a text.
struct Blocked<'a> {
    word: &'a str,
    /// The form in which a text contains it.
    spaced: String,
}

/// The words of the server and of its operator for an audience.
fn blocked_words(added: &BlockedWords, audience: Audience) -> Vec<Blocked<'_>> {
    let mut words: Vec<&str> = built_in(audience).collect();
    words.extend(added.for_audience(audience));
    let blocked = words.into_iter().map(Blocked::new);
    // A word of nothing but marks would be in every text.
    blocked.filter(|blocked| !blocked.spaced.trim().is_empty()).collect()
}

fn built_in(audience: Audience) -> impl Iterator<Item = &'static str> {
    let lists: &[&[&'static str]] = match audience {
        Audience::Toddler | Audience::Child => &[FOR_CHILDREN, FOR_TEENS, FOR_ALL],
        Audience::Teen => &[FOR_TEENS, FOR_ALL],
        Audience::Adult => &[FOR_ALL],
    };
    lists.iter().flat_map(|list| list.iter().copied())
}

/// The first of these words and phrases in the texts.
fn first_of<'a>(blocked: &[Blocked<'a>], texts: &[&str]) -> Option<&'a str> {
    let texts: Vec<String> = texts.iter().map(|text| spaced_words(text)).collect();
    let occurs = |blocked: &&Blocked<'_>| texts.iter().any(|text| text.contains(&blocked.spaced));
    blocked.iter().find(occurs).map(|blocked| blocked.word)
}

impl<'a> Blocked<'a> {
    /// A word matches whole words; in scripts without spaces between words, any part of a text.
    fn new(word: &'a str) -> Self {
        let spaced = spaced_words(word);
        let spaced = match spaced.contains(is_unspaced) {
            true => spaced.trim().to_owned(),
            false => spaced,
        };
        Self { word, spaced }
    }
}

/// The words of a text in lower case and without accents, each between two spaces.
fn spaced_words(text: &str) -> String {
    let plain: String = text
        .nfkd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .collect();
    let mut spaced = String::from(" ");
    for word in plain.split(|letter: char| !letter.is_alphanumeric()) {
        if !word.is_empty() {
            spaced.push_str(word);
            spaced.push(' ');
        }
    }
    spaced
}

/// Returns true for a letter of a script without spaces between words: Thai, Lao, Japanese and Chinese.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{0E00}'..='\u{0EFF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(audience: Audience, text: &str) -> Option<String> {
        let added = BlockedWords {
            child: vec!["Blood Moon".into(), "血".into(), "\u{0E31}".into()],
            adult: vec!["Acmé".into()],
            ..BlockedWords::default()
        };
        let blocked = blocked_words(&added, audience);
        first_of(&blocked, &["A fox", text]).map(str::to_owned)
    }

    #[test]
    fn a_word_matches_whole_words_whatever_its_case_accents_and_spaces() {
        for (text, word) in [
            ("a NUDE statue", Some("nude")),
            ("(núde)", Some("nude")),
            ("self-harm", Some("self harm")),
            ("a blood,\nmoon", Some("Blood Moon")),
            ("a blood orange and a moon", None),
            ("the logo of acme", Some("Acmé")),
            ("acmeology", None),
            ("denuded hills", None),
            ("鼻血の絵", Some("血")),
            ("", None),
        ] {
            assert_eq!(found(Audience::Child, text).as_deref(), word, "{text}");
        }
    }

    #[test]
    fn an_older_audience_has_fewer_blocked_words() {
        for (text, blocked) in [
            ("a bottle of whisky", [true, true, false, false]),
            ("a nude", [true, true, true, false]),
            ("a blood moon", [true, true, false, false]),
            ("lolicon", [true, true, true, true]),
            ("a fox", [false, false, false, false]),
        ] {
            let audiences = [Audience::Toddler, Audience::Child, Audience::Teen, Audience::Adult];
            assert_eq!(
                audiences.map(|audience| found(audience, text).is_some()),
                blocked,
                "{text}"
            );
        }
    }
}
