//! Finished pages, measured like a print master.

mod characters;
mod support;

use characters::character;
use linepress_plugin_sdk::v1::image::{Aspect, Audience, Character, DrawError, DrawRequest, Pixels, Purpose};
use sketchbook::brief::Brief;
use sketchbook::canvas::{Canvas, Gray};
use sketchbook::cast::Actor;
use sketchbook::figure::Figure;
use sketchbook::figure::traits::Trait;
use sketchbook::measure::measure;
use sketchbook::player::Player;
use sketchbook::{draw, draw_gray, scene};

fn request(prompt: &str, audience: Audience, seed: u64) -> DrawRequest {
    DrawRequest {
        size: Pixels {
            width: 1152,
            height: 1536,
        },
        audience,
        seed,
        ..support::page(prompt)
    }
}

const PROMPTS: &[&str] = &[
    "A fox and two mushrooms beside a mossy log in a quiet forest",
    "An owl at night in the woods with the moon",
    "A hedgehog and a snail among autumn leaves",
    "An octopus and a treasure chest under the sea",
    "Two dolphins in the ocean",
    "An astronaut and a rocket on the moon",
    "A T-rex and a sauropod near a volcano",
    "A cow, a pig and a rooster on the farm",
    "A dragon and a princess at the castle",
    "A polar bear and three penguins in the snow",
    "A cook with a birthday cake in the kitchen",
    "A fire truck and a police car in the city",
    "A monkey and a parrot in the jungle",
    "A camel in the desert",
    "A crab and a bucket on the beach",
    "A frog in a pond",
    "A clown and balloons at the circus",
    "A bear in the mountains",
    "Birds and a kite in the sky",
    "A mandala of flowers",
];

/// The width of the white margin of a page, in pixels.
const MARGIN_PIXELS: u32 = 24;

fn assert_printable(image: &Gray, audience: Audience, about: &str) {
    let measures = measure(image, 150);
    let ink_limit = match audience {
        Audience::Toddler => 0.22,
        Audience::Child | Audience::Teen => 0.28,
        Audience::Adult => 0.34,
    };
    assert!(measures.ink < ink_limit, "{about}: {measures:?}");
    assert!(measures.ink > 0.02, "{about}: {measures:?}");
    assert!(measures.largest_area <= 0.35, "{about}: {measures:?}");
    assert!(measures.areas >= 8, "{about}: {measures:?}");
    let gray = image.pixels.iter().filter(|pixel| (30..=220).contains(*pixel)).count();
    assert!(
        (gray as f32) < 0.1 * image.pixels.len() as f32,
        "{about}: {gray} gray pixels"
    );
    for (index, pixel) in image.pixels.iter().enumerate() {
        let (x, y) = (index as u32 % image.width, index as u32 / image.width);
        let outside = x < MARGIN_PIXELS
            || y < MARGIN_PIXELS
            || x >= image.width - MARGIN_PIXELS
            || y >= image.height - MARGIN_PIXELS;
        assert!(!outside || *pixel > 220, "{about}: ink at {x},{y}");
    }
}

/// Returns the side of the largest black square, in pixels.
fn thickest(image: &Gray) -> u32 {
    let width = image.width as usize;
    let mut row = vec![0; width + 1];
    let mut largest = 0;
    for line in image.pixels.chunks(width) {
        let mut corner = 0;
        for (x, pixel) in line.iter().enumerate() {
            let above = row[x + 1];
            row[x + 1] = if *pixel < 128 {
                1 + corner.min(above).min(row[x])
            } else {
                0
            };
            corner = above;
            largest = largest.max(row[x + 1]);
        }
    }
    largest
}

#[test]
fn no_black_spot_is_larger_than_16_pixels() {
    for (index, prompt) in PROMPTS.iter().enumerate() {
        for audience in [Audience::Child, Audience::Teen] {
            let image = draw_gray(&request(prompt, audience, 40 + index as u64)).unwrap();
            let side = thickest(&image);
            assert!(side <= 16, "{prompt} for {audience:?}: a black square of {side} pixels");
        }
    }
}

#[test]
fn pages_measure_well_for_every_audience() {
    let audiences = [Audience::Child, Audience::Adult, Audience::Toddler, Audience::Teen];
    for (index, prompt) in PROMPTS.iter().enumerate() {
        for audience in [audiences[index % 2], audiences[2 + index % 2]] {
            let image = draw_gray(&request(prompt, audience, index as u64)).unwrap();
            assert_printable(&image, audience, &format!("{prompt} for {audience:?}"));
        }
    }
}

