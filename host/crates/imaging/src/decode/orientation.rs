//! The orientation of a picture.
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage};
use linepress_raster::Gray;

/// Returns the orientation in a block of EXIF, or the normal orientation for an unreadable block.
pub(super) fn of_exif(exif: &[u8]) -> Orientation {
    // The prefix is part of JPEG only, but many programs write it into PNG and WebP as well.
    let tiff = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    Orientation::from_exif_chunk(tiff).unwrap_or(Orientation::NoTransforms)
}

/// Rotates and flips a picture into its normal orientation.
pub(super) fn upright(gray: Gray, orientation: Orientation) -> Gray {
    if orientation == Orientation::NoTransforms {
        return gray;
    }
    let image =
        GrayImage::from_raw(gray.width, gray.height, gray.pixels).expect("a gray picture has one byte per pixel");
    let mut image = DynamicImage::ImageLuma8(image);
    image.apply_orientation(orientation);
    Gray::new(image.width(), image.height(), image.into_bytes())
}
