//! The sizes and areas in `data.json`, in millimeters.
use linepress_model::PrintFormat;
use linepress_printers::{Area, CoverSheet, Margins, PageAreas, Side};
use serde::{Deserialize, Serialize};

use crate::RenderJob;

/// A rectangle in millimeters from the trimmed page's top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rectangle {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rectangle {
    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// How far `other` extends past the left, top, right and bottom edge of this rectangle. A negative value means that
    /// it ends before that edge.
    pub(crate) fn excess(&self, other: &Self) -> [f64; 4] {
        [
            self.x - other.x,
            self.y - other.y,
            other.right() - self.right(),
            other.bottom() - self.bottom(),
        ]
    }

    pub(crate) fn intersection(&self, other: &Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        (x < right && y < bottom).then_some(Self {
            x,
            y,
            width: right - x,
            height: bottom - y,
        })
    }

    pub(crate) fn inset(&self, distance: f64) -> Self {
        Self {
            x: self.x + distance,
            y: self.y + distance,
            width: self.width - 2.0 * distance,
            height: self.height - 2.0 * distance,
        }
    }
}

impl From<Area> for Rectangle {
    fn from(area: Area) -> Self {
        Self {
            x: millimeters(area.x),
            y: millimeters(area.y),
            width: millimeters(area.width),
            height: millimeters(area.height),
        }
    }
}

/// A page of the interior. Areas are measured from the top left corner of the trimmed page.
#[derive(Serialize, Deserialize)]
pub(crate) struct Format {
    pub(crate) name: String,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) bleed: f64,
    /// True when ink of the format itself may extend past the trimmed edges. Some printers want a bleed on every page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) bleeds: bool,
    pub(crate) recto: Areas,
    pub(crate) verso: Areas,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Areas {
    pub(crate) live: Rectangle,
    pub(crate) safe: Rectangle,
}

impl Format {
    /// The format with the areas that this job's edition and number of pages give it.
    pub(crate) fn of(job: &RenderJob<'_>) -> Self {
        let format: &PrintFormat = job.format;
        let areas = |side| {
            let margins = Margins::of(job.purpose.edition, job.pages(), format.bleed_um > 0);
            let PageAreas { live, safe } = margins.areas(job.trim(), side, format.margins);
            Areas {
                live: live.into(),
                safe: safe.into(),
            }
        };
        Self {
            name: format.name.clone(),
            width: millimeters(format.trim_width_um),
            height: millimeters(format.trim_height_um),
            bleed: millimeters(job.bleed()),
            bleeds: format.bleed_um > 0,
            recto: areas(Side::Recto),
            verso: areas(Side::Verso),
        }
    }
}

/// The wraparound cover. Areas are measured from the top left corner of the trimmed sheet.
#[derive(Serialize, Deserialize)]
pub(crate) struct Sheet {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) bleed: f64,
    pub(crate) back: Rectangle,
    pub(crate) spine: Rectangle,
    pub(crate) front: Rectangle,
    pub(crate) barcode: Rectangle,
    pub(crate) safety: f64,
    pub(crate) spine_safety: Option<f64>,
    /// The number of pages of the interior.
    pub(crate) pages: u32,
}

impl Sheet {
    /// The sheet of a cover around an interior of `pages` pages.
    pub(crate) fn of(sheet: &CoverSheet, pages: u32) -> Self {
        Self {
            width: millimeters(sheet.size.width),
            height: millimeters(sheet.size.height),
            bleed: millimeters(sheet.bleed),
            back: sheet.back.into(),
            spine: sheet.spine.into(),
            front: sheet.front.into(),
            barcode: sheet.barcode.into(),
            safety: millimeters(sheet.safety),
            spine_safety: sheet.spine_safety.map(millimeters),
            pages,
        }
    }
}

fn millimeters(micrometers: u32) -> f64 {
    f64::from(micrometers) / 1000.0
}
