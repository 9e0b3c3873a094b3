//! The places of a plan.

use linepress_plugin_sdk::planner::PlanRequest;

use super::{AUDIENCES, plan, request};

/// Places that no picture shows together.
const CONTRADICTIONS: &[(&[&str], &[&str])] = &[
    (
        &["kitchen", "bakery", "living room", "bedroom"],
        &["path", "forest", "hill", "pond", "meadow", "log", "garden", "street"],
    ),
    (&["canoe", "pond", "lake"], &["trail", "mountain", "hill"]),
    (&["sea", "beach"], &["forest", "kitchen", "mountain", "street"]),
    (&["snowy", "snow"], &["flower garden", "meadow", "beach"]),
];

#[test]
fn the_places_of_a_prompt_do_not_contradict_each_other() {
    for theme in [
        "Forest friends and their tea parties",
        "Forest animals and the kitchen",
        "Foxes in the kitchen and on the farm",
        "Camping at the lake",
        "Winter in the mountains and summer at the beach",
        "Cats, owls and a canoe",
        "Farm animals at the beach",
    ] {
        for audience in AUDIENCES {
            let request = PlanRequest {
                audience,
                ..request(theme)
            };
            let plan = plan(&request);
            for page in &plan.pages {
                // Subjects may be anywhere: only what follows the first preposition of place is a place.
                let prompt = page.prompt.to_lowercase();
                let named = |words: &[&str]| words.iter().any(|word| names_place(&prompt, word));
                let broken = CONTRADICTIONS.iter().find(|(one, other)| named(one) && named(other));
                assert!(broken.is_none(), "{theme}, {audience:?}: {}: {broken:?}", page.prompt);
            }
        }
    }
}

/// Returns true if the prompt is set at a place with this word, such as "on a leafy path".
fn names_place(prompt: &str, word: &str) -> bool {
    const PREPOSITIONS: &[&str] = &[
        "at", "beside", "by", "in", "near", "on", "over", "to", "under", "of", "among", "foot", "top",
    ];
    let words: Vec<&str> = prompt.split(|letter: char| !letter.is_alphanumeric()).collect();
    let wanted: Vec<&str> = word.split(' ').collect();
    words.windows(wanted.len()).enumerate().any(|(at, window)| {
        // A preposition stands up to three words before the noun: "on a leafy path".
        window == wanted.as_slice() && (at.saturating_sub(3)..at).any(|before| PREPOSITIONS.contains(&words[before]))
    })
}
