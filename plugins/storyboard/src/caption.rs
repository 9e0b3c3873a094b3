//! Captions: the line under a drawing, in a tone that suits the audience.

use std::collections::HashMap;

use linepress_plugin_sdk::planner::Audience;

use crate::english::{definite_place, sentence};
use crate::lexicon::Lexicon;
use crate::ornament::{Form, Ornament};
use crate::scene::{Activity, Prop, Scene};
use crate::stage::Stage;
use crate::who::Who;

const TODDLER_ALONE: &[&str] = &[
    "Hello, {called}!",
    "I see {a}.",
    "Look, {a}!",
    "One {mood} {called}.",
    "Hi there, {called}!",
    "What a {mood} {called}!",
    "Color {the}.",
    "Peekaboo, {called}!",
];
const TODDLER_WITH: &[&str] = &[
    "{Called} and {friend}.",
    "Hello, {called} and {friend}!",
    "Where is {thefriend}?",
    "Two friends!",
    "I see {a} and {afriend}.",
];
const TODDLER_NAMED: &[&str] = &[
    "Hello, {called}!",
    "Here is {called}.",
    "{Called} is {mood}.",
    "Peekaboo, {called}!",
    "Good job, {called}!",
    "I see {called}.",
];

const MEETING: &[&str] = &[
    "{The} and {thefriend} meet {place}.",
    "{The} and {thefriend} share a secret {place}.",
    "{The} and {thefriend} stop for a rest {place}.",
    "{The} has found a friend {place}.",
    "{The} and {thefriend} wait {place}.",
    "Who came along with {the}? It is {thefriend}!",
    "{The} and {thefriend} are the best of friends.",
    "{The} tells {thefriend} a funny story.",
    "{Thefriend} has come to visit {the}.",
    "{The} waves, and {thefriend} waves back.",
];
const FINDING: &[&str] = &[
    "{The} has found {prop}!",
    "Look what {the} found {place}!",
    "What will {the} do with {prop}?",
    "Can you find {prop} near {the}?",
    "{The} keeps {prop} safe {place}.",
];
const QUIET: &[&str] = &[
    "{The} waits {place}.",
    "{The} feels at home {place}.",
    "Who is that {place}? It is {the}!",
    "Find your favorite colors for {the}.",
    "There is room for {the} {place}.",
    "It is a good day for {the}.",
];

const WIT_WITH: &[&str] = &[
    "{Thefriend} called it a shortcut. {The} had doubts.",
    "Nobody asked {thefriend}, and still.",
    "{The} brought the plan. {Thefriend} brought the snacks.",
    "{The} says it was like this when they arrived.",
    "Two experts, three opinions.",
    "{Thefriend} is only here for the view.",
    "Technically, {thefriend} was here first.",
    "{The} and {thefriend} agreed to disagree, quietly.",
    "It was {thefriend}'s idea. It usually is.",
    "Best friends, with a few footnotes.",
    "{The} talks. {Thefriend} takes notes.",
    "The meeting {place} could have been a letter.",
    "{Thefriend} has seen things. {The} has seen snacks.",
    "Never split the party, said {thefriend}.",
    "An unlikely team with an even less likely map.",
    "{The} blinked first.",
];
const WIT_ALONE: &[&str] = &[
    "Nobody told {the} it was Monday.",
    "{The} meant to do that.",
    "Somewhere {place}, a legend begins. Or a nap.",
    "{The} is not lost, merely between plans.",
    "A quiet moment. Suspiciously quiet.",
    "Main character energy, {place}.",
    "{The} would like to speak to the author.",
    "Plot twist: {the} was right all along.",
    "{The} prefers the scenic route.",
    "Some call it stalling. {The} calls it research.",
];
const CALM: &[&str] = &[
    "A quiet hour {place}.",
    "{The} and {thefriend}, unhurried.",
    "Take your time; so does {the}.",
    "Stillness {place}.",
    "Line by line, leaf by leaf.",
    "Nothing to do, and all day to do it.",
    "A slow breath, a soft line.",
    "{The} keeps good company.",
    "Here, {place}, the day can wait.",
    "Small things, carefully seen.",
];

/// Caption templates with the number of their uses: a template is used again only after all others of its list.
pub(crate) struct Captions {
    /// The index in each list of templates at which this book begins.
    start: usize,
    uses: HashMap<&'static str, usize>,
}

impl Captions {
    /// Returns captions that begin at index `start` of each list of templates.
    pub(crate) fn new(start: usize) -> Self {
        Self {
            start,
            uses: HashMap::new(),
        }
    }

