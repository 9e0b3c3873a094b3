//! Properties of plans, checked for many themes, audiences and lengths.
mod roles;
mod scenery;
mod series;
mod wishes;

use std::collections::HashSet;
use std::sync::LazyLock;

use linepress_plugin_sdk::planner::{Aspect, Audience, BookPlan, Character, PlanError, PlanRequest};

const AUDIENCES: [Audience; 4] = [Audience::Toddler, Audience::Child, Audience::Teen, Audience::Adult];

/// Themes, each with the words of which every page must show at least one.
const THEMES: &[(&str, &[&str])] = &[
    ("woodland animals at night", &[]),
    ("my cat's trip to the moon", &["cat"]),
    ("a birthday picnic for hedgehogs", &["hedgehog"]),
    (
        "A woodland day with foxes, owls and hedgehogs",
        &["fox", "owl", "hedgehog"],
    ),
    ("under the sea", &[]),
    ("dinosaurs", &[]),
    ("dinosaurs in space", &["dinosaur"]),
    ("Fire trucks and diggers", &["fire truck", "digger"]),
    ("pirate cats", &["cat"]),
    ("unicorns and mermaids", &["unicorn", "mermaid"]),
    ("robots", &["robot"]),
    ("Christmas at the North Pole", &[]),
    ("halloween ghosts and pumpkins", &["ghost"]),
    ("castles", &["castle"]),
    ("lighthouses", &["lighthouse"]),
    ("mandalas", &[]),
    ("floral patterns", &[]),
    ("cupcakes and teapots", &["cupcake", "teapot"]),
    ("bears baking cookies", &["bear"]),
    ("Luna's day at the beach", &["Luna"]),
    ("a rainy day with frogs", &["frog"]),
    ("farm animals", &[]),
    ("insects", &[]),
    ("birds of the rainforest", &[]),
    ("soccer", &[]),
    ("an orchestra of mice", &["mouse", "mice"]),
    ("camping in the mountains", &["mountain"]),
    ("polar bears and penguins", &["polar bear", "penguin"]),
    ("kindness", &[]),
    ("quantum physics", &["quantum physics"]),
    ("gizmos", &["gizmo"]),
    ("sloths in Paris", &["sloth"]),
    ("sheep", &["sheep"]),
    ("森の動物", &[]),
    ("!!!", &[]),
];

fn request(theme: &str) -> PlanRequest {
    PlanRequest {
        theme: theme.to_owned(),
        page_count: 24,
        aspect: Aspect::Portrait,
        audience: Audience::Child,
        title: None,
        characters: Vec::new(),
        language: "en".to_owned(),
        notes: None,
        seed: 7,
        extra: Vec::new(),
    }
}

fn character(name: &str, description: &str) -> Character {
    Character {
        name: name.to_owned(),
        description: description.to_owned(),
        style: String::new(),
        seed: 1,
        reference: None,
    }
}

fn plan(request: &PlanRequest) -> BookPlan {
    storyboard::plan(request).unwrap_or_else(|error| panic!("{}: {error:?}", request.theme))
}

fn texts(plan: &BookPlan) -> Vec<String> {
    let pages = plan
        .pages
        .iter()
        .flat_map(|page| [page.title.clone(), page.prompt.clone(), page.caption.clone()]);
    let book = [&plan.title, &plan.subtitle, &plan.description, &plan.cover_prompt];
    pages.chain(book.map(Clone::clone)).collect()
}

/// A request, the words of which every page must show one, and the plan.
type Planned = (PlanRequest, &'static [&'static str], BookPlan);

/// Calls `check` with the plan of every theme for every audience at several lengths. The plans are made only once.
fn every_plan(mut check: impl FnMut(&PlanRequest, &[&str], &BookPlan)) {
    static PLANS: LazyLock<Vec<Planned>> = LazyLock::new(|| {
        let mut plans = Vec::new();
        for (theme, words) in THEMES {
            for (audience, page_count) in AUDIENCES
                .into_iter()
                .flat_map(|audience| [1, 8, 24, 100].map(|count| (audience, count)))
            {
                let request = PlanRequest {
                    audience,
                    page_count,
                    ..request(theme)
                };
                let plan = plan(&request);
                plans.push((request, *words, plan));
            }
        }
        plans
    });
    for (request, words, plan) in PLANS.iter() {
        check(request, words, plan);
    }
}

