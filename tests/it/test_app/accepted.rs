//! Responses and resources in the server's own types, for tests of what the server does. Tests of the JSON itself read
//! it by name.
use linepress_core::books::Book;
use linepress_core::characters::Character;
use linepress_core::operations::{Operation, OperationStatus};
use linepress_core::pages::Page;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Actor, Reply};

/// The response to an accepted generation.
#[derive(Debug, Deserialize)]
pub(crate) struct Accepted {
    pub operation: Operation,
    page: Option<Page>,
    book: Option<Book>,
    character: Option<Character>,
}

impl Accepted {
    #[track_caller]
    pub(crate) fn page(&self) -> &Page {
        self.page.as_ref().expect("a generation of a page")
    }

    #[track_caller]
    pub(crate) fn book(&self) -> &Book {
        self.book.as_ref().expect("a generation of a book")
    }

    #[track_caller]
    pub(crate) fn character(&self) -> &Character {
        self.character.as_ref().expect("a generation of a character")
    }

    #[track_caller]
    pub(crate) fn page_id(&self) -> String {
        self.page().id.to_string()
    }

    #[track_caller]
    pub(crate) fn book_id(&self) -> String {
        self.book().id.to_string()
    }

    #[track_caller]
    pub(crate) fn character_id(&self) -> String {
        self.character().id.to_string()
    }

    pub(crate) fn operation_id(&self) -> String {
        self.operation.id.to_string()
    }
}

/// An address that takes a file.
#[derive(Debug, Deserialize)]
pub(crate) struct Upload {
    pub id: String,
    pub url: String,
    pub max_bytes: u64,
}

impl Reply {
    /// Returns the body as a type; fails unless the response has this status.
    #[track_caller]
    pub(crate) fn expect_as<T: DeserializeOwned>(&self, status: u16) -> T {
        serde_json::from_value(self.expect(status)).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// Returns the body; fails unless the response accepts a generation.
    #[track_caller]
    pub(crate) fn accepted(&self) -> Accepted {
        self.expect_as(202)
    }
}

impl Actor {
    async fn resource<T: DeserializeOwned>(&self, path: &str, kind: &str) -> T {
        let shown = self.look(path, kind).await;
        serde_json::from_value(shown).unwrap_or_else(|error| panic!("{path} is not a {kind}: {error}"))
    }

    /// Returns the current state of a page.
    pub(crate) async fn page(&self, id: &str) -> Page {
        self.resource(&format!("/pages/{id}"), "page").await
    }

    /// Returns the current state of a book.
    pub(crate) async fn book(&self, id: &str) -> Book {
        self.resource(&format!("/books/{id}"), "book").await
    }

    /// Returns the current state of a character.
    pub(crate) async fn character(&self, id: &str) -> Character {
        self.resource(&format!("/characters/{id}"), "character").await
    }

    /// Returns the current state of the operation of an accepted generation.
    pub(crate) async fn operation(&self, accepted: &Accepted) -> Operation {
        let path = format!("/operations/{}", accepted.operation.id);
        self.resource(&path, "operation").await
    }

    /// Returns the current status of that operation.
    pub(crate) async fn status(&self, accepted: &Accepted) -> OperationStatus {
        self.operation(accepted).await.status
    }
}
