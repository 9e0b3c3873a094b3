//! Numbers with a noun, in the singular or the plural.

use std::fmt::Display;

/// Returns a number with its noun, such as "1 page" or "2 pages". The plural of the noun must end in `s`.
pub fn counted(number: impl Display, noun: &str) -> String {
    match &*number.to_string() {
        "1" => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_other_than_one_is_plural() {
        assert_eq!(
            [counted(0, "page"), counted(1, "page"), counted(12, "page")],
            ["0 pages", "1 page", "12 pages"]
        );
    }
}
