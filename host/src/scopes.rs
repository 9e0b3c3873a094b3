//! Scopes: the few things that an app can be allowed.
use std::fmt;

use linepress_model::text_enum;
use serde::{Serialize, Serializer};

text_enum! {
    /// One thing that an app can be allowed.
    pub enum Scope {
        /// See what the account has, and plan books.
        BooksRead = "books:read",
        /// Change what the account has.
        BooksWrite = "books:write",
        /// Have something drawn that costs credits.
        CreditsSpend = "credits:spend",
    }
}

/// Some of them; no scope stands in it twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// What is asked for when nothing is named: all of them. The person who is asked decides which of them to grant.
    pub const ALL: Self = Self::of(Scope::ALL);

    pub const fn of(scopes: &[Scope]) -> Self {
        let mut bits = 0;
        let mut next = 0;
        while next < scopes.len() {
            bits |= 1 << scopes[next] as u8;
            next += 1;
        }
        Self(bits)
    }

    /// Reads scopes as OAuth writes them, separated by spaces. Unknown ones are ignored (RFC 6749, section 3.3): clients ask
    /// for `offline_access`, `openid` or `claudeai` wherever they connect. The token response names those that were granted.
    pub fn parse(text: &str) -> Self {
        text.split(' ').filter_map(Scope::parse).collect()
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    pub fn contains(self, scope: Scope) -> bool {
        self.includes(Self::of(&[scope]))
    }

    /// Whether all of the others are among these.
    pub fn includes(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Those that are in both.
    pub fn common(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Those that are not among the others.
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let add = |all: Self, scope| Self(all.0 | Self::of(&[scope]).0);
        scopes.into_iter().fold(Self::default(), add)
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, scope) in self.iter().enumerate() {
            let between = if number == 0 { "" } else { " " };
            write!(formatter, "{between}{scope}")?;
        }
        Ok(())
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Of a row.
impl TryFrom<String> for Scopes {
    type Error = linepress_model::UnknownText;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.split(' ')
            .filter(|name| !name.is_empty())
            .map(str::parse)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_and_written_in_one_order() {
        let scopes = Scopes::parse("credits:spend  books:read offline_access books:read");
        assert_eq!(scopes.to_string(), "books:read credits:spend");
        assert_eq!(Scopes::try_from(scopes.to_string()).expect("a row"), scopes);
        assert_eq!(Scopes::parse("books:read admin"), Scopes::of(&[Scope::BooksRead]));
        assert_eq!(Scopes::parse("openid profile offline_access"), Scopes::default());
        assert_eq!(Scopes::ALL.to_string(), "books:read books:write credits:spend");
    }

    #[test]
    fn fewer_scopes_are_included_and_others_are_not() {
        let read = Scopes::of(&[Scope::BooksRead]);
        let write = Scopes::of(&[Scope::BooksWrite]);
        assert!(Scopes::ALL.includes(read) && read.includes(Scopes::default()) && !read.includes(write));
        assert!(Scopes::ALL.common(write) == write && read.common(write).is_empty());
    }
}
