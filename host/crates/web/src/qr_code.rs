//! QR codes, as the path of an inline SVG.
use std::fmt::Write as _;

use qrcode::{Color, QrCode as Encoded};

use linepress_platform::error::{Error, Result};

/// The light margin that a reader needs, in modules (ISO/IEC 18004).
const QUIET_ZONE: usize = 4;

/// A QR code that is drawn in units of one module.
pub(crate) struct QrCode {
    /// Width and height, with the quiet zone.
    pub size: usize,
    /// The dark modules, as SVG path data.
    pub path: String,
}

impl QrCode {
    pub(crate) fn new(text: &str) -> Result<Self> {
        let encoded = Encoded::new(text).map_err(|error| Error::internal(error.to_string()))?;
        let width = encoded.width();
        let mut path = String::new();
        for (place, color) in encoded.into_colors().into_iter().enumerate() {
            if color == Color::Dark {
                let (x, y) = (QUIET_ZONE + place % width, QUIET_ZONE + place / width);
                let _ = write!(path, "M{x} {y}h1v1h-1z");
            }
        }
        Ok(Self {
            size: width + 2 * QUIET_ZONE,
            path,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_fits_into_the_smallest_code() {
        let code = QrCode::new("HELLO").unwrap();
        assert_eq!(code.size, 21 + 2 * QUIET_ZONE);
        // The top edge of the finder pattern in the upper left corner.
        let edge: String = (4..11).map(|x| format!("M{x} 4h1v1h-1z")).collect();
        assert!(code.path.starts_with(&edge), "{}", code.path);
    }

    #[test]
    fn a_text_that_is_too_long_is_an_error() {
        assert!(QrCode::new(&"a".repeat(3_000)).is_err());
    }
}
