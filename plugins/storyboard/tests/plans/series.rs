//! The volumes of a series.
use std::collections::HashSet;

use linepress_plugin_sdk::planner::{BookPlan, PlanRequest};

use super::{AUDIENCES, THEMES, character, plan, request};

/// The same request for the next volume of a series.
fn after(request: &PlanRequest, volumes: &[BookPlan]) -> PlanRequest {
    let pages = volumes.iter().flat_map(|plan| &plan.pages);
    let earlier = pages.map(|page| ("earlier".to_owned(), format!("{}\n{}", page.title, page.prompt)));
    PlanRequest {
        extra: earlier.collect(),
        seed: request.seed + volumes.len() as u64,
        ..request.clone()
    }
}

#[test]
fn five_volumes_of_a_series_repeat_no_title_and_no_picture() {
    for ((theme, words), audience) in THEMES
        .iter()
        .step_by(4)
        .flat_map(|theme| AUDIENCES.map(|audience| (theme, audience)))
    {
        let request = PlanRequest {
            audience,
            page_count: 16,
            ..request(theme)
        };
        let mut volumes: Vec<BookPlan> = Vec::new();
        for number in 1..=5 {
            let plan = plan(&after(&request, &volumes));
            for page in &plan.pages {
                let context = format!("{theme} {audience:?} volume {number}: {} {}", page.title, page.prompt);
                let earlier = || volumes.iter().flat_map(|plan| &plan.pages);
                assert!(
                    !earlier().any(|other| other.title.to_lowercase() == page.title.to_lowercase()),
                    "{context}"
                );
                assert!(!earlier().any(|other| other.prompt == page.prompt), "{context}");
                let prompt = page.prompt.to_lowercase();
                let shown = words.is_empty() || words.iter().any(|word| prompt.contains(&word.to_lowercase()));
                assert!(shown, "{context}");
            }
            volumes.push(plan);
        }
    }
}

#[test]
fn a_second_volume_shows_its_subjects_at_other_places() {
    let request = PlanRequest {
        characters: vec![character("Pip", "a small fox")],
        page_count: 12,
        ..request("a woodland day")
    };
    let first = plan(&request);
    let second = plan(&after(&request, std::slice::from_ref(&first)));
    assert_ne!(first.cover_prompt, second.cover_prompt);
    // The first words name the characters and the place.
    let beginnings = |plan: &BookPlan| -> HashSet<String> {
        let beginning = |prompt: &str| prompt.split(' ').take(9).collect::<Vec<_>>().join(" ");
        plan.pages.iter().map(|page| beginning(&page.prompt)).collect()
    };
    let (one, other) = (beginnings(&first), beginnings(&second));
    let common: Vec<_> = one.intersection(&other).collect();
    assert!(common.is_empty(), "{common:?}");
    // The same request gives the same volume.
    let again = plan(&after(&request, std::slice::from_ref(&first)));
    assert_eq!(format!("{again:?}"), format!("{second:?}"));
}
