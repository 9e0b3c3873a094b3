//! The drawings: a catalog of planar maps, decoded once from the data that is compiled in.

mod decode;
mod outline;
mod ribbon;

use std::collections::HashMap;
use std::sync::OnceLock;

use tiny_skia::Rect;

pub use outline::{Detail, trace};

static DATA: &[u8] = include_bytes!("../../art/drawings.bin.gz");

/// Which of the two sets a drawing comes from: they differ in manner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// Geometric, few shapes: for the youngest.
    Fluent,
    /// Drawn by hand, more detail.
    Noto,
}

/// One surface of a drawing.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// An eye, a mouth or a drawn line: stays black.
    pub solid: bool,
    /// The center of the largest circle that fits in.
    pub pole: (f32, f32),
    /// The radius of that circle.
    pub radius: f32,
    pub area: f32,
}

/// A region that melts into a neighbour when the drawing is so small that its radius cannot be colored.
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
    /// The group of the label in emojibase: 1 people, 3 nature, 4 food, 5 places, 6 activities, 7 objects.
    pub group: u8,
    pub collection: Collection,
    pub tags: Vec<String>,
    /// Index 0 stands for the outside.
    pub regions: Vec<Region>,
    /// From the smallest radius up.
    pub meltings: Vec<Melting>,
    pub arcs: Vec<Arc>,
    pub bounds: Rect,
}

/// Animals that are drawn as head and neck.
const PROFILES: &[&str] = &["unicorn", "moose", "horse face", "boar"];

/// Words of the labels of people who are drawn from head to foot, however broad they stand.
const WHOLE: &[&str] = &[
    "biking",
    "cartwheeling",
    "climbing",
    "claus",
    "holding hands",
    "lifting",
    "lotus",
    "rowing",
    "standing",
    "taking bath",
    "walking",
    "wheelchair",
    "running",
    "surfing",
    "genie",
];

impl Drawing {
    /// Cut off at the chest or the neck: the lower edge of such a drawing is long and straight.
    pub fn is_bust(&self) -> bool {
        let floor = self.bounds.bottom() - self.bounds.height() * 0.04;
        let low = self
            .arcs
            .iter()
            .flat_map(|arc| &arc.points)
            .filter(|point| point.1 > floor)
            .map(|point| point.0);
        let (left, right) = low.fold((f32::MAX, f32::MIN), |(left, right), x| (left.min(x), right.max(x)));
        let whole = WHOLE.iter().any(|pose| self.label.contains(pose));
        !whole
            && (self.group == 1 || PROFILES.contains(&self.label.as_str()))
            && right - left > self.bounds.width() * 0.42
    }
}

/// All drawings, by label.
#[derive(Debug)]
pub struct Catalog {
    drawings: Vec<Drawing>,
    by_label: HashMap<String, Vec<usize>>,
}

impl Catalog {
    /// The catalog that is compiled into the plugin.
    pub fn get() -> &'static Catalog {
        static CATALOG: OnceLock<Catalog> = OnceLock::new();
        CATALOG.get_or_init(|| {
            let drawings = decode::drawings(DATA).expect("the drawings are part of this build");
            let mut by_label: HashMap<String, Vec<usize>> = HashMap::new();
            for (index, drawing) in drawings.iter().enumerate() {
                by_label.entry(drawing.label.clone()).or_default().push(index);
            }
            Catalog { drawings, by_label }
        })
    }

    /// The drawings of one label, at most one from each collection.
    pub fn of(&self, label: &str) -> impl Iterator<Item = &Drawing> {
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
