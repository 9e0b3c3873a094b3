//! Gray pictures: flattening and scaling.
use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};

/// Paper.
const WHITE: u8 = 255;

/// A gray picture of 8 bits: 0 is ink, 255 is paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gray {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<u8>,
}

/// Where a picture lies on a larger sheet, in pixels of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

/// The scaler refused; sizes that pass the callers' limits never get here.
#[derive(Debug, thiserror::Error)]
#[error("cannot scale the picture: {0}")]
pub struct ScaleError(String);

impl Gray {
    /// # Panics
    /// When `pixels` does not hold exactly `width` x `height` pixels.
    pub fn new(width: u32, height: u32, pixels: Vec<u8>) -> Self {
        assert_eq!(pixels.len(), width as usize * height as usize, "one byte a pixel");
        Self { width, height, pixels }
    }

    /// Lays a picture with transparency (gray, alpha, gray, alpha, ...) onto white paper.
    pub fn flatten(width: u32, height: u32, gray_alpha: &[u8]) -> Self {
        let pixels = gray_alpha
            .chunks_exact(2)
            .map(|pixel| over_white(pixel[0], pixel[1]))
            .collect();
        Self::new(width, height, pixels)
    }

    /// The picture scaled onto a white sheet of `width` x `height` pixels, at `placement`.
    pub fn onto_sheet(&self, width: u32, height: u32, placement: Placement) -> Result<Self, ScaleError> {
        let scaled = self.scale(placement.width, placement.height)?;
        if (placement.width, placement.height) == (width, height) {
            return Ok(Self::new(width, height, scaled));
        }
        let mut pixels = vec![WHITE; width as usize * height as usize];
        for (row, line) in scaled.chunks_exact(placement.width as usize).enumerate() {
            let start = (placement.top as usize + row) * width as usize + placement.left as usize;
            pixels[start..start + line.len()].copy_from_slice(line);
        }
        Ok(Self::new(width, height, pixels))
    }

    fn scale(&self, width: u32, height: u32) -> Result<Vec<u8>, ScaleError> {
        if (width, height) == (self.width, self.height) {
            return Ok(self.pixels.clone());
        }
        let source = TypedImageRef::<U8>::from_buffer(self.width, self.height, &self.pixels)
            .map_err(|error| ScaleError(error.to_string()))?;
        let mut pixels = vec![WHITE; width as usize * height as usize];
        let mut target =
            TypedImage::<U8>::from_buffer(width, height, &mut pixels).map_err(|error| ScaleError(error.to_string()))?;
        // Against a ground truth of four times the pixels, cubic and Lanczos come out alike once thresholded;
        // cubic reads four pixels where Lanczos reads six.
        let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
        // Typed: the untyped door would compile the scaler for every kind of pixel there is.
        Resizer::new()
            .resize_typed(&source, &mut target, &options)
            .map_err(|error| ScaleError(error.to_string()))?;
        Ok(pixels)
    }

    /// The share of the picture that is neither ink nor paper but an even tone: shading.
    ///
    /// The soft edge of a stroke passes through gray as well; it is told apart by having ink and paper close by.
    pub fn shaded_share(&self) -> f64 {
        const TONE: std::ops::RangeInclusive<u8> = 30..=220;
        const EDGE_CONTRAST: u8 = 96;
        const REACH: usize = 2;
        let (width, height) = (self.width as usize, self.height as usize);
        let mut shaded = 0_u64;
        for y in 0..height {
            for x in 0..width {
                if !TONE.contains(&self.pixels[y * width + x]) {
                    continue;
                }
                let (mut darkest, mut lightest) = (u8::MAX, u8::MIN);
                let columns = x.saturating_sub(REACH)..(x + REACH + 1).min(width);
                for row in y.saturating_sub(REACH)..(y + REACH + 1).min(height) {
                    for &pixel in &self.pixels[row * width..][columns.clone()] {
                        darkest = darkest.min(pixel);
                        lightest = lightest.max(pixel);
                    }
                }
                shaded += u64::from(lightest - darkest < EDGE_CONTRAST);
            }
        }
        shaded as f64 / (width * height) as f64
    }
}

fn over_white(gray: u8, alpha: u8) -> u8 {
    let (gray, alpha) = (u32::from(gray), u32::from(alpha));
    let blended = (gray * alpha + u32::from(WHITE) * (255 - alpha) + 127) / 255;
    u8::try_from(blended).expect("a mean of two bytes is a byte")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transparent_ink_becomes_paper() {
        let flat = Gray::flatten(3, 1, &[0, 0, 0, 255, 0, 128]);
        assert_eq!(flat.pixels, [255, 0, 127]);
    }

    #[test]
    fn a_picture_is_padded_with_white_and_never_stretched() {
        let black = Gray::new(2, 2, vec![0; 4]);
        let placement = Placement {
            left: 1,
            top: 0,
            width: 2,
            height: 2,
        };
        let sheet = black.onto_sheet(4, 2, placement).unwrap();
        assert_eq!(sheet.pixels, [255, 0, 0, 255, 255, 0, 0, 255]);
    }

    #[test]
    fn an_even_tone_is_shading_and_a_soft_edge_is_not() {
        let tone = Gray::new(20, 20, vec![140; 400]);
        assert!(tone.shaded_share() > 0.99);
        let edge = (0..400).map(|index| [0, 140, 255, 255][index % 20 / 5]).collect();
        assert!(Gray::new(20, 20, edge).shaded_share() < 0.06);
    }
}
