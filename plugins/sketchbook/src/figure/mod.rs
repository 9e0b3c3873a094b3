//! Figures: closed shapes that hide the layers behind them, lines on these shapes, and small black spots.

pub mod attire;
pub mod body;
mod eyewear;
mod hats;
pub mod landmarks;
mod neckwear;
pub mod shapes;
mod silhouette;
pub mod traits;

use tiny_skia::{Path, Rect, Transform};

use landmarks::Landmarks;

/// One layer of a figure. The fill is painted white and hides what is behind it, the line is stroked with the pen, and
/// the solid is painted black.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    pub fill: Option<Path>,
    pub line: Option<Path>,
    pub solid: Option<Path>,
}

/// Positions on a figure for hats, glasses and things to hold.
#[derive(Clone, Debug, Default)]
pub struct Anchors {
    pub eyes: Vec<(f32, f32)>,
    /// Head, neck and hands of a procedural body. `None` for other figures.
    pub landmarks: Option<Landmarks>,
}

/// Layers in painter's order. Coordinates are in pixels, and relative to the origin until the figure is placed.
#[derive(Clone, Debug)]
pub struct Figure {
    pub layers: Vec<Layer>,
    pub anchors: Anchors,
}

impl Figure {
    pub fn new(layers: Vec<Layer>, anchors: Anchors) -> Self {
        Self { layers, anchors }
    }

    /// Returns a figure without anchors, such as a cloud.
    pub fn from_layers(layers: Vec<Layer>) -> Self {
        Self::new(layers, Anchors::default())
    }

    pub fn bounds(&self) -> Rect {
        let paths = self
            .layers
            .iter()
            .flat_map(|layer| [&layer.fill, &layer.line, &layer.solid]);
        let boxes = paths.flatten().map(|path| {
            let b = path.bounds();
            (b.left(), b.top(), b.right(), b.bottom())
        });
        let all = boxes.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1), a.2.max(b.2), a.3.max(b.3)));
        let (left, top, right, bottom) = all.unwrap_or_default();
        Rect::from_ltrb(left, top, right.max(left + 0.01), bottom.max(top + 0.01))
            .expect("left <= right and top <= bottom")
    }

    pub fn transformed(&self, transform: Transform) -> Self {
        let moved = |path: &Option<Path>| path.clone().and_then(|path| path.transform(transform));
        let layers = self.layers.iter().map(|layer| Layer {
            fill: moved(&layer.fill),
            line: moved(&layer.line),
            solid: moved(&layer.solid),
        });
        let eyes = self.anchors.eyes.iter().map(|eye| {
            let mut point = tiny_skia::Point::from_xy(eye.0, eye.1);
            transform.map_point(&mut point);
            (point.x, point.y)
        });
        let anchors = Anchors {
            eyes: eyes.collect(),
            landmarks: self
                .anchors
                .landmarks
                .as_ref()
                .map(|landmarks| landmarks.transformed(transform)),
        };
        Self {
            layers: layers.collect(),
            anchors,
        }
    }

    pub fn moved(&self, x: f32, y: f32) -> Self {
        self.transformed(Transform::from_translate(x, y))
    }

    /// Adds the layers of another figure in front.
    pub fn join(&mut self, other: Figure) {
        self.layers.extend(other.layers);
    }
}
