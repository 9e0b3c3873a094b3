//! The composition of covers in color: one large hero, and nothing with an outline under the title.

mod support;

use linepress_plugin_sdk::v1::image::{Aspect, Audience, Change, Coloring, DrawRequest, Pixels, Purpose};
use sketchbook::brief::Brief;
use sketchbook::color::Rgb;
use sketchbook::draw;
use sketchbook::figure::person::Outfit;
use sketchbook::figure::{Figure, Layer};
use sketchbook::pattern;
use sketchbook::scene::{self, CALM_SHARE, FEATURES_SHARE, Sheet};

/// Themes of books; the last of them has no scene.
const THEMES: &[&str] = &[
    "A dinosaur and a t-rex near a volcano",
    "A mermaid and a whale in the sea",
    "A princess and a dragon at a castle",
    "An astronaut, a rocket and an alien in outer space",
    "A cow, a pig and a rooster on the farm",
    "A bear and a rabbit at a birthday party",
    "A lion, an elephant and a monkey in the jungle",
    "An octopus, a dolphin and a turtle under the sea",
    "A pirate fox with a treasure map and a pirate ship at sea",
    "A mother, a father and a girl in the park",
    "A builder with a hammer and a fire truck in the city",
    "People who help us",
    "A firefighter",
    "A queen and a fairy in the garden",
    OWL,
];
const OWL: &str = "An owl mandala";

/// Prompts that name a place or an occasion, and no subject.
const PLACES: &[&str] = &[
    "A day on the farm",
    "Under the sea",
    "Jungle animals",
    "My family and I",
];

const SHAPES: [(Aspect, u32, u32); 3] = [
    (Aspect::Portrait, 576, 768),
    (Aspect::Square, 512, 512),
    (Aspect::Landscape, 768, 576),
];

fn cover(prompt: &str, seed: u64) -> DrawRequest {
    DrawRequest {
        purpose: Purpose::Cover,
        coloring: Coloring::Color,
        seed,
        ..support::page(prompt)
    }
}

/// The brief and the sheet of a cover.
fn composed(request: &DrawRequest) -> (Brief, Sheet) {
    let brief = Brief::read(request).expect("the request is valid");
    let sheet = if brief.wish.pattern {
        pattern::draw_in_color(&brief)
    } else {
        scene::draw(&brief)
    };
    (brief, sheet)
}

/// Every theme in every shape with several seeds.
fn covers() -> impl Iterator<Item = (String, Brief, Sheet)> {
    THEMES.iter().flat_map(|theme| {
        SHAPES.into_iter().flat_map(move |(aspect, width, height)| {
            (1..6).map(move |seed| {
                let request = DrawRequest {
                    aspect,
                    size: Pixels { width, height },
                    ..cover(theme, seed)
                };
                let (brief, sheet) = composed(&request);
                (format!("{theme}, {aspect:?}, seed {seed}"), brief, sheet)
            })
        })
    })
}

/// The people of a group, who are the hero together. Empty for a single hero.
fn group<'a>(brief: &Brief, sheet: &'a Sheet) -> Vec<&'a Figure> {
    let is_person = |label: &str| ["woman", "man", "person", "girl", "princess", "fairy"].contains(&label);
    let people = sheet.figures.iter().zip(&sheet.labels);
    let people: Vec<&Figure> = people
        .filter(|(figure, label)| is_person(label) && figure.anchors.landmarks.is_some())
        .map(|(figure, _)| figure)
        .collect();
    if brief
        .wish
        .subjects
        .iter()
        .filter(|subject| is_person(&subject.label))
        .count()
        > 1
    {
        people
    } else {
        Vec::new()
    }
}

/// The color of the tubes of a stethoscope.
const STETHOSCOPE: Rgb = Rgb::hex(0x5a_4fd0);

/// The colors of the surfaces of a figure.
fn colors_of(figure: &Figure) -> Vec<Rgb> {
    figure.layers.iter().filter_map(|layer| layer.color).collect()
}

