//! Text from outside, with its control characters escaped.

/// Escapes control characters except line breaks: errors and findings may contain file names and template text, which
/// must not move the cursor or change colors.
pub fn printable(text: &str) -> String {
    without(text, |letter| letter.is_control() && letter != '\n')
}

/// Escapes all control characters, for a column of a list.
pub fn one_line(text: &str) -> String {
    without(text, char::is_control)
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
