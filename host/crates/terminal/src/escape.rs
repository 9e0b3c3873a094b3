//! Text from outside, with the characters escaped that could deceive its reader.
use linepress_model::alters_line;

/// Escapes control characters except line breaks, and characters that change the direction of text: errors and findings
/// may contain file names and template text, which must not move the cursor or change colors.
pub fn printable(text: &str) -> String {
    without(text, |letter| alters_line(letter) && letter != '\n')
}

/// Escapes all such characters, for a column of a list.
pub fn one_line(text: &str) -> String {
    without(text, alters_line)
}

fn without(text: &str, is_hidden: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hidden(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line_in_its_order() {
        assert_eq!(one_line("a\nb\u{1b}[2J\u{202e}c 🦊"), "a\\nb\\u{1b}[2J\\u{202e}c 🦊");
        assert_eq!(printable("a\nb\u{2067}"), "a\nb\\u{2067}");
    }
}
