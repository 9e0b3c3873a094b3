//! Types for the texts that clients send. Limit, shape and schema of each are defined once, here.
//!
//! A text is checked when its request is validated (`Validate`), not when it is deserialized, so that one reply lists
//! all errors.
use garde::error::{Path, Report};
use serde::{Deserialize, Serialize};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The characters that a text may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A single line with at least one visible character and no control characters.
    Line,
    /// A single line without control characters that may be empty. A blank one counts as empty.
    OptionalLine,
    /// Several lines of text with at least one visible character.
    VisibleText,
    /// Several lines of text that may be empty. A blank one counts as empty.
    Text,
    /// The shape of a BCP 47 language tag.
    LanguageTag,
    /// An https URL, which is checked when it is fetched.
    Address,
    /// An ISBN of 10 or 13 digits, or nothing.
    Isbn,
}

impl Shape {
    /// The text as it is checked and stored.
    fn received(self, text: String) -> String {
        match self {
            Self::OptionalLine | Self::Text if is_blank(&text) && self.complaint(&text).is_none() => String::new(),
            _ => text,
        }
    }

    fn complaint(self, text: &str) -> Option<&'static str> {
        // An empty text already fails the check of its length.
        let blank = matches!(self, Self::Line | Self::VisibleText) && !text.is_empty() && is_blank(text);
        let shapes_text = |letter: char| matches!(letter, '\n' | '\t' | '\r');
        let control = match self {
            Self::Line | Self::OptionalLine => text.contains(char::is_control),
            Self::VisibleText | Self::Text => text.contains(|letter: char| letter.is_control() && !shapes_text(letter)),
            Self::LanguageTag | Self::Address | Self::Isbn => false,
        };
        let hidden =
            !matches!(self, Self::LanguageTag | Self::Address | Self::Isbn) && text.contains(is_hidden_control);
        match self {
            _ if blank => Some("must not be blank"),
            _ if control => Some("must not contain control characters"),
            _ if hidden => Some("must not contain invisible characters that control the text, such as U+202E"),
            Self::LanguageTag if !is_language_tag(text) => Some("must be a language tag such as en or en-GB"),
            Self::Isbn => isbn_complaint(text),
            _ => None,
        }
    }

    /// The same rule as a regular expression. It is spelled with ranges instead of `\s` and `\w`, on which JavaScript,
    /// Python and Rust disagree.
    fn pattern(self) -> String {
        /// The same characters as in `is_hidden_control`.
        macro_rules! hidden {
            () => {
                r"\u180E\u200B\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB"
            };
        }
        // Everything except control characters.
        const LETTER: &str = concat!(r"[^\x00-\x1F\x7F-\x9F", hidden!(), "]");
        // LETTER without Unicode white space and the characters that are invisible on their own.
        const VISIBLE: &str = concat!(
            r"[^\x00-\x20\x7F-\xA0\xAD\u061C\u1680\u2000-\u200A\u200C-\u200F\u202F\u205F\u3000\u3164",
            hidden!(),
            "]"
        );
        // Everything except control characters other than tab, line feed and carriage return.
        const TEXT: &str = concat!(r"[^\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F", hidden!(), "]");
        match self {
            Self::Line => format!("^{LETTER}*{VISIBLE}{LETTER}*$"),
            Self::OptionalLine => format!("^{LETTER}*$"),
            Self::VisibleText => format!("^{TEXT}*{VISIBLE}{TEXT}*$"),
            Self::Text => format!("^{TEXT}*$"),
            Self::LanguageTag => "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$".into(),
            Self::Address => r"^https://[^\x00-\x20\x7F-\x9F]+$".into(),
            Self::Isbn => "^([0-9][- 0-9]{8,15}[0-9Xx])?$".into(),
        }
    }
}

/// Returns true for invisible characters that make a text look like another one: they reverse its direction, break its
/// lines, or have no effect at all. The joiners U+200C and U+200D and the marks U+200E and U+200F are allowed, because
/// emoji, many scripts and right-to-left text need them.
pub(crate) fn is_hidden_control(letter: char) -> bool {
    matches!(letter, '\u{180E}' | '\u{200B}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}')
}

