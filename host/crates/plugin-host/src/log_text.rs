//! Texts of a guest, made fit for an operator's log.

/// One line of at most `bytes` bytes: a guest must not be able to fill the log, nor to break out
/// of its line and forge another.
pub(crate) fn one_line(mut text: String, bytes: usize) -> String {
    text.truncate(text.floor_char_boundary(bytes));
    if text.contains(char::is_control) {
        text = text.replace(char::is_control, " ");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_between_letters_and_stays_one() {
        assert_eq!(one_line("füchse".into(), 2), "f");
        assert_eq!(one_line("a\n\u{1b}[31mERROR b\0".into(), 100), "a  [31mERROR b ");
    }
}
