//! The words of a text in the form in which texts are compared, regardless of case and accents.
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Returns true for a letter of a script without spaces between words.
pub fn is_written_without_spaces(letter: char) -> bool {
    matches!(letter,
        // Thai, Lao, Burmese, Khmer
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        // Japanese and Chinese
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The words of a text in lower case, without accents, separated by single spaces.
pub fn plain_words(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text
        .nfkd()
        .filter(|letter| !is_accent(*letter))
        .flat_map(char::to_lowercase)
    {
        match letter {
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'ø' => plain.push('o'),
            'ł' => plain.push('l'),
            'đ' | 'ð' => plain.push('d'),
            'þ' => plain.push_str("th"),
            'ı' => plain.push('i'),
            'ς' => plain.push('σ'),
            // "Don't" is one word, and "l'ours" are two.
            '\'' | '’'
                if plain
                    .rsplit(' ')
                    .next()
                    .is_some_and(|word| word.chars().count() > MAX_ELIDED_CHARS) => {}
            letter if letter.is_alphanumeric() || is_combining_mark(letter) => plain.push(letter),
            _ if plain.ends_with(' ') => {}
            _ => plain.push(' '),
        }
    }
    plain.trim().to_owned()
}

/// The longest word that stands before an apostrophe and another word, such as "qu" in French.
const MAX_ELIDED_CHARS: usize = 2;

/// Marks that readers leave out when they search: accents, the points of Hebrew and Arabic, and Japanese voicing.
fn is_accent(letter: char) -> bool {
    // Among the points of Hebrew are four signs of punctuation.
    let is_punctuation = matches!(letter, '\u{5be}' | '\u{5c0}' | '\u{5c3}' | '\u{5c6}');
    let is_mark = matches!(
        letter,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{652}' | '\u{3099}' | '\u{309a}'
    );
    is_mark && !is_punctuation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_regardless_of_case_accents_and_punctuation() {
        for (text, words) in [
            ("  \u{201c}Émile\u{201d}, the Fox ", "emile the fox"),
            ("Füchse in der Straße", "fuchse in der strasse"),
            ("don’t", "dont"),
            ("L’ours", "l ours"),
            ("self-harm", "self harm"),
            ("?!\u{301}", ""),
        ] {
            assert_eq!(plain_words(text), words, "{text}");
        }
    }

    #[test]
    fn thai_japanese_and_chinese_have_no_spaces_between_words() {
        assert!("ก森あ".chars().all(is_written_without_spaces));
        assert!(!"aл여".chars().any(is_written_without_spaces));
    }
}
