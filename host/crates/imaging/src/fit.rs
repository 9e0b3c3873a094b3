//! Where a picture goes on a page of a given shape: padded with white, never cropped, never stretched.
use linepress_model::Aspect;
use linepress_raster::{Bitmap, Gray, Placement};

use crate::ArtworkError;

/// How far a picture's shape may be from the page's: a tenth.
const TOLERANCE: f64 = 1.1;
/// Below this many pixels on its shorter side a picture prints as a blur.
const SHORTEST_SIDE: u32 = 256;

/// The picture scaled and centred onto a white page of `width` x `height` pixels, which has the shape of `aspect`.
pub(crate) fn fit(picture: &Gray, aspect: Aspect, width: u32, height: u32) -> Result<Gray, ArtworkError> {
    check(picture, aspect)?;
    let placement = place((picture.width, picture.height), (width, height));
    picture
        .onto_sheet(width, height, placement)
        .map_err(ArtworkError::processing)
}

/// The same in black and white: everything darker than `threshold` is ink.
pub(crate) fn fit_lines(
    picture: &Gray,
    aspect: Aspect,
    page: (u32, u32),
    threshold: u8,
) -> Result<Bitmap, ArtworkError> {
    check(picture, aspect)?;
    let placement = place((picture.width, picture.height), page);
    Bitmap::enlarged(picture, page, placement, threshold).map_err(ArtworkError::processing)
}

fn check(picture: &Gray, aspect: Aspect) -> Result<(), ArtworkError> {
    let (width, height) = (picture.width, picture.height);
    let (recommended_width, recommended_height) = aspect.recommended_pixels();
    let shape = f64::from(width) / f64::from(height);
    let wanted = f64::from(recommended_width) / f64::from(recommended_height);
    if (shape / wanted).max(wanted / shape) > TOLERANCE {
        return Err(ArtworkError::WrongShape {
            width,
            height,
            aspect,
            recommended_width,
            recommended_height,
        });
    }
    if width.min(height) < SHORTEST_SIDE {
        return Err(ArtworkError::TooSmall {
            width,
            height,
            shortest: SHORTEST_SIDE,
            recommended_width,
            recommended_height,
        });
    }
    Ok(())
}

fn place((width, height): (u32, u32), (page_width, page_height): (u32, u32)) -> Placement {
    let scale = (f64::from(page_width) / f64::from(width)).min(f64::from(page_height) / f64::from(height));
    // A cast of a rounded, positive number below the page's size.
    let across = ((f64::from(width) * scale).round() as u32).clamp(1, page_width);
    let down = ((f64::from(height) * scale).round() as u32).clamp(1, page_height);
    Placement {
        left: (page_width - across) / 2,
        top: (page_height - down) / 2,
        width: across,
        height: down,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recommended_size_fills_the_page() {
        for &aspect in Aspect::ALL {
            let size = aspect.recommended_pixels();
            let expected = Placement {
                left: 0,
                top: 0,
                width: size.0,
                height: size.1,
            };
            assert_eq!(place(size, size), expected);
        }
    }

    #[test]
    fn a_narrow_picture_is_centred_between_white_margins() {
        let placement = place((1050, 1536), (1152, 1536));
        assert_eq!(
            placement,
            Placement {
                left: 51,
                top: 0,
                width: 1050,
                height: 1536
            }
        );
        let placement = place((2000, 2000), (1152, 1200));
        assert_eq!(
            placement,
            Placement {
                left: 0,
                top: 24,
                width: 1152,
                height: 1152
            }
        );
    }

    #[test]
    fn beyond_a_tenth_the_shape_is_wrong_and_the_message_says_what_is_recommended() {
        let blank = |width: u32, height: u32| Gray::new(width, height, vec![255; (width * height) as usize]);
        assert!(fit(&blank(1000, 1090), Aspect::Square, 100, 100).is_ok());
        assert!(fit(&blank(1090, 1000), Aspect::Square, 100, 100).is_ok());
        let refusal = fit(&blank(1000, 1000), Aspect::Portrait, 75, 100).unwrap_err();
        assert!(refusal.to_string().contains("1152 x 1536"), "{refusal}");
        let refusal = fit(&blank(75, 100), Aspect::Portrait, 75, 100).unwrap_err();
        assert!(matches!(refusal, ArtworkError::TooSmall { .. }), "{refusal}");
    }
}
