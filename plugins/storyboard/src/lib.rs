//! storyboard: the offline book planner. It turns a theme into concepts for every page of a coloring book, and always
//! into the same concepts for the same request and seed.
//!
//! A request passes through these modules: `reader` and `notes` read the customer's texts with the `lexicon`; `casting`
//! gathers the subjects, places and things that the book may show from the `world`s, according to their `roles`, as a
//! `stage`; `director` decides which of them appear together on each page, on one `terrain`, and none as in the
//! `earlier` volumes of a series; `prompt`, `ornament`, `title` and `caption` put each scene into words; and `book`
//! writes the texts of the book as a whole.

mod book;
mod caption;
mod casting;
#[cfg(target_family = "wasm")]
mod component;
mod deck;
mod director;
mod earlier;
mod english;
mod lexicon;
mod notes;
mod ornament;
mod prompt;
mod reader;
mod remarks;
mod roles;
mod scene;
mod senses;
mod stage;
mod terrain;
mod theme;
mod title;
mod verbs;
mod who;
mod words;
mod world;

use std::collections::HashSet;

use fastrand::Rng;
use linepress_plugin_sdk::planner::{Aspect, BookPlan, Description, PageConcept, PlanError, PlanRequest};

use crate::director::Director;
use crate::earlier::Earlier;
use crate::ornament::Ornament;
use crate::scene::Scene;
use crate::stage::Stage;

/// The maximum number of pages of a book.
pub const MAX_PAGES: u32 = 100;

/// Describes this planner.
pub fn describe() -> Description {
    Description {
        id: "linepress.storyboard".to_owned(),
        name: "Storyboard".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        languages: vec!["en".to_owned()],
        extra: Vec::new(),
    }
}

/// Plans a book.
pub fn plan(request: &PlanRequest) -> Result<BookPlan, PlanError> {
    check(request)?;
    let count = usize::try_from(request.page_count).expect("a page count of at most 100 fits into usize");
    let mut random = Rng::with_seed(request.seed);
    let stage = casting::set_stage(request);
    let earlier = Earlier::of_request(request);
    let (scenes, pictures) = scenes(&stage, &earlier, count, request.aspect, &mut random)?;
    let mut titles = title::Titles::after(&earlier);
    let mut captions = caption::Captions::new(random.usize(..64));
    let mut pages = Vec::with_capacity(count);
    for (index, (scene, (ornament, prompt))) in scenes.iter().zip(pictures).enumerate() {
        pages.push(PageConcept {
            title: titles.next(scene, ornament.as_ref(), &stage, index),
            prompt,
            caption: captions.next(scene, ornament.as_ref(), &stage, index),
        });
    }
    Ok(BookPlan {
        title: book::title(request, &stage),
        subtitle: book::subtitle(&stage),
        description: book::description(&scenes, &stage),
        cover_prompt: book::cover(&scenes, &stage, earlier.titles.len()),
        extra: remarks::extra_values(request, &pages, &stage),
        pages,
    })
}

/// The ornament of a page, if the page is one, and its prompt.
type Picture = (Option<Ornament>, String);

/// Returns the scenes of the pages with their pictures, of which no earlier volume has one.
fn scenes(
    stage: &Stage,
    earlier: &Earlier,
    count: usize,
    aspect: Aspect,
    random: &mut Rng,
) -> Result<(Vec<Scene>, Vec<Picture>), PlanError> {
    const MAX_SCENE_TRIES: usize = 40;
    let mut director = Director::new(stage, earlier, random);
    let mut drawn = HashSet::new();
    let (mut scenes, mut pictures) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for index in 0..count {
        let is_new = |(_, prompt): &Picture| !earlier.has_prompt(prompt);
        let found = (0..MAX_SCENE_TRIES).find_map(|_| {
            let scene = director.scene(index, count);
            let picture = picture(&scene, stage, index, aspect, |prompt| {
                drawn.contains(prompt) || earlier.has_prompt(prompt)
            });
            is_new(&picture).then_some((scene, picture))
        });
        let Some((scene, picture)) = found else {
            return Err(PlanError::Invalid(
                "the earlier volumes show every scene that this planner knows for the theme".to_owned(),
            ));
        };
        drawn.insert(picture.1.clone());
        scenes.push(scene);
        pictures.push(picture);
    }
    Ok((scenes, pictures))
}

/// Returns the picture of a page. An ornament whose prompt is taken is replaced by the next one.
fn picture(scene: &Scene, stage: &Stage, index: usize, aspect: Aspect, is_taken: impl Fn(&str) -> bool) -> Picture {
    const MAX_ORNAMENT_TRIES: usize = 60;
    if ornament::choose(scene, stage, index).is_none() {
        return (None, prompt::scene(scene, stage, index));
    }
    for ornament in (index..index + MAX_ORNAMENT_TRIES).filter_map(|index| ornament::choose(scene, stage, index)) {
        let prompt = ornament::prompt(&ornament, scene, stage, aspect);
        if !is_taken(&prompt) {
            return (Some(ornament), prompt);
        }
    }
    (None, prompt::scene(scene, stage, index))
}

fn check(request: &PlanRequest) -> Result<(), PlanError> {
    let invalid = |reason: String| Err(PlanError::Invalid(reason));
    if request.theme.trim().is_empty() {
        return invalid("the theme is empty".to_owned());
    }
    if !(1..=MAX_PAGES).contains(&request.page_count) {
        return invalid(format!("a book has 1 to {MAX_PAGES} pages, not {}", request.page_count));
    }
    let language = request.language.to_lowercase();
    let primary = language.split(['-', '_']).next().unwrap_or_default();
    if !primary.is_empty() && primary != "en" {
        return invalid(format!(
            "this planner writes English (en) only, not {:?}",
            request.language
        ));
    }
    Ok(())
}