    /// Returns the caption of the next page. It is empty for pure patterns.
    pub(crate) fn next(&mut self, scene: &Scene, ornament: Option<&Ornament>, stage: &Stage, index: usize) -> String {
        if stage.audience == Audience::Adult && ornament.is_some_and(|ornament| ornament.form != Form::Wreath) {
            return String::new();
        }
        let mut templates: Vec<&'static str> = templates(scene, ornament, stage.audience, index).to_vec();
        if ornament.is_some_and(|ornament| ornament.form != Form::Filled) {
            // A wreath or a pattern does not show a place.
            templates.retain(|template| !template.contains("{place}"));
        }
        let turn = (self.start + index) % templates.len().max(1);
        templates.rotate_left(turn);
        templates.sort_by_key(|template| self.uses.get(template).copied().unwrap_or_default());
        let fits = |line: &String| stage.exclusions.allow(line);
        let chosen = templates
            .into_iter()
            .find_map(|template| Some((template, Some(fill(template, scene, index)).filter(fits)?)));
        let Some((template, line)) = chosen else {
            return String::new();
        };
        *self.uses.entry(template).or_default() += 1;
        line
    }
}

/// Returns the templates that fit this scene.
fn templates(scene: &Scene, ornament: Option<&Ornament>, audience: Audience, index: usize) -> &'static [&'static str] {
    let shown = ornament.is_none_or(|ornament| matches!(ornament.form, Form::Wreath | Form::Panel));
    let company = shown && scene.companion.as_ref().is_some_and(Who::is_animate) && scene.kind.is_animate();
    let acts = ornament.is_none() && matches!(scene.activity, Some(Activity::Does(_) | Activity::Is(_)));
    // The drawing may not show an unknown thing of the theme.
    let is_known = |prop: &Prop| Lexicon::shared().kind(&prop.noun).is_some();
    let finds = scene.prop.as_ref().is_some_and(is_known) && scene.kind.is_animate();
    match audience {
        Audience::Toddler if company && index % 3 != 2 => TODDLER_WITH,
        Audience::Toddler if scene.lead.is_named() => TODDLER_NAMED,
        Audience::Toddler => TODDLER_ALONE,
        Audience::Child if acts => &["{The} {does} {place}."],
        Audience::Child if company => MEETING,
        Audience::Child if finds && ornament.is_none() => FINDING,
        Audience::Child => QUIET,
        Audience::Teen if company && index % 5 < 3 => WIT_WITH,
        Audience::Teen => WIT_ALONE,
        Audience::Adult if company => CALM,
        Audience::Adult => &[
            "Line by line, leaf by leaf.",
            "A slow breath, a soft line.",
            "Take your time; so does {the}.",
            "A quiet hour {place}.",
        ],
    }
}

fn fill(template: &str, scene: &Scene, index: usize) -> String {
    let friend = scene.companion.as_ref();
    let friend_known = friend.map(|friend| friend.known()).unwrap_or_default();
    let friend_called = friend.map(|friend| friend.called()).unwrap_or_default();
    let friend_introduced = friend.map(|friend| friend.introduced()).unwrap_or_default();
    let called = scene.lead.called();
    let prop = scene.prop.as_ref().map(|prop| {
        if prop.count == 1 {
            format!("the {}", prop.noun)
        } else {
            format!("the {}", crate::english::counted(prop.count, &prop.noun))
        }
    });
    let does = scene
        .activity
        .as_ref()
        .map(|activity| activity.predicate())
        .unwrap_or_default();
    let parts = [
        ("{The}", sentence(&scene.lead.known())),
        ("{the}", scene.lead.known()),
        ("{a}", scene.lead.introduced()),
        ("{Called}", sentence(&called)),
        ("{called}", called),
        ("{Thefriend}", sentence(&friend_known)),
        ("{thefriend}", friend_known),
        ("{afriend}", friend_introduced),
        ("{friend}", friend_called),
        ("{prop}", prop.unwrap_or_default()),
        ("{does}", does),
        ("{place}", definite_place(&scene.place)),
        ("{mood}", crate::prompt::mood(scene.kind, index).to_owned()),
    ];
    // The template is filled in one pass, so that slots in the customer's text are never replaced.
    let mut line = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        line.push_str(&rest[..at]);
        rest = &rest[at..];
        let (slot, text) = parts
            .iter()
            .find(|(slot, _)| rest.starts_with(slot))
            .expect("the template has no unknown slots");
        line.push_str(text);
        rest = &rest[slot.len()..];
    }
    line + rest
}
