//! Pictures: their media types, and the drawings that are returned to the server.

use crate::Failure;
use crate::image::{Aspect, Description, DrawRequest, Drawing, Media};

/// Creates the description of a provider that draws every aspect, and covers in color.
pub fn description(id: &str, name: &str, version: &str, max_references: u32) -> Description {
    Description {
        id: id.into(),
        name: name.into(),
        version: version.into(),
        aspects: vec![Aspect::Square, Aspect::Portrait, Aspect::Landscape],
        max_references,
        // The prompts of `style` ask for it.
        extra: vec![("color".into(), "1".into()), ("look".into(), "1".into())],
    }
}

/// Returns a seed in the range that most APIs accept: a non-negative 32-bit signed integer.
pub fn seed(request: &DrawRequest) -> u32 {
    request.seed as u32 & 0x7fff_ffff
}

/// Detects PNG, JPEG or WebP by the first bytes, because the media type that an API sends may be wrong.
pub fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// Creates a drawing from the bytes of an API's picture, with the name of the model and, if the API reports it, the
/// cost in US dollars.
pub fn drawing(bytes: Vec<u8>, model: &str, cost: Option<f64>) -> Result<Drawing, Failure> {
    let Some(media_type) = media_type(&bytes) else {
        return Err(Failure::Other(not_a_picture(&bytes)));
    };
    let mut extra = vec![("model".to_owned(), model.to_owned())];
    extra.extend(cost.map(|cost| ("cost-usd".to_owned(), decimal(cost))));
    let image = Media {
        media_type: media_type.into(),
        bytes,
    };
    Ok(Drawing { image, extra })
}

fn not_a_picture(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(256)]);
    if bytes.is_empty() {
        "the API's picture is empty".into()
    } else if text.contains("<svg") || text.trim_start().starts_with("<?xml") {
        "the API returned an SVG, but only PNG, JPEG and WebP are supported: set its format to png or use another model"
            .into()
    } else {
        format!("{} bytes from the API are not PNG, JPEG or WebP", bytes.len())
    }
}

/// Formats an amount in decimals without an exponent, rounded to a millionth of a dollar.
fn decimal(cost: f64) -> String {
    let text = format!("{cost:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_determine_the_media_type() {
        let types = |bytes: &[u8]| drawing(bytes.to_vec(), "pencil", None).map(|drawing| drawing.image.media_type);
        assert_eq!(types(b"\x89PNG\r\n\x1a\n..").unwrap(), "image/png");
        assert_eq!(types(b"\xff\xd8\xff\xe0").unwrap(), "image/jpeg");
        assert_eq!(types(b"RIFF....WEBPVP8 ").unwrap(), "image/webp");
        for (bytes, problem) in [
            (&b""[..], "empty"),
            (b"<svg xmlns=", "SVG"),
            (b"<?xml version='1.0'?>", "SVG"),
            (b"GIF89a", "6 bytes"),
        ] {
            let failure = types(bytes).unwrap_err();
            assert!(
                matches!(&failure, Failure::Other(reason) if reason.contains(problem)),
                "{failure:?}"
            );
        }
    }

    #[test]
    fn a_drawing_carries_its_model_and_cost() {
        let extra = |cost| drawing(b"\xff\xd8\xff".to_vec(), "pencil", cost).unwrap().extra;
        assert_eq!(extra(None), [("model".to_owned(), "pencil".to_owned())]);
        for (cost, text) in [
            (0.04, "0.04"),
            (3.0, "3"),
            (0.0, "0"),
            (0.000_000_4, "0"),
            (1e-5, "0.00001"),
        ] {
            assert_eq!(extra(Some(cost))[1], ("cost-usd".to_owned(), text.to_owned()));
        }
    }
}
