//! The drawings: planar maps, decoded once from data that is compiled into the plugin.

mod decode;
mod ears;
mod face;
mod outline;
mod paint;
mod reader;
mod ribbon;

use std::collections::HashMap;
use std::sync::OnceLock;

use tiny_skia::Rect;

pub use ears::without_ears;
pub use face::{Eye, Face, face};
pub use outline::{Detail, trace};

use crate::catalog::{Extent, entry};
use crate::color::Rgb;

static DATA: &[u8] = include_bytes!("../../art/drawings.bin.gz");

/// The set that a drawing comes from. The two sets differ in style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// Geometric drawings with few shapes, for the youngest audience.
    Fluent,
    /// Hand-drawn pictures with more detail.
    Noto,
}

/// One area of a drawing, enclosed by arcs. Coordinates and lengths are in units of the grid.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// True for an eye, a mouth or a drawn line: the region remains black.
    pub solid: bool,
    /// The center of the largest circle that fits into the region.
    pub pole: (f32, f32),
    /// The radius of that circle.
    pub radius: f32,
    pub area: f32,
    /// The color in the original drawing, for covers in color.
    pub color: Rgb,
}

/// A merge of a region into its neighbor, for drawings so small that the region could not be colored.
#[derive(Clone, Copy, Debug)]
pub struct Melting {
    pub region: usize,
    pub into: usize,
    pub radius: f32,
}

/// A border between two regions; region 0 is the outside.
#[derive(Clone, Debug)]
pub struct Arc {
    pub left: usize,
    pub right: usize,
    pub points: Vec<(f32, f32)>,
}

/// A drawing as a planar map on a grid of 4096 units.
#[derive(Clone, Debug)]
pub struct Drawing {
    pub label: String,
    /// The emojibase group of the label: 1 people, 3 nature, 4 food, 5 places, 6 activities, 7 objects.
    pub group: u8,
    pub collection: Collection,
    pub tags: Vec<String>,
    /// Index 0 is the outside.
    pub regions: Vec<Region>,
    /// Sorted by radius, the smallest first.
    pub meltings: Vec<Melting>,
    pub arcs: Vec<Arc>,
    pub bounds: Rect,
}

impl Drawing {
    /// Returns true if the drawing is cut off at the chest or the neck: its lower edge is then long and straight.
    pub fn is_bust(&self) -> bool {
        let floor = self.bounds.bottom() - self.bounds.height() * 0.04;
        let low = self
            .arcs
            .iter()
            .flat_map(|arc| &arc.points)
            .filter(|point| point.1 > floor)
            .map(|point| point.0);
        let (left, right) = low.fold((f32::MAX, f32::MIN), |(left, right), x| (left.min(x), right.max(x)));
        let extent = entry(&self.label).map_or(Extent::Guessed, |entry| entry.extent);
        let may_be_cut_off = match extent {
            Extent::Guessed => self.group == 1,
            Extent::Head => true,
            Extent::Full => false,
        };
        may_be_cut_off && right - left > self.bounds.width() * 0.42
    }
}

/// The drawings, indexed by label.
#[derive(Debug)]
pub struct Drawings {
    drawings: Vec<Drawing>,
    by_label: HashMap<String, Vec<usize>>,
}

impl Drawings {
    /// Returns the drawings that are compiled into the plugin.
    pub fn get() -> &'static Drawings {
        static DRAWINGS: OnceLock<Drawings> = OnceLock::new();
        DRAWINGS.get_or_init(|| {
            let drawings = decode::drawings(DATA).expect("the compiled-in drawings are well-formed");
            let mut by_label: HashMap<String, Vec<usize>> = HashMap::new();
            for (index, drawing) in drawings.iter().enumerate() {
                by_label.entry(drawing.label.clone()).or_default().push(index);
            }
            Drawings { drawings, by_label }
        })
    }

    /// Returns the drawings of one label, at most one from each collection.
    pub fn with_label(&self, label: &str) -> impl Iterator<Item = &Drawing> {
        self.by_label
            .get(label)
            .into_iter()
            .flatten()
            .map(|index| &self.drawings[*index])
    }

    pub fn has(&self, label: &str) -> bool {
        self.by_label.contains_key(label)
    }

    pub fn all(&self) -> &[Drawing] {
        &self.drawings
    }
}
