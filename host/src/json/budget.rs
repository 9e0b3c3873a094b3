//! How many values a JSON body may hold. What a body takes in memory once it is read follows from how many there are, and not
//! from its bytes: an empty object is two bytes of text and a hundred times as much in memory.
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A book of a hundred pages with eight characters each has about 1,400.
pub(crate) const MOST_VALUES: usize = 10_000;

/// Why a body is not read.
pub(crate) enum Refusal {
    TooManyValues,
    /// An object has this field twice: nobody knows which one counts.
    Twice(String),
    NotJson(serde_json::Error),
}

/// Counts the values of a body without keeping any, and compares the names of each object's fields.
pub(crate) fn check(body: &[u8]) -> Result<(), Refusal> {
    let mut found = Found::default();
    let mut json = serde_json::Deserializer::from_slice(body);
    let counted = Count(&mut found).deserialize(&mut json).and_then(|()| json.end());
    match (counted, found.twice) {
        (Ok(()), _) => Ok(()),
        (Err(_), Some(name)) => Err(Refusal::Twice(name)),
        (Err(_), None) if found.values > MOST_VALUES => Err(Refusal::TooManyValues),
        (Err(error), None) => Err(Refusal::NotJson(error)),
    }
}

#[derive(Default)]
struct Found {
    values: usize,
    twice: Option<String>,
}

struct Count<'a>(&'a mut Found);

impl Count<'_> {
    fn one<E: Error>(&mut self) -> Result<(), E> {
        self.0.values += 1;
        if self.0.values > MOST_VALUES {
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
        self.one()
    }

    fn visit_i64<E: Error>(mut self, _: i64) -> Result<(), E> {
        self.one()
    }

    fn visit_u64<E: Error>(mut self, _: u64) -> Result<(), E> {
        self.one()
    }

    fn visit_f64<E: Error>(mut self, _: f64) -> Result<(), E> {
        self.one()
    }

    fn visit_str<E: Error>(mut self, _: &str) -> Result<(), E> {
        self.one()
    }

    fn visit_unit<E: Error>(mut self) -> Result<(), E> {
        self.one()
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.one()?;
        while items.next_element_seed(Count(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<(), A::Error> {
        self.one()?;
        let mut names = HashSet::new();
        while let Some(name) = fields.next_key::<String>()? {
            if names.contains(&name) {
                self.0.twice = Some(name);
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
        let fits = format!("[{}]", vec!["{}"; MOST_VALUES - 1].join(","));
        assert!(check(fits.as_bytes()).is_ok());
        let many = format!("[{}]", vec!["{}"; MOST_VALUES].join(","));
        assert!(matches!(check(many.as_bytes()), Err(Refusal::TooManyValues)));
        let pairs = format!("[{}]", vec!["{\"\":0}"; MOST_VALUES / 2].join(","));
        assert!(matches!(check(pairs.as_bytes()), Err(Refusal::TooManyValues)));
        assert!(matches!(check(b"{"), Err(Refusal::NotJson(_))));
        assert!(matches!(check(b"1 2"), Err(Refusal::NotJson(_))));
    }

    #[test]
    fn an_object_has_a_field_once() {
        let twice = br#"{"page": {"title": "A", "prompt": "B", "t\u0069tle": "C"}}"#;
        assert!(matches!(check(twice), Err(Refusal::Twice(name)) if name == "title"));
        assert!(check(br#"[{"title": "A"}, {"title": "B"}]"#).is_ok());
    }
}
