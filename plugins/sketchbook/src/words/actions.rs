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
