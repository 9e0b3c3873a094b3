//! The form for a new API key.
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;

use linepress_accounts::accounts::NewApiKey;
use linepress_accounts::credits::MAX_GRANT_CREDITS;
use linepress_platform::clock::Timestamp;
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::scopes::Scope;

/// The largest number of digits of a spending limit.
pub(super) const MAX_CAP_DIGITS: u32 = MAX_GRANT_CREDITS.ilog10() + 1;

/// The fields of the form, as they were typed.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct NewKeyForm {
    pub name: String,
    pub test: Option<String>,
    /// Present if the form offers limits: without it, the key has all scopes.
    has_limits: Option<String>,
    pub books_read: Option<String>,
    pub books_write: Option<String>,
    pub credits_spend: Option<String>,
    pub expires_on: String,
    pub credit_cap: String,
    pub credit_period: String,
    pub networks: String,
    pub idempotency_key: String,
}

impl NewKeyForm {
    /// The empty form: all scopes are checked.
    pub(super) fn empty() -> Self {
        let checked = || Some("yes".into());
        Self {
            books_read: checked(),
            books_write: checked(),
            credits_spend: checked(),
            ..Self::default()
        }
    }

    /// Returns true if the form was sent with a limit, so that the page shows it.
    pub(super) fn limits_are_typed(&self) -> bool {
        let texts = [&self.expires_on, &self.credit_cap, &self.networks];
        texts.iter().any(|text| !text.trim().is_empty())
    }

    pub(super) fn request(&self) -> Result<NewApiKey> {
        let networks: Vec<String> = self
            .networks
            .split_whitespace()
            .map(|text| text.replace(',', ""))
            .collect();
        Ok(NewApiKey {
            name: self.name.clone(),
            test: self.test.is_some(),
            scopes: self.has_limits.as_ref().map(|_| self.checked()),
            expires_at: self.expires_at()?,
            credit_cap: self.cap()?,
            // The form has a period even if it has no limit.
            credit_period: self.cap()?.and(CreditPeriod::parse(&self.credit_period)),
            allowed_networks: (!networks.is_empty()).then_some(networks),
        })
    }

    fn checked(&self) -> Vec<Scope> {
        let boxes = [
            (&self.books_read, Scope::BooksRead),
            (&self.books_write, Scope::BooksWrite),
            (&self.credits_spend, Scope::CreditsSpend),
        ];
        let checked = boxes.into_iter().filter(|(checked, _)| checked.is_some());
        checked.map(|(_, scope)| scope).collect()
    }

    fn cap(&self) -> Result<Option<i64>> {
        match self.credit_cap.trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| {
                let problem = "must be a whole number of credits; leave it empty for no limit";
                Error::invalid_field(Field::credit_cap(), problem)
            }),
        }
    }

    /// The end of the last day, in UTC.
    fn expires_at(&self) -> Result<Option<Timestamp>> {
        let text = self.expires_on.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let end = text.parse::<Date>().and_then(Date::tomorrow);
        let end = end.and_then(|day| TimeZone::UTC.to_timestamp(day.to_datetime(jiff::civil::Time::midnight())));
        match end {
            Ok(end) => Ok(Some(Timestamp::from_microseconds(end.as_microsecond()))),
            Err(_) => {
                let problem = "must be a day such as 2027-01-31; leave it empty if the key does not expire";
                Err(Error::invalid_field(Field::expires_at(), problem))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(change: impl FnOnce(&mut NewKeyForm)) -> NewKeyForm {
        let mut form = NewKeyForm {
            has_limits: Some("yes".into()),
            ..NewKeyForm::empty()
        };
        change(&mut form);
        form
    }

    #[test]
    fn the_last_day_of_a_key_belongs_to_it() {
        let expires = |text: &str| form(|form| form.expires_on = text.into()).expires_at();
        assert_eq!(expires(" ").unwrap(), None);
        let end = expires("2028-02-28").unwrap().unwrap();
        assert_eq!(end.to_string(), "2028-02-29T00:00:00.000Z");
        assert!(expires("31.1.2027").is_err() && expires("9999-12-31").is_err());
    }

    #[test]
    fn an_unchecked_box_is_a_missing_scope() {
        let new = form(|form| form.credits_spend = None).request().unwrap();
        assert_eq!(new.scopes, Some(vec![Scope::BooksRead, Scope::BooksWrite]));
        assert_eq!(NewKeyForm::default().request().unwrap().scopes, None);
    }

    #[test]
    fn a_period_without_a_limit_counts_for_nothing() {
        let monthly = |cap: &str| {
            form(|form| {
                form.credit_cap = cap.into();
                form.credit_period = "month".into();
            })
            .request()
        };
        assert_eq!(monthly("").unwrap().credit_period, None);
        assert_eq!(monthly(" 5 ").unwrap().credit_period, Some(CreditPeriod::Month));
        assert!(monthly("five").is_err());
    }
}