#[test]
fn every_aspect_is_drawn_at_exactly_its_size() {
    for (aspect, width, height) in [
        (Aspect::Square, 1024, 1024),
        (Aspect::Landscape, 1536, 1152),
        (Aspect::Portrait, 1152, 1536),
    ] {
        let request = DrawRequest {
            aspect,
            size: Pixels { width, height },
            ..request("A fox in the forest", Audience::Child, 3)
        };
        let image = draw_gray(&request).unwrap();
        assert_eq!((image.width, image.height), (width, height));
        assert_printable(&image, Audience::Child, &format!("{aspect:?}"));
        let bytes = draw(&request).unwrap().png;
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let info = reader.info();
        assert_eq!(
            (info.width, info.height, info.color_type, info.bit_depth),
            (width, height, png::ColorType::Grayscale, png::BitDepth::Eight)
        );
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, image.pixels);
    }
}

#[test]
fn the_hero_is_large() {
    for (index, prompt) in PROMPTS.iter().take(19).enumerate() {
        let brief = Brief::read(&request(prompt, Audience::Child, index as u64)).unwrap();
        let hero = scene::draw(&brief).hero.unwrap_or_else(|| panic!("{prompt}: no hero"));
        assert!(hero.height() >= 0.35 * 1536.0, "{prompt}: {}", hero.height());
        assert!(
            hero.left() > 0.0 && hero.right() < 1152.0 && hero.top() > 0.0 && hero.bottom() < 1536.0,
            "{prompt}: {hero:?}"
        );
    }
}

#[test]
fn equal_requests_give_equal_pages_and_other_seeds_give_other_pages() {
    let request = |seed| request("A fox and an owl in the forest", Audience::Child, seed);
    assert_eq!(draw(&request(5)).unwrap().png, draw(&request(5)).unwrap().png);
    let pages: Vec<Gray> = (0..4).map(|seed| draw_gray(&request(seed)).unwrap()).collect();
    for (index, page) in pages.iter().enumerate() {
        for other in &pages[..index] {
            let ink = |gray: &Gray| gray.pixels.iter().filter(|pixel| **pixel < 128).count();
            let shared = page
                .pixels
                .iter()
                .zip(&other.pixels)
                .filter(|(a, b)| **a < 128 && **b < 128)
                .count();
            assert!(
                shared * 2 < ink(page).min(ink(other)),
                "seeds give twins: {shared} of {} and {}",
                ink(page),
                ink(other)
            );
        }
    }
}

#[test]
fn a_character_looks_the_same_on_every_page() {
    let pip = character("Pip", "a brave little fox with a red scarf");
    let outline = |prompt: &str, seed| {
        let request = DrawRequest {
            characters: vec![pip.clone()],
            ..request(prompt, Audience::Child, seed)
        };
        let brief = Brief::read(&request).unwrap();
        let figure = brief.characters[0].figure(500.0, 600.0, &brief.style);
        figure
            .layers
            .iter()
            .map(|layer| layer.fill.as_ref().map(|path| path.points().to_vec()))
            .collect::<Vec<_>>()
    };
    assert_eq!(outline("Pip in the forest", 1), outline("Pip sails on the sea", 2));
    let other = DrawRequest {
        characters: vec![character("Luna", "a wise owl")],
        ..request("Luna at night", Audience::Child, 1)
    };
    assert_eq!(Brief::read(&other).unwrap().characters[0].label, "owl");
}

#[test]
fn a_reference_sheet_shows_the_character_alone_and_large() {
    let request = DrawRequest {
        purpose: Purpose::Character,
        characters: vec![character("Rex", "a friendly t-rex with a top hat")],
        ..request("Rex", Audience::Child, 1)
    };
    let sheet = scene::portrait(&Brief::read(&request).unwrap());
    assert_eq!(sheet.figures.len(), 1);
    assert!(sheet.hero.unwrap().height() > 0.35 * 1536.0);
    assert!(measure(&draw_gray(&request).unwrap(), 150).ink > 0.005);
}

#[test]
fn pages_that_are_too_large_or_too_narrow_are_invalid() {
    for (width, height) in [(0, 1536), (1152, 0), (5000, 1000), (4096, 100)] {
        let request = DrawRequest {
            size: Pixels { width, height },
            ..request("A fox", Audience::Child, 1)
        };
        assert!(matches!(draw(&request), Err(DrawError::Invalid(_))), "{width}x{height}");
    }
}

