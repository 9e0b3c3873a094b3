//! The watermark of test drawings: the word TEST across the picture, in outlined letters.
//!
//! The letters are white with a black outline, so that they are visible on paper and on ink alike, and a page with them
//! is still line art, whose lines are closed.
use linepress_raster::{Colors, Gray};

use crate::ArtworkError;
use crate::color::color_png;
use crate::decode::{decode, decode_colors};
use crate::normalise::png;

const WORD: [Letter; 4] = [T, E, S, T];

/// A letter of strokes: boxes from the left, the top, to the right and the bottom, in cells of a grid of 5 by 7.
type Letter = &'static [[u32; 4]];

const T: Letter = &[[0, 0, 5, 1], [2, 0, 3, 7]];
const E: Letter = &[[0, 0, 1, 7], [0, 0, 5, 1], [0, 3, 4, 4], [0, 6, 5, 7]];
const S: Letter = &[[0, 0, 5, 1], [0, 0, 1, 4], [0, 3, 5, 4], [4, 3, 5, 7], [0, 6, 5, 7]];

/// The width and height of a letter, and its distance to the next one, in cells.
const LETTER_CELLS: u32 = 5;
const LETTER_ROWS: u32 = 7;
const STEP_CELLS: u32 = LETTER_CELLS + 2;
/// The width of the word in cells.
const WORD_CELLS: u32 = STEP_CELLS * 4 - 2;
/// The width of the picture in cells: the word takes 26 of them.
const PICTURE_CELLS: u32 = 36;

/// A part of the picture in pixels, from the left, the top, to the right and the bottom.
type Area = [u32; 4];

/// Returns the picture with the watermark, as a PNG: in color if `in_color` is true, otherwise in gray.
pub fn watermarked(bytes: &[u8], in_color: bool) -> Result<Vec<u8>, ArtworkError> {
    if in_color {
        let mut picture = decode_colors(bytes)?;
        let Colors { width, height, .. } = picture;
        stamp(&mut picture.pixels, (width, height), [0; 3], [255; 3]);
        return color_png(&picture);
    }
    let mut picture = decode(bytes)?;
    let Gray { width, height, .. } = picture;
    stamp(&mut picture.pixels, (width, height), 0, 255);
    png(&picture)
}

/// Draws the word into the middle of the pixels.
fn stamp<P: Copy>(pixels: &mut [P], (width, height): (u32, u32), ink: P, paper: P) {
    let cell = (width / PICTURE_CELLS).max(1);
    let outline = cell.div_ceil(5);
    let left = (width / 2).saturating_sub(WORD_CELLS * cell / 2);
    let top = (height / 2).saturating_sub(LETTER_ROWS * cell / 2);
    // All outlines come first, so that the strokes of a letter merge.
    for (border, color) in [(outline, ink), (0, paper)] {
        for (letter, position) in WORD.iter().zip(0..) {
            for [from_x, from_y, to_x, to_y] in *letter {
                let across = left + position * STEP_CELLS * cell;
                let area = [
                    (across + from_x * cell).saturating_sub(border),
                    (top + from_y * cell).saturating_sub(border),
                    across + to_x * cell + border,
                    top + to_y * cell + border,
                ];
                fill(pixels, (width, height), area, color);
            }
        }
    }
}

/// Fills the part of an area that is within the picture.
fn fill<P: Copy>(pixels: &mut [P], (width, height): (u32, u32), [left, top, right, bottom]: Area, color: P) {
    let (left, right) = (left.min(width) as usize, right.min(width) as usize);
    let rows = pixels.chunks_exact_mut((width as usize).max(1));
    for row in rows.take(bottom.min(height) as usize).skip(top as usize) {
        row[left..right].fill(color);
    }
}

#[cfg(test)]
mod tests {
    use linepress_model::{Aspect, Audience};

    use super::*;
    use crate::{faults, prepare_color_drawing, prepare_drawing};

    #[test]
    fn a_page_with_the_watermark_is_line_art_without_faults() {
        for (aspect, audience) in [
            (Aspect::Portrait, Audience::Toddler),
            (Aspect::Square, Audience::Child),
            (Aspect::Landscape, Audience::Adult),
        ] {
            let (width, height) = aspect.recommended_pixels();
            let blank = png(&Gray::new(width, height, vec![255; (width * height) as usize])).unwrap();
            let prepared = prepare_drawing(&watermarked(&blank, false).unwrap(), aspect, audience).unwrap();
            assert_eq!(prepared.measures.shapes, 4, "{aspect}");
            assert_eq!(faults(&prepared.measures, audience), [], "{aspect}");
            assert!(prepared.measures.ink > 0.005, "{}", prepared.measures.ink);
        }
    }

    #[test]
    fn the_watermark_is_visible_on_every_ground_and_keeps_the_colors_around_it() {
        let red = color_png(&Colors::new(576, 768, vec![[200, 30, 40]; 576 * 768])).unwrap();
        let marked = image::load_from_memory(&watermarked(&red, true).unwrap())
            .unwrap()
            .into_rgb8();
        let black = marked.pixels().filter(|pixel| pixel.0 == [0; 3]).count();
        let white = marked.pixels().filter(|pixel| pixel.0 == [255; 3]).count();
        assert!(black > 5_000 && white > 9_000, "{black} {white}");
        assert_eq!(marked.get_pixel(3, 3).0, [200, 30, 40]);
        prepare_color_drawing(&watermarked(&red, true).unwrap(), Aspect::Portrait).unwrap();
    }

    #[test]
    fn a_picture_of_any_size_is_stamped() {
        for (width, height) in [(1, 1), (7, 900), (900, 7)] {
            let mut pixels = vec![128_u8; (width * height) as usize];
            stamp(&mut pixels, (width, height), 0, 255);
            assert!(pixels.iter().any(|pixel| *pixel != 128), "{width} {height}");
        }
    }
}
