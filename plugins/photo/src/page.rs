//! Drawing of a page for a request.

use std::io::Cursor;

use image::{GrayImage, ImageFormat};
use linepress_plugin_sdk::image::{DrawError, DrawRequest, Purpose};
use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke as Pen, Transform};

use crate::crop::Part;
use crate::lines::lines;
use crate::part::{beside, part};
use crate::source;
use crate::spots::Outline;
use crate::strokes::Stroke;
use crate::style::Style;

/// Maximum side of a page in pixels. Larger pages would exceed the memory limit of a plugin.
const MAX_SIDE: u32 = 4096;
/// Minimum side of a page in pixels.
const MIN_SIDE: u32 = 64;
/// Short side in pixels of the page for which pen widths are given: the live area of a letter page, 7.875 inches, at
/// 300 dpi.
const REFERENCE_SHORT_SIDE: f32 = 7.875 * 300.0;
/// Width of the white margin, as a fraction of the shorter side.
const MARGIN: f32 = 0.02;
/// Minimum length of all lines together, as a fraction of the longer side of the photograph. Less is an empty page in a
/// frame, which must not be charged.
const MIN_TOTAL_LENGTH: f32 = 0.5;
/// Maximum radius of a spot that is filled, in widths of the pen. There is no room to color in it, and it is too small
/// to count as a filled area, which the host refuses.
const MAX_SOLID_RADIUS: f32 = 2.0;

/// Draws the page as an 8-bit grayscale PNG of exactly the requested size. Returns [`DrawError::Invalid`] without a
/// usable source, and for a photograph without shapes.
pub fn draw(request: &DrawRequest) -> Result<Vec<u8>, DrawError> {
    let (width, height) = (request.size.width, request.size.height);
    let allowed = MIN_SIDE..=MAX_SIDE;
    if !allowed.contains(&width) || !allowed.contains(&height) {
        return Err(DrawError::Invalid(format!(
            "cannot draw {width}x{height}: each side must be {MIN_SIDE} to {MAX_SIDE} pixels"
        )));
    }
    let Some(photograph) = &request.source else {
        return Err(DrawError::Invalid(
            "source is missing: this provider needs a photograph to draw from".to_string(),
        ));
    };
    let style = Style::for_request(request);
    let picture = source::read(&photograph.bytes, style.working_side)?;
    let is_character = request.purpose == Purpose::Character;
    let found = lines(&picture, &style, is_character);
    let longer = picture.luma.width.max(picture.luma.height) as f32;
    let all = found
        .strokes
        .iter()
        .chain(found.outlines.iter().map(|outline| &outline.stroke));
    if all.map(Stroke::length).sum::<f32>() < MIN_TOTAL_LENGTH * longer {
        return Err(DrawError::Invalid(
            "the photograph has hardly any outlines, so the page would be empty: use one with clearer shapes"
                .to_string(),
        ));
    }
    let shape = (picture.luma.width as f32, picture.luma.height as f32);
    let sheet = Sheet::new((width, height), shape, found.subject, &style, is_character);
    png(sheet.paint(&found.strokes, &found.outlines)?)
}

/// A white page with the picture in its center.
struct Sheet {
    size: (u32, u32),
    pen: f32,
    /// Transformation from working pixels to pixels of the page.
    view: Transform,
    /// The part of the page that the photograph covers. A character has no edge: it is the model for drawings on other
    /// pages, which would copy it.
    edge: Option<Rect>,
    /// True if a line along the edge closes the shapes that it cuts off.
    framed: bool,
}

impl Sheet {
    fn new(size: (u32, u32), picture: (f32, f32), subject: Part, style: &Style, is_character: bool) -> Self {
        let (width, height) = (size.0 as f32, size.1 as f32);
        let short = width.min(height);
        // A line of less than two pixels would break when the page is converted to black and white.
        let pen = (style.pen * short / REFERENCE_SHORT_SIDE).max(2.0);
        let margin = short * MARGIN + pen;
        let room = (width - 2.0 * margin, height - 2.0 * margin);
        let part = if is_character {
            subject
        } else {
            subject.widened(picture, room.0 / room.1)
        };
        let scale = (room.0 / part.width).min(room.1 / part.height);
        let (across, down) = (part.width * scale, part.height * scale);
        let (left, top) = ((width - across) / 2.0, (height - down) / 2.0);
        let edge = Rect::from_xywh(left, top, across, down);
        Self {
            size,
            pen,
            view: Transform::from_translate(left, top)
                .pre_scale(scale, scale)
                .pre_translate(-part.left, -part.top),
            edge: edge.filter(|_| !is_character),
            framed: style.framed,
        }
    }

