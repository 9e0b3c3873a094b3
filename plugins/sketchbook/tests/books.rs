//! Whole books: no two pages look alike, and every subject of a prompt is on its page.

mod support;

use linepress_plugin_sdk::v1::image::{Audience, Coloring, DrawRequest, Purpose};
use sketchbook::brief::Brief;
use sketchbook::canvas::Gray;
use sketchbook::cast::Actor;
use sketchbook::player::Player;
use sketchbook::{draw_gray, scene};

/// Books of prompts in the wording of the storyboard planner.
const BOOKS: &[[&str; 8]] = &[
    [
        "A fox holding an umbrella beside a big rock in a sunny forest clearing",
        "An owl and a butterfly under an oak tree in the deep forest",
        "A hedgehog and a frog in a patch of clover among tall pine trees on a sunny morning",
        "A fox and a four-leaf clover by a little stream in a quiet forest",
        "An owl carrying a twig near a small cabin in a sunny forest clearing",
        "A hedgehog and a mouse beside a mossy log in the deep forest",
        "A fox and a caterpillar under a willow tree in a quiet forest at sunset",
        "An owl and a nest on a tree stump in a sunny forest clearing",
    ],
    [
        "A diver collecting shells between two rocks in the deep ocean",
        "A mermaid and a squid below the waves on the seabed",
        "A dolphin and a crab near a sunken ship under the sea, the dolphin opening a treasure chest",
        "A seal and a starfish by a sea cave in a coral reef",
        "An octopus resting on the sand inside a ring of seaweed in the deep ocean",
        "A shark and a snail above a sandy seabed under the sea",
        "A tropical fish and a blowfish among rising bubbles on the seabed",
        "A crab and a gem next to an old anchor in a coral reef",
    ],
    [
        "A T-rex looking for a bone beside a volcano on a palm tree shore at sunrise",
        "A T-rex and a snail under a rainbow near a smoking volcano",
        "A brontosaurus and a bird on a rocky hill in a wide green valley",
        "A brontosaurus and a nest at the edge of a jungle near a smoking volcano",
        "A T-rex munching a leaf near a fallen tree in a prehistoric jungle",
        "A mammoth and a frog on a sandy riverbank in a wide green valley",
        "A brontosaurus and a lizard beside a fern on a palm tree shore at sunset",
        "A T-rex and three leaves next to a nest of eggs in a prehistoric jungle",
    ],
    [
        "A rocket landing on the moon among the stars",
        "A flying saucer and a hamster on a hill in a far galaxy",
        "An alien and a robot next to a landed rocket in outer space",
        "A cat and a satellite under a shooting star in a far galaxy",
        "An astronaut bouncing over a crater on a rocky asteroid under a starry sky",
        "A bear and a cat by a satellite dish among the stars",
        "A rocket and a dog beside a moon crater in outer space",
        "A panda and an alarm clock above the Earth under a starry sky",
    ],
    [
        "A chicken guarding an egg by a water pump on a sunny farm",
        "A farmer and a mouse on a little hill in the farmyard",
        "A turkey and a butterfly beside a wooden fence in the countryside on a sunny morning",
        "A goat and a bell in a vegetable patch on a sunny farm",
        "A cow chasing a ball by a garden gate in a green meadow on a breezy afternoon",
        "A rabbit and a frog next to a haystack in the farmyard",
        "An ox and a chick by a duck pond in the countryside at sunset",
        "A cat and an apple beside a tractor in a green meadow",
    ],
    // A book with one hero on every page is the hardest case.
    [
        "A hedgehog dancing to the music under a big balloon on a sunny hill",
        "A hedgehog and a mouse beside a bicycle in the park",
        "A hedgehog and a puppy in the park, the hedgehog holding a balloon",
        "A hedgehog and a lollipop on a grassy hill at a garden party",
        "A hedgehog playing the drums next to a piano on a green meadow",
        "A hedgehog and a duck at a birthday party",
        "A hedgehog and a snail under colorful garlands, the hedgehog opening a present",
        "A hedgehog and a party popper under a string of flags in a decorated room",
    ],
];

fn request(prompt: &str, audience: Audience, seed: u64) -> DrawRequest {
    DrawRequest {
        audience,
        seed,
        ..support::page(prompt)
    }
}

const CELL_PIXELS: usize = 24;

