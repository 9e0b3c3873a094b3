//! Page titles: a few words each, unique within a book and its series.

use std::collections::HashSet;

use linepress_plugin_sdk::planner::Audience;

use crate::earlier::Earlier;
use crate::english::{definite_place, sentence, title_case};
use crate::ornament::{self, Ornament};
use crate::scene::{Activity, Scene};
use crate::stage::Stage;
use crate::verbs::{gerund, third_person};
use crate::world::Kind;

const CHARACTERS: &[&str] = &[
    "adventurous",
    "amiable",
    "brave",
    "busy",
    "bouncy",
    "careful",
    "cheerful",
    "clever",
    "curious",
    "daring",
    "dreamy",
    "eager",
    "friendly",
    "funny",
    "gentle",
    "graceful",
    "happy",
    "helpful",
    "humble",
    "hungry",
    "jolly",
    "joyful",
    "kind",
    "keen",
    "lazy",
    "little",
    "lucky",
    "merry",
    "mighty",
    "musical",
    "neat",
    "noble",
    "old",
    "patient",
    "playful",
    "polite",
    "proud",
    "quick",
    "quiet",
    "restless",
    "rosy",
    "shy",
    "sleepy",
    "sunny",
    "tiny",
    "thoughtful",
    "unlikely",
    "velvet",
    "vigilant",
    "wise",
    "witty",
    "young",
    "zesty",
];
const LOOKS: &[&str] = &[
    "bright",
    "brilliant",
    "dashing",
    "fine",
    "fancy",
    "grand",
    "handsome",
    "little",
    "lovely",
    "lucky",
    "mighty",
    "merry",
    "perfect",
    "proud",
    "shiny",
    "speedy",
    "splendid",
    "trusty",
    "tiny",
    "wonderful",
];
/// Templates for the pages of teens and adults.
const TEEN_AND_ADULT_TITLES: &[&str] = &[
    "Portrait of {}",
    "{} at Ease",
    "{} in Thought",
    "{}, Undisturbed",
    "A Study of {}",
    "The Secret Life of {}",
];

/// The titles that are already used in the book.
#[derive(Default)]
pub(crate) struct Titles {
    taken: HashSet<String>,
    uses: Vec<(&'static str, usize)>,
}

impl Titles {
    /// The titles of a book that takes none of the titles of the earlier volumes.
    pub(crate) fn after(earlier: &Earlier) -> Self {
        let mut titles = Self::default();
        for title in &earlier.titles {
            titles.taken.insert(title.clone());
            titles.count_adjective(title);
        }
        titles
    }

    /// Returns a title for the page that no other page has.
    pub(crate) fn next(&mut self, scene: &Scene, ornament: Option<&Ornament>, stage: &Stage, index: usize) -> String {
        let candidates = match ornament {
            Some(ornament) => ornament::titles(ornament, scene),
            None => self.candidates(scene, stage, index),
        };
        let short = |title: &String| title.split(' ').count() <= 8;
        let described = self.adjectives(scene, stage).into_iter();
        let described = described.map(|adjective| scene.lead.titled_with(adjective));
        let mut candidates = candidates
            .into_iter()
            .filter(short)
            .chain(last_resorts(scene))
            .chain(described);
        let title =
            candidates.find(|title| stage.exclusions.allow(title) && !self.taken.contains(&title.to_lowercase()));
        let title = title.unwrap_or_else(|| self.count_up(&scene.lead.titled()));
        self.taken.insert(title.to_lowercase());
        self.count_adjective(&title);
        title
    }

