//! A book's artwork in a form that a browser can show: print masters have thirty million pixels each.
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use linepress_imaging::master_picture;
use linepress_print::{ARTWORK, PrintBook, PrintDrawing};
use sha2::{Digest as _, Sha256};

/// The longest side of a picture in pixels, enough for half a screen.
const MAX_SIDE_PIXELS: u32 = 1600;

/// Masters by a hash of their content, with their pictures once a browser has requested them.
#[derive(Default)]
pub(super) struct Artwork {
    pieces: Mutex<HashMap<String, Piece>>,
}

struct Piece {
    master: Bytes,
    picture: Option<Bytes>,
}

impl Artwork {
    /// Registers the masters of a book; returns pairs of the name in templates and the name here.
    pub(super) fn names(&self, book: &PrintBook) -> Vec<(String, String)> {
        let drawing =
            |(index, drawing): (usize, &PrintDrawing)| (linepress_print::drawing_path(index), drawing.master.clone());
        let cover = book
            .cover
            .iter()
            .map(|master| (linepress_print::COVER.to_owned(), master.clone()));
        let masters = cover.chain(book.drawings.iter().enumerate().map(drawing));
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let named = masters.map(|(name, master)| {
            let ours = hex::encode(&Sha256::digest(&master)[..8]);
            pieces.entry(ours.clone()).or_insert(Piece { master, picture: None });
            (name, ours)
        });
        named.collect()
    }

    /// The picture as a PNG; `None` for an unknown name or a master that cannot be read.
    pub(super) fn picture(&self, name: &str) -> Option<Bytes> {
        let known = |pieces: &HashMap<String, Piece>| {
            pieces
                .get(name)
                .map(|piece| (piece.master.clone(), piece.picture.clone()))
        };
        let lock = || self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let (master, picture) = known(&lock())?;
        if picture.is_some() {
            return picture;
        }
        let picture = Bytes::from(master_picture(&master, MAX_SIDE_PIXELS).ok()?);
        if let Some(piece) = lock().get_mut(name) {
            piece.picture = Some(picture.clone());
        }
        Some(picture)
    }

    /// The picture as a data URL; empty for a master that cannot be read.
    pub(super) fn data_url(&self, name: &str) -> String {
        let picture = self.picture(name).unwrap_or_default();
        format!("data:image/png;base64,{}", STANDARD.encode(picture))
    }
}

/// The page with its references to artwork replaced by addresses.
pub(super) fn with_addresses(mut svg: String, names: &[(String, String)], address: impl Fn(&str) -> String) -> String {
    for (name, ours) in names {
        let shown = format!("\"{ARTWORK}{name}\"");
        if svg.contains(&shown) {
            svg = svg.replace(&shown, &format!("\"{}\"", address(ours)));
        }
    }
    svg
}
