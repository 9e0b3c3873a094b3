//! Which way up a picture is held.
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage};
use linepress_raster::Gray;

/// The orientation in a block of EXIF; a block that cannot be read turns nothing.
pub(super) fn of_exif(exif: &[u8]) -> Orientation {
    // The prefix belongs to JPEG; many programs write it into PNG and WebP as well.
    let tiff = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    Orientation::from_exif_chunk(tiff).unwrap_or(Orientation::NoTransforms)
}

/// The picture as it is meant to be seen.
pub(super) fn upright(gray: Gray, orientation: Orientation) -> Gray {
    if orientation == Orientation::NoTransforms {
        return gray;
    }
    let image =
        GrayImage::from_raw(gray.width, gray.height, gray.pixels).expect("a gray picture holds one byte a pixel");
    let mut image = DynamicImage::ImageLuma8(image);
    image.apply_orientation(orientation);
    Gray::new(image.width(), image.height(), image.into_bytes())
}