#[test]
fn a_character_wears_what_its_description_or_its_style_names() {
    let worn = |description: &str, style: &str| {
        let pip = Character {
            style: style.to_string(),
            ..character("Pip", description)
        };
        let request = DrawRequest {
            characters: vec![pip],
            ..request("Pip in the forest", Audience::Child, 1)
        };
        Brief::read(&request).unwrap().characters[0].worn().to_vec()
    };
    assert_eq!(worn("a fox with a scarf", ""), [Trait::Scarf]);
    assert_eq!(
        worn("a fox", "drawn with round glasses and a cape"),
        [Trait::Glasses, Trait::Cape]
    );
    assert_eq!(
        worn("a cook in a top hat and a bow tie", ""),
        [Trait::TopHat, Trait::BowTie]
    );
    assert_eq!(worn("a fox without any accessories", ""), []);
    assert_eq!(
        worn("a brown dog with floppy ears, a white belly and a red collar", ""),
        [Trait::Collar]
    );
    assert_eq!(worn("a clever fox", ""), []);
    assert_eq!(worn("", "").len(), 1);
}

#[test]
fn a_character_follows_what_a_page_says_about_its_clothes_and_posture() {
    let read = |prompt: &str| {
        let request = DrawRequest {
            characters: vec![character("Biscuit", "a small dog with a red collar")],
            ..request(prompt, Audience::Child, 1)
        };
        Brief::read(&request).unwrap()
    };
    for (prompt, worn) in [
        ("Biscuit on the beach", vec![Trait::Collar]),
        (
            "Biscuit wears sunglasses on the beach",
            vec![Trait::Collar, Trait::Sunglasses],
        ),
        ("Wearing a top hat", vec![Trait::Collar, Trait::TopHat]),
        ("Biscuit with a scarf", vec![Trait::Scarf]),
        ("A dog in a scarf", vec![Trait::Scarf]),
        ("Biscuit without a collar", vec![]),
    ] {
        assert_eq!(read(prompt).characters[0].worn(), worn, "{prompt}");
    }
    let outline = |prompt: &str| {
        let brief = read(prompt);
        assert!(brief.undone.is_empty(), "{prompt}: {:?}", brief.undone);
        let figure = brief.characters[0].figure(500.0, 600.0, &brief.style);
        let fills = figure
            .layers
            .iter()
            .map(|layer| layer.fill.as_ref().map(|path| path.points().to_vec()));
        fills.collect::<Vec<_>>()
    };
    let postures = ["Biscuit sleeps", "Biscuit waves", "Biscuit dances"].map(outline);
    assert_eq!(outline("A sleeping dog in the forest"), postures[0]);
    assert!(postures[0] != postures[1] && postures[1] != postures[2] && postures[0] != postures[2]);
}

#[test]
fn every_kind_of_figure_can_wear_every_item() {
    let style = Brief::read(&request("A fox", Audience::Child, 1)).unwrap().style;
    for label in ["fox", "chipmunk", "owl", "elephant", "duck", "cook", "girl", "fairy"] {
        let layers = |worn: &[Trait]| {
            let actor = Actor::with_hands(label, &style, &mut fastrand::Rng::with_seed(1)).unwrap();
            Player::new(label, actor)
                .wearing(worn)
                .figure(500.0, 600.0, &style)
                .layers
                .len()
        };
        for item in [
            Trait::Scarf,
            Trait::BowTie,
            Trait::Necklace,
            Trait::Collar,
            Trait::Cape,
            Trait::Glasses,
            Trait::EyePatch,
            Trait::WizardHat,
            Trait::Headphones,
        ] {
            assert!(layers(&[item]) > layers(&[]), "{item:?} on {label}");
        }
    }
}