#[test]
fn the_hero_fills_the_cover_below_the_title() {
    for (name, brief, sheet) in covers() {
        let (width, height) = (brief.width as f32, brief.height as f32);
        let hero = sheet.hero.expect("a cover has a hero");
        let across = hero.width() / width;
        let down = (hero.bottom().min(height) - hero.top()) / height;
        assert!(
            hero.top() >= height * (CALM_SHARE - 0.001),
            "{name}: top {}",
            hero.top() / height
        );
        assert!(hero.left() >= 0.0 && hero.right() <= width, "{name}: {hero:?}");
        let widest = if group(&brief, &sheet).is_empty() { 0.86 } else { 0.98 };
        assert!((0.25..widest).contains(&across), "{name}: {across} of the width");
        assert!(
            across > 0.55 || down > 0.45,
            "{name}: {across} of the width, {down} of the height"
        );
        let middle = (hero.left() + hero.right()) / 2.0 / width;
        assert!((0.38..0.62).contains(&middle), "{name}: the middle is at {middle}");
    }
}

#[test]
fn companions_are_smaller_than_the_hero_and_none_is_missing() {
    for (name, brief, sheet) in covers() {
        let size = |figure: &Figure| {
            let bounds = figure.bounds();
            bounds.width() * (bounds.bottom().min(brief.height as f32) - bounds.top())
        };
        let people = group(&brief, &sheet);
        assert!(people.is_empty() || people.len() >= 2, "{name}: {}", people.len());
        let is_hero = |figure: &Figure| people.iter().any(|person| person.bounds() == figure.bounds());
        let largest = people.iter().map(|person| size(person)).reduce(f32::max);
        let others = sheet.figures.iter().filter(|figure| !is_hero(figure)).map(size);
        let mut sizes: Vec<f32> = others.chain(largest).collect();
        sizes.sort_by(|a, b| b.total_cmp(a));
        if let [hero, next, ..] = sizes.as_slice() {
            assert!(*next < hero * 0.55, "{name}: {}", next / hero);
        }
        assert!(sheet.missing.is_empty(), "{name}: {:?}", sheet.missing);
    }
}

#[test]
fn the_faces_of_the_heroes_are_above_the_subtitle() {
    for (name, brief, sheet) in covers() {
        let limit = brief.height as f32 * (FEATURES_SHARE + 0.001);
        let hero = sheet.hero.expect("a cover has a hero");
        let people = group(&brief, &sheet);
        let heroes = if people.is_empty() {
            let is_hero = |figure: &&Figure| figure.anchors.landmarks.is_some() && figure.bounds() == hero;
            sheet.figures.iter().filter(is_hero).collect()
        } else {
            people
        };
        for figure in heroes {
            let landmarks = figure.anchors.landmarks.as_ref().expect("a body has landmarks");
            let chin = landmarks.hand.at.1;
            assert!(chin <= limit, "{name}: a chin at {}", chin / brief.height as f32);
        }
    }
}

#[test]
fn people_who_help_us_are_a_firefighter_a_doctor_and_a_builder() {
    let outfits = |prompt: &str| -> Vec<Option<Outfit>> {
        let brief = Brief::read(&cover(prompt, 3)).unwrap();
        brief.wish.subjects.iter().map(|subject| subject.has.outfit).collect()
    };
    let helpers = [Outfit::Firefighter, Outfit::Doctor, Outfit::Builder].map(Some);
    assert_eq!(outfits("People who help us"), helpers);
    assert_eq!(
        outfits("People who help us: a firefighter, a doctor and a builder"),
        helpers
    );
    assert_eq!(outfits("Community helpers"), helpers);
    assert_eq!(outfits("People who help us and their dogs")[..3], helpers);
    assert_eq!(outfits("People who help us: a father and a teacher"), [None, None]);
    assert_eq!(outfits("People in the park"), [None]);
    assert_eq!(outfits("A woman helps a dog"), [None, None]);
}

#[test]
fn a_stegosaurus_and_a_stroller_are_drawn_in_color_and_written_in_line_art() {
    for (prompt, label) in [
        ("A stegosaurus", "stegosaurus"),
        ("A stroller", "stroller"),
        ("A baby in a stroller", "stroller"),
        ("A t-rex and a stegosaurus", "stegosaurus"),
    ] {
        let request = cover(prompt, 3);
        let (brief, sheet) = composed(&request);
        assert!(
            sheet.hero.is_some_and(|hero| hero.width() > brief.width as f32 * 0.5),
            "{prompt}"
        );
        assert!(
            sheet.labels.iter().any(|known| known == label),
            "{prompt}: {:?}",
            sheet.labels
        );
        assert_eq!(draw(&request).unwrap().note, None, "{prompt}");
        let line_art = DrawRequest {
            coloring: Coloring::LineArt,
            ..request
        };
        assert!(
            draw(&line_art).unwrap().note.is_some_and(|note| note.contains(label)),
            "{prompt}"
        );
    }
}

