//! Tokens: the words of a text, with their capitals and the punctuation after them.

/// A word in lowercase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub word: String,
    pub capital: bool,
    /// The punctuation after the word.
    pub end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    None,
    Comma,
    /// A full stop, a colon, a line break, or the end of the text.
    Sentence,
}

/// Splits a text at every character that is not a letter or digit. "Chef's" is "chef", and "T-rex" is two words.
pub fn scan(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut word = String::new();
    let letters: Vec<char> = text.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        let follows = |ahead: usize| letters.get(index + ahead).copied().unwrap_or(' ');
        match letter {
            letter if letter.is_alphanumeric() => word.push(*letter),
            '\'' | '’' if matches!(follows(1), 's' | 'S') && !follows(2).is_alphanumeric() => {
                push(&mut tokens, &mut word);
            }
            '\'' | '’' => {}
            // The period of "Mrs." does not end a sentence, nor does the first period of "a.m." or "e.g.".
            '.' if follows(1).is_alphanumeric() || ABBREVIATIONS.contains(&word.to_lowercase().as_str()) => {}
            mark => {
                // The "s" of a possessive is not a word.
                let possessive = word.eq_ignore_ascii_case("s") && matches!(before(&letters, index), Some('\'' | '’'));
                if possessive {
                    word.clear();
                }
                push(&mut tokens, &mut word);
                let end = match mark {
                    ',' => End::Comma,
                    '.' | ';' | ':' | '!' | '?' | '\n' => End::Sentence,
                    _ => End::None,
                };
                if let Some(last) = tokens.last_mut() {
                    last.end = last.end.max(end);
                }
            }
        }
    }
    push(&mut tokens, &mut word);
    if let Some(last) = tokens.last_mut() {
        last.end = End::Sentence;
    }
    tokens
}

const ABBREVIATIONS: &[&str] = &["mr", "mrs", "ms", "dr", "st"];

/// Returns the character two positions before an index, which precedes a one-letter word that ends there.
fn before(letters: &[char], index: usize) -> Option<char> {
    index.checked_sub(2).map(|at| letters[at])
}

fn push(tokens: &mut Vec<Token>, word: &mut String) {
    if !word.is_empty() {
        tokens.push(Token {
            capital: word.starts_with(char::is_uppercase),
            word: word.to_lowercase(),
            end: End::None,
        });
        word.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{End, scan};

    fn words(text: &str) -> Vec<String> {
        scan(text).into_iter().map(|token| token.word).collect()
    }

    #[test]
    fn words_are_split_at_punctuation_but_not_at_abbreviations() {
        assert_eq!(
            words("A T-rex, Mrs. Claus & the fox's den."),
            ["a", "t", "rex", "mrs", "claus", "the", "fox", "den"]
        );
        assert_eq!(
            words("The children’s party doesn't end"),
            ["the", "children", "party", "doesnt", "end"]
        );
        assert_eq!(words(" -- "), Vec::<String>::new());
    }

    #[test]
    fn a_token_records_its_capital_and_the_punctuation_after_it() {
        let tokens = scan("Pip, a fox. He runs");
        let seen: Vec<(bool, End)> = tokens.into_iter().map(|token| (token.capital, token.end)).collect();
        let (none, stop) = (End::None, End::Sentence);
        assert_eq!(
            seen,
            [
                (true, End::Comma),
                (false, none),
                (false, stop),
                (true, none),
                (false, stop)
            ]
        );
    }
}
