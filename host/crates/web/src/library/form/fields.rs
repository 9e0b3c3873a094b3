//! The fields of a form.
use std::fmt;
use std::str::FromStr;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use linepress_accounts::idempotency::IdempotencyKey;
use linepress_accounts::order::{AgreedPrice, Order};
use linepress_core::characters::{CharacterIds, Selection};
use linepress_core::variants::Variants;
use linepress_http::Reply;
use linepress_platform::ids::CharacterId;
use linepress_platform::text::unless_empty;

/// The fields of a form, in order. A name may be repeated.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

/// The most fields of a form: more than the plan of the longest book has. The size of a form that is shown again grows
/// with the number of its fields, not only with their bytes.
const MAX_FIELDS: usize = 1_000;

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the fields of a form")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sent: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = sent.next_element()? {
            if fields.len() == MAX_FIELDS {
                return Err(A::Error::custom("it has too many fields"));
            }
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}

impl Fields {
    pub(crate) fn push(&mut self, name: &str, value: String) {
        self.0.push((name.into(), value));
    }

    /// The trimmed text of a field, with line breaks as `\n`; empty if the field is missing.
    pub(crate) fn text(&self, name: &str) -> String {
        self.all(name).next().unwrap_or_default()
    }

    /// The text of a field; `None` if it is empty or missing.
    pub(crate) fn given<T: From<String>>(&self, name: &str) -> Option<T> {
        unless_empty(self.text(name))
    }

    /// The values of all fields with this name.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = String> {
        let named = self.0.iter().filter(move |(field, _)| field == name);
        named.map(|(_, value)| value.trim().replace("\r\n", "\n"))
    }

    /// The typed value, if it differs from the value that the form originally showed. Only such fields are stored,
    /// because another page, an app or a drawing may have changed the others in the meantime. `None` if the form does
    /// not have the field. Without the original value in the form, every field counts as changed.
    pub(crate) fn changed(&self, name: &str) -> Option<String> {
        let typed = self.all(name).next()?;
        let shown = self.all(&format!("was_{name}")).next();
        (shown.as_ref() != Some(&typed)).then_some(typed)
    }

    /// The changed value of a field whose values are words. A word that is none of them counts as unchanged.
    pub(crate) fn changed_word<T: FromStr>(&self, name: &str) -> Option<T> {
        self.changed(name)?.parse().ok()
    }

    /// The value with which to show a field again: the typed value if it was changed, otherwise the stored one.
    pub(crate) fn changed_or(&self, name: &str, present: &str) -> String {
        self.changed(name).unwrap_or_else(|| present.to_owned())
    }

    /// The changes to the selection of characters.
    pub(crate) fn selection(&self) -> Selection {
        if self.text("with_characters") != "yes" {
            return Selection::default();
        }
        let shown = self.all("was_character_ids").map(|id| CharacterId::from_client(&id));
        Selection::between(&shown.collect::<Vec<_>>(), &self.character_ids())
    }

    pub(crate) fn character_ids(&self) -> CharacterIds {
        let ids = self.all("character_ids");
        ids.map(|id| CharacterId::from_client(&id)).collect()
    }

    /// The idempotency key of the form, so that a form that is sent twice takes effect once.
    pub(crate) fn key(&self) -> Reply<IdempotencyKey> {
        let key = self.text("idempotency_key");
        Ok(IdempotencyKey::parse(
            Some(&key).filter(|key| !key.is_empty()).map(String::as_str),
        )?)
    }
}

impl Fields {
    /// The terms of the order that the form places: its key, and the price that its button showed.
    pub(crate) fn order(&self) -> Reply<Order> {
        Ok(Order::new(self.key()?, self.agreed_price()))
    }

    /// The number of pictures that the form orders; `None` for a single one. A text that is no number is
    /// rejected like a wrong number.
    pub(crate) fn variants(&self) -> Option<Variants> {
        let chosen: String = self.given("variants")?;
        let chosen = Variants(chosen.parse().unwrap_or_default());
        (chosen != Variants::default()).then_some(chosen)
    }

    /// The terms of an order of variants. The form contains the price of the first picture and, if it is another, that
    /// of each further one; its button shows the price of as many as are chosen.
    pub(crate) fn order_of_variants(&self) -> Reply<Order> {
        let AgreedPrice::Credits(first) = self.agreed_price() else {
            return self.order();
        };
        let further = self.text("further_price").parse().unwrap_or(first);
        let price = self.variants().unwrap_or_default().price(first, further);
        Ok(Order::new(self.key()?, AgreedPrice::Credits(price)))
    }

    /// The price that the form's button showed. A form without a price agrees to a free order only.
    pub(crate) fn agreed_price(&self) -> AgreedPrice {
        AgreedPrice::Credits(self.text("price").parse().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_value_that_differs_from_the_shown_one_is_a_change() {
        let mut fields = Fields::default();
        for (name, value) in [
            ("title", "A fox"),
            ("was_title", " A fox "),
            ("caption", ""),
            ("was_caption", "Good night"),
            ("author", "Ada"),
        ] {
            fields.push(name, value.into());
        }
        assert_eq!(fields.changed("title"), None);
        assert_eq!(fields.changed("caption").as_deref(), Some(""));
        assert_eq!(fields.changed("author").as_deref(), Some("Ada"));
        assert_eq!(fields.changed("subtitle"), None);
        assert_eq!(fields.changed_or("title", "A vixen"), "A vixen");
        assert_eq!(fields.changed_or("caption", "Good day"), "");
    }

    #[test]
    fn the_fields_of_a_form_keep_their_order() {
        let mut fields = Fields::default();
        for (name, value) in [("a", " one\r\ntwo "), ("b", ""), ("a", "three")] {
            fields.push(name, value.into());
        }
        assert_eq!(fields.text("a"), "one\ntwo");
        assert_eq!(fields.all("a").collect::<Vec<_>>(), ["one\ntwo", "three"]);
        assert_eq!(fields.given::<String>("b"), None);
    }
}
