//! Gathers what is on stage from the chosen worlds, and decides who stars and who comes along.

use linepress_plugin_sdk::planner::Audience;

use crate::lexicon::Lexicon;
use crate::notes::Exclusions;
use crate::stage::{Lead, Must, Stage};
use crate::theme::{Hour, Subject, Theme};
use crate::who::Who;
use crate::words;
use crate::world::{self, Kind, World};

/// Fewer than this, and the stage borrows from other worlds: a hundred pages must still differ.
const FEWEST_LEADS: usize = 6;
const FEWEST_PLACES: usize = 4;
const FEWEST_COMPANIONS: usize = 12;
const FEWEST_PROPS: usize = 4;
const FEWEST_MOTIFS: usize = 4;

/// The guests that go best with the stars: animals with animals, and no machine where somebody may come.
fn fitting_guests(guests: Vec<Lead>, stars: &[Lead]) -> Vec<Lead> {
    let Some(star) = stars.first() else { return guests };
    let alike: Vec<Lead> = guests
        .iter()
        .filter(|guest| {
            guest.kind.is_animate() == star.kind.is_animate() && guest.kind.is_creature() == star.kind.is_creature()
        })
        .cloned()
        .collect();
    if alike.len() >= FEWEST_LEADS {
        return alike;
    }
    let alive: Vec<Lead> = guests.iter().filter(|guest| guest.kind.is_animate()).cloned().collect();
    if alive.len() >= FEWEST_LEADS { alive } else { guests }
}

/// A stage in the making.
pub(crate) struct Builder<'a> {
    pub worlds: &'a [World],
    pub lexicon: &'a Lexicon,
    pub chosen: Vec<usize>,
    pub theme: &'a Theme,
    pub exclusions: Exclusions,
}

impl<'a> Builder<'a> {
    /// Sets the stage.
    pub(crate) fn build(&self, characters: &[(Who, Kind)], wishes: &Theme, audience: Audience) -> Stage {
        let fitting = |subject: &&Subject| self.exclusions.allow_subject(&subject.noun, subject.kind);
        let named: Vec<Subject> = self.theme.subjects.iter().filter(fitting).cloned().collect();
        let wished: Vec<Subject> = wishes.subjects.iter().filter(fitting).cloned().collect();
        let places = self.places();
        let (stars, seen) = self.stars(characters, &named, &places);
        let guests = fitting_guests(self.guests(&places), &stars);
        let mut companions = self.companions();
        let mut first: Vec<Who> = Vec::new();
        let mut musts = Vec::new();
        for subject in seen.iter().chain(&wished) {
            match subject.kind {
                Kind::Place => musts.push(Must::Place(subject.noun.clone())),
                Kind::Sky => musts.push(Must::Sky(subject.noun.clone())),
                kind if kind.is_animate() => first.push(Who::Common(subject.noun.clone())),
                _ => musts.push(Must::Thing(subject.noun.clone())),
            }
        }
        companions.retain(|who| !first.contains(who));
        companions.splice(0..0, first);
        let leading = &self.worlds[self.chosen[0]];
        Stage {
            stars,
            guests,
            companions,
            props: self.props(),
            backdrops: self.backdrops(),
            lights: self.lights(),
            motifs: self.gather(FEWEST_MOTIFS, |world| &world.motifs, |_| true),
            places,
            musts,
            doing: self.theme.doing.clone().filter(|doing| self.exclusions.allow(doing)),
            tail: self.tail(),
            patterns: self.theme.patterns || leading.patterns,
            about: leading.about.clone(),
            titles: leading
                .titles
                .iter()
                .filter(|title| self.exclusions.allow(title))
                .cloned()
                .collect(),
            exclusions: self.exclusions.clone(),
            audience,
            people: self.theme.people.clone(),
        }
    }

