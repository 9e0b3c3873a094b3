//! Casting: sets the stage from the chosen worlds, and chooses the stars and the guests.

use std::collections::HashMap;

use linepress_plugin_sdk::planner::{Audience, PlanRequest};

use crate::lexicon::Lexicon;
use crate::notes::{self, Exclusions};
use crate::reader;
use crate::roles::Roles;
use crate::stage::{Lead, Must, Stage};
use crate::terrain::agree;
use crate::theme::{Hour, Subject, Theme};
use crate::who::Who;
use crate::words;
use crate::world::{self, Kind, World};

/// The minimum sizes of the lists of a stage. A stage with fewer entries borrows from other worlds, so that a hundred
/// pages still differ.
const MIN_LEADS: usize = 6;
const MIN_PLACES: usize = 4;
const MIN_COMPANIONS: usize = 12;
/// The minimum number of companions of heroes who are away from home. Borrowed ones would not be their friends.
const MIN_COMPANIONS_AWAY: usize = 7;
const MIN_PROPS: usize = 4;
const MIN_MOTIFS: usize = 4;

/// Returns the guests of the same sort as the first star (people, other animate kinds, or things) if there are enough
/// of them, or else the animate guests, or else all guests.
fn fitting_guests(guests: Vec<Lead>, stars: &[Lead]) -> Vec<Lead> {
    let Some(star) = stars.first() else { return guests };
    let alike: Vec<Lead> = guests
        .iter()
        .filter(|guest| {
            guest.kind.is_animate() == star.kind.is_animate() && guest.kind.is_creature() == star.kind.is_creature()
        })
        .cloned()
        .collect();
    if alike.len() >= MIN_LEADS {
        return alike;
    }
    let alive: Vec<Lead> = guests.iter().filter(|guest| guest.kind.is_animate()).cloned().collect();
    if alive.len() >= MIN_LEADS { alive } else { guests }
}

/// Builds the stage of a request.
pub(crate) fn set_stage(request: &PlanRequest) -> Stage {
    let worlds = world::all();
    let lexicon = Lexicon::shared();
    let (mut exclusions, mut theme_words) = notes::read(&request.theme, lexicon);
    if words::is_foreign(&request.theme) {
        // This planner reads only English. The words that it leaves out are reported as unplaced.
        theme_words.clear();
    }
    let (refused, wish_words) = notes::read(request.notes.as_deref().unwrap_or_default(), lexicon);
    exclusions.merge(refused);
    let theme = reader::read(&theme_words, lexicon, worlds);
    let wishes = reader::read(&wish_words, lexicon, worlds);
    let chosen = choose_worlds(&theme, &wishes, worlds, &exclusions);
    let builder = Builder {
        worlds,
        lexicon,
        roles: Roles::assign(&chosen, &theme, worlds),
        chosen,
        theme: &theme,
        exclusions,
    };
    let characters = characters(request, lexicon);
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

/// Returns the request's characters, each with the species that its description names.
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
        // A name such as "Pip the Hedgehog" already contains the species.
        let species = if in_name.is_some() { None } else { found };
        Some((Who::Named { name, species }, kind))
    });
    known.collect()
}

/// The inputs from which a stage is built.
struct Builder<'a> {
    worlds: &'a [World],
    lexicon: &'a Lexicon,
    chosen: Vec<usize>,
    roles: Roles,
    theme: &'a Theme,
    exclusions: Exclusions,
}