#[test]
fn a_plan_has_the_requested_number_of_pages_and_all_differ() {
    every_plan(|request, _, plan| {
        let context = format!("{} {:?} {}", request.theme, request.audience, request.page_count);
        assert_eq!(plan.pages.len(), request.page_count as usize, "{context}");
        let titles: HashSet<_> = plan.pages.iter().map(|page| page.title.to_lowercase()).collect();
        assert_eq!(titles.len(), plan.pages.len(), "titles: {context}");
        let prompts: HashSet<_> = plan.pages.iter().map(|page| &page.prompt).collect();
        assert_eq!(prompts.len(), plan.pages.len(), "prompts: {context}");
        let numbers =
            |title: &str| title.contains(", Picture ") || title.contains(|letter: char| letter.is_ascii_digit());
        let numbered = plan.pages.iter().find(|page| numbers(&page.title));
        assert!(numbered.is_none(), "{context}: {numbered:?}");
    });
}

#[test]
fn every_page_shows_a_subject_of_the_theme() {
    every_plan(|request, words, plan| {
        for page in &plan.pages {
            let prompt = page.prompt.to_lowercase();
            let shown = words.is_empty() || words.iter().any(|word| prompt.contains(&word.to_lowercase()));
            assert!(shown, "{} {:?}: {}", request.theme, request.audience, page.prompt);
        }
    });
}

#[test]
fn every_subject_of_the_theme_is_in_the_book() {
    every_plan(|request, words, plan| {
        if request.page_count < 8 || request.theme.contains("mice") {
            return;
        }
        let prompts: Vec<String> = plan.pages.iter().map(|page| page.prompt.to_lowercase()).collect();
        for word in words {
            let seen = prompts.iter().any(|prompt| prompt.contains(&word.to_lowercase()));
            assert!(seen, "{}: {word}", request.theme);
        }
    });
    let request = request("my cat's trip to the moon");
    assert!(plan(&request).pages.iter().any(|page| page.prompt.contains("moon")));
}

#[test]
fn consecutive_pages_start_with_different_subjects() {
    for (theme, _) in THEMES.iter().filter(|(_, words)| *words != ["Luna"]) {
        let plan = plan(&request(theme));
        for pair in plan.pages.windows(2) {
            let start = |prompt: &str| prompt.split([',', ' ']).take(3).collect::<Vec<_>>().join(" ");
            assert_ne!(start(&pair[0].prompt), start(&pair[1].prompt), "{theme}");
        }
    }
}

#[test]
fn texts_have_correct_articles_and_no_leftover_slots() {
    every_plan(|request, _, plan| {
        for text in texts(plan) {
            let context = format!("{} {:?}: {text:?}", request.theme, request.audience);
            assert!(!text.contains("  ") && !text.contains(['{', '}']), "{context}");
            assert!(
                !text.contains(" ,") && !text.contains(",,") && !text.contains(" ."),
                "{context}"
            );
            assert!(!text.starts_with(' ') && !text.ends_with([' ', ',']), "{context}");
            let words: Vec<String> = text.to_lowercase().split(' ').map(str::to_owned).collect();
            for pair in words.windows(2) {
                let vowel = pair[1].starts_with(['a', 'e', 'i', 'o', 'u']) && !pair[1].starts_with("uni");
                let determiner = |word: &str| ["a", "an", "the", "two", "three"].contains(&word);
                assert!(pair[0] != "a" || !vowel, "{context}");
                assert!(pair[0] != "an" || vowel, "{context}");
                assert!(pair[0] != pair[1], "{context}");
                let counted = pair[0] == "the" && ["two", "three"].contains(&pair[1].as_str());
                assert!(counted || !determiner(&pair[0]) || !determiner(&pair[1]), "{context}");
            }
            let lower_start = text.starts_with(|first: char| first.is_ascii_lowercase());
            assert!(!lower_start, "{context}");
        }
    });
}

#[test]
fn the_texts_of_a_book_do_not_mention_its_number_of_pages() {
    for (count, number) in [(3, "three"), (8, "eight"), (12, "twelve")] {
        for audience in AUDIENCES {
            let request = PlanRequest {
                page_count: count,
                audience,
                ..request("A woodland day")
            };
            let plan = plan(&request);
            let words = format!("{} {}", plan.subtitle, plan.description).to_lowercase();
            assert!(words.split_whitespace().all(|word| word != number), "{words}");
        }
    }
}