/// Returns the darkness of each square of 24 pixels, relative to the mean of the page.
fn layout(page: &Gray) -> Vec<f32> {
    let (columns, rows) = (page.width as usize / CELL_PIXELS, page.height as usize / CELL_PIXELS);
    let mut cells = vec![0.0; columns * rows];
    for (index, pixel) in page.pixels.iter().enumerate() {
        let (x, y) = (index % page.width as usize, index / page.width as usize);
        cells[y / CELL_PIXELS * columns + x / CELL_PIXELS] += f32::from(*pixel < 128);
    }
    // The frame is ignored: it is the same rectangle on most pages.
    let inside = |index: &usize| {
        let (x, y) = (index % columns, index / columns);
        (2..columns - 2).contains(&x) && (2..rows - 2).contains(&y)
    };
    let kept: Vec<f32> = (0..cells.len()).filter(inside).map(|index| cells[index]).collect();
    let mean = kept.iter().sum::<f32>() / kept.len() as f32;
    kept.into_iter().map(|cell| cell - mean).collect()
}

/// Returns the similarity of two layouts: 1 for equal layouts, about 0 for unrelated ones.
fn similarity(one: &[f32], other: &[f32]) -> f32 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

#[test]
fn no_two_pages_of_a_book_look_alike() {
    for audience in [Audience::Child, Audience::Adult, Audience::Toddler] {
        for (number, book) in BOOKS.iter().enumerate() {
            let pages: Vec<Vec<f32>> = book
                .iter()
                .zip(100 * number as u64..)
                .map(|(prompt, seed)| layout(&draw_gray(&request(prompt, audience, seed)).unwrap()))
                .collect();
            for (index, page) in pages.iter().enumerate() {
                for (before, other) in pages[..index].iter().enumerate() {
                    let share = similarity(page, other);
                    assert!(
                        share < 0.65,
                        "similarity {share} for {audience:?}: {:?} and {:?}",
                        book[before],
                        book[index]
                    );
                }
            }
        }
    }
}

#[test]
fn every_subject_of_a_prompt_is_on_its_page() {
    for audience in [Audience::Child, Audience::Toddler, Audience::Teen] {
        for (number, book) in BOOKS.iter().enumerate() {
            for (prompt, seed) in book.iter().zip(100 * number as u64..) {
                let brief = Brief::read(&request(prompt, audience, seed)).unwrap();
                let sheet = scene::draw(&brief);
                assert!(
                    sheet.missing.is_empty(),
                    "{prompt} for {audience:?}: {:?}",
                    sheet.missing
                );
            }
        }
    }
}

/// Returns the designs of the first subject on pages with different seeds: its drawing, and true for a procedural body.
fn designs(request: &DrawRequest) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    for seed in 0..20 {
        let brief = Brief::read(&DrawRequest {
            seed,
            ..request.clone()
        })
        .expect("the request is valid");
        let subject = &brief.wish.subjects[0];
        let player = Player::for_subject(subject, 1, &brief.style, &mut fastrand::Rng::with_seed(seed));
        let player = player.expect("the subject has a drawing");
        let design = match player.actor() {
            Actor::Drawn(drawing) => (drawing.regions.len(), false),
            Actor::Embodied(face, ..) => (face.regions.len(), true),
        };
        if !found.contains(&design) {
            found.push(design);
        }
    }
    found
}

/// Animals with and without a body of their own, and some whose head and hands are known in the detailed drawing only.
const ANIMALS: &[&str] = &[
    "fox",
    "dog",
    "rabbit",
    "cow",
    "owl",
    "butterfly",
    "dragon",
    "lizard",
    "honeybee",
];

#[test]
fn an_animal_has_one_design_in_a_book_and_in_a_series() {
    for audience in [Audience::Child, Audience::Toddler] {
        for animal in ANIMALS {
            let page = |prompt: String, book_seed: Option<u64>| DrawRequest {
                book_seed,
                ..request(&prompt, audience, 1)
            };
            let pages = designs(&page(format!("A {animal} in the park"), Some(1)));
            assert_eq!(pages.len(), 1, "{animal}: {pages:?}");
            let other_book = page(format!("A {animal}"), Some(2));
            let with_a_hat = page(format!("A {animal} with a hat"), Some(1));
            // The seed of a book is only sent for its pages.
            let cover = DrawRequest {
                purpose: Purpose::Cover,
                ..page(format!("A {animal}"), None)
            };
            let in_color = DrawRequest {
                coloring: Coloring::Color,
                ..cover.clone()
            };
            for request in [other_book, with_a_hat, cover, in_color] {
                assert_eq!(designs(&request), pages, "{animal} for {audience:?}: {request:?}");
            }
        }
    }
    let single = request("A fox", Audience::Child, 1);
    assert!(designs(&single).len() > 1);
}
