//! Scopes: the permissions that an app can be granted, and that an API key can have.
use std::fmt;

use linepress_model::text_enum;
use serde::{Serialize, Serializer};

text_enum! {
    /// A permission that an app can be granted, and that an API key can have.
    pub enum Scope {
        /// Read the account's resources, and plan books.
        BooksRead = "books:read",
        /// Change the account's resources.
        BooksWrite = "books:write",
        /// Request drawings that cost credits.
        CreditsSpend = "credits:spend",
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// All scopes, which a request that names none asks for. The person decides which of them to grant.
    pub const ALL: Self = Self::of(Scope::ALL);

    /// The scope of changes.
    pub const WRITING: Self = Self::of(&[Scope::BooksWrite]);

    /// The scopes of an order that costs credits.
    pub const SPENDING: Self = Self::of(&[Scope::BooksWrite, Scope::CreditsSpend]);

    /// The scopes of which either allows reading.
    pub const READING_OR_WRITING: Self = Self::of(&[Scope::BooksRead, Scope::BooksWrite]);

    pub const fn of(scopes: &[Scope]) -> Self {
        let mut bits = 0;
        let mut next = 0;
        while next < scopes.len() {
            bits |= 1 << scopes[next] as u8;
            next += 1;
        }
        Self(bits)
    }

    /// Parses scopes in OAuth's form, separated by spaces. Unknown scopes are ignored (RFC 6749, section 3.3), because
    /// clients request `offline_access`, `openid` or `claudeai` from every server. The token response names the granted
    /// scopes.
    pub fn parse(text: &str) -> Self {
        text.split(' ').filter_map(Scope::parse).collect()
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.contains(*scope))
    }

    pub fn contains(self, scope: Scope) -> bool {
        self.includes(Self::of(&[scope]))
    }

    /// Returns true when the set includes all of the others.
    pub fn includes(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// The intersection of both sets.
    pub fn common(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// The scopes of this set that are not among the others.
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

/// Parses the scopes of a database row, where an unknown scope is an error.
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
    fn a_set_includes_its_subsets_only() {
        let read = Scopes::of(&[Scope::BooksRead]);
        let write = Scopes::of(&[Scope::BooksWrite]);
        assert!(Scopes::ALL.includes(read) && read.includes(Scopes::default()) && !read.includes(write));
        assert!(Scopes::ALL.common(write) == write && read.common(write).is_empty());
    }
}
