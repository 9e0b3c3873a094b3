//! Sanitizing of guests' texts for the operator's log and terminal.
use linepress_model::alters_line;

/// Cuts a text to `max_bytes` and replaces control characters with spaces. A guest must not be able to fill the log, to
/// forge another log line, to move a terminal's cursor or to change the direction of its text.
pub(crate) fn one_line(mut text: String, max_bytes: usize) -> String {
    text.truncate(text.floor_char_boundary(max_bytes));
    if text.contains(alters_line) {
        text = text.replace(alters_line, " ");
    }
    text
}

/// Shortens a text like [`one_line`], and appends an ellipsis if it was cut.
pub(crate) fn excerpt(text: String, max_bytes: usize) -> String {
    let is_cut = text.len() > max_bytes;
    let mut text = one_line(text, max_bytes);
    if is_cut {
        text.push('…');
    }
    text
}

/// Joins the words of a text to one line of at most `max_chars` characters without control characters. Returns `None`
/// if no word remains.
pub(crate) fn words_on_one_line(text: &str, max_chars: usize) -> Option<String> {
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || alters_line(letter))
        .filter(|word| !word.is_empty())
        .collect();
    let mut line = words.join(" ");
    if line.chars().count() > max_chars {
        line = line.chars().take(max_chars - 1).chain(['…']).collect();
    }
    (!line.is_empty()).then_some(line)
}

/// Converts each text to one line, and returns the first `max_lines` distinct lines that are not empty.
pub(crate) fn distinct_lines(texts: &[String], max_lines: usize, max_chars: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in texts.iter().filter_map(|text| words_on_one_line(text, max_chars)) {
        if lines.len() == max_lines {
            break;
        }
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The line number and the message of a TOML error, as ` in line 3: unknown field`. The line itself is not quoted,
/// because it may be as long as the file.
pub(crate) fn toml_problem(text: &str, error: &toml::de::Error, max_bytes: usize) -> String {
    let place = error.span().map_or_else(String::new, |span| {
        let before = text.as_bytes().get(..span.start).unwrap_or_default();
        let lines = before.iter().filter(|byte| **byte == b'\n').count();
        format!(" in line {}", lines + 1)
    });
    format!("{place}: {}", excerpt(error.message().to_owned(), max_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_between_characters_and_has_no_line_breaks() {
        assert_eq!(one_line("füchse".into(), 2), "f");
        assert_eq!(one_line("a\n\u{1b}[31mERROR b\0".into(), 100), "a  [31mERROR b ");
        assert_eq!(one_line("a\u{202E}b\u{2028}c\u{9b}d".into(), 100), "a b c d");
    }

    #[test]
    fn a_cut_excerpt_ends_with_an_ellipsis() {
        assert_eq!(excerpt("fox".into(), 3), "fox");
        assert_eq!(excerpt("foxes".into(), 3), "fox…");
    }
}
