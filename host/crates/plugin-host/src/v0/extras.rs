//! Named values that an image provider returns in addition to its drawing, and a reviewer in addition to its verdict,
//! each checked before it is used.
use crate::log_text::words_on_one_line;

/// A microdollar is a millionth of a US dollar.
const MICRODOLLARS_PER_DOLLAR: f64 = 1e6;

/// Upper bound of the cost of one call, in US dollars.
const MAX_COST_USD: f64 = 1000.0;

/// The values that the host uses; others are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extras {
    /// One line to display to the customer, of at most 200 characters.
    pub(crate) note: Option<String>,
    /// The model that drew or judged, in at most 100 characters.
    pub(crate) model: Option<String>,
    pub(crate) cost_microdollars: Option<i64>,
    /// The text of a cost that is not a valid amount.
    pub(crate) invalid_cost: Option<String>,
}

impl Extras {
    /// Reads the values. If a name occurs more than once, its first value is used.
    pub(crate) fn from_pairs(extra: &[(String, String)]) -> Self {
        let value = |wanted: &str| extra.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
        let cost = value("cost-usd").map(|text| microdollars(text).ok_or_else(|| words_on_one_line(text, 50)));
        Self {
            note: value("note").and_then(|text| words_on_one_line(text, 200)),
            model: value("model").and_then(|text| words_on_one_line(text, 100)),
            invalid_cost: cost
                .as_ref()
                .and_then(|cost| cost.as_ref().err())
                .map(|text| text.clone().unwrap_or_default()),
            cost_microdollars: cost.and_then(Result::ok),
        }
    }
}

/// Parses an amount of US dollars such as `0.04` or `4e-05`. Returns `None` for an amount out of bounds.
fn microdollars(text: &str) -> Option<i64> {
    if text.len() > 50 {
        return None;
    }
    let dollars: f64 = text.trim().parse().ok()?;
    // NaN is not in any range, so it is rejected here as well.
    if !(0.0..=MAX_COST_USD).contains(&dollars) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most 1,000,000,000")]
    Some((dollars * MICRODOLLARS_PER_DOLLAR).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extras(values: &[(&str, &str)]) -> Extras {
        let values: Vec<(String, String)> = values
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect();
        Extras::from_pairs(&values)
    }

    fn note(text: &str) -> Option<String> {
        extras(&[("seen", "no"), ("note", text), ("note", "two")]).note
    }

    #[test]
    fn a_note_is_one_short_line_without_control_characters() {
        assert_eq!(
            note("No drawing of \"zeppelin\" is known."),
            Some("No drawing of \"zeppelin\" is known.".into())
        );
        assert_eq!(note("\0 a\r\n\u{1b}[31mb\u{202E}c\t "), Some("a [31mb c".into()));
        assert_eq!(note(&"ü".repeat(200)), Some("ü".repeat(200)));
        assert_eq!(note(&"ü".repeat(201)), Some("ü".repeat(199) + "…"));
        assert_eq!(note(" \n\u{2028}"), None);
        assert_eq!(Extras::from_pairs(&[]), Extras::default());
    }

    #[test]
    fn a_cost_is_an_amount_of_dollars_within_bounds() {
        let cost = |text: &str| extras(&[("cost-usd", text)]).cost_microdollars;
        for (text, expected) in [
            ("0", 0),
            ("0.04", 40_000),
            ("0.0399999", 40_000),
            ("4e-05", 40),
            (" 1.5 ", 1_500_000),
            ("1000", 1_000_000_000),
        ] {
            assert_eq!(cost(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "-1",
            "1000.01",
            "inf",
            "nan",
            "$0.04",
            "0,04",
            "free",
            &"0".repeat(51),
        ] {
            let extras = extras(&[("cost-usd", text)]);
            assert_eq!(extras.cost_microdollars, None, "{text}");
            assert!(extras.invalid_cost.is_some(), "{text}");
        }
        assert_eq!(
            extras(&[("model", "flux-2\u{1b}[0m")]).model.as_deref(),
            Some("flux-2 [0m")
        );
    }
}
