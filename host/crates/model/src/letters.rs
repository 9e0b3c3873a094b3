//! Characters that could deceive a person who reads a line.

/// Returns true for control characters, and for Unicode's line separators and characters that change the direction of
/// text: they could move a terminal's cursor, forge another line, or change the order of a line.
pub fn alters_line(letter: char) -> bool {
    let is_format =
        matches!(letter, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    letter.is_control() || is_format
}

/// Returns true for characters that alter a line or have no shape of their own, which could make two different names
/// look alike. Other texts may contain the latter: they join emoji, and letters of some scripts.
pub fn is_invisible(letter: char) -> bool {
    let has_no_shape = matches!(
        letter,
        '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{200B}'..='\u{200D}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{E0000}'..='\u{E0FFF}'
    );
    alters_line(letter) || has_no_shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_characters_with_a_shape_are_visible() {
        for letter in "aÄæ 猫🦊❤\u{FE0F}-\u{301}".chars() {
            assert!(!alters_line(letter) && !is_invisible(letter), "{letter:?}");
        }
        for letter in "\u{1b}\n\u{85}\u{61C}\u{200F}\u{2028}\u{202E}\u{2069}".chars() {
            assert!(alters_line(letter) && is_invisible(letter), "{letter:?}");
        }
        for letter in "\u{AD}\u{200B}\u{200D}\u{2063}\u{3164}\u{FEFF}\u{E0041}".chars() {
            assert!(!alters_line(letter) && is_invisible(letter), "{letter:?}");
        }
    }
}
