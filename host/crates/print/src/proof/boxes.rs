//! The boxes of each page, read from `data.json`.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::measures::{Format, Rectangle, Sheet};

/// A page and the boxes on it, in millimeters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageBoxes {
    /// The kind of the leaf, or `wraparound`.
    pub kind: String,
    /// `recto` or `verso`.
    pub side: String,
    /// The index of the leaf's drawing in the book.
    pub drawing: Option<u32>,
    pub width: f64,
    pub height: f64,
    pub bleed: f64,
    /// The area that may have ink. `None` means the whole page.
    pub live: Option<Rectangle>,
    /// The areas for text and drawings. Each must lie inside one of them.
    pub safe: Vec<Rectangle>,
    /// The area that must stay empty, for the printer's barcode.
    pub free: Option<Rectangle>,
}

impl PageBoxes {
    pub(super) fn trim(&self) -> Rectangle {
        Rectangle {
            x: 0.0,
            y: 0.0,
            width: self.width,
            height: self.height,
        }
    }

    pub(super) fn sheet(&self) -> Rectangle {
        self.trim().inset(-self.bleed)
    }
}

#[derive(Deserialize)]
struct Data {
    formats: BTreeMap<String, Format>,
    leaves: Vec<Leaf>,
    #[serde(default)]
    sheet: Option<Sheet>,
}

#[derive(Deserialize)]
struct Leaf {
    kind: String,
    side: String,
    #[serde(default)]
    drawing: Option<u32>,
}

/// Returns the pages that the book should have, in order. `data` holds only the format that the book is printed in.
pub(super) fn pages(data: &[u8]) -> serde_json::Result<Vec<PageBoxes>> {
    let Data { formats, leaves, sheet } = serde_json::from_slice(data)?;
    if let Some(sheet) = sheet {
        return Ok(vec![wraparound(&sheet)]);
    }
    let Some(format) = formats.into_values().next() else {
        return Ok(Vec::new());
    };
    let page = |leaf: Leaf| {
        let areas = if leaf.side == "verso" {
            &format.verso
        } else {
            &format.recto
        };
        PageBoxes {
            kind: leaf.kind,
            side: leaf.side,
            drawing: leaf.drawing,
            width: format.width,
            height: format.height,
            bleed: format.bleed,
            live: Some(areas.live),
            safe: vec![areas.safe],
            free: None,
        }
    };
    Ok(leaves.into_iter().map(page).collect())
}

fn wraparound(sheet: &Sheet) -> PageBoxes {
    let spine = sheet.spine_safety.map(|safety| sheet.spine.inset(safety));
    let panels = [sheet.back, sheet.front].map(|panel| panel.inset(sheet.safety));
    PageBoxes {
        kind: "wraparound".into(),
        side: "recto".into(),
        drawing: None,
        width: sheet.width,
        height: sheet.height,
        bleed: sheet.bleed,
        live: None,
        safe: panels.into_iter().chain(spine).collect(),
        free: Some(sheet.barcode),
    }
}
