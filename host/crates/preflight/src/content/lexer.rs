//! A lexer for the operators and operands of a content stream. Of a text, it reports only whether it contains glyph 0,
//! which stands for a missing character.
//!
//! lopdf's own parser stops at an unknown token, and keeps all operands of an operator in memory, however many there
//! are.
use std::borrow::Cow;

/// A token of a content stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Number(f64),
    /// A name without its slash, with its `#xx` escapes resolved.
    Name(Cow<'a, [u8]>),
    /// A text. In a font with two bytes per character, two zeros are the glyph for a missing character.
    Text {
        has_zero_pair: bool,
    },
    /// `true`, `false` or `null`.
    Other,
    /// The start of an array or a dictionary.
    Open,
    Close,
    Operator(&'a [u8]),
}

/// The rest of a content stream.
pub(crate) struct Lexer<'a> {
    pub(super) rest: &'a [u8],
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

fn is_delimiter(byte: u8) -> bool {
    b"()<>[]{}/%".contains(&byte)
}

fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !is_delimiter(byte)
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(content: &'a [u8]) -> Self {
        Self { rest: content }
    }

    /// Returns the next token, or `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let &first = self.rest.first()?;
            match first {
                b'%' => {
                    self.take_while(|byte| byte != b'\n' && byte != b'\r');
                }
                byte if is_space(byte) => {
                    self.take_while(is_space);
                }
                _ => break,
            }
        }
        let &first = self.rest.first()?;
        Some(match first {
            b'/' => {
                self.skip(1);
                Token::Name(unescaped(self.take_while(is_regular)))
            }
            b'(' => {
                let text = self.take_text();
                Token::Text {
                    has_zero_pair: has_zero_pair(literal(text)),
                }
            }
            b'<' if self.rest.get(1) == Some(&b'<') => self.single(2, Token::Open),
            b'>' if self.rest.get(1) == Some(&b'>') => self.single(2, Token::Close),
            b'<' => {
                self.skip(1);
                let digits = self.take_while(|byte| byte != b'>');
                self.skip(1);
                Token::Text {
                    has_zero_pair: has_zero_pair(hexadecimal(digits)),
                }
            }
            b'[' => self.single(1, Token::Open),
            b']' => self.single(1, Token::Close),
            b'>' | b'{' | b'}' | b')' => {
                let stray = &self.rest[..1];
                self.single(1, Token::Operator(stray))
            }
            b'0'..=b'9' | b'+' | b'-' | b'.' => Token::Number(number(self.take_while(is_regular))),
            _ => match self.take_while(is_regular) {
                b"true" | b"false" | b"null" => Token::Other,
                operator => Token::Operator(operator),
            },
        })
    }

    fn single(&mut self, length: usize, token: Token<'a>) -> Token<'a> {
        self.skip(length);
        token
    }

    pub(super) fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self
            .rest
            .iter()
            .position(|&byte| !belongs(byte))
            .unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// Takes a text in parentheses. Balanced parentheses inside it need no backslash.
    fn take_text(&mut self) -> &'a [u8] {
        let mut depth = 0_usize;
        let mut bytes = self.rest.iter().enumerate();
        while let Some((index, byte)) = bytes.next() {
            match byte {
                b'\\' => {
                    bytes.next();
                }
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let text = &self.rest[1..index];
                self.skip(index + 1);
                return text;
            }
        }
        self.rest = &[];
        &[]
    }
}

fn has_zero_pair(bytes: impl Iterator<Item = u8>) -> bool {
    let mut bytes = bytes;
    while let Some(high) = bytes.next() {
        if bytes.next() == Some(0) && high == 0 {
            return true;
        }
    }
    false
}

/// The bytes of a text in parentheses, with its escapes resolved.
fn literal(text: &[u8]) -> impl Iterator<Item = u8> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (&first, after) = rest.split_first()?;
        rest = after;
        if first != b'\\' {
            return Some(first);
        }
        let digits = rest
            .iter()
            .take(3)
            .take_while(|byte| matches!(byte, b'0'..=b'7'))
            .count();
        if digits > 0 {
            let value = rest[..digits]
                .iter()
                .fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            rest = &rest[digits..];
            return Some((value & 0xFF) as u8);
        }
        let (&escaped, after) = rest.split_first()?;
        rest = after;
        Some(match escaped {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            other => other,
        })
    })
}

