//! Themes with what their books must and must not show.

use linepress_plugin_sdk::planner::{Audience, BookPlan, PlanRequest};

use super::{AUDIENCES, plan, request};

struct Expectation {
    theme: &'static str,
    /// The only subjects that lead pages. Empty for all except foods.
    heroes: &'static [&'static str],
    /// Words of which most pages for children show at least one.
    shown: &'static [&'static str],
    /// Words of which each cover shows at least one.
    cover: &'static [&'static str],
    described: &'static str,
    forbidden: &'static [&'static str],
}

const FOREST: &[&str] = &[
    "badger", "bear", "beaver", "deer", "eagle", "fox", "hedgehog", "moose", "owl", "rabbit", "raccoon", "skunk",
    "squirrel", "wolf",
];
const FARM: &[&str] = &[
    "chicken", "cow", "dog", "donkey", "duck", "goat", "goose", "horse", "llama", "pig", "rooster", "sheep", "turkey",
    "ox", "rabbit", "cat", "farmer",
];
const FOODS: &[&str] = &[
    "apple pie",
    "birthday cake",
    "cookie",
    "cup of tea",
    "cupcake",
    "donut",
    "hamburger",
    "ice cream",
    "pineapple",
    "pizza",
    "pretzel",
    "strawberry",
    "taco",
    "teapot",
    "watermelon",
];

const EXPECTATIONS: &[Expectation] = &[
    Expectation {
        theme: "Forest friends and their tea parties",
        heroes: FOREST,
        shown: &[
            "cupcakes",
            "cookies",
            "strawberries",
            "cherries",
            "lemons",
            "roses",
            "tea",
            "teapot",
            "cupcake",
            "cookie",
            "honey",
            "strawberry",
            "cherry",
            "pie",
            "pancakes",
            "bread",
            "bouquet",
            "rose",
            "hat",
            "spoon",
            "candle",
            "donut",
            "lemon",
            "picnic",
        ],
        cover: &["teapot"],
        described: "woodland tea party scenes",
        forbidden: &["pizza", "taco", "hamburger", "kitchen", "bakery", "mermaid"],
    },
    Expectation {
        theme: "Forest friends at the lake in summer",
        heroes: FOREST,
        shown: &["lake", "river"],
        cover: &["lake", "river"],
        described: "woodland lakeside scenes",
        forbidden: &[
            "mermaid",
            "lighthouse",
            "palm",
            "island",
            "sea",
            "beach",
            "mountain",
            "kitchen",
        ],
    },
    Expectation {
        theme: "Forest friends in the snow",
        heroes: FOREST,
        shown: &["snow", "snowy", "snowflake", "snowflakes", "snowman"],
        cover: &["snow", "snowy", "snowflakes"],
        described: "woodland winter scenes",
        forbidden: &["penguin", "polar", "meadow", "garden"],
    },
    Expectation {
        theme: "Forest friends celebrate a birthday",
        heroes: FOREST,
        shown: &[
            "cupcakes", "balloon", "balloons", "birthday", "bouquet", "candle", "cake", "cupcake", "donut", "drum",
            "drums", "flags", "hat", "lantern", "lollipop", "party", "popper", "present", "presents", "ribbon",
            "teddy", "trumpet",
        ],
        cover: &["birthday"],
        described: "woodland party scenes",
        forbidden: &["elephant", "lion", "monkey", "penguin", "kitchen", "piano", "pizza"],
    },
    Expectation {
        theme: "Farm animals at the beach",
        heroes: FARM,
        shown: &["beach", "sea", "seaside", "island"],
        cover: &["beach", "sea", "seaside", "island"],
        described: "farmyard seaside scenes",
        forbidden: &["mermaid", "barn", "tractor", "flamingo"],
    },
    Expectation {
        theme: "Animal friends in the kitchen",
        heroes: &[],
        shown: &["kitchen", "bakery"],
        cover: &["kitchen", "bakery"],
        described: "kitchen scenes",
        forbidden: &["path", "pond", "forest"],
    },
    Expectation {
        theme: "Kids baking cookies",
        heroes: &[],
        shown: &["cookie", "cookies"],
        cover: &["kitchen", "bakery"],
        described: "kitchen scenes",
        forbidden: &["path", "pond"],
    },
];

fn has_word(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    let mut given = text.split(|letter: char| !letter.is_alphanumeric());
    given.any(|word| words.contains(&word))
}

/// Returns the prompt without its first article, so that it begins with the lead.
fn from_lead(prompt: &str) -> &str {
    let rest = prompt.strip_prefix("A ").or_else(|| prompt.strip_prefix("An "));
    rest.unwrap_or(prompt)
}

fn planned(theme: &str, audience: Audience) -> BookPlan {
    plan(&PlanRequest {
        audience,
        ..request(theme)
    })
}

#[test]
fn a_book_shows_the_heroes_and_the_places_of_its_theme() {
    for expected in EXPECTATIONS {
        let theme = expected.theme;
        let plan = planned(theme, Audience::Child);
        for page in &plan.pages {
            let lead = from_lead(&page.prompt);
            let is_hero = expected.heroes.iter().any(|hero| lead.starts_with(hero));
            assert!(expected.heroes.is_empty() || is_hero, "{theme}: {}", page.prompt);
            assert!(
                !FOODS.iter().any(|food| lead.starts_with(food)),
                "{theme}: {}",
                page.prompt
            );
        }
        let shown = plan.pages.iter().filter(|page| has_word(&page.prompt, expected.shown));
        let shown = shown.count();
        assert!(shown * 2 > plan.pages.len(), "{theme}: {shown} {:#?}", plan.pages);
        assert!(
            has_word(&plan.cover_prompt, expected.cover),
            "{theme}: {}",
            plan.cover_prompt
        );
        let description = plan.description.to_lowercase();
        assert!(description.starts_with(expected.described), "{theme}: {description}");
    }
}

#[test]
fn a_book_shows_nothing_that_contradicts_its_theme() {
    for expected in EXPECTATIONS {
        for audience in AUDIENCES {
            let plan = planned(expected.theme, audience);
            let pages = plan.pages.iter().flat_map(|page| [&page.prompt, &page.caption]);
            for text in pages.chain([&plan.cover_prompt, &plan.description]) {
                let context = format!("{}, {audience:?}: {text}", expected.theme);
                assert!(!has_word(text, expected.forbidden), "{context}");
            }
        }
    }
}

#[test]
fn the_covers_of_later_volumes_show_the_theme() {
    for expected in EXPECTATIONS {
        for volume in 1..5 {
            let earlier =
                (0..24 * volume).map(|page| ("earlier".to_owned(), format!("Title {page}\nA picture {page}")));
            let plan = plan(&PlanRequest {
                extra: earlier.collect(),
                ..request(expected.theme)
            });
            let cover = &plan.cover_prompt;
            assert!(has_word(cover, expected.cover), "{}, {volume}: {cover}", expected.theme);
        }
    }
}