    /// The worlds of the theme, then, to borrow from, the neutral one and all others.
    fn nearest(&self) -> impl Iterator<Item = (bool, &'a World)> + '_ {
        let own = self.chosen.iter().map(|index| (false, &self.worlds[*index]));
        let mut spare: Vec<usize> = (0..self.worlds.len())
            .filter(|index| !self.chosen.contains(index) && !self.worlds[*index].patterns)
            .collect();
        // A theme of vehicles borrows first where most of them are, not a satellite here and a canoe there.
        spare.sort_by_key(|index| {
            let world = &self.worlds[*index];
            let wanted = world.casts.iter().filter(|cast| self.in_groups(cast.kind));
            let many = if self.theme.groups.is_empty() {
                0
            } else {
                wanted.map(|cast| cast.heroes.len()).sum::<usize>()
            };
            (std::cmp::Reverse(many), world.name != world::ANYWHERE)
        });
        own.chain(spare.into_iter().map(|index| (true, &self.worlds[index])))
    }

    /// One list of the theme's worlds, without what does not fit; borrowed from others while it has too few.
    fn gather(
        &self,
        fewest: usize,
        list: impl Fn(&'a World) -> &'a Vec<String>,
        fits: impl Fn(&String) -> bool,
    ) -> Vec<String> {
        let mut gathered: Vec<String> = Vec::new();
        for (borrowed, world) in self.nearest() {
            if borrowed && gathered.len() >= fewest {
                break;
            }
            for text in list(world)
                .iter()
                .filter(|text| self.exclusions.allow(text) && fits(text))
            {
                if !gathered.contains(text) {
                    gathered.push(text.clone());
                }
            }
        }
        gathered
    }

    fn places(&self) -> Vec<String> {
        let dark = matches!(self.theme.hour, Some(Hour::Night | Hour::Evening));
        self.gather(
            FEWEST_PLACES,
            |world| &world.places,
            |place| !dark || !place.contains("sun"),
        )
    }

    fn backdrops(&self) -> Vec<String> {
        let fits = |backdrop: &String| match self.theme.hour {
            Some(Hour::Night) => !backdrop.contains("sun") && !backdrop.contains("day"),
            Some(Hour::Morning) => !backdrop.contains("moon") && !backdrop.contains("night"),
            _ => true,
        };
        let mut backdrops = self.gather(1, |world| &world.backdrops, fits);
        if let Some(somewhere) = &self.theme.somewhere {
            backdrops = vec![format!("in {somewhere}")];
        }
        backdrops
    }

    fn lights(&self) -> Vec<String> {
        let fixed: &[&str] = match self.theme.hour {
            Some(Hour::Night) => &[
                "under a full moon",
                "by moonlight",
                "under the stars",
                "on a quiet night",
                "beneath a crescent moon",
            ],
            Some(Hour::Evening) => &["at sunset", "at dusk", "in the evening light"],
            Some(Hour::Morning) => &["at sunrise", "on a fresh morning", "in the morning light"],
            None => &[],
        };
        let lights = if fixed.is_empty() {
            self.worlds[self.chosen[0]].lights.clone()
        } else {
            fixed.iter().map(|light| (*light).to_owned()).collect()
        };
        lights
            .into_iter()
            .filter(|light| self.exclusions.allow(light))
            .collect()
    }

    fn tail(&self) -> String {
        let about: Vec<String> = self
            .theme
            .about
            .iter()
            .filter(|about| self.exclusions.allow(about))
            .cloned()
            .collect();
        if about.is_empty() {
            String::new()
        } else {
            format!(", in a scene about {}", crate::english::list(&about))
        }
    }

    /// Whether a theme that asks for "animals" means this one.
    fn in_groups(&self, kind: Kind) -> bool {
        let groups = &self.theme.groups;
        groups.is_empty()
            || groups.iter().any(|group| {
                *group == kind
                    || (*group == Kind::Animal && kind.is_creature())
                    || (*group == Kind::Vehicle && kind == Kind::Aircraft)
            })
    }

    fn guests(&self, places: &[String]) -> Vec<Lead> {
        let mut guests: Vec<Lead> = Vec::new();
        for (borrowed, world) in self.nearest() {
            if borrowed && guests.len() >= FEWEST_LEADS {
                break;
            }
            for cast in world.casts.iter().filter(|cast| self.in_groups(cast.kind)) {
                for noun in &cast.heroes {
                    let who = Who::Common(noun.clone());
                    if self.exclusions.allow_subject(noun, cast.kind) && guests.iter().all(|guest| guest.who != who) {
                        guests.push(self.lead(who, cast.kind, places));
                    }
                }
            }
        }
        guests
    }

    /// A lead that does what its kind does in these worlds.
    fn lead(&self, who: Who, kind: Kind, places: &[String]) -> Lead {
        let casts = || self.chosen.iter().flat_map(|index| &self.worlds[*index].casts);
        let own = casts().find(|cast| matches!(&who, Who::Common(noun) if cast.heroes.contains(noun)));
        let same_kind = own.or_else(|| casts().find(|cast| cast.kind == kind));
        let like = same_kind.or_else(|| casts().find(|cast| kind.is_animate() && cast.kind.is_animate()));
        let allowed = |texts: &[String]| -> Vec<String> {
            texts
                .iter()
                .filter(|text| self.exclusions.allow(text))
                .cloned()
                .collect()
        };
        let mut activities = like.map(|cast| allowed(&cast.activities)).unwrap_or_default();
        if who.words().contains("wheelchair") {
            // Neither running nor skating.
            activities.retain(|activity| {
                ["hold ", "throw ", "read "]
                    .iter()
                    .any(|verb| activity.starts_with(verb))
            });
        }
        let own_places = like.map(|cast| allowed(&cast.places)).filter(|own| own.len() > 3);
        Lead {
            who,
            kind,
            activities,
            places: own_places.unwrap_or_else(|| places.to_vec()),
        }
    }

    /// The stars, and the named subjects that are left to be seen beside them.
    fn stars(&self, characters: &[(Who, Kind)], named: &[Subject], places: &[String]) -> (Vec<Lead>, Vec<Subject>) {
        // "Dinosaurs" are all who live in that world, not one of them on every page. A robot is only a robot.
        let world = &self.worlds[self.chosen[0]];
        let all = |subject: &&Subject| {
            subject.noun == world.about && world.casts.iter().all(|cast| !cast.heroes.contains(&subject.noun))
        };
        let named: Vec<Subject> = named.iter().filter(|subject| !all(subject)).cloned().collect();
        let named = named.as_slice();
        let mut stars: Vec<Lead> = characters
            .iter()
            .map(|(who, kind)| self.lead(who.clone(), *kind, places))
            .collect();
        if stars.is_empty() {
            let people = self
                .theme
                .people
                .iter()
                .map(|person| (&person.name, person.noun.as_str(), person.kind));
            let names = self.theme.names.iter().map(|name| (name, "child", Kind::Person));
            stars.extend(people.chain(names).map(|(name, noun, kind)| {
                let (name, species) = (name.clone(), Some(noun.to_owned()));
                self.lead(Who::Named { name, species }, kind, places)
            }));
        }
        if !stars.is_empty() {
            let species = |noun: &str| stars.iter().any(|star| words::contains(&star.who.words(), noun));
            return (
                stars.clone(),
                named
                    .iter()
                    .filter(|subject| !species(&subject.noun))
                    .cloned()
                    .collect(),
            );
        }
        let ranks: [fn(Kind) -> bool; 3] = [
            Kind::is_animate,
            |kind| matches!(kind, Kind::Vehicle | Kind::Aircraft),
            |kind| kind == Kind::Thing,
        ];
        let rank = ranks
            .into_iter()
            .find(|rank| named.iter().any(|subject| rank(subject.kind)));
        let Some(rank) = rank else {
            return (stars, named.to_vec());
        };
        let (leading, rest): (Vec<Subject>, Vec<Subject>) =
            named.iter().cloned().partition(|subject| rank(subject.kind));
        stars.extend(
            leading
                .into_iter()
                .map(|subject| self.lead(Who::Common(subject.noun), subject.kind, places)),
        );
        (stars, rest)
    }

    fn companions(&self) -> Vec<Who> {
        let fits = |noun: &String| {
            let kind = self.lexicon.kind(noun).unwrap_or(Kind::Animal);
            self.exclusions.allow_subject(noun, kind) && (kind != Kind::Person || self.in_groups(kind))
        };
        let nouns = self.gather(FEWEST_COMPANIONS, |world| &world.companions, fits);
        nouns.into_iter().map(Who::Common).collect()
    }

    /// Things to see; a teddy bear is one of them only where animals are welcome.
    fn props(&self) -> Vec<String> {
        let fits = |noun: &String| {
            self.exclusions
                .allow_subject(noun, self.lexicon.kind(noun).unwrap_or(Kind::Thing))
        };
        self.gather(FEWEST_PROPS, |world| &world.props, fits)
    }
}