#[test]
fn four_people_and_a_stroller_have_a_place_and_a_stroller_is_missing_in_a_pattern() {
    let (_, sheet) = composed(&cover("A mother, a father, a girl, a boy and a stroller", 3));
    for known in ["woman", "man", "girl", "boy", "stroller"] {
        assert!(sheet.labels.iter().any(|label| label == known), "{:?}", sheet.labels);
    }
    assert!(
        sheet.missing.is_empty() && sheet.omitted.is_empty(),
        "{:?} {:?}",
        sheet.missing,
        sheet.omitted
    );
    let note = draw(&cover("A stroller mandala", 3)).unwrap().note;
    assert!(note.as_ref().is_some_and(|note| note.contains("stroller")), "{note:?}");
}

#[test]
fn people_are_a_group_even_if_an_animal_is_named_between_them() {
    for prompt in [
        "A girl, a dog and a boy",
        "A dog, a girl and a boy",
        "A girl, a boy and a dog",
    ] {
        let (brief, sheet) = composed(&cover(prompt, 3));
        let height = |label: &str| {
            let index = sheet.labels.iter().position(|known| known == label);
            let bounds = sheet.figures[index.expect("every subject is on the cover")].bounds();
            bounds.height() / brief.height as f32
        };
        assert!(height("girl") > 0.4 && height("boy") > 0.4, "{prompt}");
        assert!(height("dog") < 0.3, "{prompt}: {}", height("dog"));
    }
}

#[test]
fn only_a_doctor_has_a_stethoscope() {
    let colors = |prompt: &str| {
        let (_, sheet) = composed(&cover(prompt, 3));
        let people = sheet.figures.iter().zip(&sheet.labels);
        let coats = people.filter(|(_, label)| *label == "person");
        coats
            .map(|(figure, _)| colors_of(figure))
            .next()
            .expect("the cover shows a person")
    };
    assert!(colors("A doctor").contains(&STETHOSCOPE));
    assert!(!colors("A scientist").contains(&STETHOSCOPE));
    assert!(!colors("A pharmacist").contains(&STETHOSCOPE));
}

#[test]
fn the_hose_of_a_lone_firefighter_is_not_missing() {
    let note = |prompt: &str| draw(&cover(prompt, 3)).unwrap().note;
    assert_eq!(note("A firefighter with a hose"), None);
    assert!(note("A gardener with a hose").is_some_and(|note| note.contains("hose")));
    assert!(note("A firefighter, a doctor and a hose").is_some_and(|note| note.contains("hose")));
}

#[test]
fn a_person_alone_has_something_of_its_role_next_to_it() {
    for (prompt, label) in [
        ("A firefighter", "fire engine"),
        ("A princess", "castle"),
        ("An astronaut", "rocket"),
    ] {
        let (_, sheet) = composed(&cover(prompt, 3));
        assert!(
            sheet.labels.iter().any(|known| known == label),
            "{prompt}: {:?}",
            sheet.labels
        );
    }
    let (_, sheet) = composed(&cover("A firefighter and a cat", 3));
    assert!(
        !sheet.labels.iter().any(|known| known == "fire engine"),
        "{:?}",
        sheet.labels
    );
}

#[test]
fn nothing_with_an_outline_is_under_the_title() {
    for (name, brief, sheet) in covers() {
        let figures = sheet.figures.iter().flat_map(|figure| &figure.layers);
        let layers = sheet.backdrop.iter().chain(figures).chain(&sheet.front);
        for Layer { fill, line, solid, .. } in layers {
            for path in [fill, line, solid].into_iter().flatten() {
                let top = path.bounds().top() / brief.height as f32;
                assert!(top >= CALM_SHARE - 0.012, "{name}: an outline at {top}");
            }
        }
    }
}

