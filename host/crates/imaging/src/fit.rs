//! The placement of a picture on a page of a given shape: padded with white, never cropped and never stretched.
use linepress_model::Aspect;
use linepress_raster::{Bitmap, Gray, Placement};

use crate::ArtworkError;

/// How far the shape of imported artwork may differ from the shape of the page, in percent.
pub const IMPORT_TOLERANCE_PERCENT: u32 = 10;
/// The same for a drawing. Many image models offer only three sizes: 2:3 and 3:2 differ by 12.5% from 3:4 and 4:3.
pub(crate) const DRAWING_TOLERANCE_PERCENT: u32 = 20;
/// The smallest length of the shorter side, in pixels. A smaller picture prints as a blur.
const MIN_SIDE_PIXELS: u32 = 256;

/// Scales imported artwork and centers it on a white page of `width` x `height` pixels, which has the shape of
/// `aspect`.
pub(crate) fn fit(picture: &Gray, aspect: Aspect, width: u32, height: u32) -> Result<Gray, ArtworkError> {
    check_shape((picture.width, picture.height), aspect, IMPORT_TOLERANCE_PERCENT)?;
    let placement = place((picture.width, picture.height), (width, height));
    picture
        .onto_sheet(width, height, placement)
        .map_err(ArtworkError::processing)
}

/// Scales a picture and centers it on a white page in black and white, where every tone below `threshold` is ink. The
/// shape of the picture may differ from that of the page by `tolerance` percent.
pub(crate) fn fit_lines(
    picture: &Gray,
    aspect: Aspect,
    page: (u32, u32),
    threshold: u8,
    tolerance: u32,
) -> Result<Bitmap, ArtworkError> {
    check_shape((picture.width, picture.height), aspect, tolerance)?;
    let placement = place((picture.width, picture.height), page);
    Bitmap::enlarged(picture, page, placement, threshold).map_err(ArtworkError::processing)
}

/// Fails when the picture has the wrong shape or is too small.
pub(crate) fn check_shape((width, height): (u32, u32), aspect: Aspect, tolerance: u32) -> Result<(), ArtworkError> {
    let (recommended_width, recommended_height) = aspect.recommended_pixels();
    let shape = f64::from(width) / f64::from(height);
    let wanted = f64::from(recommended_width) / f64::from(recommended_height);
    if (shape / wanted).max(wanted / shape) > 1.0 + f64::from(tolerance) / 100.0 {
        return Err(ArtworkError::WrongShape {
            width,
            height,
            tolerance,
            aspect,
            recommended_width,
            recommended_height,
        });
    }
    if width.min(height) < MIN_SIDE_PIXELS {
        return Err(ArtworkError::TooSmall {
            width,
            height,
            shortest: MIN_SIDE_PIXELS,
            recommended_width,
            recommended_height,
        });
    }
    Ok(())
}

pub(crate) fn place((width, height): (u32, u32), (page_width, page_height): (u32, u32)) -> Placement {
    let scale = (f64::from(page_width) / f64::from(width)).min(f64::from(page_height) / f64::from(height));
    // The cast is of a rounded, positive number below the page's size.
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
    fn a_narrow_picture_is_centered_between_white_margins() {
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
    fn imported_artwork_of_the_wrong_shape_is_refused_with_the_recommended_size() {
        let blank = |width: u32, height: u32| Gray::new(width, height, vec![255; (width * height) as usize]);
        assert!(fit(&blank(1000, 1090), Aspect::Square, 100, 100).is_ok());
        assert!(fit(&blank(1090, 1000), Aspect::Square, 100, 100).is_ok());
        let refusal = fit(&blank(1000, 1000), Aspect::Portrait, 75, 100).unwrap_err();
        assert!(refusal.to_string().contains("1152 x 1536"), "{refusal}");
        let refusal = fit(&blank(75, 100), Aspect::Portrait, 75, 100).unwrap_err();
        assert!(matches!(refusal, ArtworkError::TooSmall { .. }), "{refusal}");
    }

    #[test]
    fn a_drawing_in_the_nearest_size_of_a_model_is_padded() {
        for (size, aspect) in [((1024, 1536), Aspect::Portrait), ((1536, 1024), Aspect::Landscape)] {
            let drawing = Gray::new(size.0, size.1, vec![255; (size.0 * size.1) as usize]);
            let page = aspect.recommended_pixels();
            assert!(fit_lines(&drawing, aspect, page, 128, DRAWING_TOLERANCE_PERCENT).is_ok());
            let refusal = fit_lines(&drawing, aspect, page, 128, IMPORT_TOLERANCE_PERCENT).unwrap_err();
            assert!(refusal.to_string().contains("10%"), "{refusal}");
            let refusal = fit_lines(&drawing, Aspect::Square, page, 128, DRAWING_TOLERANCE_PERCENT).unwrap_err();
            assert!(refusal.to_string().contains("20%"), "{refusal}");
        }
    }
}
