//! Prompts of scenes: the subjects first, then the setting.

use linepress_plugin_sdk::planner::Audience;

use crate::english::list;
use crate::scene::Scene;
use crate::stage::Stage;
use crate::words::overlap;
use crate::world::Kind;

const MOODS: &[&str] = &[
    "happy", "smiling", "friendly", "cheerful", "sleepy", "jolly", "gentle", "proud", "merry", "curious",
];
const LOOKS: &[&str] = &["bright", "shiny", "cheerful", "jolly", "smiling", "friendly", "lovely"];

/// Returns the adjective for the lead of a toddler's page.
pub(crate) fn mood(kind: Kind, index: usize) -> &'static str {
    let moods = if kind.is_animate() { MOODS } else { LOOKS };
    moods[index % moods.len()]
}

/// Returns the prompt of a scene. Ornamental pages use [`crate::ornament::prompt`] instead.
pub(crate) fn scene(scene: &Scene, stage: &Stage, index: usize) -> String {
    let text = match stage.audience {
        Audience::Toddler => toddler(scene, index),
        Audience::Child => child(scene),
        Audience::Teen => teen(scene, stage, index),
        Audience::Adult => detailed(scene, stage, index),
    };
    stage.with_topics(crate::english::sentence(&text))
}

fn join(parts: &[&str]) -> String {
    parts
        .iter()
        .filter(|part| !part.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the setting: "beside a mossy log in a quiet forest at sunrise".
fn setting(scene: &Scene) -> String {
    join(&[&scene.place, &scene.backdrop, &scene.light])
}

fn toddler(scene: &Scene, index: usize) -> String {
    let mood = mood(scene.kind, index);
    let mut subjects = vec![scene.lead.described(&format!("big {mood}"))];
    subjects.extend(scene.companion.as_ref().map(|companion| companion.introduced()));
    subjects.extend(scene.prop.as_ref().map(|prop| prop.introduced()));
    let doing = scene
        .activity
        .as_ref()
        .map(|activity| activity.gerund())
        .unwrap_or_default();
    join(&[&list(&subjects), &doing, &setting(scene)])
}

fn child(scene: &Scene) -> String {
    let mut subjects = vec![scene.lead.introduced()];
    subjects.extend(scene.companion.as_ref().map(|companion| companion.introduced()));
    subjects.extend(scene.prop.as_ref().map(|prop| prop.introduced()));
    let Some(activity) = &scene.activity else {
        return join(&[&list(&subjects), &setting(scene)]);
    };
    if subjects.len() == 1 {
        return join(&[&subjects[0], &activity.gerund(), &setting(scene)]);
    }
    format!(
        "{}, {} {}",
        join(&[&list(&subjects), &setting(scene)]),
        scene.lead.known(),
        activity.gerund()
    )
}

/// Returns two different motifs for the details of a page. `None` if the stage has no motif.
fn details(stage: &Stage, index: usize) -> Option<String> {
    let motifs = &stage.motifs;
    let first = motifs.get(index % motifs.len().max(1))?;
    let others = motifs
        .iter()
        .cycle()
        .skip(index + 1 + index / motifs.len())
        .take(motifs.len());
    let second = others.into_iter().find(|motif| !overlap(motif, first));
    Some(second.map_or_else(|| first.clone(), |second| format!("{first} and {second}")))
}

fn teen(scene: &Scene, stage: &Stage, index: usize) -> String {
    let closing = match index % 4 {
        0 => "with {} all around",
        1 => "with {} in the background",
        2 => "framed by {}",
        _ => "with a border of {}",
    };
    let details = details(stage, index).map(|details| format!(", {}", closing.replace("{}", &details)));
    child(scene) + &details.unwrap_or_default()
}

fn detailed(scene: &Scene, stage: &Stage, index: usize) -> String {
    let details = details(stage, index).map(|details| format!(" and filled with patterns of {details}"));
    format!("{}, drawn in fine detail{}", child(scene), details.unwrap_or_default())
}
