//! The header of a picture file, read before any pixel is decoded.
use std::io::{self, BufRead, Read as _, Seek, SeekFrom};

use linepress_model::Aspect;

use super::{MAX_PIXELS, MAX_SIDE_PIXELS, jpeg, webp};
use crate::ArtworkError;

/// The format and size of a picture within the limits, and the memory that decoding it takes.
#[derive(Debug)]
pub(crate) struct Header {
    pub(super) format: Format,
    pub(super) width: u32,
    pub(super) height: u32,
    /// The peak memory for each pixel, in bytes, until the picture is gray and upright.
    bytes_per_pixel: u64,
}

/// An accepted format, with the contents of its header apart from the size.
#[derive(Debug)]
pub(super) enum Format {
    Png,
    Jpeg(jpeg::Outline),
    WebP(webp::Outline),
}

/// An accepted format, detected by the first bytes of the file.
enum Kind {
    Png,
    Jpeg,
    WebP,
}

/// The number of bytes that are needed to detect the format.
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

/// Returns true for a HEIC file, the photo format of most phones.
fn is_heic(head: &[u8]) -> bool {
    const BRANDS: [&[u8]; 10] = [
        b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1",
    ];
    head.get(4..8) == Some(b"ftyp") && head.get(8..12).is_some_and(|brand| BRANDS.contains(&brand))
}

/// Returns an error when a file with these first bytes cannot be an accepted picture. `head` may be shorter than
/// [`HEAD`] for a short file.
pub fn check_kind(head: &[u8]) -> Result<(), ArtworkError> {
    match Kind::of(head) {
        Some(_) => Ok(()),
        None => Err(unknown_kind(head)),
    }
}

fn unknown_kind(head: &[u8]) -> ArtworkError {
    if is_heic(head) {
        ArtworkError::Heic
    } else {
        ArtworkError::NotAnImage
    }
}

/// The memory for a gray picture, and for a copy of it while it is rotated or scaled.
const GRAY_BYTES_PER_PIXEL: u64 = 2;

impl Header {
    /// Reads the header, wherever it lies in the file. Only the header and the lengths of the other parts are read.
    pub(crate) fn read(mut file: impl BufRead + Seek) -> Result<Self, ArtworkError> {
        let mut head = Vec::new();
        file.by_ref()
            .take(HEAD as u64)
            .read_to_end(&mut head)
            .map_err(ArtworkError::processing)?;
        file.seek(SeekFrom::Start(0)).map_err(ArtworkError::processing)?;
        let header = match Kind::of(&head) {
            Some(Kind::Png) => head.strip_prefix(PNG).and_then(Self::of_png),
            Some(Kind::Jpeg) => jpeg::Outline::read(file).map_err(read_error)?.map(Self::of_jpeg),
            Some(Kind::WebP) => webp::Outline::read(file).map_err(read_error)?.map(Self::of_webp),
            None => return Err(unknown_kind(&head)),
        };
        header.ok_or(ArtworkError::NotAnImage)?.within_limits()
    }

    pub(crate) fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// The peak memory that decoding takes, in bytes, in addition to the file itself.
    pub(crate) fn memory(&self) -> u64 {
        self.pixels() * self.bytes_per_pixel
    }

    fn of_png(size: &[u8]) -> Option<Self> {
        let (width, height) = size.split_at_checked(4)?;
        Some(Self {
            format: Format::Png,
            width: u32::from_be_bytes(width.try_into().ok()?),
            height: u32::from_be_bytes(height.try_into().ok()?),
            bytes_per_pixel: GRAY_BYTES_PER_PIXEL,
        })
    }

    fn of_jpeg(outline: jpeg::Outline) -> Self {
        Self {
            width: outline.width,
            height: outline.height,
            bytes_per_pixel: outline.bytes_per_pixel().max(GRAY_BYTES_PER_PIXEL),
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
        if self.width.max(self.height) > MAX_SIDE_PIXELS || self.pixels() > MAX_PIXELS {
            let (recommended_width, recommended_height) = Aspect::nearest(self.width, self.height).recommended_pixels();
            return Err(ArtworkError::TooManyPixels {
                limit: MAX_PIXELS,
                longest: MAX_SIDE_PIXELS,
                recommended_width,
                recommended_height,
            });
        }
        Ok(self)
    }
}

/// Maps a read error. A file that ends inside its header is not a picture; any other error is a fault of the disk.
fn read_error(error: io::Error) -> ArtworkError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ArtworkError::NotAnImage,
        _ => ArtworkError::processing(error),
    }
}