/// The bytes of a text in angle brackets.
fn hexadecimal(digits: &[u8]) -> impl Iterator<Item = u8> {
    let mut digits = digits.iter().filter_map(|&byte| char::from(byte).to_digit(16));
    std::iter::from_fn(move || {
        let high = digits.next()?;
        u8::try_from(high * 16 + digits.next().unwrap_or(0)).ok()
    })
}

/// Parses the longest prefix that looks like a number, as PDF viewers do.
fn number(text: &[u8]) -> f64 {
    let is_negative = text.first() == Some(&b'-');
    let digits = text.iter().skip_while(|byte| matches!(byte, b'+' | b'-'));
    let (mut value, mut scale, mut is_fraction) = (0.0, 1.0, false);
    for byte in digits {
        match byte {
            b'0'..=b'9' => {
                value = value * 10.0 + f64::from(byte - b'0');
                if is_fraction {
                    scale *= 10.0;
                }
            }
            b'.' if !is_fraction => is_fraction = true,
            _ => break,
        }
    }
    // A very long row of digits makes both values infinite; it counts as 0.
    let value = if f64::is_finite(value) && f64::is_finite(scale) {
        value / scale
    } else {
        0.0
    };
    if is_negative { -value } else { value }
}

/// Resolves escapes such as `#20` in a name.
fn unescaped(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.contains(&b'#') {
        return Cow::Borrowed(name);
    }
    let digit = |index: usize| name.get(index).and_then(|&byte| char::from(byte).to_digit(16));
    let mut letters = Vec::with_capacity(name.len());
    let mut index = 0;
    while let Some(&byte) = name.get(index) {
        match (byte, digit(index + 1), digit(index + 2)) {
            (b'#', Some(high), Some(low)) => {
                letters.extend(u8::try_from(high * 16 + low));
                index += 3;
            }
            _ => {
                letters.push(byte);
                index += 1;
            }
        }
    }
    Cow::Owned(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(content: &[u8]) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(content);
        std::iter::from_fn(|| lexer.next()).collect()
    }

    #[test]
    fn operators_numbers_and_names_are_distinguished() {
        let found = tokens(b"q 1 0 -.5 +2. cm/Im#20age Do % a comment\nf*");
        let number = Token::Number;
        let expected = [
            Token::Operator(b"q"),
            number(1.0),
            number(0.0),
            number(-0.5),
            number(2.0),
            Token::Operator(b"cm"),
            Token::Name(Cow::Borrowed(b"Im age")),
            Token::Operator(b"Do"),
            Token::Operator(b"f*"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_text_is_one_token_whatever_it_contains() {
        let found = tokens(br"(a \) (nested) q) Tj <0aF> Tj [(x) -20 (y)] TJ");
        assert_eq!(found.len(), 10);
        assert_eq!(found[1], Token::Operator(b"Tj"));
        assert_eq!(found[9], Token::Operator(b"TJ"));
    }

    #[test]
    fn a_text_with_a_pair_of_zero_bytes_is_marked() {
        let has_zero_pair = |content: &[u8]| tokens(content) == [Token::Text { has_zero_pair: true }];
        for content in [&b"<00410000>"[..], br"(\000A\000\000)", b"(\0A\0\0)", b"<0000>"] {
            assert!(has_zero_pair(content), "{content:?}");
        }
        for content in [&b"<00410042>"[..], br"(A\000\000A)", b"<410000>", b"()"] {
            assert!(!has_zero_pair(content), "{content:?}");
        }
    }

    #[test]
    fn incomplete_or_invalid_tokens_end() {
        for content in [
            &b"(never closed"[..],
            b"<abc",
            b"<< /A",
            b"/",
            b")",
            b"--5",
            b"\\",
            b"(\\",
            b"#",
            b"1e400",
            &[b'9'; 1000],
        ] {
            tokens(content);
        }
        assert_eq!(tokens(b"-"), [Token::Number(-0.0)]);
    }
}
