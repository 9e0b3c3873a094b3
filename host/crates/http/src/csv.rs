//! Tables as CSV (RFC 4180), for spreadsheets.
use std::borrow::Cow;
use std::future::ready;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use csv::{Terminator, WriterBuilder};
use futures::{StreamExt as _, stream};

use super::file_headers;
use linepress_platform::error::{Error, Result};
use linepress_platform::file_name::FileName;

/// The media type of tables.
const MEDIA_TYPE: &str = "text/csv; charset=utf-8; header=present";

/// The lines of these rows. Fields with commas, quotation marks or line breaks are quoted.
pub(crate) fn lines<'a>(rows: impl IntoIterator<Item = Vec<Cow<'a, str>>>) -> Result<Vec<u8>> {
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    for row in rows {
        let row = row.iter().map(|field| field.as_bytes());
        writer.write_record(row).map_err(Error::internal)?;
    }
    writer.into_inner().map_err(|error| Error::internal(error.into_error()))
}

/// A text as a field. Spreadsheets run a text that begins like a formula, unless an apostrophe precedes it.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// A response that a browser saves as a file with this title.
pub(crate) fn response(title: &str, body: Body) -> Response {
    let name = FileName::new(title, "table", ".csv");
    (file_headers(MEDIA_TYPE, "attachment", &name), body).into_response()
}

/// The same table for a spreadsheet program: Excel recognizes UTF-8 only by a byte order mark.
pub fn for_spreadsheet(table: Response) -> Response {
    let mark = stream::once(ready(Ok(Bytes::from_static("\u{FEFF}".as_bytes()))));
    table.map(|body| Body::from_stream(mark.chain(body.into_data_stream())))
}

/// Returns true for a client that prefers CSV to JSON.
pub fn is_preferred(headers: &HeaderMap) -> bool {
    let (mut csv, mut json) = (0.0, 0.0);
    for value in headers.get_all(header::ACCEPT) {
        for range in value.to_str().unwrap_or_default().split(',') {
            let (kind, quality) = kind_and_quality(range);
            match &*kind {
                "text/csv" => csv = quality,
                "application/json" | "application/*" | "*/*" if quality > json => json = quality,
                _ => {}
            }
        }
    }
    csv > 0.0 && csv >= json
}

/// The media type of an item of `Accept`, and its weight.
fn kind_and_quality(range: &str) -> (String, f32) {
    let mut parts = range.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
    let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    (kind, quality.map_or(1.0, |quality| quality.parse().unwrap_or(0.0)))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn texts_are_quoted_and_run_no_formula() {
        let row = ["A \"fox\", or two", "=HYPERLINK(\"x\")", "-1", "Fox\n", "plain"].map(text);
        let lines = lines([row.to_vec()]).unwrap();
        assert_eq!(
            String::from_utf8(lines).unwrap(),
            "\"A \"\"fox\"\", or two\",\"'=HYPERLINK(\"\"x\"\")\",'-1,\"Fox\n\",plain\r\n"
        );
    }

    #[test]
    fn a_client_gets_csv_only_if_it_asks_for_it() {
        for (accept, expected) in [
            ("text/csv", true),
            ("Text/CSV; charset=utf-8", true),
            ("text/csv, application/json;q=0.9", true),
            ("application/json, text/csv", true),
            ("application/json, text/csv;q=0.5", false),
            ("text/csv;q=0", false),
            ("*/*", false),
            ("text/html,application/xhtml+xml,*/*;q=0.8", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(is_preferred(&headers), expected, "{accept}");
        }
        assert!(!is_preferred(&HeaderMap::new()));
    }
}
