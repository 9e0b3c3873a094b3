//! A stricter reading of JSON than serde's: serde's structs accept arrays as well as objects, so an array whose
//! elements happen to fit would be accepted, and charged, without a single field name.
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Number, Value};

/// A JSON value that deserializes to a struct only from an object.
pub(super) struct Strict(pub Value);

impl<'de> IntoDeserializer<'de, Error> for Strict {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Strict {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Strict))),
            Value::Object(fields) => visitor.visit_map(MapDeserializer::new(
                fields.into_iter().map(|(name, value)| (name, Strict(value))),
            )),
            Value::Number(number) => integer_if_whole(number).deserialize_any(visitor),
            plain => plain.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            other => Err(Error::invalid_type(kind_of(&other), &"an object")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(_) => self.0.deserialize_enum(name, variants, visitor),
            // Serde would also accept an object with a single field as an enum variant.
            _ => Err(Error::custom(format_args!("must be one of {}", variants.join(", ")))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier ignored_any
    }
}

/// Turns a float without a fraction into an integer: to JSON 8.0 and 8 are the same number, and some clients write
/// every whole number with a decimal point.
fn integer_if_whole(number: Number) -> Number {
    /// 2^53: above this, floats skip some of the whole numbers.
    const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() <= MAX_EXACT_INTEGER => {
            Number::from(float as i64)
        }
        _ => number,
    }
}

fn kind_of(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Other("null"),
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(_) => Unexpected::Other("a number"),
        Value::String(_) => Unexpected::Other("a string"),
        Value::Array(_) => Unexpected::Other("an array"),
        Value::Object(_) => Unexpected::Map,
    }
}
