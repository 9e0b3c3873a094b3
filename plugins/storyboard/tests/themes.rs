//! A hundred realistic themes: captions mention only things that the page shows, and a plan reports omitted words.

use std::collections::BTreeSet;

use linepress_plugin_sdk::planner::{Aspect, Audience, BookPlan, PlanRequest};
use sketchbook::words::{Wish, undrawn, unknown_in_theme};

/// Themes of which every word is drawn, is a name, or is an adverb or adjective.
const SHOWN: &[&str] = &[
    "Farm animals",
    "A day at the farm",
    "Foxes and owls in the forest",
    "Dinosaurs",
    "Dinosaurs in space",
    "Under the sea",
    "Pirate cats",
    "Unicorns and mermaids",
    "Fire trucks and diggers",
    "Trains and airplanes",
    "A birthday party for bears",
    "Cupcakes and teapots",
    "Robots",
    "The baker's robot",
    "Volcano scientists",
    "My cat's trip to the moon",
    "Penguins on the ice",
    "Christmas with snowmen",
    "Halloween pumpkins",
    "Easter bunnies",
    "Dogs in hats",
    "Our dog Bear",
    "My daughter Rose",
    "A day at the farm with my dog Biscuit",
    "My cat Luna goes camping",
    "A boy and his robot",
    "Princesses and dragons",
    "Knights and castles",
    "The circus",
    "A rainy day with frogs",
    "Bees and butterflies in the garden",
    "The farmers market",
    "Lions and zebras on safari",
    "Sharks and whales",
    "Winter in the mountains",
    "Autumn leaves",
    "Astronauts and aliens",
    "Fairies in the forest",
    "Grandma's kitchen",
    "Grandpa and the tractor",
    "Bears baking cookies",
    "Cats and yarn",
    "Elephants and giraffes",
    "Owls at night",
    "Firefighters and police officers",
    "The mail carrier's dog",
    "Wheelchair basketball",
    "Hot air balloons",
    "Music with mice",
    "Flowers and butterflies",
    "Turtles and dolphins",
    "A picnic in the park",
    "Superheroes",
    "Sleepy koalas",
    "Teddy bears at the beach",
    "Hedgehogs in autumn",
    "Camels in the desert",
    "Snails and mushrooms",
];

/// Themes with words that have no drawing, and one of these words each.
const NOT_SHOWN: &[(&str, &str)] = &[
    ("Axolotl Tea Party", "axolotl"),
    ("My brother plays the cello", "cello"),
    ("Moths and moonflowers", "moth"),
    ("Deep Sea Anglerfish", "anglerfish"),
    ("Quokkas on vacation", "quokka"),
    ("Capybara spa day", "spa"),
    ("The stegosaurus", "stegosaurus"),
    ("Toucans in the jungle", "toucan"),
    ("Narwhals and icebergs", "narwhal"),
    ("Gnus on the move", "gnu"),
    ("The meerkat family", "meerkat"),
    ("Lemurs of Madagascar", "lemur"),
    ("The platypus family", "platypus"),
    ("Bagpipes and kilts", "bagpipes"),
    ("The hammock", "hammock"),
    ("Skyline of Manhattan", "skyline"),
    ("Origami", "origami"),
    ("Trampoline fun", "trampoline"),
    ("Kids and their hoverboards", "hoverboard"),
    ("Zeppelins over Berlin", "zeppelin"),
    ("The blacksmith's bellows", "bellows"),
    ("Mitochondria", "mitochondria"),
    ("Quantum physics", "physics"),
    ("My grandfather's accordion and metronome", "metronome"),
    ("Chinchillas", "chinchilla"),
    ("Wombats at school", "wombat"),
    ("The xylophone lesson", "xylophone"),
    ("Stingrays", "stingray"),
    ("Lacrosse", "lacrosse"),
    ("Dragonflies over the pond", "dragonfly"),
    ("Beluga and walrus", "walrus"),
    ("Tardigrades in space", "tardigrade"),
    ("The gargoyle of the cathedral", "gargoyle"),
    ("Harpsichord concert", "harpsichord"),
    ("Bicycle repair with wrenches and spokes", "spoke"),
    ("Ostriches and okapis", "okapi"),
    ("Praying mantis kung fu", "mantis"),
    ("Zombies in the museum", "zombie"),
    ("Yaks in Tibet", "yak"),
    ("Ein Tag im Wald", "wald"),
    ("Un jour avec les loups", "loups"),
    ("Wheelbarrows", "wheelbarrow"),
];

fn plan(theme: &str, audience: Audience) -> BookPlan {
    let request = PlanRequest {
        page_count: 12,
        audience,
        ..request(theme)
    };
    storyboard::plan(&request).unwrap_or_else(|error| panic!("{theme}: {error:?}"))
}

fn themes() -> impl Iterator<Item = &'static str> {
    SHOWN.iter().copied().chain(NOT_SHOWN.iter().map(|(theme, _)| *theme))
}

#[test]
fn at_least_forty_of_a_hundred_themes_have_words_without_a_drawing() {
    assert_eq!(themes().collect::<BTreeSet<_>>().len(), 100);
    assert!(NOT_SHOWN.len() >= 40);
}