/// Returns true for every character that is invisible or only changes the characters around it: the default-ignorable
/// ones of Unicode, its category Cf, line separators, and blank letters. For names by which a person decides whether to
/// trust an app.
pub fn is_invisible(letter: char) -> bool {
    is_hidden_control(letter)
        || matches!(letter,
            '\u{AD}' | '\u{34F}' | '\u{600}'..='\u{605}' | '\u{61C}' | '\u{6DD}' | '\u{70F}' | '\u{890}'..='\u{891}' | '\u{8E2}'
            | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2800}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{110BD}' | '\u{110CD}'
            | '\u{13430}'..='\u{1343F}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Returns true if nothing of the text is visible.
fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|letter| letter.is_whitespace() || JOINERS.contains(&letter))
}

/// Characters that a text may contain but that are invisible on their own.
const JOINERS: [char; 7] = [
    '\u{AD}', '\u{61C}', '\u{200C}', '\u{200D}', '\u{200E}', '\u{200F}', '\u{3164}',
];

fn is_language_tag(text: &str) -> bool {
    let mut parts = text.split('-');
    let primary = parts.next().unwrap_or_default();
    let primary_fits = (2..=8).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    let fits = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    primary_fits && parts.all(fits)
}

/// Returns true for the digits of a book among the numbers of 13 digits that goods have.
fn is_of_book(digits: &str) -> bool {
    ["978", "979"].iter().any(|prefix| digits.starts_with(prefix))
}

/// Parses an ISBN. A 10-digit ISBN identifies the same book as the 13-digit one that begins with 978.
fn isbn13(text: &str) -> Option<isbn::Isbn13> {
    match text.replace(' ', "-").parse().ok()? {
        isbn::Isbn::_10(short) => Some(short.into()),
        isbn::Isbn::_13(isbn) => is_of_book(&isbn.to_string()).then_some(isbn),
    }
}

fn isbn_complaint(text: &str) -> Option<&'static str> {
    let is_digit = |letter: &char| letter.is_ascii_digit() || matches!(letter, 'X' | 'x');
    let digits: String = text.chars().filter(is_digit).collect();
    match digits.len() {
        _ if text.is_empty() || isbn13(text).is_some() => None,
        13 if !is_of_book(&digits) => Some("must be an ISBN: one of 13 digits begins with 978 or 979"),
        10 | 13 => Some("must be a valid ISBN: its check digit does not match, so at least one digit is wrong"),
        _ => Some("must be an ISBN of 10 or 13 digits"),
    }
}

impl Isbn {
    /// The ISBN of 13 digits with its hyphens: the form in which it is stored and printed. Empty for none.
    pub fn hyphenated(&self) -> String {
        let Some(isbn) = isbn13(&self.0) else {
            return String::new();
        };
        // The table may not contain the range of a new publisher yet.
        isbn.hyphenate()
            .map_or_else(|_| isbn.to_string(), |hyphenated| hyphenated.to_string())
    }
}

/// The limits and the documentation of one type of text.
struct Rule {
    shape: Shape,
    /// In characters, like `max`.
    min: usize,
    max: usize,
    example: &'static str,
    description: &'static str,
}

impl Rule {
    /// All reasons why a text is invalid.
    fn complaints(&self, text: &str) -> Vec<String> {
        let mut complaints = Vec::new();
        if !(self.min..=self.max).contains(&text.chars().count()) {
            complaints.push(match self.min {
                0 => format!("must be at most {} characters", self.max),
                min => format!("must be {min} to {} characters", self.max),
            });
        }
        complaints.extend(self.shape.complaint(text).map(Into::into));
        complaints
    }

    fn schema(&self) -> RefOr<Schema> {
        let mut schema = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(self.description.trim()))
            .max_length(Some(self.max))
            .pattern(Some(self.shape.pattern()))
            .examples([self.example]);
        if self.min > 0 {
            schema = schema.min_length(Some(self.min));
        }
        schema.into()
    }
}

