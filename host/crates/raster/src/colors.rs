//! Pictures in color: scaling.
use fast_image_resize::FilterType;

use crate::gray::{Placement, ScaleError, scale_plane};

/// A picture in sRGB with 8 bits for each channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colors {
    pub width: u32,
    pub height: u32,
    /// Red, green and blue of each pixel.
    pub pixels: Vec<[u8; 3]>,
}

impl Colors {
    /// # Panics
    /// When `pixels` does not hold exactly `width` x `height` pixels.
    pub fn new(width: u32, height: u32, pixels: Vec<[u8; 3]>) -> Self {
        assert_eq!(pixels.len(), width as usize * height as usize, "three bytes per pixel");
        Self { width, height, pixels }
    }

    /// Returns the bytes of the pixels.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// Scales the picture and places it on a sheet of `width` x `height` pixels in the color `paper`.
    pub fn onto_sheet(
        &self,
        width: u32,
        height: u32,
        placement: Placement,
        paper: [u8; 3],
    ) -> Result<Self, ScaleError> {
        let scaled = self.scaled(placement.width, placement.height)?;
        if (placement.width, placement.height) == (width, height) {
            return Ok(scaled);
        }
        let mut pixels = vec![paper; width as usize * height as usize];
        for (row, line) in scaled.pixels.chunks_exact(placement.width as usize).enumerate() {
            let start = (placement.top as usize + row) * width as usize + placement.left as usize;
            pixels[start..start + line.len()].copy_from_slice(line);
        }
        Ok(Self::new(width, height, pixels))
    }

    /// Scales the picture with a Lanczos filter, which keeps outlines crisp when it enlarges them.
    pub fn scaled(&self, width: u32, height: u32) -> Result<Self, ScaleError> {
        let size = (self.width, self.height);
        if (width, height) == size {
            return Ok(self.clone());
        }
        let mut pixels = vec![[0; 3]; width as usize * height as usize];
        for channel in 0..3 {
            let samples: Vec<u8> = self.pixels.iter().map(|pixel| pixel[channel]).collect();
            let scaled = scale_plane(&samples, size, (width, height), FilterType::Lanczos3)?;
            for (pixel, sample) in pixels.iter_mut().zip(scaled) {
                pixel[channel] = sample;
            }
        }
        Ok(Self::new(width, height, pixels))
    }

    /// Returns the part of the picture at `left` and `top`.
    ///
    /// # Panics
    /// When the part extends past the picture.
    pub fn cropped(&self, left: u32, top: u32, width: u32, height: u32) -> Self {
        let rows = self.pixels.chunks_exact(self.width as usize);
        let part = rows.skip(top as usize).take(height as usize);
        let pixels = part
            .flat_map(|row| &row[left as usize..][..width as usize])
            .copied()
            .collect();
        Self::new(width, height, pixels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_scaled_cropped_and_placed() {
        let (red, blue) = ([200, 10, 20], [10, 20, 200]);
        let pixels = (0..8 * 4).map(|index| if index % 8 < 4 { red } else { blue });
        let picture = Colors::new(8, 4, pixels.collect());
        let large = picture.scaled(80, 40).unwrap();
        assert_eq!((large.pixels[0], large.pixels[79]), (red, blue));
        let right = picture.cropped(4, 1, 4, 2);
        assert_eq!((right.width, right.height), (4, 2));
        assert!(right.pixels.iter().all(|pixel| *pixel == blue));
        let placement = Placement {
            left: 0,
            top: 2,
            width: 8,
            height: 4,
        };
        let sheet = picture.onto_sheet(8, 8, placement, [255; 3]).unwrap();
        assert_eq!((sheet.pixels[0], sheet.pixels[16]), ([255; 3], red));
    }
}
