//! The stage: everything this one book may be made of, after the theme, the notes and the characters had their say.

use linepress_plugin_sdk::planner::{Audience, PlanRequest};

use crate::lexicon::Lexicon;
use crate::notes::{self, Exclusions};
use crate::theme::{self, Hour, Subject, Theme};
use crate::who::Who;
use crate::words;
use crate::world::{self, Kind, World};

/// Fewer than this, and the stage borrows from other worlds: a hundred pages must still differ.
const FEWEST_LEADS: usize = 6;
const FEWEST_PLACES: usize = 8;
const FEWEST_COMPANIONS: usize = 7;

/// Somebody a page can be about.
#[derive(Clone, Debug)]
pub struct Lead {
    pub who: Who,
    pub kind: Kind,
    pub activities: Vec<String>,
    /// Where they can be met.
    pub places: Vec<String>,
}

/// Something the theme names that must be seen, though it leads no page.
#[derive(Clone, Debug)]
pub enum Must {
    Thing(String),
    Place(String),
    Sky(String),
}

/// What a book is made of.
pub struct Stage {
    /// Who the book is about: the request's characters, else what the theme names.
    pub stars: Vec<Lead>,
    /// Who else lives there.
    pub guests: Vec<Lead>,
    pub companions: Vec<Who>,
    pub props: Vec<String>,
    pub places: Vec<String>,
    pub backdrops: Vec<String>,
    pub lights: Vec<String>,
    pub motifs: Vec<String>,
    pub musts: Vec<Must>,
    /// "baking cookies", when the theme says so.
    pub doing: Option<String>,
    /// Words that every prompt ends with: "in a scene about kindness".
    pub tail: String,
    pub patterns: bool,
    /// Adjective and titles of the leading world.
    pub about: String,
    pub titles: Vec<String>,
    pub exclusions: Exclusions,
    pub audience: Audience,
}

/// Sets the stage for a request.
pub fn set(request: &PlanRequest) -> Stage {
    let worlds = world::all();
    let lexicon = Lexicon::new(&worlds);
    let (mut exclusions, theme_words) = notes::read(&request.theme, &lexicon);
    let (refused, wish_words) = notes::read(request.notes.as_deref().unwrap_or_default(), &lexicon);
    exclusions.merge(refused);
    let theme = theme::read(&theme_words, &lexicon, &worlds);
    let wishes = theme::read(&wish_words, &lexicon, &worlds);
    let chosen = choose_worlds(&theme, &wishes, &worlds, &exclusions);
    let mut builder = Builder {
        worlds: &worlds,
        chosen,
        theme: &theme,
        exclusions,
    };
    let characters = characters(request, &lexicon);
    builder.build(&characters, &wishes, request.audience)
}

fn choose_worlds(theme: &Theme, wishes: &Theme, worlds: &[World], exclusions: &Exclusions) -> Vec<usize> {
    let allowed = |index: &&usize| exclusions.allow(&worlds[**index].about) && exclusions.allow(&worlds[**index].name);
    let mut chosen: Vec<usize> = theme.worlds.iter().filter(allowed).copied().collect();
    if chosen.is_empty() {
        chosen = wishes.worlds.iter().filter(allowed).copied().collect();
    }
    if chosen.is_empty() {
        let wanted = if theme.patterns { "patterns" } else { world::ANYWHERE };
        chosen.extend(worlds.iter().position(|world| world.name == wanted));
    }
    chosen
}

/// The request's characters, each with the species its description names.
fn characters(request: &PlanRequest, lexicon: &Lexicon) -> Vec<(Who, Kind)> {
    let known = request.characters.iter().filter_map(|character| {
        let name = character.name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() {
            return None;
        }
        let in_name = lexicon.first_animate(&words::split(&name));
        let found = lexicon.first_animate(&words::split(&character.description));
        let kind = in_name
            .as_ref()
            .or(found.as_ref())
            .and_then(|noun| lexicon.kind(noun))
            .unwrap_or(Kind::Person);
        // "Pip the Hedgehog" says it already.
        let species = if in_name.is_some() { None } else { found };
        Some((Who::Named { name, species }, kind))
    });
    known.collect()
}

struct Builder<'a> {
    worlds: &'a [World],
    chosen: Vec<usize>,
    theme: &'a Theme,
    exclusions: Exclusions,
}

