//! The arguments of a tool: the fields of the REST body without its envelope, beside the ids of its path.
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::idempotency::IdempotencyKey;
use crate::json::{parse_value, shortened};

/// What a call was sent with. What is taken is gone, so that what is left over can be refused by name: a typo must not
/// cost a credit.
#[derive(Debug)]
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    pub(super) fn new(fields: Option<Map<String, Value>>) -> Self {
        Self(fields.unwrap_or_default())
    }

    /// An argument that must be there.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<T> {
        self.take_optional(name)?
            .ok_or_else(|| Error::invalid_field(name, "is required"))
    }

    /// An argument that may be left out, or be null.
    pub(super) fn take_optional<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>> {
        let value = self.0.remove(name).filter(|value| !value.is_null());
        value.map(|value| named(name, value)).transpose()
    }

    /// What a call says of itself that costs credits.
    pub(super) fn take_order(&mut self) -> Result<Order> {
        Ok(Order {
            key: self.take_optional(KEY)?,
            confirmed: self.take_optional(CONFIRM)?,
        })
    }

    /// The key of a call that costs nothing, and need not have one.
    pub(super) fn take_optional_key(&mut self) -> Result<Option<IdempotencyKey>> {
        let key: Option<String> = self.take_optional(KEY)?;
        key.map(|key| IdempotencyKey::parse(Some(&key))).transpose()
    }

    /// All that is left, as the fields of one thing.
    pub(super) fn parse<T: DeserializeOwned>(&mut self) -> Result<T> {
        parse_value(Value::Object(std::mem::take(&mut self.0)))
    }

    /// Refuses what is left.
    pub(super) fn end(&self) -> Result<()> {
        match self.0.keys().next() {
            Some(name) => Err(Error::invalid_field(shortened(name), "is not known here")),
            None => Ok(()),
        }
    }
}

pub(super) const KEY: &str = "idempotency_key";

/// The argument in which a caller says the price.
pub(super) const CONFIRM: &str = "confirm_credits";

/// The key of a call that costs credits, and the price as its caller knows it.
pub(super) struct Order {
    key: Option<String>,
    pub confirmed: Option<i64>,
}

impl Order {
    pub(super) fn key(&self) -> Result<IdempotencyKey> {
        IdempotencyKey::parse(self.key.as_deref())
    }
}

/// A value that is complained of under its name.
fn named<T: DeserializeOwned>(name: &str, value: Value) -> Result<T> {
    parse_value(value).map_err(|error: Error| {
        let complaint = error.details().into_iter().next().map(|detail| detail.message);
        Error::invalid_field(name, complaint.unwrap_or_else(|| "is not valid".into()))
    })
}