#[test]
fn companions_at_the_water_swim_fly_or_stand_on_the_bank() {
    // Levels of the feet as shares of the height: in the air, in the water, and on the bank.
    let (air, water, bank) = (0.3..0.73, 0.68..0.76, 0.78..0.96);
    for (prompt, levels) in [
        (
            "A fox, a duck and a butterfly at a lake",
            vec![("duck", &water), ("butterfly", &air), ("fox", &bank)],
        ),
        (
            "A rabbit, a swan and a sailboat on a lake",
            vec![("swan", &water), ("sailboat", &water), ("rabbit", &bank)],
        ),
        (
            "A dog, a sailboat and the sun at the sea",
            vec![("sailboat", &water), ("sun", &air), ("dog", &bank)],
        ),
        (
            "A bear, a fox and a bird at a pond",
            vec![("bear", &bank), ("fox", &bank), ("bird", &air)],
        ),
        (
            "A bear and two ducks at a pond",
            vec![("bear", &bank), ("duck", &water)],
        ),
    ] {
        for (aspect, width, height) in SHAPES {
            for seed in 1..6 {
                let request = DrawRequest {
                    aspect,
                    size: Pixels { width, height },
                    ..cover(prompt, seed)
                };
                let (brief, sheet) = composed(&request);
                let name = format!("{prompt}, {aspect:?}, seed {seed}");
                assert!(sheet.missing.is_empty(), "{name}: {:?}", sheet.missing);
                for (label, range) in &levels {
                    let mut found = sheet
                        .figures
                        .iter()
                        .zip(&sheet.labels)
                        .filter(|(_, known)| known == label);
                    let is_there = |(figure, _): (&Figure, &String)| {
                        let bottom = figure.bounds().bottom() / brief.height as f32;
                        range.contains(&bottom).then_some(()).ok_or(bottom)
                    };
                    let (first, _) = found.clone().next().unwrap_or_else(|| panic!("{name}: no {label}"));
                    // The lower edge cuts off the body of a hero.
                    let is_hero = sheet.hero == Some(first.bounds());
                    if !is_hero {
                        assert_eq!(found.try_for_each(is_there), Ok(()), "{name}: {label}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_cover_of_a_place_shows_its_inhabitants() {
    for place in PLACES {
        let (_, sheet) = composed(&cover(place, 3));
        assert!(sheet.hero.is_some(), "{place}");
        assert_eq!(draw(&cover(place, 3)).unwrap().png, draw(&cover(place, 3)).unwrap().png);
        // Line art remains without them.
        let line_art = DrawRequest {
            coloring: Coloring::LineArt,
            ..cover(place, 3)
        };
        assert!(Brief::read(&line_art).unwrap().wish.subjects.is_empty(), "{place}");
    }
}

#[test]
fn a_change_of_a_cover_leaves_everything_else_where_it_is() {
    let theme = "A bear and a rabbit at a birthday party";
    let changed = |instruction: &str| DrawRequest {
        change: Some(Change {
            instruction: instruction.to_string(),
            present_prompt: theme.to_string(),
        }),
        ..cover(theme, 3)
    };
    let (_, before) = composed(&cover(theme, 3));
    let heights = |sheet: &Sheet| -> Vec<f32> {
        let figures = sheet.figures.iter().zip(&sheet.labels);
        figures.map(|(figure, _)| figure.bounds().height()).collect()
    };
    for (label, instruction) in [("bear", "Make the bear bigger"), ("rabbit", "Make the rabbit bigger")] {
        let (_, after) = composed(&changed(instruction));
        for (index, (old, new)) in heights(&before).iter().zip(heights(&after)).enumerate() {
            if before.labels[index] == label {
                assert!(new > old * 1.05, "{instruction}: {old} to {new}");
            } else {
                assert_eq!(*old, new, "{instruction}: {}", before.labels[index]);
            }
        }
    }
    let (_, without) = composed(&changed("Remove the rabbit"));
    assert_eq!(without.figures.len(), before.figures.len() - 1);
}

#[test]
fn toddlers_and_adults_get_the_same_composition() {
    for audience in [Audience::Toddler, Audience::Teen, Audience::Adult] {
        let request = DrawRequest {
            audience,
            ..cover("A lion in the jungle", 2)
        };
        let (brief, sheet) = composed(&request);
        let hero = sheet.hero.expect("a cover has a hero");
        assert!(hero.width() > brief.width as f32 * 0.55, "{audience:?}");
    }
}
