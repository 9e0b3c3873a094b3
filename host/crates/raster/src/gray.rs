//! Gray pictures: scaling, and the share that is shaded.
use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};

/// The tone of paper.
const WHITE: u8 = 255;

/// A gray picture of 8 bits: 0 is ink, 255 is paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gray {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<u8>,
}

/// The position and size of a picture on a larger sheet, in pixels of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

/// An error of the scaler. Sizes within the limits of the callers never cause one.
#[derive(Debug, thiserror::Error)]
#[error("cannot scale the picture: {0}")]
pub struct ScaleError(String);

impl ScaleError {
    fn new(error: impl ToString) -> Self {
        Self(error.to_string())
    }
}

/// Scales a plane of 8-bit samples from one width and height to another.
///
/// All pictures are scaled here, one channel at a time: the scaler is compiled for every precision of its coefficients
/// and for every set of vector instructions, once more for each type of pixel.
pub(crate) fn scale_plane(
    samples: &[u8],
    (source_width, source_height): (u32, u32),
    (width, height): (u32, u32),
    filter: FilterType,
) -> Result<Vec<u8>, ScaleError> {
    let source = TypedImageRef::<U8>::from_buffer(source_width, source_height, samples).map_err(ScaleError::new)?;
    let mut scaled = vec![WHITE; width as usize * height as usize];
    let mut target = TypedImage::<U8>::from_buffer(width, height, &mut scaled).map_err(ScaleError::new)?;
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(filter));
    Resizer::new()
        .resize_typed(&source, &mut target, &options)
        .map_err(ScaleError::new)?;
    Ok(scaled)
}

impl Gray {
    /// # Panics
    /// When `pixels` does not hold exactly `width` x `height` pixels.
    pub fn new(width: u32, height: u32, pixels: Vec<u8>) -> Self {
        assert_eq!(pixels.len(), width as usize * height as usize, "one byte per pixel");
        Self { width, height, pixels }
    }

    /// Scales the picture and places it at `placement` on a white sheet of `width` x `height` pixels.
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
        // Compared with a ground truth of four times the pixels, cubic and Lanczos are equally good after thresholding,
        // and cubic reads four pixels where Lanczos reads six.
        scale_plane(
            &self.pixels,
            (self.width, self.height),
            (width, height),
            FilterType::CatmullRom,
        )
    }

    /// The share of the picture that is an even tone, neither ink nor paper: shading.
    ///
    /// The soft edge of a stroke is gray as well, but it has ink and paper close to it.
    pub fn shaded_share(&self) -> f64 {
        let (width, height) = (self.width as usize, self.height as usize);
        // The darkest and the lightest pixel of each column over the rows of the window, padded with values that change
        // neither. What remains is a comparison of neighbors, which the compiler vectorizes.
        let mut darkest = vec![u8::MAX; width + 2 * EDGE_REACH];
        let mut lightest = vec![u8::MIN; width + 2 * EDGE_REACH];
        let mut shaded = 0;
        for y in 0..height {
            let rows = y.saturating_sub(EDGE_REACH)..(y + EDGE_REACH + 1).min(height);
            let rows = &self.pixels[rows.start * width..rows.end * width];
            fold_rows(rows, width, &mut darkest[EDGE_REACH..], u8::min);
            fold_rows(rows, width, &mut lightest[EDGE_REACH..], u8::max);
            shaded += shaded_in_row(&self.pixels[y * width..][..width], &darkest, &lightest);
        }
        shaded as f64 / (width * height) as f64
    }
}

/// The distance within which ink and paper must be for a gray pixel to be part of a soft edge.
const EDGE_REACH: usize = 2;

/// Folds several rows into one.
fn fold_rows(rows: &[u8], width: usize, folded: &mut [u8], choose: impl Fn(u8, u8) -> u8) {
    let folded = &mut folded[..width];
    folded.copy_from_slice(&rows[..width]);
    for row in rows[width..].chunks_exact(width) {
        for (folded, &pixel) in folded.iter_mut().zip(row) {
            *folded = choose(*folded, pixel);
        }
    }
}

/// The number of pixels of a row that are an even tone.
fn shaded_in_row(row: &[u8], darkest: &[u8], lightest: &[u8]) -> u64 {
    const TONE: std::ops::RangeInclusive<u8> = 30..=220;
    const EDGE_CONTRAST: u8 = 96;
    const WINDOW: usize = 2 * EDGE_REACH + 1;
    /// The number of pixels that are counted at once, few enough for the count to fit in a byte.
    const CHUNK_PIXELS: usize = 128;
    let mut shaded = 0;
    for (index, piece) in row.chunks(CHUNK_PIXELS).enumerate() {
        let start = index * CHUNK_PIXELS;
        let darkest = &darkest[start..start + piece.len() + WINDOW - 1];
        let lightest = &lightest[start..start + piece.len() + WINDOW - 1];
        let mut count = 0_u8;
        for (x, &pixel) in piece.iter().enumerate() {
            let mut dark = darkest[x];
            let mut light = lightest[x];
            for neighbour in 1..WINDOW {
                dark = dark.min(darkest[x + neighbour]);
                light = light.max(lightest[x + neighbour]);
            }
            count += u8::from(TONE.contains(&pixel) & (light - dark < EDGE_CONTRAST));
        }
        shaded += u64::from(count);
    }
    shaded
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn shading_equals_a_count_of_every_window() {
        for (width, height) in [(1_usize, 1_usize), (3, 2), (127, 9), (128, 5), (129, 5), (300, 40)] {
            let pixels: Vec<u8> = (0..width * height)
                .map(|index| {
                    let (x, y) = (index % width, index / width);
                    (x * x / 3 + y * 7 + x * y % 11 * (y % 5) * 9).to_le_bytes()[0]
                })
                .collect();
            let at = |x: usize, y: usize| pixels[y * width + x];
            let mut shaded = 0;
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let window = || {
                    (y.saturating_sub(2)..(y + 3).min(height))
                        .flat_map(|row| (x.saturating_sub(2)..(x + 3).min(width)).map(move |column| at(column, row)))
                };
                let contrast = window().max().unwrap() - window().min().unwrap();
                shaded += usize::from((30..=220).contains(&at(x, y)) && contrast < 96);
            }
            let gray = Gray::new(width as u32, height as u32, pixels.clone());
            assert_eq!(
                gray.shaded_share(),
                shaded as f64 / (width * height) as f64,
                "{width} x {height}"
            );
        }
    }
}
