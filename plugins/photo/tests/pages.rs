//! Tests of whole pages: they are reproducible, have clean lines and respect the limits.
#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::io::Cursor;

use image::{GrayImage, ImageFormat, RgbImage};
use linepress_plugin_sdk::image::{Aspect, Audience, DrawError, DrawRequest, Media, Pixels, Purpose};

/// A photograph of a bright disc and a dark square in front of a shaded wall, with camera noise.
fn photograph(width: u32, height: u32) -> Vec<u8> {
    let picture = RgbImage::from_fn(width, height, |x, y| {
        let (across, down) = (x as f32 / width as f32, y as f32 / height as f32);
        let disc = (across - 0.35).hypot(down - 0.3) < 0.18;
        let square = (0.5..0.85).contains(&across) && (0.55..0.85).contains(&down);
        let noise = (x.wrapping_mul(7919) ^ y.wrapping_mul(104_729)) % 17;
        let tone = match (disc, square) {
            (true, _) => 220.0,
            (_, true) => 45.0,
            _ => 110.0 + 50.0 * down,
        };
        let tone = tone as u8 + noise as u8;
        image::Rgb([tone, tone - 8, tone - 20])
    });
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Jpeg).unwrap();
    file.into_inner()
}

fn request(bytes: Vec<u8>, audience: Audience) -> DrawRequest {
    DrawRequest {
        purpose: Purpose::Page,
        prompt: "Our dog".to_string(),
        title: "Our dog".to_string(),
        aspect: Aspect::Portrait,
        size: Pixels {
            width: 1152,
            height: 1536,
        },
        audience,
        characters: Vec::new(),
        source: Some(Media {
            media_type: "image/jpeg".to_string(),
            bytes,
        }),
        seed: 1,
        extra: Vec::new(),
    }
}

fn page(bytes: Vec<u8>, audience: Audience) -> GrayImage {
    let png = photo::draw(&request(bytes, audience)).unwrap();
    image::load_from_memory(&png).unwrap().into_luma8()
}

fn ink(page: &GrayImage) -> f64 {
    page.pixels().filter(|pixel| pixel.0[0] < 128).count() as f64 / page.len() as f64
}

/// The sizes of the white areas as fractions of the page, the largest first.
fn parts(page: &GrayImage) -> Vec<f64> {
    let (width, height) = (page.width() as usize, page.height() as usize);
    let mut white: Vec<bool> = page.pixels().map(|pixel| pixel.0[0] >= 128).collect();
    let mut parts = Vec::new();
    for start in 0..white.len() {
        if !std::mem::take(&mut white[start]) {
            continue;
        }
        let mut waiting = vec![start];
        let mut size = 0;
        while let Some(index) = waiting.pop() {
            size += 1;
            let (x, y) = (index % width, index / width);
            for (x, y) in [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)] {
                if x < width && y < height && std::mem::take(&mut white[y * width + x]) {
                    waiting.push(y * width + x);
                }
            }
        }
        parts.push(f64::from(size) / page.len() as f64);
    }
    parts.sort_by(|one, other| other.total_cmp(one));
    parts
}

#[test]
fn shapes_become_closed_outlines_without_specks() {
    for audience in [Audience::Toddler, Audience::Child, Audience::Teen, Audience::Adult] {
        let page = page(photograph(1200, 1600), audience);
        assert_eq!((page.width(), page.height()), (1152, 1536));
        let ink = ink(&page);
        assert!((0.004..0.12).contains(&ink), "{audience:?}: {ink}");
        let parts = parts(&page);
        // The disc, the square and the margin each cover about a tenth of the page. The wall is a fourth, larger area.
        let closed = parts.iter().filter(|part| (0.06..0.14).contains(*part)).count();
        assert_eq!(closed, 3, "{audience:?}: {parts:?}");
        assert!(parts.iter().all(|part| *part > 1e-5), "{audience:?}: {parts:?}");
    }
}

/// A light face with a dark nose, eyes and mouth in front of a gray wall: ellipses with their centers, radii and tones.
const DOG: [(f32, f32, f32, f32, f32); 5] = [
    (600.0, 800.0, 400.0, 450.0, 235.0),
    (600.0, 920.0, 75.0, 52.0, 30.0),
    (450.0, 700.0, 34.0, 32.0, 25.0),
    (750.0, 700.0, 34.0, 32.0, 25.0),
    (600.0, 1080.0, 14.0, 10.0, 40.0),
];

fn dog() -> Vec<u8> {
    let picture = RgbImage::from_fn(1200, 1600, |x, y| {
        let noise = (x.wrapping_mul(7919) ^ y.wrapping_mul(104_729)) % 17;
        let is_inside = |(left, top, across, down, _): &&(f32, f32, f32, f32, f32)| {
            ((x as f32 - left) / across).hypot((y as f32 - top) / down) < 1.0
        };
        let tone = DOG.iter().rev().find(is_inside).map_or(150.0, |ellipse| ellipse.4);
        image::Rgb([tone as u8 + noise as u8; 3])
    });
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Jpeg).unwrap();
    file.into_inner()
}