macro_rules! text_type {
    ($(#[doc = $doc:literal] $name:ident = $shape:ident, $min:literal..=$max:expr, $example:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(from = "String")]
        pub struct $name(String);

        impl $name {
            /// Maximum length in characters.
            pub const MAX_CHARS: usize = $max;

            const RULE: Rule = Rule {
                shape: Shape::$shape,
                min: $min,
                max: Self::MAX_CHARS,
                example: $example,
                description: $doc,
            };
        }

        /// Not validated, like a text that was just received.
        impl<T: Into<String>> From<T> for $name {
            fn from(text: T) -> Self {
                Self(Self::RULE.shape.received(text.into()))
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl garde::Validate for $name {
            type Context = ();

            fn validate_into(&self, (): &(), parent: &mut dyn FnMut() -> Path, report: &mut Report) {
                for complaint in Self::RULE.complaints(&self.0) {
                    report.append(parent(), garde::Error::new(complaint));
                }
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                Self::RULE.schema()
            }
        }

        impl ToSchema for $name {}
    )*};
}

/// The maximum length of a title. One test looks for places that contain it as a literal, in a build with another.
const MAX_TITLE_CHARS: usize = if cfg!(feature = "altered-terms") { 50 } else { 200 };

text_type! {
    /// The name of a page or a book, which is printed.
    Title = Line, 1..=MAX_TITLE_CHARS, "A fox in the woods";
    /// Printed below a book's title.
    Subtitle = OptionalLine, 0..=200, "A coloring book";
    /// Printed on a book's title page.
    Author = OptionalLine, 0..=200, "Ada Lovelace";
    /// The subject of a book, or the looks of a character.
    Description = Text, 0..=2000, "A small hedgehog with a striped scarf";
    /// The content of a drawing.
    Prompt = VisibleText, 1..=2000, "A fox curled up under an oak";
    /// What to change in a page's picture.
    Instruction = VisibleText, 1..=500, "Make the castle bigger and remove the hat";
    /// A line that is printed under a drawing; an empty caption is not printed.
    Caption = OptionalLine, 0..=300, "Good night, little fox";
    /// A text in place of the picture of a page, for readers who cannot see it; empty for none.
    AlternativeText = OptionalLine, 0..=500, "A fox curls up under an oak, with snow on its tail";
    /// The name of a character.
    CharacterName = Line, 1..=100, "Pip";
    /// The style in which a character is drawn.
    Style = OptionalLine, 0..=200, "Round and simple";
    /// A style, such as "woodcut"; empty for none.
    DrawingStyle = OptionalLine, 0..=100, "Woodcut";
    /// The subject of a planned book.
    Theme = Line, 1..=500, "A woodland day";
    /// Free-form wishes for a plan.
    Notes = Text, 0..=2000, "No spiders, please";
    /// A language, as a BCP 47 tag.
    Language = LanguageTag, 2..=35, "en";
    /// The reason for a change by an operator.
    Reason = Line, 1..=200, "Paid by invoice 4711";
    /// An ISBN of 10 or 13 digits, with or without hyphens.
    Isbn = Isbn, 0..=17, "978-3-16-148410-0";
    /// A name by which the owner of a review link recognizes it; visitors do not see it.
    ReviewLinkName = OptionalLine, 0..=100, "Grandma";
    /// The name that a visitor gives with a comment.
    VisitorName = Line, 1..=100, "Grandma";
    /// A visitor's comment on a book or on one of its pages.
    CommentText = VisibleText, 1..=1000, "The fox needs a longer tail";
    /// Words to look for.
    SearchQuery = OptionalLine, 0..=200, "fox moon";
    /// An https address that leads to a picture.
    ImageUrl = Address, 0..=2000, "https://pictures.example.com/fox.png";
}

/// A typed text as an optional field of a request: `None` if it is empty.
pub fn unless_empty<T: From<String>>(typed: String) -> Option<T> {
    (!typed.is_empty()).then(|| typed.into())
}

/// A value as an optional field of a request: `None` if it is what the field has without the request.
pub fn unless_default<T: Default + PartialEq>(value: T) -> Option<T> {
    (value != T::default()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(shape: Shape, text: &str) -> Option<&'static str> {
        shape.complaint(text)
    }

    #[test]
    fn a_line_is_visible_and_contains_no_control_characters() {
        assert_eq!(complaint(Shape::Line, "A fox"), None);
        assert_eq!(complaint(Shape::Line, " \u{3000}"), Some("must not be blank"));
        assert_eq!(
            complaint(Shape::OptionalLine, "two\nlines"),
            Some("must not contain control characters")
        );
        assert_eq!(complaint(Shape::OptionalLine, ""), None);
    }

    #[test]
    fn a_blank_text_that_may_be_empty_is_empty() {
        for (shape, text, stored) in [
            (Shape::OptionalLine, "  ", ""),
            (Shape::OptionalLine, "\u{3000}\u{200D}", ""),
            (Shape::OptionalLine, " A fox ", " A fox "),
            (Shape::Text, " \r\n\t", ""),
            // These are rejected instead.
            (Shape::OptionalLine, "\n", "\n"),
            (Shape::Text, "\u{2028}", "\u{2028}"),
            (Shape::Line, " ", " "),
            (Shape::VisibleText, " ", " "),
            (Shape::Isbn, " ", " "),
        ] {
            assert_eq!(shape.received(text.into()), stored, "{shape:?} {text:?}");
        }
        let sent: Caption = serde_json::from_str("\"  \"").unwrap();
        assert_eq!(&*sent, "");
    }

    #[test]
    fn invisible_control_characters_are_rejected() {
        const COMPLAINT: &str = "must not contain invisible characters that control the text, such as U+202E";
        for hidden in ["\u{202E}", "\u{2066}", "\u{200B}", "\u{2028}", "\u{FEFF}"] {
            for shape in [Shape::Line, Shape::OptionalLine, Shape::Text, Shape::VisibleText] {
                assert_eq!(
                    complaint(shape, &format!("A {hidden}fox")),
                    Some(COMPLAINT),
                    "{hidden:?}"
                );
            }
        }
        for fine in [
            "\u{645}\u{6CC}\u{200C}\u{62E}",
            "\u{1F469}\u{200D}\u{1F680}",
            "\u{200F}\u{5E9}",
        ] {
            assert_eq!(complaint(Shape::Line, fine), None, "{fine}");
        }
        assert_eq!(complaint(Shape::Line, "\u{200D}\u{200E}"), Some("must not be blank"));
    }

    #[test]
    fn a_text_may_contain_line_breaks_and_tabs_and_no_other_control_characters() {
        assert_eq!(complaint(Shape::Text, "two\r\n\tlines"), None);
        assert_eq!(
            complaint(Shape::Text, "a\u{7}bell"),
            Some("must not contain control characters")
        );
        assert_eq!(complaint(Shape::VisibleText, "\n"), Some("must not be blank"));
    }

    #[test]
    fn a_length_is_counted_in_characters() {
        let title = |count: usize| Title::RULE.complaints(&"é".repeat(count));
        assert!(title(200).is_empty());
        assert_eq!(title(201), ["must be 1 to 200 characters"]);
        assert_eq!(title(0), ["must be 1 to 200 characters"]);
        assert_eq!(
            Caption::RULE.complaints(&"x".repeat(301)),
            ["must be at most 300 characters"]
        );
    }

    #[test]
    fn an_isbn_is_stored_with_thirteen_digits_and_its_hyphens() {
        for (typed, stored) in [
            ("978-3-16-148410-0", "978-3-16-148410-0"),
            ("9783161484100", "978-3-16-148410-0"),
            ("978 3 16 148410 0", "978-3-16-148410-0"),
            ("3-16-148410-X", "978-3-16-148410-0"),
            ("979-10-90636-07-1", "979-10-90636-07-1"),
            ("", ""),
        ] {
            assert_eq!(Isbn::RULE.complaints(typed), [] as [&str; 0], "{typed}");
            assert_eq!(Isbn::from(typed).hyphenated(), stored, "{typed}");
        }
        let wrong_digit = "must be a valid ISBN: its check digit does not match, so at least one digit is wrong";
        for (typed, complaint) in [
            ("978-3-16-148410-1", wrong_digit),
            ("978-3-16-148401-0", wrong_digit),
            ("978-3-16-148", "must be an ISBN of 10 or 13 digits"),
            ("none", "must be an ISBN of 10 or 13 digits"),
            (
                "4006381333931",
                "must be an ISBN: one of 13 digits begins with 978 or 979",
            ),
            ("abcdefghij", "must be an ISBN of 10 or 13 digits"),
            (" ", "must be an ISBN of 10 or 13 digits"),
        ] {
            assert_eq!(Isbn::RULE.complaints(typed), [complaint], "{typed}");
            assert_eq!(Isbn::from(typed).hyphenated(), "", "{typed}");
        }
    }

    #[test]
    fn a_language_is_a_tag() {
        for tag in ["en", "en-GB", "zh-Hant-TW"] {
            assert!(Language::RULE.complaints(tag).is_empty(), "{tag}");
        }
        for other in ["e1", "english-", "en_GB", "toolonglanguage"] {
            assert!(!Language::RULE.complaints(other).is_empty(), "{other}");
        }
    }
}
