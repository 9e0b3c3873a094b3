//! The headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10): the rate limits that a
//! request counted toward, as lists of structured fields (RFC 9651).
use std::fmt::Write as _;

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use linepress_accounts::quotas::Quota;

use super::whole_seconds;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STATE: HeaderName = HeaderName::from_static("ratelimit");

/// Adds the headers, unless the request counted toward no limit.
pub(crate) fn insert_headers(quotas: &[Quota], headers: &mut HeaderMap) {
    if quotas.is_empty() {
        return;
    }
    let (mut policies, mut states) = (String::new(), String::new());
    for quota in quotas {
        let Quota {
            name,
            times,
            window,
            remaining,
            reset_after,
        } = quota;
        let comma = if policies.is_empty() { "" } else { ", " };
        let (window, reset) = (window.as_secs(), whole_seconds(*reset_after));
        let _ = write!(policies, "{comma}\"{name}\";q={times};w={window}");
        let _ = write!(states, "{comma}\"{name}\";r={remaining};t={reset}");
    }
    for (name, value) in [(POLICY, policies), (STATE, states)] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn quota(name: &'static str, times: u32, seconds: u64, remaining: u32, reset_after: Duration) -> Quota {
        Quota {
            name,
            times,
            window: Duration::from_secs(seconds),
            remaining,
            reset_after,
        }
    }

    #[test]
    fn every_limit_is_an_item_of_both_lists() {
        let mut headers = HeaderMap::new();
        insert_headers(&[], &mut headers);
        assert!(headers.is_empty());
        let quotas = [
            quota("changes_per_minute", 600, 60, 598, Duration::from_millis(200)),
            quota("new_keys_per_day", 100, 86400, 0, Duration::from_secs(86400)),
        ];
        insert_headers(&quotas, &mut headers);
        assert_eq!(
            headers[POLICY],
            "\"changes_per_minute\";q=600;w=60, \"new_keys_per_day\";q=100;w=86400"
        );
        assert_eq!(
            headers[STATE],
            "\"changes_per_minute\";r=598;t=1, \"new_keys_per_day\";r=0;t=86400"
        );
    }
}
