//! Texts of a guest, made fit for an operator's log and terminal.

/// One line of at most `bytes` bytes: a guest must not be able to fill the log, nor to break out
/// of its line and forge another, nor to move a terminal's cursor or turn the direction of its text.
pub(crate) fn one_line(mut text: String, bytes: usize) -> String {
    text.truncate(text.floor_char_boundary(bytes));
    if text.contains(is_control) {
        text = text.replace(is_control, " ");
    }
    text
}

/// The same, with a sign where something was left out.
pub(crate) fn excerpt(text: String, bytes: usize) -> String {
    let is_cut = text.len() > bytes;
    let mut text = one_line(text, bytes);
    if is_cut {
        text.push('…');
    }
    text
}

/// Control characters, and what Unicode has for the ends of lines and for the direction of text.
pub(crate) fn is_control(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A text as one line of at most `longest` characters, without characters that move a cursor or turn the direction of text.
/// Nothing where no word remains.
pub(crate) fn line_of(text: &str, longest: usize) -> Option<String> {
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || is_control(letter))
        .filter(|word| !word.is_empty())
        .collect();
    let mut line = words.join(" ");
    if line.chars().count() > longest {
        line = line.chars().take(longest - 1).chain(['…']).collect();
    }
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_between_letters_and_stays_one() {
        assert_eq!(one_line("füchse".into(), 2), "f");
        assert_eq!(one_line("a\n\u{1b}[31mERROR b\0".into(), 100), "a  [31mERROR b ");
        assert_eq!(one_line("a\u{202E}b\u{2028}c\u{9b}d".into(), 100), "a b c d");
    }

    #[test]
    fn an_excerpt_says_that_it_is_one() {
        assert_eq!(excerpt("fox".into(), 3), "fox");
        assert_eq!(excerpt("foxes".into(), 3), "fox…");
    }
}
