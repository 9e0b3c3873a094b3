//! storyboard: the offline book planner. From a theme it makes concepts for every page of a coloring book, always the same
//! ones for the same request and seed.
//!
//! The way of a request: [`theme`] and [`notes`] read what the customer wrote with the [`lexicon`]; [`stage`] gathers who and
//! what the book may be made of from the [`world`]s; [`scene`] decides who is where with whom on each page; [`prompt`],
//! [`ornament`], [`title`] and [`caption`] put each scene into words, and [`book`] writes what stands around the pages.

mod book;
mod caption;
#[cfg(target_family = "wasm")]
mod component;
mod deck;
mod english;
mod lexicon;
mod notes;
mod ornament;
mod prompt;
mod scene;
mod stage;
mod theme;
mod title;
mod who;
mod words;
mod world;

use fastrand::Rng;
use linepress_plugin_sdk::planner::{BookPlan, Description, PageConcept, PlanError, PlanRequest};

/// The most pages one book has.
pub const MOST_PAGES: u32 = 100;

/// Who this planner is.
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
    let count = usize::try_from(request.page_count).expect("at most a hundred pages");
    let mut random = Rng::with_seed(request.seed);
    let stage = stage::set(request);
    let scenes = scene::direct(&stage, count, &mut random);
    let mut titles = title::Titles::default();
    let pages = scenes
        .iter()
        .enumerate()
        .map(|(index, scene)| {
            let ornament = ornament::choose(scene, &stage, index);
            let prompt = match &ornament {
                Some(ornament) => ornament::prompt(ornament, scene, &stage, request.aspect),
                None => prompt::scene(scene, &stage, index),
            };
            PageConcept {
                title: titles.next(scene, ornament.as_ref(), &stage, index),
                prompt,
                caption: caption::caption(scene, ornament.as_ref(), &stage, index),
            }
        })
        .collect();
    Ok(BookPlan {
        title: book::title(request, &stage),
        subtitle: book::subtitle(count, &stage),
        description: book::description(&scenes, &stage),
        cover_prompt: book::cover(&scenes, &stage),
        pages,
        extra: Vec::new(),
    })
}

fn check(request: &PlanRequest) -> Result<(), PlanError> {
    let invalid = |reason: String| Err(PlanError::Invalid(reason));
    if request.theme.trim().is_empty() {
        return invalid("the theme is empty".to_owned());
    }
    if !(1..=MOST_PAGES).contains(&request.page_count) {
        return invalid(format!(
            "a book has 1 to {MOST_PAGES} pages, not {}",
            request.page_count
        ));
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
