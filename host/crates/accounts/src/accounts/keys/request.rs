//! Requests to create and rotate API keys.
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::networks::{self, Networks};
use crate::accounts::check_line;
use crate::credits::MAX_GRANT_CREDITS;
use linepress_platform::clock::Timestamp;
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::error::{Detail, Error, ErrorKind, Result};
use linepress_platform::field::Field;
use linepress_platform::scopes::{Scope, Scopes};

/// Maximum length of an API key's name.
pub const MAX_KEY_NAME_CHARS: usize = 100;

/// Maximum number of networks of an API key.
pub const MAX_KEY_NETWORKS: usize = 50;

/// A new API key.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewApiKey {
    /// The purpose of the key, in one line.
    // The same rule as `check_line`.
    #[schema(
        min_length = 1,
        max_length = 100,
        example = "The shop's server",
        pattern = r"^[^\x00-\x1F\x7F-\x9F\u2028\u2029]*[^\x00-\x20\x7F-\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000][^\x00-\x1F\x7F-\x9F\u2028\u2029]*$"
    )]
    pub name: String,
    /// True for a test key. Its requests have the replies and prices of live ones, but spend credits that are not real,
    /// its drawings are samples with a watermark, and its books, ledger and webhooks are apart from those of the
    /// account.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// The permissions of the key; all of them if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1)]
    pub scopes: Option<Vec<Scope>>,
    /// The time at which the key ceases to be valid; never if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// The most that may be spent with the key, in credits; all that the account has if omitted. What is refunded may
    /// be spent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub credit_cap: Option<i64>,
    /// The period after which as many credits may be spent again; `credit_cap` is for all time if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit_period: Option<CreditPeriod>,
    /// The networks from which the key may be used, in CIDR notation or as single addresses; every network if omitted
    /// or empty. Behind a proxy, the address counts that the proxy reports, if the server's settings trust it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 50, example = json!(["203.0.113.0/24", "2001:db8::/32"]))]
    pub allowed_networks: Option<Vec<String>>,
}

impl NewApiKey {
    /// A key with this name that does whatever the account may do.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// The terms of the key; an error names every invalid field.
    pub(super) fn terms(&self, now: Timestamp) -> Result<KeyTerms> {
        let mut problems = Problems::default();
        problems.add_those_of(check_line(Field::name(), &self.name, MAX_KEY_NAME_CHARS));
        let scopes = self.scopes.as_ref();
        let scopes: Scopes = scopes.map_or(Scopes::ALL, |scopes| scopes.iter().copied().collect());
        if scopes.is_empty() {
            problems.add(
                Field::scopes(),
                "must name at least one scope; leave it out for all of them",
            );
        }
        if self.expires_at.is_some_and(|end| end <= now) {
            problems.add(Field::expires_at(), "must be in the future");
        }
        if self
            .credit_cap
            .is_some_and(|cap| !(0..=MAX_GRANT_CREDITS).contains(&cap))
        {
            problems.add(Field::credit_cap(), format!("must be 0 to {MAX_GRANT_CREDITS}"));
        }
        if self.credit_period.is_some() && self.credit_cap.is_none() {
            problems.add(Field::credit_period(), "needs a credit_cap; set one, or leave it out");
        }
        let allowed_networks = self.networks(&mut problems);
        problems.end()?;
        Ok(KeyTerms {
            name: self.name.trim().into(),
            is_test: self.test,
            scopes,
            expires_at: self.expires_at,
            credit_cap: self.credit_cap,
            credit_period: self.credit_period,
            allowed_networks,
        })
    }

    fn networks(&self, problems: &mut Problems) -> Networks {
        let written = self.allowed_networks.as_deref().unwrap_or_default();
        if written.len() > MAX_KEY_NETWORKS {
            let problem = format!("must be at most {MAX_KEY_NETWORKS} networks");
            problems.add(Field::allowed_networks(), problem);
            return Networks::default();
        }
        let networks = written.iter().enumerate().filter_map(|(index, text)| {
            let network = networks::parse(text);
            if network.is_none() {
                let problem = "must be a network such as 203.0.113.0/24 or 2001:db8::/32, or an address";
                problems.add(Field::allowed_networks().at(index), problem);
            }
            network
        });
        networks.collect()
    }
}