#[test]
fn a_held_thing_touches_its_holder() {
    for prompt in [
        "A bear reading a book",
        "A cat holding a balloon",
        "A girl with an umbrella",
        "A rabbit carrying a basket",
        "An owl reading a book",
        "A hedgehog holding a balloon",
        "An elephant holding a flower",
        "A penguin with an umbrella",
        "A cook holding a birthday cake",
        "A panda playing the guitar",
    ] {
        for audience in [Audience::Toddler, Audience::Child, Audience::Teen] {
            let brief = Brief::read(&request(prompt, audience, 2)).unwrap();
            assert_eq!(
                brief.wish.subjects.len(),
                1,
                "{prompt}: the thing is also a separate subject"
            );
            let player = Player::for_subject(
                &brief.wish.subjects[0],
                5,
                &brief.style,
                &mut fastrand::Rng::with_seed(5),
            )
            .unwrap();
            assert_eq!(
                islands(&player.figure(900.0, 700.0, &brief.style)),
                1,
                "{prompt} for {audience:?}"
            );
            assert!(scene::draw(&brief).missing.is_empty(), "{prompt}");
        }
    }
}

/// Returns the number of parts of a figure that do not touch each other.
fn islands(figure: &Figure) -> usize {
    let bounds = figure.bounds();
    let (width, height) = (bounds.width() as u32 + 20, bounds.height() as u32 + 20);
    let mut canvas = Canvas::new(width, height, 4.0, 1.0).expect("a figure has a size");
    let moved = figure.moved(10.0 - bounds.left(), 10.0 - bounds.top());
    canvas.paint(&moved);
    for path in moved.layers.iter().filter_map(|layer| layer.fill.as_ref()) {
        canvas.fill(path, tiny_skia::Color::BLACK);
    }
    let mut image = canvas.gray();
    for pixel in &mut image.pixels {
        *pixel = 255 - *pixel;
    }
    measure(&image, 60).areas
}

#[test]
fn a_note_names_the_subjects_actions_and_places_that_are_not_on_the_page() {
    let note = |prompt: &str| {
        let size = Pixels {
            width: 144,
            height: 192,
        };
        let request = DrawRequest {
            size,
            ..request(prompt, Audience::Child, 1)
        };
        draw(&request).unwrap().note
    };
    assert_eq!(note("A fox in the forest"), None);
    assert_eq!(note("A mandala of flowers"), None);
    assert_eq!(note("A penguin on a pond in the snow"), None);
    assert_eq!(note("A fish swims in the sea"), None);
    for (prompt, said) in [
        ("A bear skates by a waterfall", "Not shown: \"skates\", \"waterfall\"."),
        (
            "A fox swims in a kitchen in the forest",
            "Not shown: \"swims\", \"forest\".",
        ),
        ("A fox riding a zeppelin", "No drawing of \"zeppelin\" is known."),
        (
            "A zeppelin",
            "No drawing of \"zeppelin\" is known: the page shows the word.",
        ),
        (
            "A zeppelin and a harpsichord",
            "No drawings of \"zeppelin\" and \"harpsichord\" are known: the page shows the words.",
        ),
        (
            "happiness and joy",
            "The prompt names nothing that is known as a drawing: the page is a pattern.",
        ),
    ] {
        assert_eq!(note(prompt).as_deref(), Some(said));
    }
}

#[test]
fn a_page_lists_the_words_that_no_drawing_is_known_for() {
    let unknown = |request: DrawRequest| {
        let size = Pixels {
            width: 144,
            height: 192,
        };
        draw(&DrawRequest { size, ..request }).unwrap().unknown
    };
    let page = |prompt: &str| unknown(request(prompt, Audience::Child, 1));
    assert!(page("A fox in the forest").is_empty());
    assert_eq!(page("A zeppelin and a harpsichord"), ["zeppelin", "harpsichord"]);
    let zed = DrawRequest {
        purpose: Purpose::Character,
        characters: vec![character("Zed", "a fox with a jetpack")],
        ..request("Zed", Audience::Child, 1)
    };
    assert_eq!(unknown(zed), ["jetpack"]);
}

#[test]
fn the_note_of_a_character_names_the_animal_that_replaces_it() {
    let note = |description: &str| {
        let request = DrawRequest {
            purpose: Purpose::Character,
            characters: vec![character("Zed", description)],
            ..request("Zed", Audience::Child, 1)
        };
        draw(&request).unwrap().note
    };
    assert_eq!(note("a fox with a scarf"), None);
    assert_eq!(note("a small dog with a white belly and a red collar"), None);
    assert_eq!(
        note("a fox with a jetpack").unwrap(),
        "No drawing of \"jetpack\" is known."
    );
    let stand_in = note("a zeppelin").unwrap();
    assert!(
        stand_in.starts_with("No drawing of \"zeppelin\" is known: "),
        "{stand_in}"
    );
    assert!(stand_in.ends_with(" stands in."), "{stand_in}");
}
