//! The reference of the REST interface: web pages with an example of each operation in four languages, and `llms.txt`,
//! both made from the OpenAPI document. This crate knows the form of such documents, and nothing of the server.
mod document;
mod html;
mod llms;
mod pages;
mod samples;
mod site;
mod text;

use std::collections::BTreeMap;

use serde_json::Value;

use document::Document;
use site::TYPES;

pub use site::Site;
pub use text::without_outer_links;

/// The finished pages.
#[derive(Debug)]
pub struct Reference {
    index: String,
    pages: BTreeMap<String, String>,
    llms: String,
}

impl Reference {
    /// Makes the pages of an OpenAPI document.
    pub fn of(document: &Value, site: &Site) -> Result<Self, askama::Error> {
        let document = Document::new(document);
        let mut pages = BTreeMap::new();
        for tag in document.tags() {
            pages.insert(tag.slug(), pages::tag(&document, &tag, site)?);
        }
        pages.insert(TYPES.to_owned(), pages::types(&document, site)?);
        Ok(Self {
            index: pages::index(&document, site)?,
            pages,
            llms: llms::text(&document, site),
        })
    }

    /// The page that lists all operations.
    pub fn index(&self) -> &str {
        &self.index
    }

    /// The page of this name: of a group of operations, or of all types.
    pub fn page(&self, name: &str) -> Option<&str> {
        self.pages.get(name).map(String::as_str)
    }

    /// The names of the pages besides the index.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pages.keys().map(String::as_str)
    }

    /// The overview for language models, as <https://llmstxt.org> describes it.
    pub fn llms(&self) -> &str {
        &self.llms
    }
}