#[test]
fn a_plan_warns_of_each_word_that_is_not_shown_and_of_no_other() {
    let mut wrong = Vec::new();
    let warned = |theme: &str| {
        let plan = plan(theme, Audience::Child);
        let unplaced = plan
            .extra
            .iter()
            .filter(|(name, _)| name == "unplaced")
            .map(|(_, word)| word.clone());
        unplaced.chain(unknown_in_theme(theme, &[])).collect::<BTreeSet<_>>()
    };
    for theme in SHOWN {
        let words = warned(theme);
        if !words.is_empty() {
            wrong.push(format!("{theme}: {words:?}"));
        }
    }
    for (theme, missing) in NOT_SHOWN {
        let words = warned(theme);
        if !words.iter().any(|word| word.starts_with(missing.trim_end_matches('y'))) {
            wrong.push(format!("{theme}: no {missing} in {words:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Words of captions that do not name a visible thing.
const WORDS_WITHOUT_A_DRAWING: &str = "\
    bubbling clear fixes listens pecks reading rescues shining baking beats bellow chimney circles corner counts crooked curious decorates edge end far fence flips foot fruit green heap hollow \
    honks job knits landed lifts lights measures munches necked nibbles one peekaboo petal picket pile rakes red ring rising row rug \
    shady sips smells smiling sparkling stack stirs still strums striped swimming tastes top toy way white wicker winding window \
    wraps writes yawns adventure away best bless blows called came carries claims color colors come day doubts eats favorite feels find fine found friend friends \
    catches drinks finds funny give gives good greets guards guess hugs swings wears happens has hello holds home hop hour jolly keeps ladies left lick looks map meet meets merry mind much \
    nap nice open opinions people picture plays pours pulls reads ready rest rings room safe say says secret see sees share shares sniffs \
    sits smiles soon stays stop stops story surprise tells thing things think time times today together visit wait waits watches waves \
    wears who wins wonders";

#[test]
fn captions_mention_only_things_that_the_page_shows() {
    let said: BTreeSet<&str> = WORDS_WITHOUT_A_DRAWING.split_ascii_whitespace().collect();
    let mut wrong = BTreeSet::new();
    for theme in themes() {
        for audience in [Audience::Toddler, Audience::Child] {
            for page in plan(theme, audience).pages {
                let wish = Wish::within(&page.prompt, &[], &page.title);
                let shown = |word: &String| {
                    let named = page.prompt.contains(&format!("{} the ", capital(word)));
                    said.contains(word.as_str()) || wish.spelled.iter().any(|known| known == word) || named
                };
                let claimed: Vec<String> = undrawn(&page.caption).into_iter().filter(|word| !shown(word)).collect();
                if !claimed.is_empty() {
                    wrong.insert(format!("{claimed:?} {theme}: {} | {}", page.caption, page.prompt));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} {wrong:#?}", wrong.len());
}

#[test]
fn captions_and_prompts_are_grammatical_by_the_rules_that_can_be_checked() {
    const MASS: &[&str] = &[
        "bread", "yarn", "popcorn", "cheese", "honey", "thread", "milk", "tea", "wood",
    ];
    let mut wrong = BTreeSet::new();
    for theme in themes() {
        for audience in [Audience::Toddler, Audience::Child, Audience::Teen, Audience::Adult] {
            let plan = plan(theme, audience);
            let pages = plan.pages.iter().flat_map(|page| [&page.caption, &page.prompt]);
            for text in pages.chain([&plan.cover_prompt, &plan.description]) {
                let lower = text.to_lowercase();
                let words: Vec<&str> = lower
                    .split(|letter: char| !letter.is_alphanumeric() && letter != '-')
                    .collect();
                let broken = words.windows(2).any(|pair| {
                    let vowel = pair[1].starts_with(['a', 'e', 'i', 'o', 'u']);
                    let sounds = ["uni", "use", "eu", "one", "ukulele"]
                        .iter()
                        .any(|start| pair[1].starts_with(start));
                    pair[0] == pair[1] && !pair[0].is_empty()
                        || pair[0] == "a" && vowel && !sounds
                        || pair[0] == "an" && !vowel && !pair[1].starts_with("hour")
                        || matches!(pair[0], "a" | "an") && MASS.contains(&pair[1]) && words.last() == Some(&pair[1])
                        || pair[0] == "a" && matches!(pair[1], "the" | "some" | "my" | "our")
                        || pair[0] == "the" && matches!(pair[1], "a" | "an" | "some" | "my" | "our")
                        || pair[0] == "is" && pair[1] == "sewing"
                });
                if broken || text.contains(['{', '}']) || text.contains("  ") || text.contains(" ,") {
                    wrong.insert(format!("{theme}: {text}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_book_of_twenty_four_pages_for_toddlers_repeats_no_prompt() {
    for theme in ["Farm animals", "Under the sea", "Pets", "Woodland animals"] {
        let request = PlanRequest {
            page_count: 24,
            ..request(theme)
        };
        let plan = storyboard::plan(&request).unwrap();
        let mut seen = BTreeSet::new();
        for page in &plan.pages {
            let subjects: Vec<String> = Wish::read(&page.prompt)
                .subjects
                .into_iter()
                .map(|subject| subject.label)
                .collect();
            assert!(
                seen.insert(subjects.clone()),
                "{theme}: {subjects:?} again: {}",
                page.prompt
            );
        }
    }
}

fn request(theme: &str) -> PlanRequest {
    PlanRequest {
        theme: theme.to_owned(),
        page_count: 24,
        aspect: Aspect::Portrait,
        audience: Audience::Toddler,
        title: None,
        characters: Vec::new(),
        language: "en".to_owned(),
        notes: None,
        seed: 5,
        extra: Vec::new(),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