#[test]
fn titles_are_a_few_words_and_captions_one_line() {
    every_plan(|request, _, plan| {
        for page in &plan.pages {
            let words = page.title.split(' ').count();
            assert!(
                words <= 12 && page.title.len() <= 90,
                "{}: {}",
                request.theme,
                page.title
            );
            assert!(
                !page.caption.contains('\n') && page.caption.len() <= 120,
                "{}",
                page.caption
            );
            let short = request.audience != Audience::Toddler || page.caption.split(' ').count() <= 9;
            assert!(short, "{}", page.caption);
        }
    });
}

#[test]
fn the_same_request_gives_the_same_plan_and_another_seed_another() {
    for (theme, _) in THEMES {
        let first = request(theme);
        assert_eq!(texts(&plan(&first)), texts(&plan(&first)), "{theme}");
        let other = PlanRequest {
            seed: 8,
            ..first.clone()
        };
        assert_ne!(texts(&plan(&first)), texts(&plan(&other)), "{theme}");
    }
}

#[test]
fn audiences_get_different_books() {
    let plans = AUDIENCES.map(|audience| {
        plan(&PlanRequest {
            audience,
            ..request("owls in the forest")
        })
    });
    let [toddler, child, teen, adult] = &plans;
    assert!(toddler.pages.iter().all(|page| page.prompt.contains("big")));
    assert!(
        adult
            .pages
            .iter()
            .any(|page| page.prompt.contains("intricate mandala of"))
    );
    assert!(adult.pages.iter().any(|page| page.caption.is_empty()));
    let length = |plan: &BookPlan| plan.pages.iter().map(|page| page.prompt.len()).sum::<usize>();
    assert!(length(toddler) < length(child) && length(child) < length(teen));
}

#[test]
fn invalid_requests_are_refused_with_a_reason() {
    let refuse = |request: PlanRequest| match storyboard::plan(&request) {
        Err(PlanError::Invalid(reason)) => reason,
        other => panic!("{other:?}"),
    };
    assert!(refuse(request("  ")).contains("theme"));
    for page_count in [0, 101, u32::MAX] {
        assert!(
            refuse(PlanRequest {
                page_count,
                ..request("forest")
            })
            .contains("1 to 100 pages")
        );
    }
    assert!(
        refuse(PlanRequest {
            language: "de-DE".to_owned(),
            ..request("Wald")
        })
        .contains("English")
    );
    for language in ["en", "en-GB", "EN_us"] {
        plan(&PlanRequest {
            language: language.to_owned(),
            ..request("forest")
        });
    }
}

#[test]
fn hostile_texts_are_treated_as_plain_text() {
    let pasted = "fox ".repeat(5000);
    let themes = [
        "{the} {a} fox {place}",
        "a\u{0}\u{202e}fox\n\n\nnow",
        &pasted,
        "''' ’s 's s' --- ///",
        "ß İ ŉ fox's",
        "a the of",
        "no",
    ];
    for theme in themes {
        for audience in AUDIENCES {
            assert_eq!(
                plan(&PlanRequest {
                    audience,
                    ..request(theme)
                })
                .pages
                .len(),
                24
            );
        }
    }
}

#[test]
fn the_other_words_of_a_theme_decide_the_sense_of_a_word() {
    for (theme, meant, other) in [
        ("cranes and trains", "construction crane", "a crane"),
        ("cranes in the wetland", "crane", "construction crane"),
        ("baseball bats and gloves", "baseball bat", " wings"),
        ("a computer mouse and its keyboard", "computer mouse", "a mouse "),
        ("lamps for Diwali", "oil lamp", "street lamp"),
    ] {
        let plan = plan(&request(theme));
        let shown = plan
            .pages
            .iter()
            .filter(|page| page.prompt.to_lowercase().contains(meant))
            .count();
        assert!(
            shown > 0,
            "{theme}: {:?}",
            plan.pages.iter().map(|page| &page.prompt).collect::<Vec<_>>()
        );
        for page in &plan.pages {
            assert!(!page.prompt.to_lowercase().contains(other), "{theme}: {}", page.prompt);
        }
    }
}
