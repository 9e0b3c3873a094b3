//! The arguments of a tool: the fields of the REST body without its envelope, and the ids of the REST path.
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use linepress_core::idempotency::IdempotencyKey;
use linepress_core::order::{AgreedPrice, Order};
use linepress_http::json::{parse_value, shortened};
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;

/// The arguments of a call that have not been read yet. Each argument is removed when it is read, so that `end` can
/// reject the rest by name: a typo must not cost a credit.
#[derive(Debug)]
pub(super) struct Arguments {
    fields: Map<String, Value>,
    /// The names of the arguments that were read so far.
    known: Vec<String>,
}

impl Arguments {
    pub(super) fn new(fields: Option<Map<String, Value>>) -> Self {
        Self {
            fields: fields.unwrap_or_default(),
            known: Vec::new(),
        }
    }

    /// The valid idempotency key among the arguments, if there is one. The argument is not removed.
    pub(super) fn key(&self) -> Option<IdempotencyKey> {
        let key = self.fields.get(KEY_ARGUMENT)?.as_str()?;
        IdempotencyKey::parse(Some(key)).ok()
    }

    /// Reads a required argument.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<T> {
        self.take_optional(name)?
            .ok_or_else(|| Error::invalid_field(Field::named(name.to_owned()), "is required"))
    }

    /// Reads an optional argument; null counts as missing.
    pub(super) fn take_optional<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>> {
        self.known.push(name.to_owned());
        let value = self.fields.remove(name).filter(|value| !value.is_null());
        value.map(|value| parse_named(name, value)).transpose()
    }

    /// Reads the arguments that are common to all calls that cost credits.
    pub(super) fn take_order(&mut self) -> Result<OrderArguments> {
        Ok(OrderArguments {
            key: self.take_optional(KEY_ARGUMENT)?,
            confirmed_credits: self.take_optional(CONFIRM_ARGUMENT)?,
        })
    }

    /// Reads the optional idempotency key of a call that costs nothing.
    pub(super) fn take_optional_key(&mut self) -> Result<Option<IdempotencyKey>> {
        let key: Option<String> = self.take_optional(KEY_ARGUMENT)?;
        key.map(|key| IdempotencyKey::parse(Some(&key))).transpose()
    }

    /// Reads all remaining arguments as the fields of one `T`.
    pub(super) fn parse<T: DeserializeOwned>(&mut self) -> Result<T> {
        parse_value(Value::Object(std::mem::take(&mut self.fields)))
    }

    /// Rejects remaining arguments. Call it after all arguments of the tool were read: the error lists them.
    pub(super) fn end(&self) -> Result<()> {
        let Some(name) = self.fields.keys().next() else {
            return Ok(());
        };
        let problem = if self.known.is_empty() {
            "is not known here; no fields are expected".to_owned()
        } else {
            format!("is not known here; the fields are {}", self.known.join(", "))
        };
        Err(Error::invalid_field(Field::named(shortened(name)), problem))
    }
}

pub(super) const KEY_ARGUMENT: &str = "idempotency_key";

/// The argument with which the caller confirms the price.
pub(super) const CONFIRM_ARGUMENT: &str = "confirm_credits";

/// The key of a call that costs credits, and the price that the caller confirmed.
pub(super) struct OrderArguments {
    key: Option<String>,
    confirmed_credits: Option<i64>,
}

impl OrderArguments {
    /// The terms of the order. A caller that confirmed no price agreed to a free order only.
    pub(super) fn terms(&self) -> Result<Order> {
        let key = IdempotencyKey::parse(self.key.as_deref())?;
        Ok(Order::new(key, AgreedPrice::Credits(self.confirmed_credits())))
    }

    pub(super) fn confirmed_credits(&self) -> i64 {
        self.confirmed_credits.unwrap_or_default()
    }
}

/// Parses a value, and names the argument in the error.
fn parse_named<T: DeserializeOwned>(name: &str, value: Value) -> Result<T> {
    parse_value(value).map_err(|error: Error| {
        let complaint = error.details().into_iter().next().map(|detail| detail.message);
        Error::invalid_field(
            Field::named(name.to_owned()),
            complaint.unwrap_or_else(|| "is not valid".into()),
        )
    })
}
