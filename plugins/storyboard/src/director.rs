//! The director: decides page by page which subjects appear together and where, so that no two pages are the same
//! picture, and none shows what an earlier volume of the series shows.

use std::collections::HashSet;

use fastrand::Rng;
use linepress_plugin_sdk::planner::Audience;

use crate::deck::Deck;
use crate::earlier::Earlier;
use crate::english::with_article;
use crate::lexicon::{Lexicon, Match};
use crate::scene::{Activity, Prop, Scene};
use crate::stage::{Lead, Must, Stage};
use crate::terrain::agree;
use crate::who::Who;
use crate::words::overlap;
use crate::world::Kind;

pub(crate) struct Director<'a> {
    stage: &'a Stage,
    earlier: &'a Earlier,
    random: &'a mut Rng,
    guests: Deck<Lead>,
    companions: Deck<Who>,
    places: Deck<String>,
    props: Deck<String>,
    activities: Deck<String>,
    backdrops: Deck<String>,
    /// The lead, the place and the companion of every page so far.
    taken: HashSet<(Who, String, Option<Who>)>,
    /// All subjects that have led a page.
    seen: HashSet<Who>,
    last_lead: Option<Who>,
    last_place: String,
    last_companion: Option<Who>,
}

impl<'a> Director<'a> {
    pub(crate) fn new(stage: &'a Stage, earlier: &'a Earlier, random: &'a mut Rng) -> Self {
        let mut activities: Vec<String> = Vec::new();
        for lead in stage.stars.iter().chain(&stage.guests) {
            activities.extend(
                lead.activities
                    .iter()
                    .filter(|activity| !activities.contains(activity))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
        let mut places = stage.places.clone();
        for place in stage.guests.iter().chain(&stage.stars).flat_map(|lead| &lead.places) {
            if !places.contains(place) {
                places.push(place.clone());
            }
        }
        Self {
            guests: Deck::shuffled(stage.guests.iter().cloned(), random),
            companions: Deck::shuffled(stage.companions.iter().cloned(), random),
            places: Deck::shuffled(places, random),
            props: Deck::shuffled(stage.props.iter().cloned(), random),
            activities: Deck::shuffled(activities, random),
            backdrops: Deck::shuffled(stage.backdrops.iter().cloned(), random),
            taken: HashSet::new(),
            seen: HashSet::new(),
            last_lead: None,
            last_place: String::new(),
            last_companion: None,
            stage,
            earlier,
            random,
        }
    }

    /// Returns the scene of a page in a book of `count` pages. Pages are asked for in order; a page that is asked for
    /// again gets another scene.
    pub(crate) fn scene(&mut self, index: usize, count: usize) -> Scene {
        let stage = self.stage;
        let (lead, with_star) = self.lead(index);
        let mut named: Vec<Who> = with_star.iter().cloned().collect();
        let must = self.must(index, count);
        if let Some(Must::Place(noun) | Must::Sky(noun)) = &must {
            named.push(Who::Common(noun.clone()));
        }
        let again = !self.seen.insert(lead.who.clone());
        let shape = Shape::for_page(stage, &lead, index, again);
        let companions = match with_star {
            Some(star) => vec![Some(star)],
            None => self.company(&lead, shape.company),
        };
        let (companion, place) = self.whereabouts(&lead, &companions, must.as_ref());
        let mut taken_words = format!("{} {place}", lead.who.words());
        if let Some(companion) = &companion {
            taken_words = format!("{taken_words} {}", companion.words());
        }
        let activity = self.activity(&lead, shape.activity, &place, &taken_words);
        let doing = activity.as_ref().map(Activity::gerund).unwrap_or_default();
        taken_words = format!("{taken_words} {doing}");
        let prop = self.prop(shape.prop, must.as_ref(), &taken_words);
        let backdrop = self.backdrop(
            &format!("{taken_words} {}", prop.as_ref().map_or("", |prop| &prop.noun)),
            &place,
            &doing,
        );
        let light = self.light(
            index,
            count,
            must.as_ref(),
            &format!("{taken_words} {backdrop}"),
            [&place, &backdrop],
        );
        self.taken.insert((lead.who.clone(), place.clone(), companion.clone()));
        self.last_lead = Some(lead.who.clone());
        self.last_place.clone_from(&place);
        self.last_companion.clone_from(&companion);
        Scene {
            lead: lead.who,
            kind: lead.kind,
            companion,
            named,
            prop,
            activity,
            place,
            backdrop,
            light,
        }
    }

    /// Returns the lead of a page, and the star as its companion if the lead is a guest: a single star without a name
    /// leads every second page and accompanies a guest on the others.
    fn lead(&mut self, index: usize) -> (Lead, Option<Who>) {
        let stars = &self.stage.stars;
        let alone = stars.len() == 1 && !stars[0].who.is_named();
        if alone && index % 2 == 1 {
            let star = stars[0].who.clone();
            if let Some(guest) = self.guests.draw(|guest| !overlap(&guest.who.words(), &star.words())) {
                return (guest, Some(star));
            }
        }
        if let Some(star) = stars.get(index % stars.len().max(1)) {
            return (star.clone(), None);
        }
        let last = self.last_lead.clone();
        let guest = self.guests.draw(|guest| Some(&guest.who) != last.as_ref());
        let guest = guest.or_else(|| self.stage.guests.first().cloned());
        (guest.unwrap_or_else(|| self.still_life()), None)
    }

    /// Returns a thing as the lead, for books whose notes exclude every subject.
    fn still_life(&mut self) -> Lead {
        let noun = self.props.draw(|_| true).unwrap_or_else(|| "flower".to_owned());
        Lead {
            who: Who::Common(noun),
            kind: Kind::Thing,
            activities: Vec::new(),
            places: self.stage.places.clone(),
        }
    }

    /// Returns the thing, place or object in the sky from the theme that this page must show. They take turns, on every
    /// page of a book without stars or with few pages, and otherwise on every second page.
    fn must(&self, index: usize, count: usize) -> Option<Must> {
        let musts = &self.stage.musts;
        let every = if self.stage.stars.is_empty() || count <= 2 * musts.len() {
            1
        } else {
            2
        };
        (!musts.is_empty() && index.is_multiple_of(every)).then(|| musts[(index / every) % musts.len()].clone())
    }

    /// Returns the possible companions in order of preference: the companions of the worlds, the least used first, then
    /// the other stars, then the guests. `None` is a page without a companion: last if a companion is `wanted`, or else
    /// first.
    fn company(&mut self, lead: &Lead, wanted: bool) -> Vec<Option<Who>> {
        let suits = |who: &Who| !overlap(&who.words(), &lead.who.words()) && Some(who) != self.last_companion.as_ref();
        let mut companions: Vec<Option<Who>> = self.companions.by_use().into_iter().filter(suits).map(Some).collect();
        // The other stars may be companions, too, such as the friends of a character.
        let fellow = self
            .stage
            .stars
            .iter()
            .map(|star| star.who.clone())
            .filter(|who| *who != lead.who);
        companions.extend(fellow.map(Some));
        companions.extend(
            self.stage
                .guests
                .iter()
                .map(|guest| guest.who.clone())
                .filter(suits)
                .map(Some),
        );
        if wanted {
            companions.push(None);
        } else {
            companions.insert(0, None);
        }
        companions
    }

    /// Returns the first companion and place that no page has combined with this lead.
    fn whereabouts(&mut self, lead: &Lead, companions: &[Option<Who>], must: Option<&Must>) -> (Option<Who>, String) {
        let named = must.map(|must| self.named_places(must)).unwrap_or_default();
        let standing = self.places.by_use();
        let own: Vec<&String> = standing.iter().filter(|place| lead.places.contains(place)).collect();
        let shown_before = self.earlier.pages_with(&lead.who);
        let lists = [named.iter().collect::<Vec<_>>(), own, standing.iter().collect()];
        for (strict, places) in [true, false]
            .iter()
            .flat_map(|strict| lists.iter().map(move |places| (*strict, places)))
        {
            for companion in companions {
                let who = companion.as_ref().map(Who::words).unwrap_or_default();
                let fits = places.iter().find(|place| {
                    let key = (lead.who.clone(), (***place).clone(), companion.clone());
                    !self.taken.contains(&key)
                        && (!strict || !shown_before.show(place, companion.as_ref()))
                        && (!strict || ***place != self.last_place)
                        && (!strict || !overlap(place, &lead.who.words()) && !overlap(place, &who))
                });
                if let Some(place) = fits {
                    let place = (*place).clone();
                    self.places.mark(|other| *other == place);
                    self.companions.mark(|other| Some(other) == companion.as_ref());
                    return (companion.clone(), place);
                }
            }
        }
        // Every combination is used: this happens only for notes that exclude nearly everything.
        (
            companions.first().cloned().flatten(),
            self.places
                .draw(|_| true)
                .unwrap_or_else(|| "under a wide sky".to_owned()),
        )
    }

    /// Returns phrases for positions near a place that the theme names.
    fn named_places(&mut self, must: &Must) -> Vec<String> {
        let mut places: Vec<String> = match must {
            Must::Place(noun) => [
                "beside",
                "in front of",
                "near",
                "not far from",
                "at the foot of",
                "on the way to",
            ]
            .iter()
            .map(|near| format!("{near} {}", with_article(noun)))
            .collect(),
            Must::Sky(noun) => self
                .stage
                .places
                .iter()
                .filter(|place| crate::words::contains(place, noun))
                .cloned()
                .collect(),
            Must::Thing(_) => Vec::new(),
        };
        self.random.shuffle(&mut places);
        places
    }

    fn activity(&mut self, lead: &Lead, wanted: bool, place: &str, taken_words: &str) -> Option<Activity> {
        let is_star = self.stage.stars.iter().any(|star| star.who == lead.who) || self.stage.stars.is_empty();
        if let Some(doing) = self.stage.doing.clone().filter(|_| is_star && lead.kind.is_animate()) {
            return Some(if is_shown(&doing) {
                Activity::Is(doing)
            } else {
                Activity::Wished(doing)
            });
        }
        if !wanted {
            return None;
        }
        let fits = |activity: &String| {
            lead.activities.contains(activity) && !overlap(activity, taken_words) && agree(activity, place)
        };
        self.activities.draw(fits).map(Activity::Does)
    }

    fn prop(&mut self, wanted: bool, must: Option<&Must>, taken_words: &str) -> Option<Prop> {
        let noun = match must {
            Some(Must::Thing(noun)) if !overlap(noun, taken_words) => Some(noun.clone()),
            Some(Must::Thing(_)) => None,
            _ if wanted => self.props.draw(|noun| !overlap(noun, taken_words)),
            _ => None,
        }?;
        Some(Prop::some(noun, self.random))
    }

    fn backdrop(&mut self, taken_words: &str, place: &str, doing: &str) -> String {
        if self.stage.audience == Audience::Toddler && self.stage.backdrops.len() != 1 {
            return String::new();
        }
        let stage = self.stage;
        let fits = |backdrop: &String| {
            first_word(backdrop) != first_word(place)
                && !overlap(backdrop, taken_words)
                && stage.surrounds(backdrop, place)
                && agree(doing, backdrop)
        };
        self.backdrops.draw(fits).unwrap_or_default()
    }

    fn light(&mut self, index: usize, count: usize, must: Option<&Must>, text: &str, others: [&String; 2]) -> String {
        let named = match must {
            Some(Must::Sky(noun)) if !crate::words::contains(text, noun) => Some(overhead(noun)),
            _ => None,
        };
        let lights = &self.stage.lights;
        let asked = lights
            .first()
            .is_some_and(|light| light.contains("moon") || light.contains("evening"))
            || lights.len() < 4;
        let light = match named {
            Some(named) => return named,
            None if lights.is_empty() || (index % 2 == 1 && !asked) => return String::new(),
            None if asked => &lights[index % lights.len()],
            None => &lights[index * lights.len() / count.max(1)],
        };
        let clashes = ["sun", "day", "morning", "night", "star", "moon", "sky", "light"]
            .iter()
            .any(|word| text.contains(word));
        let repeats = others.iter().any(|other| first_word(other) == first_word(light));
        if clashes || repeats {
            String::new()
        } else {
            light.clone()
        }
    }
}

/// The elements of a page in addition to its lead.
struct Shape {
    company: bool,
    activity: bool,
    prop: bool,
}

impl Shape {
    fn for_page(stage: &Stage, lead: &Lead, index: usize, again: bool) -> Self {
        let named = lead.who.is_named();
        match (stage.audience, index % 4) {
            // The lead is alone on its first page, and later with another element, so that no drawing repeats.
            (Audience::Toddler, _) => Self {
                company: again && index.is_multiple_of(2),
                activity: false,
                prop: again && !index.is_multiple_of(2),
            },
            (Audience::Child, 0) => Self {
                company: named,
                activity: true,
                prop: false,
            },
            (Audience::Child, 1) => Self {
                company: true,
                activity: false,
                prop: false,
            },
            (Audience::Child, 2) => Self {
                company: true,
                activity: true,
                prop: false,
            },
            (Audience::Child, _) => Self {
                company: false,
                activity: false,
                prop: true,
            },
            (Audience::Teen, _) => Self {
                company: true,
                activity: true,
                prop: true,
            },
            (Audience::Adult, _) => Self {
                company: true,
                activity: false,
                prop: false,
            },
        }
    }
}

/// Returns true if every object of an activity is known: true for "baking cookies", false for "playing the cello".
fn is_shown(doing: &str) -> bool {
    let lexicon = Lexicon::shared();
    let words = crate::words::split(doing);
    let mut objects = 0;
    let mut at = 1;
    while at < words.len() {
        let found = lexicon.longest_match(&words[at..]);
        // Of the words that only name a world, "picnic" is the only one that a drawing can show.
        let drawn = |found: &Match| found.noun.is_some() || words[at].stem == "picnic";
        if let Some(found) = found.filter(drawn) {
            objects += 1;
            at += found.length;
        } else if lexicon.stop.contains(&words[at].lower) {
            at += 1;
        } else {
            return false;
        }
    }
    objects > 0
}

fn first_word(phrase: &str) -> &str {
    phrase.split(' ').next().unwrap_or_default()
}

fn overhead(noun: &str) -> String {
    match noun {
        "star" => "under the stars".to_owned(),
        "cloud" => "under fluffy clouds".to_owned(),
        "sun" => "under a bright sun".to_owned(),
        "aurora" => "under the northern lights".to_owned(),
        _ => format!("under {}", with_article(noun)),
    }
}