    /// The page outside the photograph.
    fn surroundings(&self) -> Option<Path> {
        let mut path = PathBuilder::new();
        path.push_rect(Rect::from_xywh(0.0, 0.0, self.size.0 as f32, self.size.1 as f32)?);
        path.push_rect(self.edge?);
        path.finish()
    }

    fn paint(&self, strokes: &[Stroke], outlines: &[Outline]) -> Result<GrayImage, DrawError> {
        let no_room = || DrawError::Other("a page of this size does not fit into memory".to_string());
        let mut pixmap = Pixmap::new(self.size.0, self.size.1).ok_or_else(no_room)?;
        pixmap.fill(Color::WHITE);
        let mut ink = Paint::default();
        ink.set_color(Color::BLACK);
        let pen = Pen {
            width: self.pen,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Pen::default()
        };
        let identity = Transform::identity();
        let lines = strokes.iter().chain(outlines.iter().map(|outline| &outline.stroke));
        for path in lines.filter_map(|stroke| self.path(stroke)) {
            pixmap.stroke_path(&path, &ink, &pen, identity, None);
        }
        let scale = self.view.get_scale().0;
        let is_solid = |outline: &&Outline| outline.radius * scale <= MAX_SOLID_RADIUS * self.pen;
        let solid = outlines.iter().filter(is_solid);
        for path in solid.filter_map(|outline| self.path(&outline.stroke)) {
            pixmap.fill_path(&path, &ink, FillRule::Winding, identity, None);
        }
        if let Some(path) = self.surroundings() {
            let mut white = Paint::default();
            white.set_color(Color::WHITE);
            pixmap.fill_path(&path, &white, FillRule::EvenOdd, identity, None);
        }
        if let Some(edge) = self.edge.filter(|_| self.framed) {
            pixmap.stroke_path(&PathBuilder::from_rect(edge), &ink, &pen, identity, None);
        }
        // The picture has no color, so any channel is the gray value.
        let pixels = pixmap.data().iter().step_by(4).copied().collect();
        let mut sheet = GrayImage::from_raw(self.size.0, self.size.1, pixels).ok_or_else(no_room)?;
        close_specks(&mut sheet, (self.pen * self.pen * 1.5) as usize);
        Ok(sheet)
    }

    fn path(&self, stroke: &Stroke) -> Option<Path> {
        path(stroke)?.transform(self.view)
    }
}

/// Converts a stroke to quadratic curves through the midpoints of its points, with the points as control points.
fn path(stroke: &Stroke) -> Option<Path> {
    let points = &stroke.points;
    let (first, last) = (points.first()?, points.last()?);
    let mut path = PathBuilder::new();
    path.move_to(first.0, first.1);
    for pair in points.windows(2).skip(1) {
        let (handle, next) = (pair[0], pair[1]);
        path.quad_to(handle.0, handle.1, (handle.0 + next.0) / 2.0, (handle.1 + next.1) / 2.0);
    }
    path.line_to(last.0, last.1);
    path.finish()
}

/// Fills white areas of fewer than `min_pixels` pixels, which are gaps between lines and too small to color.
fn close_specks(sheet: &mut GrayImage, min_pixels: usize) {
    let (width, height) = (sheet.width() as usize, sheet.height() as usize);
    let pixels: &mut [u8] = sheet;
    let mut seen = vec![false; pixels.len()];
    for start in 0..pixels.len() {
        if seen[start] || pixels[start] < 128 {
            continue;
        }
        let is_white = |near: &usize| pixels[*near] >= 128;
        let part = part(start, &mut seen, |index| {
            beside((width, height), index).filter(is_white)
        });
        if part.len() < min_pixels {
            for index in part {
                pixels[index] = 0;
            }
        }
    }
}

fn png(sheet: GrayImage) -> Result<Vec<u8>, DrawError> {
    let mut bytes = Cursor::new(Vec::new());
    sheet
        .write_to(&mut bytes, ImageFormat::Png)
        .map_err(|error| DrawError::Other(format!("the PNG could not be written: {error}")))?;
    Ok(bytes.into_inner())
}
