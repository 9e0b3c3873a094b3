//! What a file says about itself before any pixel of it is decoded.
use std::io::{self, BufRead, Read as _, Seek, SeekFrom};

use linepress_model::Aspect;

use super::{LONGEST_SIDE, MOST_PIXELS, jpeg, webp};
use crate::ArtworkError;

/// A picture's format and size, within the limits, and what it costs to decode.
#[derive(Debug)]
pub(crate) struct Header {
    pub(super) format: Format,
    pub(super) width: u32,
    pub(super) height: u32,
    /// How many bytes each pixel takes, at the worst moment, until the picture is gray and upright.
    bytes_per_pixel: u64,
}

/// A format that is accepted, and what its header has beside the size.
#[derive(Debug)]
pub(super) enum Format {
    Png,
    Jpeg(jpeg::Outline),
    WebP(webp::Outline),
}

/// A format that is accepted, by how its files begin.
enum Kind {
    Png,
    Jpeg,
    WebP,
}

/// As much of a file as tells its kind.
pub const HEAD: usize = 24;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";

impl Kind {
    fn of(head: &[u8]) -> Option<Self> {
        match head {
            head if head.starts_with(PNG) => Some(Self::Png),
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }
}

/// Whether it is a photo in the format of most phones.
fn is_heic(head: &[u8]) -> bool {
    const BRANDS: [&[u8]; 6] = [b"heic", b"heix", b"hevc", b"heim", b"mif1", b"msf1"];
    head.get(4..8) == Some(b"ftyp") && head.get(8..12).is_some_and(|brand| BRANDS.contains(&brand))
}

/// Whether a file that begins so can be a picture that is accepted; of the head there may be less where the file is short.
pub fn may_be_picture(head: &[u8]) -> bool {
    Kind::of(head).is_some()
}

/// The gray picture, and once more while it is turned or scaled.
const GRAY: u64 = 2;

impl Header {
    /// Reads the header, wherever it lies in the file: only that and the lengths of what else there is are looked at.
    pub(crate) fn read(mut file: impl BufRead + Seek) -> Result<Self, ArtworkError> {
        let mut head = Vec::new();
        file.by_ref()
            .take(HEAD as u64)
            .read_to_end(&mut head)
            .map_err(ArtworkError::processing)?;
        file.seek(SeekFrom::Start(0)).map_err(ArtworkError::processing)?;
        let header = match Kind::of(&head) {
            Some(Kind::Png) => head.strip_prefix(PNG).and_then(Self::of_png),
            Some(Kind::Jpeg) => jpeg::Outline::read(file).map_err(cut_short)?.map(Self::of_jpeg),
            Some(Kind::WebP) => webp::Outline::read(file).map_err(cut_short)?.map(Self::of_webp),
            None if is_heic(&head) => return Err(ArtworkError::Heic),
            None => None,
        };
        header.ok_or(ArtworkError::NotAnImage)?.within_limits()
    }

    pub(crate) fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// The memory that decoding takes at most, beside the file itself.
    pub(crate) fn memory(&self) -> u64 {
        self.pixels() * self.bytes_per_pixel
    }

    fn of_png(size: &[u8]) -> Option<Self> {
        let (width, height) = size.split_at_checked(4)?;
        Some(Self {
            format: Format::Png,
            width: u32::from_be_bytes(width.try_into().ok()?),
            height: u32::from_be_bytes(height.try_into().ok()?),
            bytes_per_pixel: GRAY,
        })
    }

    fn of_jpeg(outline: jpeg::Outline) -> Self {
        Self {
            width: outline.width,
            height: outline.height,
            bytes_per_pixel: outline.bytes_per_pixel().max(GRAY),
            format: Format::Jpeg(outline),
        }
    }

    fn of_webp(outline: webp::Outline) -> Self {
        Self {
            width: outline.width,
            height: outline.height,
            bytes_per_pixel: outline.bytes_per_pixel(),
            format: Format::WebP(outline),
        }
    }

    fn within_limits(self) -> Result<Self, ArtworkError> {
        if self.pixels() == 0 {
            return Err(ArtworkError::NotAnImage);
        }
        if self.width.max(self.height) > LONGEST_SIDE || self.pixels() > MOST_PIXELS {
            let (recommended_width, recommended_height) = Aspect::nearest(self.width, self.height).recommended_pixels();
            return Err(ArtworkError::TooManyPixels {
                limit: MOST_PIXELS,
                longest: LONGEST_SIDE,
                recommended_width,
                recommended_height,
            });
        }
        Ok(self)
    }
}

/// A file that ends before its header does is no picture; a disk that fails is not the picture's fault.
fn cut_short(error: io::Error) -> ArtworkError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ArtworkError::NotAnImage,
        _ => ArtworkError::processing(error),
    }
}
