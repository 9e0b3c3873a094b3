//! Wishes of the request: notes, characters and a title.
use std::collections::HashSet;

use linepress_plugin_sdk::planner::PlanRequest;

use super::{AUDIENCES, character, plan, request, texts};

#[test]
fn subjects_that_the_notes_refuse_do_not_appear() {
    for (theme, notes, refused) in [
        ("garden insects", "no spiders, please", vec!["spider"]),
        (
            "halloween",
            "Nothing scary. Lots of pumpkins",
            vec!["skeleton", "bat", "spider", "zombie", "witch"],
        ),
        (
            "farm",
            "no people and no tractors",
            vec!["farmer", "girl", "boy", "tractor"],
        ),
        ("woodland animals", "without owls or snails", vec!["owl", "snail"]),
        ("woodland animals", "no animals, no people", vec!["fox", "bear", "girl"]),
        ("ocean without sharks", "", vec!["shark"]),
        ("spiders", "no spiders", vec!["spider"]),
    ] {
        for audience in AUDIENCES {
            let request = PlanRequest {
                notes: Some(notes.to_owned()),
                audience,
                page_count: 60,
                ..request(theme)
            };
            let plan = plan(&request);
            for text in texts(&plan) {
                for word in &refused {
                    let plural = format!("{word}s");
                    let lower = text.to_lowercase();
                    let mut words = lower.split(|letter: char| !letter.is_alphabetic());
                    assert!(
                        !words.any(|found| found == *word || found == plural),
                        "{theme}, {notes}: {text}"
                    );
                }
            }
            let titles: HashSet<_> = plan.pages.iter().map(|page| &page.title).collect();
            assert_eq!(titles.len(), 60, "{theme}, {notes}");
        }
    }
}

#[test]
fn subjects_that_the_notes_wish_for_appear() {
    let notes = Some("please include pumpkins and an owl".to_owned());
    let plan = plan(&PlanRequest {
        notes,
        ..request("woodland animals")
    });
    for wished in ["pumpkin", "owl"] {
        assert!(
            plan.pages.iter().filter(|page| page.prompt.contains(wished)).count() >= 2,
            "{wished}"
        );
    }
}

#[test]
fn characters_are_on_every_page_by_name() {
    let characters = [
        character("Pip", "A small hedgehog with a red scarf"),
        character("Luna the Owl", "wise"),
        character("Bo", ""),
    ];
    for audience in AUDIENCES {
        for count in 1..=3 {
            let characters = characters[..count].to_vec();
            let names: Vec<String> = characters.iter().map(|character| character.name.clone()).collect();
            let plan = plan(&PlanRequest {
                characters,
                audience,
                page_count: 100,
                ..request("a day in the forest")
            });
            for page in &plan.pages {
                assert!(
                    names.iter().any(|name| page.prompt.contains(name)),
                    "{audience:?}: {}",
                    page.prompt
                );
                assert!(
                    !page.prompt.contains("a Pip") && !page.prompt.contains("the Pip"),
                    "{}",
                    page.prompt
                );
            }
            assert!(
                plan.pages[0].prompt.contains("Pip the hedgehog"),
                "{}",
                plan.pages[0].prompt
            );
            let titles: HashSet<_> = plan.pages.iter().map(|page| &page.title).collect();
            assert_eq!(titles.len(), 100);
        }
    }
}

#[test]
fn the_name_of_a_character_is_not_a_topic() {
    let biscuit = || vec![character("Biscuit", "A small brown dog with floppy ears")];
    for theme in [
        "Biscuit goes to the beach",
        "biscuit at the lake",
        "A birthday for biscuit",
        "BISCUIT",
    ] {
        let plan = plan(&PlanRequest {
            characters: biscuit(),
            ..request(theme)
        });
        let prompts = plan.pages.iter().map(|page| &page.prompt).chain([&plan.cover_prompt]);
        for prompt in prompts {
            assert!(!prompt.contains("scene about"), "{theme}: {prompt}");
        }
    }
    // Another topic remains.
    let plan = plan(&PlanRequest {
        characters: biscuit(),
        ..request("Biscuit learns about quantum physics")
    });
    assert!(
        plan.pages
            .iter()
            .all(|page| page.prompt.ends_with(", in a scene about quantum physics")),
        "{:?}",
        plan.pages
    );
}

#[test]
fn a_given_title_is_used_and_otherwise_the_theme_becomes_the_title() {
    let title = |theme: &str, title: Option<&str>| {
        plan(&PlanRequest {
            title: title.map(str::to_owned),
            ..request(theme)
        })
        .title
    };
    assert_eq!(title("forest", Some("Mila's Book")), "Mila's Book");
    assert_eq!(title("my cat's trip to the moon", None), "My Cat's Trip to the Moon");
    assert_eq!(
        title("a birthday picnic for hedgehogs", Some("  ")),
        "A Birthday Picnic for Hedgehogs"
    );
    // A closing bracket belongs to the title; marks that end a sentence do not.
    assert_eq!(title("foxes and owls <3 >", None), "Foxes and Owls <3 >");
    assert_eq!(title("a quiet day (at home)", None), "A Quiet Day (at Home)");
    assert_eq!(title("- a quiet day at home.", None), "A Quiet Day at Home");
    let woodland = [
        "Woodland Friends",
        "A Walk in the Woods",
        "The Quiet Forest",
        "Under the Oak Tree",
    ];
    assert!(woodland.contains(&title("forest", None).as_str()));
}
