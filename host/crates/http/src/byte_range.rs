//! `Range` requests, with which a client resumes an interrupted download.
use std::ops::Range;

use axum::http::{HeaderMap, HeaderValue, header};

/// The part of a file to send.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestedRange {
    Whole,
    Part(Range<u64>),
    /// The requested part begins after the end of the file.
    Unsatisfiable,
}

/// Parses the requested range of a file with this size in bytes and this entity tag. The client gets the whole file for
/// several ranges, for an unreadable `Range` header, both as RFC 9110 allows, and for a range of another version
/// (`If-Range`).
pub fn requested_range(headers: &HeaderMap, size: u64, etag: Option<&HeaderValue>) -> RequestedRange {
    let wanted = headers.get(header::IF_RANGE);
    if wanted.is_some() && wanted != etag {
        return RequestedRange::Whole;
    }
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let Some(Ok(range)) = range.map(http_range_header::parse_range_header) else {
        return RequestedRange::Whole;
    };
    match range.validate(size) {
        Ok(parts) => match &parts[..] {
            [part] => RequestedRange::Part(*part.start()..part.end() + 1),
            _ => RequestedRange::Whole,
        },
        Err(_) => RequestedRange::Unsatisfiable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range_for(range: &'static str) -> RequestedRange {
        let headers = HeaderMap::from_iter([(header::RANGE, HeaderValue::from_static(range))]);
        requested_range(&headers, 100, None)
    }

    #[test]
    fn one_part_within_the_file_is_sent_alone() {
        assert_eq!(range_for("bytes=0-9"), RequestedRange::Part(0..10));
        assert_eq!(range_for("bytes=90-"), RequestedRange::Part(90..100));
        assert_eq!(range_for("bytes=-5"), RequestedRange::Part(95..100));
        assert_eq!(range_for("bytes=100-"), RequestedRange::Unsatisfiable);
        for whole in ["bytes=0-1,5-6", "lines=1-2", "bytes=b-a", ""] {
            assert_eq!(range_for(whole), RequestedRange::Whole, "{whole}");
        }
    }

    #[test]
    fn a_part_of_another_version_is_not_sent() {
        let headers = HeaderMap::from_iter([
            (header::RANGE, HeaderValue::from_static("bytes=0-9")),
            (header::IF_RANGE, HeaderValue::from_static("\"1\"")),
        ]);
        let etag = HeaderValue::from_static;
        assert_eq!(requested_range(&headers, 100, None), RequestedRange::Whole);
        assert_eq!(
            requested_range(&headers, 100, Some(&etag("\"2\""))),
            RequestedRange::Whole
        );
        assert_eq!(
            requested_range(&headers, 100, Some(&etag("\"1\""))),
            RequestedRange::Part(0..10)
        );
    }
}
