//! Words with several meanings, decided by the other words of the prompt.

use super::is_one_of;
use crate::inflection::singulars;

/// The meaning of a word in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Label(&'static str),
    /// A part of another thing, which is not drawn by itself: the trunk of an elephant.
    Part,
    /// A thing without a drawing.
    Unknown,
}

use Meaning::{Label, Part, Unknown};

/// A word, its senses with the words that select them, and its default meaning. Without a default, the vocabulary
/// decides.
type Senses = (&'static str, &'static [(&'static str, Meaning)], Option<Meaning>);

const SENSES: &[Senses] = &[
    (
        "crane",
        &[
            ("origami folded paper", Unknown),
            (
                "train trains railway rail construction building buildings site builder builders worker workers crate crates \
             container containers cargo load loads freight harbor harbour port dock docks hook steel beam beams lift lifts \
             lifting hoists hoisting tower truck trucks digger excavator bulldozer machine machines brick bricks \
             skyscraper skyscrapers vehicles ship ships",
                Label("construction crane"),
            ),
        ],
        Some(Label("crane bird")),
    ),
    (
        "bat",
        &[
            ("cricket wicket wickets", Label("cricket game")),
            (
                "baseball ball softball batter pitcher player players swing swings swinging glove mitt hit hits stadium \
                 team cap inning",
                Label("baseball bat"),
            ),
        ],
        None,
    ),
    (
        "mouse",
        &[(
            "computer computers keyboard laptop screen monitor click clicks cursor internet printer",
            Label("computer mouse"),
        )],
        None,
    ),
    (
        "seal",
        &[("wax letter envelope stamp scroll document parchment", Part)],
        None,
    ),
    (
        "trunk",
        &[
            ("elephant elephants mammoth tree trees oak", Part),
            ("car automobile", Part),
        ],
        Some(Label("luggage")),
    ),
    (
        "bow",
        &[("arrow arrows archer archery target", Label("bow and arrow"))],
        None,
    ),
    (
        "cricket",
        &[(
            "match bat ball team stadium wicket wickets pitch player players sport sports game bowler batsman",
            Label("cricket game"),
        )],
        None,
    ),
    (
        "gondola",
        &[(
            "venice canal canals italy boat boats water river bridge gondolier",
            Label("canoe"),
        )],
        Some(Label("mountain cableway")),
    ),
    (
        "lamp",
        &[
            (
                "diwali deepavali rangoli oil genie aladdin clay diya temple india indian",
                Label("diya lamp"),
            ),
            ("street streets road sidewalk corner avenue lane", Label("street lamp")),
            ("chinese china japan japanese paper lunar", Label("red paper lantern")),
        ],
        Some(Label("lantern")),
    ),
    (
        "lantern",
        &[
            ("diwali deepavali rangoli", Label("diya lamp")),
            (
                "chinese china japan japanese paper asian asia lunar autumn sky skies release releases releasing dragon",
                Label("red paper lantern"),
            ),
        ],
        Some(Label("lantern")),
    ),
    (
        "jaguar",
        &[("car cars race driving drives drive road highway", Label("racing car"))],
        None,
    ),
    ("beetle", &[("car cars road highway drives", Label("automobile"))], None),
    (
        "horn",
        &[
            (
                "unicorn unicorns rhino rhinoceros goat bull ram deer dragon triceratops narwhal viking cow ox cattle",
                Part,
            ),
            ("car cars truck bus driver", Part),
        ],
        None,
    ),
    (
        "shell",
        &[(
            "turtle turtles tortoise tortoises snail snails egg eggs hatching hatches",
            Part,
        )],
        None,
    ),
    ("feather", &[("headdress tail peacock wing wings", Part)], None),
    (
        "ball",
        &[
            ("basketball hoop basket dunk", Label("basketball")),
            ("baseball pitcher batter", Label("baseball")),
            ("cricket wicket", Label("cricket game")),
            ("volleyball beach", Label("volleyball")),
            ("tennis racket", Label("tennis")),
            ("bowling pins", Label("bowling")),
            ("rugby", Label("rugby football")),
            ("cinderella gown masquerade ballroom", Part),
        ],
        None,
    ),
    (
        "football",
        &[("american quarterback touchdown", Label("american football"))],
        None,
    ),
    (
        "temple",
        &[
            ("hindu india indian diwali ganesh shiva", Label("hindu temple")),
            ("japan japanese shinto zen", Label("shinto shrine")),
            ("chinese china buddhist bamboo", Label("japanese castle")),
        ],
        Some(Label("classical building")),
    ),
    (
        "tower",
        &[("paris eiffel radio france tokyo", Label("lattice tower"))],
        None,
    ),
    ("fan", &[("electric ceiling football soccer team cheering", Part)], None),
    ("kiwi", &[("bird birds zealand wings beak egg", Unknown)], None),
    ("turkey", &[("istanbul ankara country bazaar", Part)], None),
    (
        "keyboard",
        &[("computer mouse laptop screen desk office", Label("laptop"))],
        None,
    ),
    (
        "pot",
        &[
            ("flower plant garden seedling seeds", Label("potted plant")),
            ("clay potter wheel pottery", Label("amphora")),
        ],
        None,
    ),
    (
        "letter",
        &[("alphabet abc spelling spell", Part)],
        Some(Label("envelope")),
    ),
    (
        "ring",
        &[(
            "saturn planet planets space galaxy jupiter boxing boxer wrestling circus smoke",
            Part,
        )],
        None,
    ),
    (
        "dancer",
        &[(
            "india indian bollywood samba salsa flamenco folk carnival hula hawaii hawaiian mexico mexican brazil spain",
            Label("woman dancing"),
        )],
        None,
    ),
    ("train", &[("dress bride gown wedding", Part)], None),
    (
        "coach",
        &[("horse horses cinderella royal fairy", Label("carriage"))],
        None,
    ),
    (
        "wagon",
        &[("horse horses pioneer western cowboy oregon", Label("carriage"))],
        None,
    ),
    ("plane", &[("carpenter wood workshop", Part)], None),
    ("rocket", &[("salad leaves", Label("leafy green"))], None),
    (
        "boxer",
        &[(
            "ring gloves glove match fight fights boxing champion",
            Label("boxing glove"),
        )],
        Some(Label("dog")),
    ),
    ("palm", &[("hand hands reading", Part)], None),
    ("rock", &[("music band concert guitar star", Part)], None),
    ("stall", &[("horse horses stable pony", Part)], None),
];

/// Returns the meaning of a word in its context, and true for a plural. `None` if the vocabulary decides.
pub(super) fn sense(word: &str, context: &[String]) -> Option<(Meaning, bool)> {
    let find = |form: &str| SENSES.iter().find(|(known, ..)| *known == form);
    let single = find(word).map(|senses| (senses, false));
    let (senses, plural) = single.or_else(|| {
        let mut forms = singulars(word).into_iter();
        forms.find_map(|form| Some((find(&form)?, true)))
    })?;
    let (_, cued, otherwise) = senses;
    let called = cued
        .iter()
        .find(|(cues, _)| context.iter().any(|other| other != word && is_one_of(cues, other)));
    called
        .map(|(_, meaning)| *meaning)
        .or(*otherwise)
        .map(|meaning| (meaning, plural))
}

#[cfg(test)]
mod tests {
    use super::{Meaning, SENSES};
    use crate::art::Drawings;

    #[test]
    fn every_sense_with_a_label_has_a_drawing() {
        for (word, senses, otherwise) in SENSES {
            for meaning in senses.iter().map(|(_, meaning)| meaning).chain(otherwise) {
                if let Meaning::Label(label) = meaning {
                    assert!(Drawings::get().has(label), "{word}: {label}");
                }
            }
        }
    }
}
