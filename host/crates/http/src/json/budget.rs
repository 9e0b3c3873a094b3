//! A limit on the number of values in a JSON body. The memory that a parsed body takes follows from the number of its
//! values rather than from its bytes: an empty object is two bytes of text and a hundred times as much in memory.
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The most values in one body. A book of a hundred pages with eight characters each has about 1,400.
pub const MAX_BODY_VALUES: usize = 10_000;

/// The reason why a body is rejected.
pub enum Refusal {
    TooManyValues,
    /// An object has this field twice, and it is unclear which of the two the client means.
    DuplicateField(String),
    NotJson(serde_json::Error),
}

/// Checks a body without building it: counts its values, and finds repeated field names within an object.
pub fn check(body: &[u8]) -> Result<(), Refusal> {
    let mut found = Found::default();
    let mut json = serde_json::Deserializer::from_slice(body);
    let counted = Count(&mut found).deserialize(&mut json).and_then(|()| json.end());
    match (counted, found.duplicate_field) {
        (Ok(()), _) => Ok(()),
        (Err(_), Some(name)) => Err(Refusal::DuplicateField(name)),
        (Err(_), None) if found.values > MAX_BODY_VALUES => Err(Refusal::TooManyValues),
        (Err(error), None) => Err(Refusal::NotJson(error)),
    }
}

#[derive(Default)]
struct Found {
    values: usize,
    duplicate_field: Option<String>,
}

struct Count<'a>(&'a mut Found);

impl Count<'_> {
    fn count_value<E: Error>(&mut self) -> Result<(), E> {
        self.0.values += 1;
        if self.0.values > MAX_BODY_VALUES {
            return Err(E::custom("too many values"));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Count<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Count<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E: Error>(mut self, _: bool) -> Result<(), E> {
        self.count_value()
    }

    fn visit_i64<E: Error>(mut self, _: i64) -> Result<(), E> {
        self.count_value()
    }

    fn visit_u64<E: Error>(mut self, _: u64) -> Result<(), E> {
        self.count_value()
    }

    fn visit_f64<E: Error>(mut self, _: f64) -> Result<(), E> {
        self.count_value()
    }

    fn visit_str<E: Error>(mut self, _: &str) -> Result<(), E> {
        self.count_value()
    }

    fn visit_unit<E: Error>(mut self) -> Result<(), E> {
        self.count_value()
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.count_value()?;
        while items.next_element_seed(Count(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<(), A::Error> {
        self.count_value()?;
        let mut names = HashSet::new();
        while let Some(name) = fields.next_key::<String>()? {
            if names.contains(&name) {
                self.0.duplicate_field = Some(name);
                return Err(A::Error::custom("a field comes twice"));
            }
            names.insert(name);
            fields.next_value_seed(Count(self.0))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_however_they_nest() {
        let fits = format!("[{}]", vec!["{}"; MAX_BODY_VALUES - 1].join(","));
        assert!(check(fits.as_bytes()).is_ok());
        let many = format!("[{}]", vec!["{}"; MAX_BODY_VALUES].join(","));
        assert!(matches!(check(many.as_bytes()), Err(Refusal::TooManyValues)));
        let pairs = format!("[{}]", vec!["{\"\":0}"; MAX_BODY_VALUES / 2].join(","));
        assert!(matches!(check(pairs.as_bytes()), Err(Refusal::TooManyValues)));
        assert!(matches!(check(b"{"), Err(Refusal::NotJson(_))));
        assert!(matches!(check(b"1 2"), Err(Refusal::NotJson(_))));
    }

    #[test]
    fn a_repeated_field_of_an_object_is_rejected() {
        let twice = br#"{"page": {"title": "A", "prompt": "B", "t\u0069tle": "C"}}"#;
        assert!(matches!(check(twice), Err(Refusal::DuplicateField(name)) if name == "title"));
        assert!(check(br#"[{"title": "A"}, {"title": "B"}]"#).is_ok());
    }
}