    fn candidates(&self, scene: &Scene, stage: &Stage, index: usize) -> Vec<String> {
        let lead = scene.lead.titled();
        let mut forms: Vec<String> = Vec::new();
        let adjectives = self.adjectives(scene, stage);
        let with_adjective = adjectives.iter().map(|adjective| scene.lead.titled_with(adjective));
        let company = scene
            .companion
            .as_ref()
            .map(|companion| format!("{lead} and {}", companion.titled()));
        let prop = scene.prop.as_ref().map(|prop| {
            let noun = if prop.count == 1 {
                prop.noun.clone()
            } else {
                crate::english::plural(&prop.noun)
            };
            format!("{lead} and the {}", title_case(&noun))
        });
        let action = match &scene.activity {
            Some(Activity::Does(base)) => Some((
                title_case(&format!("{lead} {}", third_person(base))),
                title_case(&gerund(base)),
            )),
            _ => None,
        };
        let met = met(scene);
        match stage.audience {
            Audience::Toddler => {
                // The shortest title, the lead alone, is tried on every second page.
                forms.extend(index.is_multiple_of(2).then_some(lead));
                forms.push(met);
                forms.extend(company);
                forms.extend(with_adjective.take(2));
            }
            Audience::Child => {
                forms.extend(company);
                forms.extend(prop);
                if let Some((acts, acting)) = action {
                    forms.push(acts);
                    forms.push(acting);
                }
                forms.push(met);
                forms.extend(with_adjective.take(2));
                let turn = index % forms.len();
                forms.rotate_left(turn);
            }
            Audience::Teen | Audience::Adult => {
                if let Some((_, acting)) = action {
                    forms.push(acting);
                }
                let introduced = scene.lead.introduced();
                forms.push(sentence(
                    &TEEN_AND_ADULT_TITLES[(index / 3) % TEEN_AND_ADULT_TITLES.len()]
                        .replace("{}", &title_case_keeping_article(&introduced)),
                ));
                forms.extend(company);
                forms.push(met);
                forms.extend(with_adjective.take(1));
                let turn = index % forms.len();
                forms.rotate_left(turn);
            }
        }
        forms
    }

    /// Returns adjectives for the lead: those with its first letter, then the least used.
    fn adjectives(&self, scene: &Scene, stage: &Stage) -> Vec<&'static str> {
        let all = if matches!(
            scene.kind,
            Kind::Animal | Kind::Bird | Kind::Fish | Kind::Insect | Kind::Person
        ) {
            CHARACTERS
        } else {
            LOOKS
        };
        let used = |adjective: &str| {
            self.uses
                .iter()
                .find(|(word, _)| *word == adjective)
                .map_or(0, |(_, uses)| *uses)
        };
        let lead = scene.lead.called().to_lowercase();
        let mut sorted: Vec<&'static str> = all
            .iter()
            .copied()
            .filter(|adjective| !lead.contains(adjective))
            .collect();
        sorted.retain(|adjective| stage.exclusions.allow(adjective));
        sorted.sort_by_key(|adjective| {
            (
                used(adjective) * 2 + usize::from(adjective.chars().next() != lead.chars().next()),
                *adjective,
            )
        });
        sorted
    }

    fn count_adjective(&mut self, title: &str) {
        let words = title.to_lowercase();
        let Some(used) = CHARACTERS
            .iter()
            .chain(LOOKS)
            .find(|adjective| words.split(' ').any(|word| word == **adjective))
        else {
            return;
        };
        match self.uses.iter_mut().find(|(word, _)| word == used) {
            Some((_, uses)) => *uses += 1,
            None => self.uses.push((used, 1)),
        }
    }

    /// Returns a unique title with a number, for books whose notes exclude nearly everything.
    fn count_up(&self, lead: &str) -> String {
        (2..)
            .map(|count| format!("{lead}, Picture {}", sentence(&crate::english::number(count))))
            .find(|title| !self.taken.contains(&title.to_lowercase()))
            .expect("the range of numbers is unbounded")
    }
}

/// Returns longer titles, with the elements that make the scene unique.
fn last_resorts(scene: &Scene) -> Vec<String> {
    let lead = scene.lead.titled();
    let mut titles = vec![met(scene)];
    if let Some(companion) = &scene.companion {
        let both = format!("{lead} and {}", companion.titled());
        titles.push(title_case(&format!("{both} {}", definite_place(&scene.place))));
        titles.push(both);
    }
    titles
}

/// Returns the lead with the place: "Fox by the Pond".
fn met(scene: &Scene) -> String {
    title_case(&format!("{} {}", scene.lead.titled(), definite_place(&scene.place)))
}

fn title_case_keeping_article(text: &str) -> String {
    let titled = title_case(text);
    match titled.split_once(' ') {
        Some((article @ ("A" | "An"), rest)) => format!("{} {rest}", article.to_lowercase()),
        _ => titled,
    }
}
