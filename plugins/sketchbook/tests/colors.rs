//! Covers in color.

mod support;

use std::collections::HashMap;
use std::io::Cursor;

use linepress_plugin_sdk::v1::image::{Audience, Coloring, DrawRequest, Purpose};
use sketchbook::color::{Rgb, SKINS};
use sketchbook::draw;

fn cover(prompt: &str, audience: Audience, coloring: Coloring) -> DrawRequest {
    DrawRequest {
        purpose: Purpose::Cover,
        audience,
        coloring,
        seed: 5,
        ..support::page(prompt)
    }
}

/// The color type, the size and the pixels of a drawing.
fn drawn(request: &DrawRequest) -> (png::ColorType, (u32, u32), Vec<u8>) {
    let page = draw(request).expect("the request is valid");
    let mut reader = png::Decoder::new(Cursor::new(page.png)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a known size")];
    let frame = reader.next_frame(&mut pixels).expect("a whole picture");
    (frame.color_type, (frame.width, frame.height), pixels)
}

const PROMPTS: &[(&str, Audience)] = &[
    ("A cow and a pig on the farm", Audience::Child),
    ("A dolphin under the sea", Audience::Child),
    ("A cat and yarn in the living room", Audience::Toddler),
    ("A bear at a birthday party", Audience::Child),
    ("An astronaut in outer space", Audience::Teen),
    ("A mandala", Audience::Adult),
    ("An owl mandala", Audience::Adult),
];

#[test]
fn a_cover_in_color_is_saturated_has_black_outlines_and_covers_its_sheet() {
    for (prompt, audience) in PROMPTS {
        let (kind, size, pixels) = drawn(&cover(prompt, *audience, Coloring::Color));
        assert_eq!((kind, size), (png::ColorType::Rgb, (1152, 1536)), "{prompt}");
        let (mut black, mut white, mut saturated) = (0, 0, 0);
        for pixel in pixels.chunks_exact(3) {
            let (most, least) = (*pixel.iter().max().unwrap(), *pixel.iter().min().unwrap());
            black += u32::from(most < 24);
            white += u32::from(least > 250);
            saturated += u32::from(most - least > 60);
        }
        let share = |count: u32| f64::from(count) / f64::from(size.0 * size.1);
        assert!((0.02..0.3).contains(&share(black)), "{prompt}: black {}", share(black));
        assert!(share(white) < 0.3, "{prompt}: white {}", share(white));
        assert!(share(saturated) > 0.4, "{prompt}: saturated {}", share(saturated));
        // The corners belong to the picture.
        let corner = (pixels[0], pixels[1], pixels[2]);
        assert_ne!(corner, (255, 255, 255), "{prompt}");
    }
}

#[test]
fn only_covers_are_drawn_in_color_and_only_on_request() {
    let mut page = cover("A cow on the farm", Audience::Child, Coloring::Color);
    page.purpose = Purpose::Page;
    for request in [page, cover("A cow on the farm", Audience::Child, Coloring::LineArt)] {
        let (kind, size, _) = drawn(&request);
        assert_eq!((kind, size), (png::ColorType::Grayscale, (576, 768)));
    }
}

#[test]
fn equal_requests_give_equal_covers_and_seeds_choose_the_palette() {
    let mut request = cover("A cow on the farm", Audience::Child, Coloring::Color);
    assert_eq!(drawn(&request), drawn(&request));
    let mut skies = HashMap::new();
    for seed in 0..8 {
        request.seed = seed;
        let (.., pixels) = drawn(&request);
        // The most frequent color of the uppermost row is a tone of the sky.
        let mut counts: HashMap<&[u8], u32> = HashMap::new();
        for pixel in pixels[..1152 * 3].chunks_exact(3) {
            *counts.entry(pixel).or_default() += 1;
        }
        let sky = counts.into_iter().max_by_key(|(_, count)| *count).unwrap().0.to_vec();
        *skies.entry(sky).or_insert(0) += 1;
    }
    assert!(skies.len() > 2, "{skies:?}");
}

#[test]
fn the_yellow_skin_of_an_emoji_becomes_a_natural_tone_and_nothing_else_changes() {
    let yellow = Rgb::hex(0xff_ca28);
    for skin in SKINS {
        assert_ne!(yellow.with_skin(skin), yellow);
        for other in [0xff_ffff, 0x00_0000, 0xe0_3048, 0x2f_86e8, 0x54_3930, 0xff_f59d] {
            assert_eq!(Rgb::hex(other).with_skin(skin), Rgb::hex(other));
        }
    }
}
