//! The resolution at which pictures are placed.
use std::collections::BTreeMap;

use lopdf::{Document, ObjectId};

use crate::TooComplex;
use crate::content::{Event, Walker};
use crate::page::Page;
use crate::pdf::as_dictionary;

/// The lowest and highest resolution of a picture over all its placements, in pixels per inch along its width and
/// height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    pub smallest: (f64, f64),
    pub largest: (f64, f64),
}

/// Returns the resolution of each visible picture of a document, except inline pictures, which have no id.
pub fn placements(document: &Document) -> Result<BTreeMap<ObjectId, Placement>, TooComplex> {
    let mut placements: BTreeMap<ObjectId, Placement> = BTreeMap::new();
    let mut walker = Walker::new(document, |event| {
        let Event::Picture(picture) = event else { return };
        let Some(id) = picture.id else { return };
        let ppi = picture.ppi;
        placements
            .entry(id)
            .and_modify(|known| {
                known.smallest = (known.smallest.0.min(ppi.0), known.smallest.1.min(ppi.1));
                known.largest = (known.largest.0.max(ppi.0), known.largest.1.max(ppi.1));
            })
            .or_insert(Placement {
                smallest: ppi,
                largest: ppi,
            });
    });
    for (number, page) in pages(document) {
        walker.page(&Page::new(document, number, page))?;
    }
    drop(walker);
    Ok(placements)
}

/// All pages of a document, counted from 1.
pub(crate) fn pages(document: &Document) -> impl Iterator<Item = (u32, &lopdf::Dictionary)> {
    let pages = document.page_iter();
    (1..).zip(pages.filter_map(|id| as_dictionary(document.objects.get(&id)?)))
}
