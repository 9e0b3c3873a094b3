//! What an image provider says beside its drawing: named values, each checked before anybody relies on it.
use crate::log_text::line_of;

/// A micro-dollar is a millionth of a US dollar.
const MICRODOLLARS: f64 = 1e6;

/// The most that one drawing can have cost, in US dollars.
const HIGHEST_COST: f64 = 1000.0;

/// The values that the host understands; others are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extras {
    /// One line for the customer.
    pub(crate) note: Option<String>,
    /// What drew it.
    pub(crate) model: Option<String>,
    pub(crate) cost_microdollars: Option<i64>,
    /// A cost that is none, as it was written.
    pub(crate) strange_cost: Option<String>,
}

impl Extras {
    /// Of several values of one name the first counts.
    pub(crate) fn of(extra: &[(String, String)]) -> Self {
        let value = |wanted: &str| extra.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
        let cost = value("cost-usd").map(|text| microdollars(text).ok_or_else(|| line_of(text, 50)));
        Self {
            note: value("note").and_then(|text| line_of(text, 200)),
            model: value("model").and_then(|text| line_of(text, 100)),
            strange_cost: cost
                .as_ref()
                .and_then(|cost| cost.as_ref().err())
                .map(|text| text.clone().unwrap_or_default()),
            cost_microdollars: cost.and_then(Result::ok),
        }
    }
}

/// An amount of US dollars as programs write it: `0.04`, `4e-05`.
fn microdollars(text: &str) -> Option<i64> {
    if text.len() > 50 {
        return None;
    }
    let dollars: f64 = text.trim().parse().ok()?;
    // Neither is what is not a number between any two.
    if !(0.0..=HIGHEST_COST).contains(&dollars) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most a thousand million")]
    Some((dollars * MICRODOLLARS).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extras(values: &[(&str, &str)]) -> Extras {
        let values: Vec<(String, String)> = values
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect();
        Extras::of(&values)
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
        assert_eq!(Extras::of(&[]), Extras::default());
    }

    #[test]
    fn a_cost_is_an_amount_of_dollars_that_one_drawing_can_have() {
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
            assert!(extras.strange_cost.is_some(), "{text}");
        }
        assert_eq!(
            extras(&[("model", "flux-2\u{1b}[0m")]).model.as_deref(),
            Some("flux-2 [0m")
        );
    }
}
