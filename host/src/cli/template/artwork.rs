//! A book's artwork as a browser can show it: print masters have thirty million pixels each.
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use linepress_imaging::master_picture;
use linepress_print::{ARTWORK, PrintBook, PrintDrawing};
use sha2::{Digest as _, Sha256};

/// Sharp enough for half of a screen.
const LONGEST_SIDE: u32 = 1600;

/// Masters by a name of their content, and their pictures once somebody has asked for them.
#[derive(Default)]
pub(super) struct Artwork {
    pieces: Mutex<HashMap<String, Piece>>,
}

struct Piece {
    master: Bytes,
    picture: Option<Bytes>,
}

impl Artwork {
    /// The names that templates know the masters by, and ours.
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

    /// The picture as a PNG; nothing for an unknown name, or a master that is none.
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
        let picture = Bytes::from(master_picture(&master, LONGEST_SIDE).ok()?);
        if let Some(piece) = lock().get_mut(name) {
            piece.picture = Some(picture.clone());
        }
        Some(picture)
    }

    /// The picture in a form that a file can hold; of a master that is none, nothing is shown.
    pub(super) fn data_url(&self, name: &str) -> String {
        let picture = self.picture(name).unwrap_or_default();
        format!("data:image/png;base64,{}", STANDARD.encode(picture))
    }
}

/// The page with an address in place of each piece of artwork.
pub(super) fn with_addresses(mut svg: String, names: &[(String, String)], address: impl Fn(&str) -> String) -> String {
    for (name, ours) in names {
        let shown = format!("\"{ARTWORK}{name}\"");
        if svg.contains(&shown) {
            svg = svg.replace(&shown, &format!("\"{}\"", address(ours)));
        }
    }
    svg
}
