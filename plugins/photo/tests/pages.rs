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

/// An ellipse of one texture before a ground of another, with the ellipse's center and radii as fractions.
fn textured(width: u32, height: u32, (left, top, across, down): (f32, f32, f32, f32)) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        // Blades of grass and hairs: noise that is longer than wide.
        let blade = (x / 3).wrapping_mul(7919) ^ (y / 14 + x % 5).wrapping_mul(104_729);
        let hair = (x / 9 + y % 3).wrapping_mul(6151) ^ (y / 3).wrapping_mul(15_485_863);
        let is_inside =
            ((x as f32 / width as f32 - left) / across).hypot((y as f32 / height as f32 - top) / down) < 1.0;
        if is_inside {
            let tone = 180 + (hair % 61) as u8;
            image::Rgb([tone, tone - 12, tone - 30])
        } else {
            let tone = 50 + (blade % 71) as u8;
            image::Rgb([tone / 2, tone, tone / 3])
        }
    })
}

fn png(picture: impl Into<image::DynamicImage>) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.into().write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

/// The number of separate lines.
fn pieces(page: &GrayImage) -> usize {
    let mut negative = page.clone();
    image::imageops::invert(&mut negative);
    parts(&negative).len()
}

#[test]
fn a_textured_animal_in_grass_is_one_closed_outline_without_stray_lines() {
    let picture = png(textured(1200, 1600, (0.45, 0.5, 0.25, 0.3)));
    for audience in [Audience::Toddler, Audience::Child, Audience::Teen, Audience::Adult] {
        let page = page(picture.clone(), audience);
        let parts = parts(&page);
        // The ellipse covers 0.24 of the photograph, which covers nine tenths of the page.
        let closed = parts.iter().filter(|part| (0.17..0.24).contains(*part)).count();
        assert_eq!(closed, 1, "{audience:?}: {parts:?}");
        // The frame, the outline, and few others.
        assert!(
            pieces(&page) <= 4 && parts.len() <= 6,
            "{audience:?}: {} {parts:?}",
            pieces(&page)
        );
    }
}

#[test]
fn a_character_is_drawn_without_its_surroundings() {
    // A horizon behind the animal.
    let mut picture = textured(1200, 900, (0.5, 0.5, 0.2, 0.3));
    for (x, y, pixel) in picture.enumerate_pixels_mut() {
        if y < 400 && (x as f32 / 1200.0 - 0.5).hypot((y as f32 / 900.0 - 0.5) / 1.5) > 0.2 {
            *pixel = image::Rgb([120, 160, 230]);
        }
    }
    let draw = |purpose| {
        let png = photo::draw(&DrawRequest {
            purpose,
            ..request(png(picture.clone()), Audience::Child)
        });
        image::load_from_memory(&png.unwrap()).unwrap().into_luma8()
    };
    let (page, character) = (parts(&draw(Purpose::Page)), parts(&draw(Purpose::Character)));
    assert!(page.len() >= 4, "{page:?}");
    assert_eq!(character.len(), 2, "{character:?}");
}

#[test]
fn a_landscape_photograph_fills_a_portrait_page_unless_its_subject_would_be_cut() {
    let share_of_height = |radius: f32| {
        let page = page(png(textured(1600, 1200, (0.5, 0.5, radius, 0.3))), Audience::Child);
        let is_black = |x, y| page.get_pixel(x, y).0[0] < 128;
        let is_frame = |y: &u32| (200..page.width() - 200).all(|x| is_black(x, *y));
        let rows: Vec<u32> = (0..page.height()).filter(is_frame).collect();
        f64::from(rows[rows.len() - 1] - rows[0]) / f64::from(page.height())
    };
    let (small, wide) = (share_of_height(0.2), share_of_height(0.48));
    assert!(small > 0.94 && wide < 0.7, "{small} {wide}");
}

#[test]
fn a_line_of_a_drawing_is_drawn_once() {
    let drawing = GrayImage::from_fn(1000, 1300, |x, y| {
        let radius = (x as f32 - 500.0).hypot(y as f32 - 650.0);
        image::Luma([if (radius - 300.0).abs() < 4.0 { 30 } else { 245 }])
    });
    let page = page(png(drawing), Audience::Child);
    // The disc, the paper around it, and the margin.
    assert_eq!(parts(&page).len(), 3, "{:?}", parts(&page));
}

#[test]
fn transparent_and_gray_photographs_are_drawn_like_opaque_ones() {
    let opaque = |x: u32, y: u32| (x as f32 - 300.0).hypot(y as f32 - 400.0) < 200.0;
    let layered = image::RgbaImage::from_fn(600, 800, |x, y| {
        image::Rgba([200, 60, 40, if opaque(x, y) { 255 } else { 0 }])
    });
    let flat = RgbImage::from_fn(600, 800, |x, y| {
        image::Rgb(if opaque(x, y) { [200, 60, 40] } else { [255; 3] })
    });
    assert_eq!(page(png(layered), Audience::Teen), page(png(flat), Audience::Teen));
    let gray = |x: u32, y: u32| if opaque(x, y) { 60 } else { 200 };
    let layered = image::GrayAlphaImage::from_fn(600, 800, |x, y| image::LumaA([gray(x, y), 255]));
    let flat = RgbImage::from_fn(600, 800, |x, y| image::Rgb([gray(x, y); 3]));
    assert_eq!(page(png(layered), Audience::Teen), page(png(flat), Audience::Teen));
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
                // The steps are shorter than a pixel, so that none skips the thin line for adults.
                (0..350).any(|step| {
                    let reach = step as f32 * 0.005;
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
