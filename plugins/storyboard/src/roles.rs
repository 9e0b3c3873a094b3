//! The parts that the worlds of a theme play in its book.

use crate::theme::Theme;
use crate::world::World;

/// The chosen worlds by the part that they play, as indexes. In "forest friends at the lake", the forest casts the
/// heroes and the lake is their scenery; in "a party in the forest", the party is an event in the scenery of the
/// forest. Only `events` may be empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Roles {
    /// The worlds of the heroes and their companions.
    pub cast: Vec<usize>,
    /// The worlds of the places and backdrops.
    pub scenery: Vec<usize>,
    pub events: Vec<usize>,
    /// The worlds of the props, activities and motifs.
    pub doing: Vec<usize>,
}

impl Roles {
    /// Assigns the chosen worlds of a theme to their parts.
    pub(crate) fn assign(chosen: &[usize], theme: &Theme, worlds: &[World]) -> Self {
        let among = |wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
            chosen.iter().copied().filter(|index| wanted(*index)).collect()
        };
        let is_placed = |index: usize| theme.placed.contains(&index);
        let is_event = |index: usize| worlds[index].event;
        let is_home = |index: usize| {
            let world = &worlds[index];
            !world.occasion && !world.soft && world.casts.iter().any(|cast| cast.kind.is_creature())
        };
        // Friends that visit a place do not live there: "farm animals at the beach".
        let lives = |index: usize| is_home(index) && !(theme.company && is_placed(index));
        let cast = first_filled([among(&lives), among(&is_home), chosen.to_vec()]);
        let is_visited =
            |index: usize| !cast.contains(&index) && !is_event(index) && (theme.company || is_placed(index));
        let visited = among(&is_visited);
        let scenery = first_filled([visited.clone(), among(&|index| !is_event(index)), chosen.to_vec()]);
        let events = among(&|index| is_event(index) && !scenery.contains(&index));
        let is_doing = |index: usize| {
            let is_shared = worlds[index].occasion && !events.is_empty();
            events.contains(&index) || visited.contains(&index) || is_shared
        };
        let doing = first_filled([among(&is_doing), chosen.to_vec()]);
        Self {
            cast,
            scenery,
            events,
            doing,
        }
    }
}

fn first_filled<const N: usize>(lists: [Vec<usize>; N]) -> Vec<usize> {
    lists.into_iter().find(|list| !list.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::Lexicon;
    use crate::{reader, words, world};

    #[test]
    fn a_theme_names_heroes_scenery_and_events() {
        for (theme, cast, scenery, events) in [
            ("Forest friends", vec!["forest"], vec!["forest"], vec![]),
            (
                "Forest friends and their tea parties",
                vec!["forest"],
                vec!["forest"],
                vec!["tea"],
            ),
            (
                "Forest friends at the lake in summer",
                vec!["forest"],
                vec!["lake"],
                vec![],
            ),
            ("Woodland animals in the snow", vec!["forest"], vec!["winter"], vec![]),
            ("Forest friends at the bakery", vec!["forest"], vec!["food"], vec![]),
            (
                "A birthday party in the forest",
                vec!["forest"],
                vec!["forest"],
                vec!["party"],
            ),
            ("A birthday party", vec!["party"], vec!["party"], vec![]),
            (
                "Christmas in the forest",
                vec!["forest"],
                vec!["christmas", "forest"],
                vec![],
            ),
            (
                "the forest and the farm",
                vec!["forest", "farm"],
                vec!["forest", "farm"],
                vec![],
            ),
        ] {
            let worlds = world::all();
            let read = reader::read(&words::split(theme), Lexicon::shared(), worlds);
            let roles = Roles::assign(&read.worlds, &read, worlds);
            let names =
                |indexes: &[usize]| -> Vec<&str> { indexes.iter().map(|index| worlds[*index].name.as_str()).collect() };
            assert_eq!(names(&roles.cast), cast, "{theme}");
            assert_eq!(names(&roles.scenery), scenery, "{theme}");
            assert_eq!(names(&roles.events), events, "{theme}");
        }
    }
}