impl<'a> Builder<'a> {
    /// Builds the stage.
    fn build(&self, characters: &[(Who, Kind)], wishes: &Theme, audience: Audience) -> Stage {
        let fitting = |subject: &&Subject| self.exclusions.allow_subject(&subject.noun, subject.kind);
        let named: Vec<Subject> = self.theme.subjects.iter().filter(fitting).cloned().collect();
        let wished: Vec<Subject> = wishes.subjects.iter().filter(fitting).cloned().collect();
        let backdrops = self.backdrops();
        let event_places = self.event_places(&backdrops);
        let places = self.places(&event_places);
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
            backdrops,
            event_places,
            surroundings: self.surroundings(),
            lights: self.lights(),
            motifs: self.gather(&self.roles.doing, MIN_MOTIFS, |world| &world.motifs, |_| true),
            places,
            musts,
            doing: self.theme.doing.clone().filter(|doing| self.exclusions.allow(doing)),
            topics: self.topics(characters),
            patterns: self.theme.patterns || leading.patterns,
            about: self.about(),
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

    /// Returns the adjectives of the worlds that the theme combines: "woodland winter" in "woodland winter scenes".
    fn about(&self) -> String {
        let home = &self.worlds[self.roles.cast[0]].about;
        let visited = self.roles.doing.iter().find(|index| !self.roles.cast.contains(index));
        match visited.map(|index| &self.worlds[*index].about) {
            Some(visited) => format!("{home} {visited}"),
            None => home.clone(),
        }
    }

    /// Returns the `own` worlds, then the worlds to borrow from: those of the theme, the neutral world and all others.
    /// The flag is true for a borrowed world.
    fn nearest(&self, own: &[usize]) -> impl Iterator<Item = (bool, &'a World)> {
        let mut spare: Vec<usize> = (0..self.worlds.len())
            .filter(|index| !own.contains(index) && !self.worlds[*index].patterns)
            .collect();
        // A theme of vehicles borrows first from the worlds with most vehicles, rather than a single one from many
        // worlds.
        spare.sort_by_key(|index| {
            let world = &self.worlds[*index];
            let wanted = world.casts.iter().filter(|cast| self.in_groups(cast.kind));
            let many = if self.theme.groups.is_empty() {
                0
            } else {
                wanted.map(|cast| cast.heroes.len()).sum::<usize>()
            };
            let is_foreign = !self.chosen.contains(index);
            (is_foreign, std::cmp::Reverse(many), world.name != world::ANYWHERE)
        });
        let own = own.iter().map(|index| (false, &self.worlds[*index]));
        own.chain(spare.into_iter().map(|index| (true, &self.worlds[index])))
    }

    /// Returns one list of the `own` worlds without excluded entries, and borrows from other worlds while it has fewer
    /// than `fewest`.
    fn gather(
        &self,
        own: &[usize],
        fewest: usize,
        list: impl Fn(&'a World) -> &'a Vec<String>,
        fits: impl Fn(&String) -> bool,
    ) -> Vec<String> {
        let mut gathered: Vec<String> = Vec::new();
        for (borrowed, world) in self.nearest(own) {
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

    fn places(&self, event_places: &[String]) -> Vec<String> {
        let dark = matches!(self.theme.hour, Some(Hour::Night | Hour::Evening));
        let mut places = event_places.to_vec();
        let scenery = self.gather(
            &self.roles.scenery,
            MIN_PLACES,
            |world| &world.places,
            |place| !dark || !place.contains("sun"),
        );
        places.extend(scenery.into_iter().filter(|place| !event_places.contains(place)));
        places
    }

    /// Returns the places of the events that a picture can show in the scenery. The first is the most typical.
    fn event_places(&self, backdrops: &[String]) -> Vec<String> {
        let events = self.roles.events.iter().map(|index| &self.worlds[*index]);
        let fits =
            |place: &&String| self.exclusions.allow(place) && backdrops.iter().all(|backdrop| agree(place, backdrop));
        events.flat_map(|world| &world.places).filter(fits).cloned().collect()
    }

    fn backdrops(&self) -> Vec<String> {
        let fits = |backdrop: &String| match self.theme.hour {
            Some(Hour::Night) => !backdrop.contains("sun") && !backdrop.contains("day"),
            Some(Hour::Morning) => !backdrop.contains("moon") && !backdrop.contains("night"),
            _ => true,
        };
        let mut backdrops = self.gather(&self.roles.scenery, 1, |world| &world.backdrops, fits);
        if let Some(somewhere) = &self.theme.somewhere {
            backdrops = vec![format!("in {somewhere}")];
        }
        backdrops
    }

    /// Returns the backdrops of the worlds that each place belongs to: a kitchen is not the backdrop of a forest path.
    fn surroundings(&self) -> HashMap<String, Vec<String>> {
        let mut own: HashMap<String, Vec<String>> = HashMap::new();
        if self.roles.scenery.len() < 2 || self.theme.somewhere.is_some() {
            return own;
        }
        for world in self.roles.scenery.iter().map(|index| &self.worlds[*index]) {
            let places = world
                .places
                .iter()
                .chain(world.casts.iter().flat_map(|cast| &cast.places));
            for place in places {
                let backdrops = own.entry(place.clone()).or_default();
                backdrops.extend(world.backdrops.iter().cloned());
            }
        }
        own
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
            self.worlds[self.roles.scenery[0]].lights.clone()
        } else {
            fixed.iter().map(|light| (*light).to_owned()).collect()
        };
        lights
            .into_iter()
            .filter(|light| self.exclusions.allow(light))
            .collect()
    }

    /// Returns the topics of the theme. The name of a character or of a person is not a topic: it is a subject.
    fn topics(&self, characters: &[(Who, Kind)]) -> Vec<String> {
        let names = characters.iter().map(|(who, _)| who.words());
        let people = self.theme.people.iter().map(|person| person.name.clone());
        let names: Vec<String> = names.chain(people).chain(self.theme.names.iter().cloned()).collect();
        let is_name = |word: &str| names.iter().any(|name| words::contains(name, word));
        let topics = self.theme.about.iter();
        topics
            .filter(|topic| !topic.split(' ').any(is_name) && self.exclusions.allow(topic))
            .cloned()
            .collect()
    }

    /// Returns true if the kind belongs to the groups that the theme asks for, such as "animals".
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
        for (borrowed, world) in self.nearest(&self.roles.cast) {
            let is_full = borrowed && guests.len() >= MIN_LEADS;
            // The heroes of an occasion come from other worlds, except those that only it has, such as Santa Claus.
            let mut chosen = self.chosen.iter().map(|index| &self.worlds[*index].name);
            let is_visited = !self.theme.company && chosen.any(|name| *name == world.name);
            if is_full && !is_visited {
                break;
            }
            for cast in world.casts.iter().filter(|cast| self.may_lead(cast.kind)) {
                for noun in cast.heroes.iter().filter(|noun| !is_full || !self.has_home(noun)) {
                    let who = Who::Common(noun.clone());
                    if self.exclusions.allow_subject(noun, cast.kind) && guests.iter().all(|guest| guest.who != who) {
                        guests.push(self.lead(who, cast.kind, places));
                    }
                }
            }
        }
        guests
    }

    /// Returns true if the kind may lead pages without being named by the theme: in a book of friends, no thing does.
    fn may_lead(&self, kind: Kind) -> bool {
        self.in_groups(kind) && (kind.is_animate() || !self.theme.company)
    }

    /// Returns true if a hero lives in a world that is no occasion.
    fn has_home(&self, noun: &str) -> bool {
        let homes = self.worlds.iter().filter(|world| !world.occasion);
        let mut heroes = homes.flat_map(|world| &world.casts).flat_map(|cast| &cast.heroes);
        heroes.any(|hero| hero == noun)
    }

    /// Returns a lead with the activities and places of its kind in these worlds.
    fn lead(&self, who: Who, kind: Kind, places: &[String]) -> Lead {
        let casts = || self.roles.doing.iter().flat_map(|index| &self.worlds[*index].casts);
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
            // Other activities, such as running or skating, are removed.
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

    /// Returns the stars, and the remaining named subjects, which appear next to them.
    fn stars(&self, characters: &[(Who, Kind)], named: &[Subject], places: &[String]) -> (Vec<Lead>, Vec<Subject>) {
        // "Dinosaurs" means all heroes of that world, not one dinosaur on every page. "Robot" names a single hero.
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
        // The things of friends and animals only accompany them.
        let ranked = if self.theme.company { 1 } else { ranks.len() };
        let rank = ranks
            .into_iter()
            .take(ranked)
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
        let is_away = self.roles.scenery != self.roles.cast;
        let fewest = if is_away { MIN_COMPANIONS_AWAY } else { MIN_COMPANIONS };
        let nouns = self.gather(&self.roles.cast, fewest, |world| &world.companions, fits);
        nouns.into_iter().map(Who::Common).collect()
    }

    /// Returns the props. A prop that looks like an animal, such as a teddy bear, requires that animals are not
    /// excluded.
    fn props(&self) -> Vec<String> {
        let fits = |noun: &String| {
            self.exclusions
                .allow_subject(noun, self.lexicon.kind(noun).unwrap_or(Kind::Thing))
        };
        self.gather(&self.roles.doing, MIN_PROPS, |world| &world.props, fits)
    }
}
