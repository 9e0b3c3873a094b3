//! The arguments of a tool: the fields of the REST body without its envelope, and the ids of the REST path.
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use linepress_accounts::idempotency::IdempotencyKey;
use linepress_accounts::order::{AgreedPrice, Order};
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    fn arguments(fields: Value) -> Arguments {
        match fields {
            Value::Object(fields) => Arguments::new(Some(fields)),
            _ => Arguments::new(None),
        }
    }

    /// The field and the message of the only detail of an error.
    fn detail(error: &Error) -> (String, String) {
        let details = error.details();
        let [detail] = &details[..] else {
            panic!("{details:?}");
        };
        (detail.field.to_string(), detail.message.clone())
    }

    #[test]
    fn an_argument_that_is_missing_or_null_is_required_or_left_out() {
        let mut given = arguments(json!({"book_id": null}));
        let error = given.take::<String>("book_id").unwrap_err();
        assert_eq!(detail(&error), ("book_id".into(), "is required".into()));
        assert_eq!(given.take_optional::<u64>("position").unwrap(), None);
        given.end().unwrap();
        arguments(Value::Null).end().unwrap();
    }

    #[test]
    fn an_argument_of_another_type_is_named() {
        for wrong in [json!("many"), json!(-1), json!([1]), json!({"a": 1})] {
            let mut given = arguments(json!({"position": wrong}));
            let error = given.take_optional::<u64>("position").unwrap_err();
            assert_eq!(detail(&error).0, "position", "{wrong}");
        }
    }

    #[test]
    fn an_argument_that_was_not_read_is_rejected_with_those_that_are_known() {
        let mut given = arguments(json!({"book_id": "book_1", "positon": 1}));
        given.take::<String>("book_id").unwrap();
        given.take_optional::<u64>("position").unwrap();
        assert_eq!(
            detail(&given.end().unwrap_err()),
            (
                "positon".into(),
                "is not known here; the fields are book_id, position".into()
            )
        );
        let unknown = arguments(json!({"verbose": true})).end().unwrap_err();
        assert_eq!(detail(&unknown).1, "is not known here; no fields are expected");
        let long = arguments(json!({"x".repeat(10_000): true})).end().unwrap_err();
        assert!(detail(&long).0.len() < 300);
    }

    #[test]
    fn the_remaining_arguments_are_the_fields_of_a_request() {
        #[derive(Debug, Deserialize, PartialEq)]
        #[serde(deny_unknown_fields)]
        struct Request {
            title: String,
        }
        let mut given = arguments(json!({"title": "A fox", "idempotency_key": "k", "confirm_credits": 2}));
        let order = given.take_order().unwrap();
        assert_eq!(order.confirmed_credits, Some(2));
        order.terms().unwrap();
        let request: Request = given.parse().unwrap();
        assert_eq!(request.title, "A fox");
        let mut misspelled = arguments(json!({"titel": "A fox"}));
        assert_eq!(detail(&misspelled.parse::<Request>().unwrap_err()).0, "titel");
    }

    #[test]
    fn an_order_has_a_valid_key_and_a_change_may_have_one() {
        let key = |fields| arguments(fields).take_order().unwrap().terms();
        assert!(key(json!({})).is_err());
        assert!(key(json!({"idempotency_key": ""})).is_err());
        assert!(key(json!({"idempotency_key": "k"})).is_ok());
        let optional = |fields| arguments(fields).take_optional_key();
        assert!(optional(json!({})).unwrap().is_none());
        assert!(optional(json!({"idempotency_key": "k"})).unwrap().is_some());
        assert!(optional(json!({"idempotency_key": "a key"})).is_err());
        assert!(optional(json!({"idempotency_key": 1})).is_err());
    }
}
