//! The header `Retry-After` (RFC 9110), which contains seconds or a date.

use std::time::{Duration, SystemTime};

/// Returns the number of seconds to wait, or `None` if the value is invalid. A date is compared with the response's own
/// `Date`, so that the local clock need not be right.
pub(super) fn seconds(retry_after: &str, date: Option<&str>) -> Option<u32> {
    let retry_after = retry_after.trim();
    // Some APIs send fractions of seconds, which the standard does not allow.
    if let Ok(seconds) = retry_after.parse::<f64>() {
        return (seconds >= 0.0).then_some(seconds.ceil() as u32);
    }
    let then = httpdate::parse_http_date(retry_after).ok()?;
    let now = date
        .and_then(|date| httpdate::parse_http_date(date.trim()).ok())
        .unwrap_or_else(SystemTime::now);
    let wait = then.duration_since(now).unwrap_or(Duration::ZERO);
    Some(u32::try_from(wait.as_secs()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_a_number_of_seconds_or_a_date() {
        assert_eq!(seconds("7", None), Some(7));
        assert_eq!(seconds(" 0.2 ", None), Some(1));
        assert_eq!(seconds("99999999999999", None), Some(u32::MAX));
        let date = Some("Sun, 06 Nov 1994 08:49:00 GMT");
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT", date), Some(37));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:00:00 GMT", date), Some(0));
        assert_eq!(
            seconds("Sun, 06 Nov 1994 08:49:37 GMT", None),
            Some(0),
            "the date is in the past"
        );
        for wrong in ["", "soon", "-1", "NaN"] {
            assert_eq!(seconds(wrong, None), None, "{wrong}");
        }
    }
}
