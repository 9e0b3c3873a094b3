//! The raster that figures are painted on, and the finished gray image.

use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, Path, Pixmap, Stroke, Transform};

use crate::figure::{Figure, Layer};

#[derive(Debug)]
pub struct Canvas {
    pixmap: Pixmap,
    pen: f32,
    view: Transform,
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
        })
    }

    pub fn paint(&mut self, figure: &Figure) {
        for layer in &figure.layers {
            self.layer(layer);
        }
    }

    pub fn layer(&mut self, layer: &Layer) {
        if let Some(path) = &layer.fill {
            self.fill(path, Color::WHITE);
        }
        if let Some(path) = &layer.line {
            self.stroke(path, self.pen);
        }
        if let Some(path) = &layer.solid {
            self.fill(path, Color::BLACK);
            self.stroke(path, self.pen * 0.5);
        }
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
        let pixels = self.pixmap.data().iter().step_by(4).copied().collect();
        Gray { width, height, pixels }
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
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(bytes)
    }
}
