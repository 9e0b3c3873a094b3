//! The words and phrases that no prompt may contain, by audience.
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use linepress_model::{Audience, is_written_without_spaces, plain_words};

use crate::queue::{DrawingRequest, NewDrawingJob, TargetType};
use linepress_platform::app::App;
use linepress_platform::config::{BlockedWords, Config};
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

/// The part of a drawing that contains a blocked word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockedPart<'a> {
    /// Its prompt, title or instruction.
    Text,
    /// Its style.
    Style,
    /// The character of this name: the name itself, the description or the style.
    Character(&'a str),
}

/// Refuses drawings with a text that contains a word that the server, or its operator, does not draw for their
/// audience. `field_of` returns the field of the request that contains this part of a drawing.
pub fn check_words(
    app: &App,
    jobs: &[NewDrawingJob],
    field_of: impl Fn(&NewDrawingJob, BlockedPart<'_>) -> Field,
) -> Result<()> {
    let lists = lists(app);
    // The drawings of an order have many texts in common.
    let mut known = HashMap::new();
    let mut details = Vec::new();
    for job in jobs {
        let audience = screened_audience(job);
        let mut word_in = |text| {
            *known
                .entry((audience, text))
                .or_insert_with(|| lists.find(audience, text))
        };
        let found = texts(&job.request)
            .into_iter()
            .find_map(|(text, part)| Some((word_in(text)?, part)));
        if let Some((word, part)) = found {
            let detail = Detail {
                field: field_of(job, part),
                message: problem(job, word, audience, part),
            };
            if !details.contains(&detail) {
                details.push(detail);
            }
        }
    }
    match details.is_empty() {
        true => Ok(()),
        false => Err(Error::validation(details)),
    }
}

/// The audience whose words a drawing may not contain. A character belongs to no book: it is screened again on each
/// page, for the audience of the page.
fn screened_audience(job: &NewDrawingJob) -> Audience {
    match job.target.kind() {
        TargetType::Character => Audience::Adult,
        TargetType::Page | TargetType::Cover => job.request.audience,
    }
}

fn problem(job: &NewDrawingJob, word: &str, audience: Audience, part: BlockedPart<'_>) -> String {
    let audience = match audience {
        Audience::Adult => String::new(),
        Audience::Toddler | Audience::Child | Audience::Teen => format!(" for the audience {audience}"),
    };
    let advice = match part {
        BlockedPart::Text => format!("change the text of {:?}", job.title),
        BlockedPart::Style => "choose another style".to_owned(),
        BlockedPart::Character(name) => format!("change the character {name:?}"),
    };
    format!("contains {word:?}, which this server does not draw{audience}: {advice}")
}

/// The customer's words in a request.
fn texts(request: &DrawingRequest) -> Vec<(&str, BlockedPart<'_>)> {
    let own = [request.prompt.as_str(), request.title.as_str()].into_iter();
    let own = own.chain(request.instruction()).map(|text| (text, BlockedPart::Text));
    let style = (request.look.style.as_str(), BlockedPart::Style);
    let characters = request.characters.iter().flat_map(|character| {
        let part = BlockedPart::Character(&character.name);
        [&character.name, &character.description, &character.style].map(|text| (text.as_str(), part))
    });
    own.chain([style]).chain(characters).collect()
}

/// The lists of the settings in force. They are made once for all orders, which are checked in a transaction.
fn lists(app: &App) -> Arc<Lists> {
    /// The settings of the present lists, and the lists. A process has one server, except in tests.
    static PRESENT: Mutex<Option<(Arc<Config>, Arc<Lists>)>> = Mutex::new(None);
    let live = app.live();
    let mut present = PRESENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((settings, lists)) = &*present
        && Arc::ptr_eq(settings, &live)
    {
        return lists.clone();
    }
    let lists = Arc::new(Lists::new(&live.blocked_words));
    *present = Some((live, lists.clone()));
    lists
}

/// The blocked words by audience.
struct Lists(HashMap<Audience, Blocked>);

impl Lists {
    fn new(settings: &BlockedWords) -> Self {
        let of_audience = |audience: &Audience| {
            let mut words: Vec<&str> = built_in(*audience).filter(|_| settings.built_in).collect();
            words.extend(settings.for_audience(*audience));
            (*audience, Blocked::new(&words))
        };
        Self(Audience::ALL.iter().map(of_audience).collect())
    }

    /// The first blocked word of a text.
    fn find(&self, audience: Audience, text: &str) -> Option<&str> {
        self.0.get(&audience)?.find(text)
    }
}

/// The blocked words of an audience.
#[derive(Default)]
struct Blocked {
    /// Phrases that match whole words, with a space on each side.
    whole: Phrases,
    /// Phrases in scripts without spaces between words, which match any part of a text.
    within: Phrases,
}

impl Blocked {
    fn new(words: &[&str]) -> Self {
        let mut blocked = Self::default();
        for word in words {
            let spaced = spaced_words(word);
            let phrase = spaced.trim();
            // A word of nothing but marks would be in every text.
            if phrase.is_empty() {
                continue;
            }
            match phrase.contains(is_written_without_spaces) {
                true => blocked.within.add(phrase, word),
                false => blocked.whole.add(&spaced, word),
            }
        }
        blocked
    }

    fn find(&self, text: &str) -> Option<&str> {
        let text = spaced_words(text);
        let whole = self.whole.find(&text, |letter| letter == ' ');
        whole.or_else(|| self.within.find(&text, |letter| letter != ' '))
    }
}

/// Phrases that are looked up in a text. The time that takes hardly depends on their number.
#[derive(Default)]
struct Phrases {
    /// The word of the settings by its phrase.
    words: HashMap<String, String>,
    /// The lengths of the phrases in bytes.
    lengths: BTreeSet<usize>,
}

impl Phrases {
    fn add(&mut self, phrase: &str, word: &str) {
        self.lengths.insert(phrase.len());
        self.words.insert(phrase.to_owned(), word.to_owned());
    }

    /// The word of the first phrase in the text. A phrase begins where `begins` is true.
    fn find(&self, text: &str, begins: impl Fn(char) -> bool) -> Option<&str> {
        let starts = text.char_indices().filter(|(_, letter)| begins(*letter));
        let mut phrases = starts.flat_map(|(start, _)| {
            let ends = self.lengths.iter().map(move |length| start + length);
            ends.filter_map(move |end| text.get(start..end))
        });
        phrases.find_map(|phrase| self.words.get(phrase)).map(String::as_str)
    }
}

fn built_in(audience: Audience) -> impl Iterator<Item = &'static str> {
    let lists: &[&[&'static str]] = match audience {
        Audience::Toddler | Audience::Child => &[FOR_CHILDREN, FOR_TEENS, FOR_ALL],
        Audience::Teen => &[FOR_TEENS, FOR_ALL],
        Audience::Adult => &[FOR_ALL],
    };
    lists.iter().flat_map(|list| list.iter().copied())
}

/// The words of a text, each between two spaces. The ending after an apostrophe is a word of its own, so that "penis's"
/// contains "penis".
fn spaced_words(text: &str) -> String {
    format!(" {} ", plain_words(&text.replace(['\'', '’'], " ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(audience: Audience, text: &str) -> Option<String> {
        let added = BlockedWords {
            child: vec!["Blood Moon".into(), "血".into(), "月 光".into(), "\u{345}".into()],
            adult: vec!["Acmé".into()],
            ..BlockedWords::default()
        };
        Lists::new(&added).find(audience, text).map(str::to_owned)
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
            ("a penis’s shadow", Some("penis")),
            ("鼻血の絵", Some("血")),
            ("a fox: 月 光", Some("月 光")),
            ("月光", None),
            ("", None),
        ] {
            assert_eq!(found(Audience::Child, text).as_deref(), word, "{text}");
        }
    }

    #[test]
    fn an_operator_can_turn_the_words_of_the_server_off() {
        let only = BlockedWords {
            built_in: false,
            teen: vec!["casino".into()],
            ..BlockedWords::default()
        };
        let lists = Lists::new(&only);
        assert_eq!(lists.find(Audience::Child, "a nude in a casino"), Some("casino"));
        assert_eq!(lists.find(Audience::Adult, "lolicon"), None);
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
