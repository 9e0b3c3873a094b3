//! Finished pages, measured the way a print master is.

use linepress_plugin_sdk::image::{Aspect, Audience, Character, DrawError, DrawRequest, Pixels, Purpose};
use sketchbook::brief::Brief;
use sketchbook::canvas::Gray;
use sketchbook::measure::measure;
use sketchbook::{draw, draw_gray, scene};

fn request(prompt: &str, audience: Audience, seed: u64) -> DrawRequest {
    DrawRequest {
        purpose: Purpose::Page,
        prompt: prompt.to_string(),
        title: String::new(),
        aspect: Aspect::Portrait,
        size: Pixels {
            width: 1152,
            height: 1536,
        },
        audience,
        characters: Vec::new(),
        seed,
        extra: Vec::new(),
    }
}

fn character(name: &str, description: &str) -> Character {
    Character {
        name: name.into(),
        description: description.into(),
        style: String::new(),
        seed: 7,
        reference: None,
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

/// How many pixels around a page stay white.
const MARGIN: u32 = 24;

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
        let outside = x < MARGIN || y < MARGIN || x >= image.width - MARGIN || y >= image.height - MARGIN;
        assert!(!outside || *pixel > 220, "{about}: ink at {x},{y}");
    }
}

/// The side of the largest black square: how thick the thickest spot is.
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
fn nothing_is_a_blot() {
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
        let bytes = draw(&request).unwrap();
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
fn equal_requests_give_equal_pages_and_other_seeds_others() {
    let request = |seed| request("A fox and an owl in the forest", Audience::Child, seed);
    assert_eq!(draw(&request(5)).unwrap(), draw(&request(5)).unwrap());
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
fn absurd_sizes_are_invalid() {
    for (width, height) in [(0, 1536), (1152, 0), (5000, 1000), (4096, 100)] {
        let request = DrawRequest {
            size: Pixels { width, height },
            ..request("A fox", Audience::Child, 1)
        };
        assert!(matches!(draw(&request), Err(DrawError::Invalid(_))), "{width}x{height}");
    }
}
