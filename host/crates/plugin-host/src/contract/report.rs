//! Values that an image provider returns in addition to its drawing, and a reviewer in addition to its verdict, each
//! checked before it is used.
use crate::error::CallError;
use crate::log_text::words_on_one_line;

/// A microdollar is a millionth of a US dollar.
const MICRODOLLARS_PER_DOLLAR: f64 = 1e6;

/// Upper bound of the cost of one call, in US dollars.
const MAX_COST_USD: f64 = 1000.0;

/// The same bound in microdollars.
const MAX_COST_MICRODOLLARS: i64 = 1_000_000_000;

const MAX_NOTE_CHARS: usize = 200;
const MAX_MODEL_CHARS: usize = 100;

/// The answer of a call, or the error of one that is invalid, and the values that count in both cases.
pub(crate) type Answered<Answer> = (Result<Answer, CallError>, Report);

/// The values that the host uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    /// One line to display to the customer, of at most 200 characters.
    pub(crate) note: Option<String>,
    /// The model that drew or judged, in at most 100 characters.
    pub(crate) model: Option<String>,
    pub(crate) cost_microdollars: Option<i64>,
    /// The text of a cost that is not a valid amount.
    pub(crate) invalid_cost: Option<String>,
}

impl Report {
    /// Reads named values, of which others are ignored. If a name occurs more than once, its first value is used.
    pub(crate) fn from_extra(extra: &[(String, String)]) -> Self {
        let value = |wanted: &str| {
            let found = extra.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.as_str())
        };
        let cost = value("cost-usd").map(|text| {
            let valid = microdollars(text);
            valid.ok_or_else(|| words_on_one_line(text, 50).unwrap_or_default())
        });
        Self::new(value("note"), value("model"), cost)
    }

    /// Checks typed values.
    pub(crate) fn from_values(note: Option<&str>, model: Option<&str>, cost_microdollars: Option<u64>) -> Self {
        let cost = cost_microdollars.map(|cost| {
            let valid = i64::try_from(cost).ok().filter(|cost| *cost <= MAX_COST_MICRODOLLARS);
            valid.ok_or_else(|| format!("{cost} microdollars"))
        });
        Self::new(note, model, cost)
    }

    /// Limits the texts. The cost is in microdollars, or the text of one that is not a valid amount.
    fn new(note: Option<&str>, model: Option<&str>, cost: Option<Result<i64, String>>) -> Self {
        let (cost_microdollars, invalid_cost) = match cost {
            None => (None, None),
            Some(Ok(cost)) => (Some(cost), None),
            Some(Err(text)) => (None, Some(text)),
        };
        Self {
            note: note.and_then(|text| words_on_one_line(text, MAX_NOTE_CHARS)),
            model: model.and_then(|text| words_on_one_line(text, MAX_MODEL_CHARS)),
            cost_microdollars,
            invalid_cost,
        }
    }

    /// Logs an invalid cost, which is not stored.
    pub(crate) fn log_invalid_cost(&self, plugin: &str) {
        if let Some(cost) = &self.invalid_cost {
            tracing::warn!(
                plugin,
                cost,
                "the plugin reported a cost that is not a valid amount of US dollars"
            );
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

    fn report(values: &[(&str, &str)]) -> Report {
        let values: Vec<(String, String)> = values
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect();
        Report::from_extra(&values)
    }

    fn note(text: &str) -> Option<String> {
        report(&[("seen", "no"), ("note", text), ("note", "two")]).note
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
        assert_eq!(Report::from_extra(&[]), Report::default());
    }

    #[test]
    fn a_cost_is_an_amount_of_dollars_within_bounds() {
        let cost = |text: &str| report(&[("cost-usd", text)]).cost_microdollars;
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
            let report = report(&[("cost-usd", text)]);
            assert_eq!(report.cost_microdollars, None, "{text}");
            assert!(report.invalid_cost.is_some(), "{text}");
        }
        assert_eq!(
            report(&[("model", "flux-2\u{1b}[0m")]).model.as_deref(),
            Some("flux-2 [0m")
        );
    }

    #[test]
    fn typed_values_have_the_same_limits() {
        let report = Report::from_values(Some("\0 a\r\nb "), Some("flux-2\u{1b}[0m"), Some(40_000));
        assert_eq!(
            (report.note.as_deref(), report.model.as_deref()),
            (Some("a b"), Some("flux-2 [0m"))
        );
        assert_eq!((report.cost_microdollars, report.invalid_cost), (Some(40_000), None));
        assert_eq!(Report::from_values(None, Some(" "), None), Report::default());
        let long = Report::from_values(Some(&"ü".repeat(201)), None, Some(1_000_000_000));
        assert_eq!(long.note, Some("ü".repeat(199) + "…"));
        assert_eq!(long.cost_microdollars, Some(1_000_000_000));
        for cost in [1_000_000_001, u64::MAX] {
            let report = Report::from_values(None, None, Some(cost));
            assert_eq!(report.cost_microdollars, None, "{cost}");
            assert_eq!(report.invalid_cost, Some(format!("{cost} microdollars")));
        }
    }
}
