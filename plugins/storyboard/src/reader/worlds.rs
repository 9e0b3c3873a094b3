//! The choice of the worlds that a theme belongs to.
use super::{Call, Reader};
use crate::theme::{Subject, Theme};
use crate::words;
use crate::world::World;

impl Reader<'_> {
    /// Chooses the worlds: first the settings, then the worlds that the season or the sky suggests, then those with
    /// most of the subjects.
    pub(super) fn finish(mut self) -> Theme {
        let is_soft = |index: usize| self.worlds[index].soft;
        self.theme.patterns = self.calls.iter().any(|(_, world)| self.worlds[*world].patterns);
        let mut chosen: Vec<usize> = Vec::new();
        for wanted in [Call::Setting, Call::Hint, Call::Sky] {
            if chosen.is_empty() {
                let called = self
                    .calls
                    .iter()
                    .filter(|(call, world)| *call == wanted && !is_soft(*world));
                called.for_each(|(_, world)| chosen.push(*world));
            }
        }
        chosen.retain(|world| !self.worlds[*world].patterns);
        if chosen.is_empty() {
            chosen = self.homes();
        }
        if chosen.is_empty() {
            chosen = self.calls.iter().map(|(_, world)| *world).collect();
        }
        let mut seen = Vec::new();
        chosen.retain(|world| {
            !seen.contains(world) && {
                seen.push(*world);
                true
            }
        });
        chosen.truncate(3);
        self.theme.worlds = chosen;
        self.theme
    }

    /// Returns the worlds in which the named subjects live, those with most of them first.
    fn homes(&self) -> Vec<usize> {
        let mut homeless: Vec<&Subject> = self.theme.subjects.iter().collect();
        let mut homes = Vec::new();
        loop {
            let score = |index: usize| {
                let world = &self.worlds[index];
                let called = self.calls.iter().filter(|(_, called)| *called == index).count();
                if world.soft || world.patterns {
                    return 0;
                }
                let living = homeless.iter().filter(|subject| lives_in(subject, world)).count();
                if homes.is_empty() {
                    3 * living + 2 * called
                } else {
                    3 * living
                }
            };
            let best = (0..self.worlds.len())
                .rev()
                .max_by_key(|index| score(*index))
                .filter(|index| score(*index) > 0);
            let Some(best) = best.filter(|_| homes.len() < 2) else {
                return homes;
            };
            homeless.retain(|subject| !lives_in(subject, &self.worlds[best]));
            homes.push(best);
        }
    }
}

fn lives_in(subject: &Subject, world: &World) -> bool {
    let head = subject.noun.as_str();
    let heroes = world
        .casts
        .iter()
        .flat_map(|cast| &cast.heroes)
        .filter(|_| !world.occasion);
    heroes
        .chain(&world.companions)
        .chain(&world.props)
        .any(|noun| noun == head || head.ends_with(&format!(" {noun}")))
        || world.keywords.iter().any(|keyword| words::contains(head, keyword))
}
