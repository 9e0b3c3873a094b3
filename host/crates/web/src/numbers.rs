//! Numbers in pages.

/// Formats a number of bytes in megabytes, rounded down.
pub(crate) fn megabytes(bytes: i64) -> String {
    const MEGABYTE: i64 = 1_000_000;
    match bytes {
        0 => "0 MB".into(),
        bytes if bytes < MEGABYTE => "less than 1 MB".into(),
        bytes => format!("{} MB", grouped(bytes / MEGABYTE)),
    }
}

/// Formats millionths of a US dollar, to the cent, or exactly below a cent.
pub(crate) fn dollars(microdollars: i64) -> String {
    const CENT: i64 = 10_000;
    let (whole, rest) = (microdollars / 1_000_000, microdollars % 1_000_000);
    match microdollars {
        1..CENT => format!("${whole}.{rest:06}").trim_end_matches('0').to_owned(),
        _ => format!("${}.{:02}", grouped(whole), rest / CENT),
    }
}

/// Formats a number with a space between thousands.
pub(crate) fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            // A narrow space that does not break the line.
            shown.push('\u{202f}');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_below_a_cent_is_exact() {
        for (microdollars, shown) in [
            (0, "$0.00"),
            (1_200, "$0.0012"),
            (10_000, "$0.01"),
            (1_239_999, "$1.23"),
            (1_234_000_000, "$1\u{202f}234.00"),
        ] {
            assert_eq!(dollars(microdollars), shown);
        }
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1\u{202f}000");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(megabytes(999_999), "less than 1 MB");
        assert_eq!(megabytes(2_500_000_000), "2\u{202f}500 MB");
    }
}
