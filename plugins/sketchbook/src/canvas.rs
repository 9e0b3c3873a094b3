//! The raster that figures are painted on, and the finished image.

use png::{BitDepth, ColorType, DeflateCompression, EncodingError, Filter};
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
        Some(Self {
            pixmap: filled(columns, rows, Color::WHITE)?,
            pen: (pen * scale).max(1.0),
            view: Transform::from_scale(scale, scale),
            mask: None,
        })
    }

    /// Returns a sheet in color, filled with one color. `None` if a side is 0 pixels.
    pub fn in_color(width: u32, height: u32, pen: f32, ground: Rgb) -> Option<Self> {
        Some(Self {
            pixmap: filled(width, height, ground.opaque())?,
            pen: pen.max(1.0),
            view: Transform::identity(),
            mask: Some(Mask::new(width, height)?),
        })
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
        let Some(clip) = &layer.fill else {
            for (path, color) in &layer.tones {
                self.fill(path, *color);
            }
            return;
        };
        let bounds = clip.bounds();
        let short = bounds.width().min(bounds.height());
        // Narrow shapes are too small for a second tone.
        let is_wide = short > self.pen * 4.0;
        if layer.tones.is_empty() && !is_wide {
            return;
        }
        let Some(mut mask) = self.mask.take() else { return };
        mask.fill_path(clip, FillRule::EvenOdd, true, self.view);
        for (path, color) in &layer.tones {
            let mut paint = Paint::default();
            paint.set_color(*color);
            self.pixmap
                .fill_path(path, &paint, FillRule::EvenOdd, self.view, Some(&mask));
            // Neighboring tones overlap a little, so that nothing shines through between them.
            self.pixmap
                .stroke_path(path, &paint, &Stroke::default(), self.view, Some(&mask));
        }
        if is_wide {
            let way = (short * 0.075).clamp(self.pen * 0.7, self.pen * 3.2);
            self.crescent(clip, -way, shade(), &mask);
            self.crescent(clip, way, shine(), &mask);
        }
        clear(&mut mask, bounds);
        self.mask = Some(mask);
    }

    /// Paints the part of a fill that a copy of it, shifted down and to the right, does not cover.
    fn crescent(&mut self, fill: &Path, shift: f32, color: Color, mask: &Mask) {
        let Some(moved) = fill.clone().transform(Transform::from_translate(shift, shift)) else {
            return;
        };
        let mut crescent = PathBuilder::new();
        crescent.push_path(fill);
        crescent.push_path(&moved);
        if let Some(crescent) = crescent.finish() {
            let mut paint = Paint::default();
            paint.set_color(color);
            self.pixmap
                .fill_path(&crescent, &paint, FillRule::EvenOdd, self.view, Some(mask));
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
        if self.view.is_identity() {
            self.pixmap.stroke_path(path, &paint, &stroke, self.view, None);
        } else if let Some(path) = path.clone().transform(self.view) {
            // The path is scaled before it is stroked: the width of the pen must not scale with it.
            self.pixmap
                .stroke_path(&path, &paint, &stroke, Transform::identity(), None);
        }
    }

    /// Converts the sheet to 8-bit gray.
    pub fn gray(self) -> Gray {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        // The sheet has no color, so that each channel equals the gray value.
        let pixels = with_channels::<1>(self.pixmap);
        Gray { width, height, pixels }
    }
}

/// Returns a sheet of one color. `None` if a side is 0 pixels.
fn filled(width: u32, height: u32, color: Color) -> Option<Pixmap> {
    let mut pixmap = Pixmap::new(width, height)?;
    pixmap.fill(color);
    Some(pixmap)
}

/// Returns the first channels of each pixel, in the memory of the sheet.
fn with_channels<const N: usize>(sheet: Pixmap) -> Vec<u8> {
    let mut data = sheet.take();
    let pixels = data.len() / 4;
    for pixel in 0..pixels {
        data.copy_within(pixel * 4..pixel * 4 + N, pixel * N);
    }
    data.truncate(pixels * N);
    data
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
        let pixels = with_channels::<3>(self.pixmap);
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
    pub fn png(&self) -> Result<Vec<u8>, EncodingError> {
        encoded(self.width, self.height, ColorType::Rgb, &self.pixels)
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
    pub fn png(&self) -> Result<Vec<u8>, EncodingError> {
        encoded(self.width, self.height, ColorType::Grayscale, &self.pixels)
    }
}

fn encoded(width: u32, height: u32, color: ColorType, pixels: &[u8]) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    // Surfaces of one color are smaller without a filter, and higher levels save less than 5%.
    encoder.set_filter(Filter::NoFilter);
    encoder.set_deflate_compression(DeflateCompression::Level(4));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}