impl<'a> Builder<'a> {
    fn build(&mut self, characters: &[(Who, Kind)], wishes: &Theme, audience: Audience) -> Stage {
        let fitting = |subject: &&Subject| self.exclusions.allow_subject(&subject.noun, subject.kind);
        let named: Vec<Subject> = self.theme.subjects.iter().filter(fitting).cloned().collect();
        let wished: Vec<Subject> = wishes.subjects.iter().filter(fitting).cloned().collect();
        self.widen();
        let places = self.places();
        let guests = self.guests(&places);
        let (stars, seen) = self.stars(characters, &named, &places);
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
            props: self.gather(|world| &world.props),
            backdrops: self.backdrops(),
            lights: self.lights(),
            motifs: self.gather(|world| &world.motifs),
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
        }
    }

    /// Adds worlds, the neutral ones first, until there is enough of everything.
    fn widen(&mut self) {
        let mut spare: Vec<usize> = (0..self.worlds.len())
            .filter(|index| !self.worlds[*index].patterns)
            .collect();
        spare.sort_by_key(|index| usize::from(self.worlds[*index].name != world::ANYWHERE));
        for index in spare {
            let enough = self.guests(&[]).len() >= FEWEST_LEADS
                && self.places().len() >= FEWEST_PLACES
                && self.companions().len() >= FEWEST_COMPANIONS
                && self.gather(|world| &world.props).len() >= 4
                && self.gather(|world| &world.motifs).len() >= 4;
            if enough {
                return;
            }
            if !self.chosen.contains(&index) {
                self.chosen.push(index);
            }
        }
    }

    fn own(&self) -> impl Iterator<Item = &'a World> + '_ {
        self.chosen.iter().map(|index| &self.worlds[*index])
    }

    /// One list of all worlds on stage, without what is refused.
    fn gather(&self, list: impl Fn(&'a World) -> &'a Vec<String>) -> Vec<String> {
        let mut gathered: Vec<String> = Vec::new();
        for text in self.own().flat_map(list) {
            if self.exclusions.allow(text) && !gathered.contains(text) {
                gathered.push(text.clone());
            }
        }
        gathered
    }

    fn places(&self) -> Vec<String> {
        let mut places = self.gather(|world| &world.places);
        if matches!(self.theme.hour, Some(Hour::Night | Hour::Evening)) {
            places.retain(|place| !place.contains("sun"));
        }
        places
    }

    fn backdrops(&self) -> Vec<String> {
        let mut backdrops = self.gather(|world| &world.backdrops);
        match self.theme.hour {
            Some(Hour::Night) => backdrops.retain(|backdrop| !backdrop.contains("sun") && !backdrop.contains("day")),
            Some(Hour::Morning) => {
                backdrops.retain(|backdrop| !backdrop.contains("moon") && !backdrop.contains("night"))
            }
            _ => {}
        }
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
        for cast in self
            .own()
            .flat_map(|world| &world.casts)
            .filter(|cast| self.in_groups(cast.kind))
        {
            for noun in &cast.heroes {
                let who = Who::Common(noun.clone());
                if self.exclusions.allow_subject(noun, cast.kind) && guests.iter().all(|guest| guest.who != who) {
                    guests.push(self.lead(who, cast.kind, places));
                }
            }
        }
        guests
    }

    /// A lead that does what its kind does in these worlds.
    fn lead(&self, who: Who, kind: Kind, places: &[String]) -> Lead {
        let casts = || self.own().flat_map(|world| &world.casts);
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
        let activities = like.map(|cast| allowed(&cast.activities)).unwrap_or_default();
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
        let mut stars: Vec<Lead> = characters
            .iter()
            .map(|(who, kind)| self.lead(who.clone(), *kind, places))
            .collect();
        if stars.is_empty() {
            let names = self.theme.names.iter().map(|name| Who::Named {
                name: name.clone(),
                species: None,
            });
            stars.extend(names.map(|who| self.lead(who, Kind::Person, places)));
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
        let lexicon_kind = |noun: &String| {
            let cast = self
                .worlds
                .iter()
                .flat_map(|world| &world.casts)
                .find(|cast| cast.heroes.contains(noun));
            cast.map_or(Kind::Animal, |cast| cast.kind)
        };
        let fits = |noun: &String| {
            let kind = lexicon_kind(noun);
            self.exclusions.allow_subject(noun, kind) && (kind != Kind::Person || self.in_groups(kind))
        };
        self.gather(|world| &world.companions)
            .into_iter()
            .filter(fits)
            .map(Who::Common)
            .collect()
    }
}
