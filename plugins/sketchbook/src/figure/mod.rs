//! Figures: closed shapes that hide the layers behind them, lines on these shapes, and small black spots.

mod arms;
pub mod attire;
pub mod body;
pub mod expression;
mod eyewear;
pub mod features;
mod fins;
pub mod galleon;
mod hats;
pub mod landmarks;
mod neckwear;
pub mod person;
mod seams;
pub mod shapes;
mod silhouette;
pub mod sketch;
mod sleep;
mod torso;
pub mod traits;

use tiny_skia::{Color, Path, Rect, Transform};

use landmarks::Landmarks;

use crate::color::Rgb;

/// One layer of a figure. The fill is painted white and hides what is behind it, the line is stroked with the pen, and
/// the solid is painted black. Only a cover in color shows the color and the tones.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    pub fill: Option<Path>,
    pub line: Option<Path>,
    pub solid: Option<Path>,
    /// The color of the fill.
    pub color: Option<Rgb>,
    /// Areas in other colors, which lie on the fill and do not extend past it.
    pub tones: Vec<(Path, Color)>,
    /// The edges of such areas where line art shows them as pen lines.
    pub seams: Vec<Path>,
}

impl Layer {
    /// A surface in color without an outline, which line art does not show.
    pub fn wash(path: Option<Path>, color: Color) -> Self {
        Self {
            tones: path.map(|path| (path, color)).into_iter().collect(),
            ..Self::default()
        }
    }

    /// A mark in color without a fill, which is an outline in line art.
    pub fn mark(path: Option<Path>, color: Rgb) -> Self {
        Self {
            seams: path.iter().cloned().collect(),
            ..Self::wash(path, color.opaque())
        }
    }

    pub fn colored(mut self, color: Rgb) -> Self {
        self.color = Some(color);
        self
    }

    /// Adds an area in another color.
    pub fn toned(mut self, path: Option<Path>, color: Rgb) -> Self {
        self.tones.extend(path.map(|path| (path, color.opaque())));
        self
    }

    /// Adds an area in another color, such as a belt, whose edges are lines in line art.
    pub fn trimmed(mut self, path: Option<Path>, color: Rgb) -> Self {
        if let (Some(area), Some(fill)) = (&path, &self.fill) {
            self.seams.extend(seams::within(area, fill));
        }
        self.toned(path, color)
    }

    pub fn transformed(&self, transform: Transform) -> Self {
        let moved = |path: &Option<Path>| path.clone().and_then(|path| path.transform(transform));
        Self {
            fill: moved(&self.fill),
            line: moved(&self.line),
            solid: moved(&self.solid),
            color: self.color,
            tones: self
                .tones
                .iter()
                .filter_map(|(path, color)| Some((path.clone().transform(transform)?, *color)))
                .collect(),
            seams: self
                .seams
                .iter()
                .filter_map(|path| path.clone().transform(transform))
                .collect(),
        }
    }
}

/// Positions on a figure for hats, glasses and things to hold.
#[derive(Clone, Debug, Default)]
pub struct Anchors {
    pub eyes: Vec<(f32, f32)>,
    /// Head, neck and hands of a procedural body. `None` for other figures.
    pub landmarks: Option<Landmarks>,
    /// The index of the first layer of the face on a procedural body. `None` for other figures.
    pub face: Option<usize>,
    /// The color of the largest surface, for the parts of a body that are drawn procedurally.
    pub coat: Option<Rgb>,
    /// The level of the lowest part of the face, or of the hands of a person, on a cover in color. `None` if unknown.
    pub lowest_feature: Option<f32>,
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
        let layers = self.layers.iter().map(|layer| layer.transformed(transform));
        let place = |(x, y): (f32, f32)| {
            let mut point = tiny_skia::Point::from_xy(x, y);
            transform.map_point(&mut point);
            (point.x, point.y)
        };
        let eyes = self.anchors.eyes.iter().map(|eye| place(*eye));
        let anchors = Anchors {
            coat: self.anchors.coat,
            face: self.anchors.face,
            lowest_feature: self.anchors.lowest_feature.map(|level| place((0.0, level)).1),
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

    /// Returns the figure, centered on the origin and scaled to fit into a box.
    pub fn fitted(&self, width: f32, height: f32) -> Self {
        let bounds = self.bounds();
        let scale = (width / bounds.width()).min(height / bounds.height());
        let center = (
            (bounds.left() + bounds.right()) / 2.0,
            (bounds.top() + bounds.bottom()) / 2.0,
        );
        self.transformed(Transform::from_translate(-center.0, -center.1).post_scale(scale, scale))
    }

    /// Replaces the yellow skin of an emoji with a natural tone.
    pub fn with_skin(mut self, skin: Rgb) -> Self {
        self.anchors.coat = self.anchors.coat.map(|color| color.with_skin(skin));
        for layer in &mut self.layers {
            layer.color = layer.color.map(|color| color.with_skin(skin));
            for (_, tone) in &mut layer.tones {
                let bytes = tone.to_color_u8();
                if bytes.alpha() == u8::MAX {
                    *tone = Rgb(bytes.red(), bytes.green(), bytes.blue()).with_skin(skin).opaque();
                }
            }
        }
        self
    }

    /// Adds layers behind all others.
    pub fn put_behind(&mut self, layers: Vec<Layer>) {
        self.anchors.face = self.anchors.face.map(|face| face + layers.len());
        self.layers.splice(0..0, layers);
    }

    /// Adds layers between a procedural body and its face, or in front of a figure without such a body.
    pub fn put_below_face(&mut self, layers: Vec<Layer>) {
        let at = self.anchors.face.unwrap_or(self.layers.len());
        self.anchors.face = self.anchors.face.map(|face| face + layers.len());
        self.layers.splice(at..at, layers);
    }

    /// Adds the layers of another figure in front.
    pub fn join(&mut self, other: Figure) {
        self.layers.extend(other.layers);
    }
}
