//! Actions and landmarks in a text: the postures that a figure can take, and the motions and landmarks that no drawing
//! shows.

use super::is_one_of;
use crate::figure::body::Posture;

/// The meaning of a verb for the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Shown by a procedural body.
    Posture(Posture),
    /// Shown by the water around the subject.
    Swimming,
    /// Shown by no drawing.
    Motion,
}

/// Verbs with their action, in the present tense and as participles.
const ACTIONS: &[(&str, Action)] = &[
    (
        "sleeps sleeping asleep naps napping dozes dozing snoozes snoozing",
        Action::Posture(Posture::Sleeping),
    ),
    ("sits sitting seated rests resting", Action::Posture(Posture::Sitting)),
    ("stands standing", Action::Posture(Posture::Standing)),
    ("waves waving", Action::Posture(Posture::Waving)),
    (
        "dances dancing cheers cheering celebrates celebrating",
        Action::Posture(Posture::Dancing),
    ),
    ("swims swimming dives diving", Action::Swimming),
    (
        "climbs climbing crawls crawling digs digging juggles juggling kneels kneeling paddles paddling rides riding \
         rows rowing skates skating skis skiing sleds sledding slides sliding surfs surfing",
        Action::Motion,
    ),
];
/// Nouns after which a participle only names a kind of thing: "a sleeping bag".
const NAMED_BY_ACTIONS: &str = "bag bags board boards boat boats boots cap costume frame gear goggles hat lesson mask party pole pool \
    rink ring shoes suit trunks";

/// Forms that are verbs after "and", separated by spaces: "stands" may be of a market, and "rows" may be of trees.
const ONLY_VERBS: &str = "\
    celebrates cheers climbs crawls dances digs dozes juggles kneels paddles naps sits sleeps snoozes swims waves";
/// The words after "waves" if it is a verb.
const AFTER_WAVING: &str = "at back from goodbye happily hello to with";
/// Words after a posture before the thing that carries the subject.
const ON: &str = "atop on onto upon";

/// Returns true for a form that is a verb even if it does not follow its subject.
pub(super) fn is_only_a_verb(word: &str, next: Option<&str>) -> bool {
    is_one_of(ONLY_VERBS, word) && (word != "waves" || next.is_some_and(|next| is_one_of(AFTER_WAVING, next)))
}

/// Returns true for a word between a posture and the thing that carries the subject.
pub(super) fn is_on(word: &str) -> bool {
    is_one_of(ON, word)
}

/// Returns true for a verb that says how a subject is on a thing.
pub(super) fn rests(word: &str) -> bool {
    let is_posture = matches!(action(word), Some(Action::Posture(_)));
    is_posture
        || is_one_of(
            "lies lying perched perches perching balances balancing climbs climbing",
            word,
        )
}

/// Landmarks that name a place or are part of one, but have no drawing.
const LANDMARKS: &str = "bridge bridges cave caves drawbridge fence fences moat treehouse waterfall waterfalls";

/// Returns true for a landmark without a drawing.
pub(super) fn is_landmark(word: &str) -> bool {
    is_one_of(LANDMARKS, word)
}

/// Returns the action that a verb names.
pub(super) fn action(word: &str) -> Option<Action> {
    let found = ACTIONS.iter().find(|(verbs, _)| is_one_of(verbs, word));
    found.map(|(_, action)| *action)
}

/// Returns true for a form that may also describe a noun: "a sleeping dog".
pub(super) fn is_participle(word: &str) -> bool {
    word.ends_with("ing") || matches!(word, "asleep" | "seated")
}

/// Returns true if a participle before the noun names a kind of thing.
pub(super) fn names_a_thing(noun: &str) -> bool {
    is_one_of(NAMED_BY_ACTIONS, noun)
}
