//! Inline pictures, which are part of the operators: `BI`, the picture's properties, `ID`, its bytes, `EI`.
use std::borrow::Cow;

use crate::content::lexer::{Lexer, Token, is_space};

/// The properties of an inline picture.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Inline<'a> {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The name of the color space. For a palette, the color space of its colors.
    pub(crate) space: Option<Cow<'a, [u8]>>,
    pub(crate) is_mask: bool,
}

/// Reads an inline picture up to the end of its bytes, after `BI` has been read. Returns `None` when it is incomplete.
pub(crate) fn read<'a>(lexer: &mut Lexer<'a>) -> Option<Inline<'a>> {
    let mut inline = Inline::default();
    loop {
        match lexer.next()? {
            Token::Operator(b"ID") => break,
            Token::Name(key) => read_value(lexer, &key, &mut inline)?,
            _ => {}
        }
    }
    skip_bytes(lexer)?;
    Some(inline)
}

fn read_value<'a>(lexer: &mut Lexer<'a>, key: &[u8], inline: &mut Inline<'a>) -> Option<()> {
    // The lexer does not return the value of `true`, so the bytes are saved before they are read.
    let rest = lexer.rest.trim_ascii_start();
    match (key, lexer.next()?) {
        (b"W" | b"Width", Token::Number(width)) => inline.width = width as u32,
        (b"H" | b"Height", Token::Number(height)) => inline.height = height as u32,
        (b"IM" | b"ImageMask", Token::Other) => inline.is_mask = rest.starts_with(b"true"),
        (b"CS" | b"ColorSpace", Token::Name(name)) => inline.space = Some(name),
        (b"CS" | b"ColorSpace", Token::Open) => {
            // In `[/Indexed /DeviceRGB 3 <...>]`, the base color space of the palette counts.
            let mut names = Vec::new();
            loop {
                match lexer.next()? {
                    Token::Close => break,
                    Token::Name(name) if names.len() < 2 => names.push(name),
                    _ => {}
                }
            }
            inline.space = names.pop();
        }
        (_, Token::Open) => {
            let mut depth = 1_usize;
            while depth > 0 {
                match lexer.next()? {
                    Token::Open => depth += 1,
                    Token::Close => depth -= 1,
                    _ => {}
                }
            }
        }
        _ => {}
    }
    Some(())
}

/// Skips the bytes of the picture. They may contain `EI` by chance; then it is not followed by text.
fn skip_bytes(lexer: &mut Lexer<'_>) -> Option<()> {
    const LOOK_AHEAD_BYTES: usize = 12;
    let bytes = lexer.rest;
    let is_text = |bytes: &[u8]| bytes.iter().all(|&byte| is_space(byte) || byte.is_ascii_graphic());
    let end = (1..bytes.len().saturating_sub(1)).find(|&at| {
        let after = &bytes[at + 2..];
        &bytes[at..at + 2] == b"EI"
            && is_space(bytes[at - 1])
            && after.first().is_none_or(|&byte| is_space(byte))
            && is_text(&after[..after.len().min(LOOK_AHEAD_BYTES)])
    })?;
    lexer.skip(end + 2);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inline_picture_ends_where_its_bytes_end() {
        let mut lexer =
            Lexer::new(b" /W 30 /H 20 /CS [/Indexed /RGB 1 <000000ffffff>] /F [/A85] ID \x01 EI \x02\xff EI Q");
        let inline = read(&mut lexer).unwrap();
        assert_eq!((inline.width, inline.height), (30, 20));
        assert_eq!(inline.space.as_deref(), Some(&b"RGB"[..]));
        assert_eq!(lexer.next(), Some(Token::Operator(b"Q")));
    }

    #[test]
    fn an_incomplete_inline_picture_is_none() {
        assert_eq!(read(&mut Lexer::new(b"/W 3 /H 3 ID abcdef")), None);
        assert_eq!(read(&mut Lexer::new(b"/W 3 /DP << /K")), None);
        assert_eq!(read(&mut Lexer::new(b"")), None);
    }
}