/// What may be done with a key, checked.
#[derive(Clone, Debug)]
pub(super) struct KeyTerms {
    pub name: String,
    pub is_test: bool,
    pub scopes: Scopes,
    pub expires_at: Option<Timestamp>,
    pub credit_cap: Option<i64>,
    pub credit_period: Option<CreditPeriod>,
    pub allowed_networks: Networks,
}

/// The problems of a request, by field.
#[derive(Default)]
struct Problems(Vec<Detail>);

impl Problems {
    fn add(&mut self, field: Field, message: impl Into<String>) {
        let message = message.into();
        self.0.push(Detail { field, message });
    }

    fn add_those_of(&mut self, checked: Result<()>) {
        if let Err(Error {
            kind: ErrorKind::ValidationFailed(details),
            ..
        }) = checked
        {
            self.0.extend(details);
        }
    }

    fn end(self) -> Result<()> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(Error::validation(self.0)),
        }
    }
}

/// A rotation of an API key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyRotation {
    /// The hours for which the old secret remains valid; with 0 it ends at once. 24 if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 720, example = 24)]
    pub overlap_hours: Option<i64>,
}

impl KeyRotation {
    pub const DEFAULT_OVERLAP_HOURS: i64 = 24;
    pub const MAX_OVERLAP_HOURS: i64 = 30 * 24;

    /// The time for which the old secret remains valid.
    pub(super) fn overlap(self) -> Result<Duration> {
        let hours = self.overlap_hours.unwrap_or(Self::DEFAULT_OVERLAP_HOURS);
        let hours = u64::try_from(hours).ok();
        let hours = hours.filter(|hours| *hours <= Self::MAX_OVERLAP_HOURS.unsigned_abs());
        hours.map(|hours| Duration::from_secs(hours * 3600)).ok_or_else(|| {
            let problem = format!("must be 0 to {}", Self::MAX_OVERLAP_HOURS);
            Error::invalid_field(Field::overlap_hours(), problem)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(new: &NewApiKey) -> Result<KeyTerms, Vec<String>> {
        new.terms(Timestamp::from_microseconds(1_000)).map_err(|error| {
            let details = error.details().into_iter();
            details.map(|detail| detail.field.to_string()).collect()
        })
    }

    #[test]
    fn a_key_without_terms_does_everything_for_ever() {
        let terms = terms(&NewApiKey::named(" A shop ")).unwrap();
        assert_eq!((terms.name.as_str(), terms.scopes), ("A shop", Scopes::ALL));
        assert!(terms.expires_at.is_none() && terms.credit_cap.is_none() && terms.allowed_networks.is_empty());
    }

    #[test]
    fn every_invalid_term_is_named() {
        let wrong = NewApiKey {
            name: " ".into(),
            test: true,
            scopes: Some(Vec::new()),
            expires_at: Some(Timestamp::from_microseconds(1_000)),
            credit_cap: None,
            credit_period: Some(CreditPeriod::Day),
            allowed_networks: Some(vec!["10.0.0.0/8".into(), "here".into()]),
        };
        let fields = ["name", "scopes", "expires_at", "credit_period", "allowed_networks[1]"];
        assert_eq!(terms(&wrong).unwrap_err(), fields);
        for (cap, problems) in [(-1, 1), (0, 0), (MAX_GRANT_CREDITS, 0), (MAX_GRANT_CREDITS + 1, 1)] {
            let new = NewApiKey {
                credit_cap: Some(cap),
                ..NewApiKey::named("A shop")
            };
            assert_eq!(terms(&new).map_or_else(|fields| fields.len(), |_| 0), problems, "{cap}");
        }
    }

    #[test]
    fn an_overlap_is_bounded() {
        let hours = |overlap_hours| KeyRotation { overlap_hours }.overlap().ok();
        assert_eq!(hours(None), Some(Duration::from_secs(24 * 3600)));
        assert_eq!(hours(Some(0)), Some(Duration::ZERO));
        assert!(hours(Some(720)).is_some() && hours(Some(721)).is_none() && hours(Some(-1)).is_none());
    }
}
