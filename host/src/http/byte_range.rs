//! Which part of a file a client asks for, so that a download that broke off can go on.
use std::ops::Range;

use axum::http::{HeaderMap, HeaderValue, header};

/// What is to be sent of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    Whole,
    Part(Range<u64>),
    /// The part lies beyond the file's end.
    Nothing,
}

/// The part that is asked for of a file with this size in bytes and this entity tag. Several parts at once, and what cannot be
/// read, get the whole file, as RFC 9110 allows; so does a part of another version (`If-Range`).
pub fn asked(headers: &HeaderMap, size: u64, etag: Option<&HeaderValue>) -> Asked {
    let wanted = headers.get(header::IF_RANGE);
    if wanted.is_some() && wanted != etag {
        return Asked::Whole;
    }
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let Some(Ok(range)) = range.map(http_range_header::parse_range_header) else {
        return Asked::Whole;
    };
    match range.validate(size) {
        Ok(parts) => match &parts[..] {
            [part] => Asked::Part(*part.start()..part.end() + 1),
            _ => Asked::Whole,
        },
        Err(_) => Asked::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(range: &'static str) -> Asked {
        let headers = HeaderMap::from_iter([(header::RANGE, HeaderValue::from_static(range))]);
        asked(&headers, 100, None)
    }

    #[test]
    fn one_part_within_the_file_is_sent_alone() {
        assert_eq!(of("bytes=0-9"), Asked::Part(0..10));
        assert_eq!(of("bytes=90-"), Asked::Part(90..100));
        assert_eq!(of("bytes=-5"), Asked::Part(95..100));
        assert_eq!(of("bytes=100-"), Asked::Nothing);
        for whole in ["bytes=0-1,5-6", "lines=1-2", "bytes=b-a", ""] {
            assert_eq!(of(whole), Asked::Whole, "{whole}");
        }
    }

    #[test]
    fn a_part_of_another_version_is_not_sent() {
        let headers = HeaderMap::from_iter([
            (header::RANGE, HeaderValue::from_static("bytes=0-9")),
            (header::IF_RANGE, HeaderValue::from_static("\"1\"")),
        ]);
        let etag = HeaderValue::from_static;
        assert_eq!(asked(&headers, 100, None), Asked::Whole);
        assert_eq!(asked(&headers, 100, Some(&etag("\"2\""))), Asked::Whole);
        assert_eq!(asked(&headers, 100, Some(&etag("\"1\""))), Asked::Part(0..10));
    }
}
