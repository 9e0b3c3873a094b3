//! What a render is made of, and a key that names its result.
use std::path::Path;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use linepress_model::{Audience, Leaf, PrintFormat};

/// A book as it is printed.
#[derive(Clone, Debug)]
pub struct PrintBook {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    pub audience: Audience,
    /// BCP 47.
    pub language: String,
    /// The cover drawing's print master.
    pub cover: Option<Bytes>,
    pub drawings: Vec<PrintDrawing>,
}

/// A drawing of a book.
#[derive(Clone, Debug)]
pub struct PrintDrawing {
    pub title: String,
    pub caption: String,
    /// The print master: a one-image PDF.
    pub master: Bytes,
}

/// One book in one format, laid out.
#[derive(Clone, Copy, Debug)]
pub struct RenderJob<'a> {
    /// The layout's template folder.
    pub templates: &'a Path,
    pub format: &'a PrintFormat,
    pub leaves: &'a [Leaf],
    pub book: &'a PrintBook,
}

/// A digest of parts, each preceded by its length so that none can pass for two.
#[derive(Default)]
pub struct ContentKey(Sha256);

impl ContentKey {
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// Returns the digest in hexadecimal.
    pub fn finish(self) -> String {
        hex::encode(self.0.finalize())
    }
}
