//! storyboard: the offline book planner. It turns a theme into concepts for every page of a coloring book, and always
//! into the same concepts for the same request and seed.
//!
//! A request passes through these modules: `reader` and `notes` read the customer's texts with the `lexicon`;
//! `casting` gathers the subjects, places and things that the book may show from the `world`s, as a `stage`;
//! `director` decides which of them appear together on each page; `prompt`, `ornament`, `title` and `caption` put
//! each scene into words; and `book` writes the texts of the book as a whole.

mod book;
mod caption;
mod casting;
#[cfg(target_family = "wasm")]
mod component;
mod deck;
mod director;
mod english;
mod lexicon;
mod notes;
mod ornament;
mod prompt;
mod reader;
mod remarks;
mod scene;
mod senses;
mod stage;
mod theme;
mod title;
mod verbs;
mod who;
mod words;
mod world;

use std::collections::HashSet;

use fastrand::Rng;
use linepress_plugin_sdk::planner::{Aspect, BookPlan, Description, PageConcept, PlanError, PlanRequest};

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
    let scenes = director::direct(&stage, count, &mut random);
    let mut titles = title::Titles::default();
    let mut captions = caption::Captions::new(random.usize(..64));
    let mut drawn = HashSet::new();
    let mut pages = Vec::with_capacity(count);
    for (index, scene) in scenes.iter().enumerate() {
        let (ornament, prompt) = picture(scene, &stage, index, request.aspect, &drawn);
        drawn.insert(prompt.clone());
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
        cover_prompt: book::cover(&scenes, &stage),
        extra: remarks::extra_values(request, &pages, &stage),
        pages,
    })
}

/// Returns the ornament of a page, if the page is one, and the prompt. An ornament whose prompt is in `drawn` is
/// replaced by the next one.
fn picture(
    scene: &Scene,
    stage: &Stage,
    index: usize,
    aspect: Aspect,
    drawn: &HashSet<String>,
) -> (Option<Ornament>, String) {
    const MAX_ORNAMENT_TRIES: usize = 60;
    if ornament::choose(scene, stage, index).is_none() {
        return (None, prompt::scene(scene, stage, index));
    }
    for ornament in (index..index + MAX_ORNAMENT_TRIES).filter_map(|index| ornament::choose(scene, stage, index)) {
        let prompt = ornament::prompt(&ornament, scene, stage, aspect);
        if !drawn.contains(&prompt) {
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