#[test]
fn a_dark_nose_and_dark_eyes_in_a_light_face_are_closed_shapes_or_solid_spots() {
    for audience in [Audience::Toddler, Audience::Child, Audience::Teen, Audience::Adult] {
        let page = page(dog(), audience);
        let scale = (
            page.width() as f32 * 0.95 / 1200.0,
            page.height() as f32 * 0.95 / 1600.0,
        );
        for (left, top, across, down, _) in &DOG[1..] {
            let at = |x: f32, y: f32| {
                let from_center = ((x - 600.0) * scale.0, (y - 800.0) * scale.1);
                let (x, y) = (576.0 + from_center.0, 768.0 + from_center.1);
                page.get_pixel(x as u32, y as u32).0[0] < 128
            };
            // Each way out of the feature crosses ink.
            let is_closed = (0..72).all(|turn| {
                let (y, x) = (turn as f32 * 5.0).to_radians().sin_cos();
                (0..70).any(|step| {
                    let reach = step as f32 * 0.025;
                    at(left + x * across * reach, top + y * down * reach)
                })
            });
            assert!(is_closed, "{audience:?}: open at {left}, {top}");
        }
    }
}

#[test]
fn a_character_has_no_frame_that_pages_would_copy() {
    let largest_part = |purpose| {
        let png = photo::draw(&DrawRequest {
            purpose,
            aspect: Aspect::Square,
            size: Pixels {
                width: 1024,
                height: 1024,
            },
            ..request(photograph(1200, 1600), Audience::Child)
        });
        let page = image::load_from_memory(&png.unwrap()).unwrap().into_luma8();
        assert_eq!((page.width(), page.height()), (1024, 1024));
        parts(&page)[0]
    };
    // Without a frame, the wall and the margin beside the photograph are one area.
    let (page, character) = (largest_part(Purpose::Page), largest_part(Purpose::Character));
    assert!(page < 0.65 && character > 0.75, "{page} {character}");
}

#[test]
fn the_same_photograph_gives_the_same_page_and_young_audiences_get_thicker_lines() {
    let draw = |audience| photo::draw(&request(photograph(800, 1000), audience)).unwrap();
    assert_eq!(draw(Audience::Child), draw(Audience::Child));
    assert!(ink(&page(photograph(800, 1000), Audience::Toddler)) > ink(&page(photograph(800, 1000), Audience::Adult)));
}

#[test]
fn a_page_has_no_frame_if_the_customer_wants_none() {
    let rows_of_ink = |frame: Option<&str>| {
        let extra = frame.map(|frame| ("frame".to_owned(), frame.to_owned()));
        let request = DrawRequest {
            extra: extra.into_iter().collect(),
            ..request(photograph(640, 480), Audience::Child)
        };
        let page = image::load_from_memory(&photo::draw(&request).unwrap())
            .unwrap()
            .into_luma8();
        let is_black = |x, y| page.get_pixel(x, y).0[0] < 128;
        (0..page.height())
            .filter(|y| (100..page.width() - 100).all(|x| is_black(x, *y)))
            .count()
    };
    assert!(rows_of_ink(None) > 0 && rows_of_ink(Some("plain")) > 0);
    assert_eq!(rows_of_ink(Some("none")), 0);
}

/// A picture of one tone with this much noise.
fn even(noise: u32) -> Vec<u8> {
    let even = RgbImage::from_fn(900, 900, |x, y| {
        let noise = (x.wrapping_mul(7919) ^ y.wrapping_mul(104_729)) % noise;
        image::Rgb([120 + noise as u8; 3])
    });
    let mut file = Cursor::new(Vec::new());
    even.write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

#[test]
fn a_photograph_without_shapes_is_refused_instead_of_drawn_as_an_empty_frame() {
    for noise in [1, 23] {
        let drawn = photo::draw(&request(even(noise), Audience::Child));
        let Err(DrawError::Invalid(reason)) = drawn else {
            panic!("noise {noise}: drawn");
        };
        assert!(reason.contains("hardly any outlines"), "{reason}");
    }
}

#[test]
fn a_photograph_of_20_megapixels_is_drawn() {
    let page = page(photograph(3888, 5184), Audience::Child);
    assert!(ink(&page) > 0.004);
}

#[test]
fn a_request_that_cannot_be_drawn_is_refused_with_the_reason() {
    let refused = |request: DrawRequest| match photo::draw(&request) {
        Err(DrawError::Invalid(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let without = DrawRequest {
        source: None,
        ..request(Vec::new(), Audience::Child)
    };
    assert!(refused(without).contains("source is missing"));
    assert!(refused(request(b"<svg/>".to_vec(), Audience::Child)).contains("cannot be read"));
    assert!(refused(request(photograph(40, 400), Audience::Child)).contains("40 x 400"));
    let huge = DrawRequest {
        size: Pixels {
            width: 5000,
            height: 5000,
        },
        ..request(photograph(100, 100), Audience::Child)
    };
    assert!(refused(huge).contains("64 to 4096"));
}
