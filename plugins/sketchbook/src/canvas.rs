//! The raster that figures are painted on, and the finished image.

use tiny_skia::{Color, FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};

use crate::color::{Rgb, shade, shine};
use crate::figure::{Figure, Layer};

#[derive(Debug)]
pub struct Canvas {
    pixmap: Pixmap,
    pen: f32,
    view: Transform,
    /// The mask of the surface that is being painted, for a sheet in color.
    mask: Option<Mask>,
}

impl Canvas {
    /// Returns a white sheet. A `scale` below 1 renders the same scene smaller, for trials. `None` if a side is 0
    /// pixels.
    pub fn new(width: u32, height: u32, pen: f32, scale: f32) -> Option<Self> {
        let (columns, rows) = (
            (width as f32 * scale).round() as u32,
            (height as f32 * scale).round() as u32,
        );
        let mut pixmap = Pixmap::new(columns, rows)?;
        pixmap.fill(Color::WHITE);
        Some(Self {
            pixmap,
            pen: (pen * scale).max(1.0),
            view: Transform::from_scale(scale, scale),
            mask: None,
        })
    }

    /// Returns a sheet in color, filled with one color. `None` if a side is 0 pixels.
    pub fn in_color(width: u32, height: u32, pen: f32, ground: Rgb) -> Option<Self> {
        let mut canvas = Self::new(width, height, pen, 1.0)?;
        canvas.pixmap.fill(ground.opaque());
        canvas.mask = Some(Mask::new(width, height)?);
        Some(canvas)
    }

    pub fn paint(&mut self, figure: &Figure) {
        if self.mask.is_some() {
            // A bold outline around the whole figure, under its own lines.
            for path in figure.layers.iter().filter_map(|layer| layer.fill.as_ref()) {
                self.stroke(path, self.pen * 2.2);
            }
        }
        for layer in &figure.layers {
            self.layer(layer);
        }
    }

    pub fn layer(&mut self, layer: &Layer) {
        if self.mask.is_some() {
            self.colored_layer(layer);
            return;
        }
        if let Some(path) = &layer.fill {
            self.fill(path, Color::WHITE);
        }
        for path in layer.line.iter().chain(&layer.seams) {
            self.stroke(path, self.pen);
        }
        if let Some(path) = &layer.solid {
            self.fill(path, Color::BLACK);
            self.stroke(path, self.pen * 0.5);
        }
    }

    fn colored_layer(&mut self, layer: &Layer) {
        if let Some(path) = &layer.fill {
            self.fill(path, layer.color.unwrap_or(Rgb::WHITE).opaque());
        }
        self.tones(layer);
        if let Some(path) = &layer.line {
            self.stroke(path, self.pen);
        }
        if let Some(path) = &layer.solid {
            self.fill(path, Color::BLACK);
            self.stroke(path, self.pen * 0.5);
        }
    }

    /// Paints the tones of a layer, and light and shade along the edges of its fill.
    fn tones(&mut self, layer: &Layer) {
        let Some(mut mask) = self.mask.take() else { return };
        let clip = layer.fill.as_ref();
        if let Some(path) = clip {
            mask.fill_path(path, FillRule::EvenOdd, true, self.view);
        }
        let mut paint = Paint::default();
        for (path, color) in &layer.tones {
            paint.set_color(*color);
            let within = clip.map(|_| &mask);
            self.pixmap
                .fill_path(path, &paint, FillRule::EvenOdd, self.view, within);
            if clip.is_some() {
                // Neighboring tones overlap a little, so that nothing shines through between them.
                let stroke = Stroke::default();
                self.pixmap.stroke_path(path, &paint, &stroke, self.view, within);
            }
        }
        if let Some(path) = clip {
            let bounds = path.bounds();
            let short = bounds.width().min(bounds.height());
            // Narrow shapes are too small for a second tone.
            if short > self.pen * 4.0 {
                let way = (short * 0.075).clamp(self.pen * 0.7, self.pen * 3.2);
                for (shift, color) in [(-way, shade()), (way, shine())] {
                    let Some(moved) = path.clone().transform(Transform::from_translate(shift, shift)) else {
                        continue;
                    };
                    // The fill without the shifted fill: a crescent on one side.
                    let mut crescent = PathBuilder::new();
                    crescent.push_path(path);
                    crescent.push_path(&moved);
                    if let Some(crescent) = crescent.finish() {
                        paint.set_color(color);
                        self.pixmap
                            .fill_path(&crescent, &paint, FillRule::EvenOdd, self.view, Some(&mask));
                    }
                }
            }
        }
        if let Some(path) = clip {
            clear(&mut mask, path.bounds());
        }
        self.mask = Some(mask);
    }

    pub fn fill(&mut self, path: &Path, color: Color) {
        let mut paint = Paint::default();
        paint.set_color(color);
        self.pixmap.fill_path(path, &paint, FillRule::EvenOdd, self.view, None);
    }

    fn stroke(&mut self, path: &Path, width: f32) {
        let mut paint = Paint::default();
        paint.set_color(Color::BLACK);
        let stroke = Stroke {
            width,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        // The path is scaled before it is stroked: the width of the pen must not scale with it.
        if let Some(path) = path.clone().transform(self.view) {
            self.pixmap
                .stroke_path(&path, &paint, &stroke, Transform::identity(), None);
        }
    }

    /// Converts the sheet to 8-bit gray.
    pub fn gray(self) -> Gray {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        // The sheet has no color, so that each channel equals the gray value.
        let pixels = self.pixmap.data().chunks_exact(4).map(|pixel| pixel[0]).collect();
        Gray { width, height, pixels }
    }
}

/// Clears the part of a mask around a path. Clearing the whole mask for every path would take most of the time.
fn clear(mask: &mut Mask, bounds: Rect) {
    let (width, height) = (mask.width() as usize, mask.height() as usize);
    // The casts are of pixels within the mask.
    let range = |low: f32, high: f32, most: usize| {
        let (low, high) = ((low - 2.0).max(0.0) as usize, (high + 3.0).max(0.0) as usize);
        low.min(most)..high.min(most)
    };
    let columns = range(bounds.left(), bounds.right(), width);
    for row in range(bounds.top(), bounds.bottom(), height) {
        mask.data_mut()[row * width..][columns.clone()].fill(0);
    }
}

impl Canvas {
    /// Converts the sheet to 8-bit sRGB.
    pub fn picture(self) -> Picture {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        // The sheet is opaque, so that premultiplied colors equal the colors.
        let mut pixels = vec![0; self.pixmap.data().len() / 4 * 3];
        for (to, from) in pixels.chunks_exact_mut(3).zip(self.pixmap.data().chunks_exact(4)) {
            to.copy_from_slice(&from[..3]);
        }
        Picture { width, height, pixels }
    }
}

/// An 8-bit sRGB image.
#[derive(Debug)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<u8>,
}

impl Picture {
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        encoded(self.width, self.height, png::ColorType::Rgb, &self.pixels)
    }
}

/// An 8-bit gray image.
#[derive(Debug)]
pub struct Gray {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<u8>,
}

impl Gray {
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        encoded(self.width, self.height, png::ColorType::Grayscale, &self.pixels)
    }
}

fn encoded(width: u32, height: u32, color: png::ColorType, pixels: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}
