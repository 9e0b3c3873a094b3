//! A cover or a character, for the tests of its variants.
use serde_json::{Value, json};

use super::{checked_attempts, picture};
use crate::test_app::{Accepted, Actor, TestApp};

/// A cover or a character.
pub(super) struct Drawn {
    /// The field of the bodies of its regenerations.
    pub field: &'static str,
    /// The address below which its attempts and its regeneration are.
    pub path: String,
    /// The address of its picture.
    image: String,
}

/// The state of a cover or a character: its status, its operation, and the revision of its picture.
pub(super) type State = (Value, Value, Value);

impl Drawn {
    pub(super) fn cover(book: &str) -> Self {
        Self {
            field: "cover",
            path: format!("/books/{book}/cover"),
            image: format!("/books/{book}/cover_image"),
        }
    }

    pub(super) fn character(id: &str) -> Self {
        Self {
            field: "character",
            path: format!("/characters/{id}"),
            image: format!("/characters/{id}/reference_image"),
        }
    }

    /// A cover and a character that are drawn, for one credit each.
    pub(super) async fn each(app: &TestApp, ada: &Actor) -> [Self; 2] {
        let book = app.ready_book(ada, &["An owl"]).await;
        [
            Self::cover(&book),
            Self::character(&app.ready_character(ada, "Pip").await),
        ]
    }

    pub(super) fn wish(&self, variants: u32) -> Value {
        let field = self.field;
        json!({field: {"variants": variants}})
    }

    pub(super) fn regeneration(&self) -> String {
        format!("{}/regenerate", self.path)
    }

    /// Orders it again.
    pub(super) async fn order(&self, app: &TestApp, ada: &Actor, variants: u32) -> Accepted {
        app.accepted(ada, &self.regeneration(), &self.wish(variants)).await
    }

    pub(super) async fn state(&self, ada: &Actor) -> State {
        let (mut shown, active) = match self.path.strip_suffix("/cover") {
            Some(book) => {
                let mut book = ada.look(book, "book").await;
                (book["cover"].take(), book["active_operation_id"].take())
            }
            None => {
                let mut character = ada.look(&self.path, "character").await;
                let active = character["active_operation_id"].take();
                (character, active)
            }
        };
        let image = match shown["image"].is_object() {
            true => shown["image"].take(),
            false => shown["reference_image"].take(),
        };
        (shown["status"].take(), active, image["revision"].clone())
    }

    pub(super) async fn picture(&self, ada: &Actor) -> Vec<u8> {
        picture(ada, &self.image).await
    }

    /// Fails unless it shows its chosen attempt, and returns its attempts.
    pub(super) async fn checked(&self, ada: &Actor) -> Vec<Value> {
        checked_attempts(ada, &self.path, &self.image).await
    }
}

/// The state of a target that is not being drawn and has a picture.
pub(super) fn idle(revision: i64) -> State {
    (json!("ready"), Value::Null, json!(revision))
}
