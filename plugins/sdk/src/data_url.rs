//! `data:` URLs (RFC 2397) in base64, with which APIs send and receive pictures as text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::Failure;
use crate::image::Media;

/// Encodes a media file as a `data:` URL.
pub fn encode(media: &Media) -> String {
    format!("data:{};base64,{}", media.media_type, to_base64(&media.bytes))
}

/// Decodes a `data:` URL in base64. Returns `None` for any other URL.
pub fn decode(url: &str) -> Option<Result<Media, Failure>> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.strip_suffix(";base64")?;
    // Parameters such as `charset` are irrelevant for pictures.
    let media_type = media_type.split(';').next().unwrap_or_default().to_owned();
    Some(from_base64(data).map(|bytes| Media { media_type, bytes }))
}

pub fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub fn from_base64(text: &str) -> Result<Vec<u8>, Failure> {
    STANDARD
        .decode(text.trim())
        .map_err(|error| Failure::Other(format!("the API sent invalid base64: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_survives_encoding_and_decoding() {
        let media = Media {
            media_type: "image/png".into(),
            bytes: vec![0, 1, 254, 255],
        };
        let url = encode(&media);
        assert_eq!(url, "data:image/png;base64,AAH+/w==");
        let back = decode(&url).unwrap().unwrap();
        assert_eq!((back.media_type, back.bytes), (media.media_type, media.bytes));
    }

    #[test]
    fn other_urls_and_broken_base64_yield_no_picture() {
        assert!(decode("https://example.com/a.png").is_none());
        assert!(decode("data:text/plain,hello").is_none());
        assert!(matches!(
            decode("data:image/png;base64,*"),
            Some(Err(Failure::Other(_)))
        ));
    }
}
