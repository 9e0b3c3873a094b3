//! The addresses of resources. The core leaves them unset; every reply of REST sets them.
use axum::Json;
use axum::http::HeaderValue;
use linepress_core::artwork::Image;
use linepress_core::artwork::attempts::Attempt;
use linepress_core::books::{Book, BookAccepted, BookPageAccepted, BookReply};
use linepress_core::characters::{Character, CharacterAccepted};
use linepress_core::operations::{Operation, ResourceType};
use linepress_core::pages::{Page, PageAccepted, PageReply};
use linepress_drawings::queue::Target;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{AccountId, KeyId, OperationId, PageId, ReviewLinkId, WebhookId};

/// Makes the addresses of resources below the base URL of the REST interface.
pub(super) struct Addresses {
    base_url: String,
}

impl Addresses {
    pub(super) fn new(app: &App) -> Self {
        Self::below(app.config.base_url())
    }

    pub(super) fn below(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
        }
    }

    fn page(&self, id: &PageId) -> String {
        self.resource(ResourceType::Page, id.as_str())
    }

    fn page_image(&self, id: &PageId) -> String {
        format!("{}/image", self.page(id))
    }

    fn operation(&self, id: &OperationId) -> String {
        format!("{}/operations/{id}", self.base_url)
    }

    fn resource(&self, kind: ResourceType, id: &str) -> String {
        let collection = match kind {
            ResourceType::Character => "characters",
            ResourceType::Page => "pages",
            ResourceType::Book => "books",
        };
        format!("{}/{collection}/{id}", self.base_url)
    }
}

/// A resource, or a reply with resources.
pub(super) trait Addressed {
    /// Sets the addresses of the resource and of everything in it.
    fn set_addresses(&mut self, addresses: &Addresses);
}

/// A reply as JSON, with the addresses of its resources.
pub(super) fn addressed<T: Addressed>(app: &App, mut reply: T) -> Json<T> {
    reply.set_addresses(&Addresses::new(app));
    Json(reply)
}

/// The address of an operation, as the value of a header.
pub(super) fn operation_location(app: &App, operation: &Operation) -> Result<HeaderValue> {
    let address = Addresses::new(app).operation(&operation.id);
    address.parse().map_err(Error::internal)
}

/// The address at which operators find an account, as the value of a header.
pub(super) fn account_location(app: &App, account: &AccountId) -> Result<HeaderValue> {
    let address = format!("{}/admin/accounts/{account}", app.config.base_url());
    address.parse().map_err(Error::internal)
}

/// The address of an API key, as the value of a header.
pub(super) fn key_location(app: &App, key: &KeyId) -> Result<HeaderValue> {
    let address = format!("{}/keys/{key}", app.config.base_url());
    address.parse().map_err(Error::internal)
}

/// The address of a webhook, as the value of a header.
pub(super) fn webhook_location(app: &App, webhook: &WebhookId) -> Result<HeaderValue> {
    let address = format!("{}/webhooks/{webhook}", app.config.base_url());
    address.parse().map_err(Error::internal)
}

/// The address of a review link, as the value of a header.
pub(super) fn review_link_location(app: &App, link: &ReviewLinkId) -> Result<HeaderValue> {
    let address = format!("{}/review_links/{link}", app.config.base_url());
    address.parse().map_err(Error::internal)
}

/// The address of a page, as the value of a header.
pub(super) fn page_location(app: &App, page: &Page) -> Result<HeaderValue> {
    let address = Addresses::new(app).page(&page.id);
    address.parse().map_err(Error::internal)
}

/// The address of a book, as the value of a header.
pub(super) fn book_location(app: &App, book: &Book) -> Result<HeaderValue> {
    let address = format!("{}/books/{}", app.config.base_url(), book.id);
    address.parse().map_err(Error::internal)
}

impl<T: Addressed> Addressed for Vec<T> {
    fn set_addresses(&mut self, addresses: &Addresses) {
        for resource in self {
            resource.set_addresses(addresses);
        }
    }
}

impl<T: Addressed> Addressed for Option<T> {
    fn set_addresses(&mut self, addresses: &Addresses) {
        if let Some(resource) = self {
            resource.set_addresses(addresses);
        }
    }
}

impl Addressed for Page {
    fn set_addresses(&mut self, addresses: &Addresses) {
        set_image(&mut self.image, || addresses.page_image(&self.id));
    }
}

impl Addressed for Book {
    fn set_addresses(&mut self, addresses: &Addresses) {
        let book = addresses.resource(ResourceType::Book, self.id.as_str());
        set_image(&mut self.cover.image, || format!("{book}/cover_image"));
        for page in &mut self.pages {
            set_image(&mut page.image, || addresses.page_image(&page.id));
        }
    }
}

impl Addressed for Character {
    fn set_addresses(&mut self, addresses: &Addresses) {
        let character = addresses.resource(ResourceType::Character, self.id.as_str());
        set_image(&mut self.reference_image, || format!("{character}/reference_image"));
    }
}

impl Addressed for Attempt {
    fn set_addresses(&mut self, addresses: &Addresses) {
        let shown_by = match &self.target {
            Target::Page(id) => addresses.page(id),
            Target::Cover(id) => format!("{}/cover", addresses.resource(ResourceType::Book, id.as_str())),
            Target::Character(id) => addresses.resource(ResourceType::Character, id.as_str()),
        };
        self.image.url.set(format!("{shown_by}/attempts/{}/image", self.id));
    }
}

impl Addressed for Operation {
    fn set_addresses(&mut self, addresses: &Addresses) {
        self.url.set(addresses.operation(&self.id));
        let resource = &mut self.resource;
        resource.url.set(addresses.resource(resource.kind, &resource.id));
    }
}

fn set_image(image: &mut Option<Image>, address: impl FnOnce() -> String) {
    if let Some(image) = image {
        image.url.set(address());
    }
}

/// Implements [`Addressed`] for a reply by its fields that are resources.
macro_rules! addressed_reply {
    ($reply:ident: $($resource:ident),+) => {
        impl $crate::addresses::Addressed for $reply {
            fn set_addresses(&mut self, addresses: &$crate::addresses::Addresses) {
                $(self.$resource.set_addresses(addresses);)+
            }
        }
    };
}

pub(super) use addressed_reply;

addressed_reply!(BookReply: book);
addressed_reply!(BookAccepted: book, operation);
addressed_reply!(BookPageAccepted: page, book, operation);
addressed_reply!(CharacterAccepted: character, operation);
addressed_reply!(PageReply: page);
addressed_reply!(PageAccepted: page, operation);
