//! From a request to the pixels of a page.

use std::io::Cursor;

use image::{GrayImage, ImageFormat};
use linepress_plugin_sdk::image::{DrawError, DrawRequest};
use tiny_skia::{Color, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke as Pen, Transform};

use crate::flow::flow;
use crate::plane::Plane;
use crate::smooth::{evened, smooth};
use crate::strokes::{Measures, Stroke, strokes};
use crate::style::Style;
use crate::thin::thin;
use crate::{edges, source};

/// Larger sheets would not fit the memory of a plugin.
const LARGEST_SIDE: u32 = 4096;
const SMALLEST_SIDE: u32 = 64;
/// The live area of a letter page is 7.875 inches wide, and pens are given for 300 dots an inch.
const SHORT_SIDE: f32 = 7.875 * 300.0;
/// The white around the picture, as a share of the shorter side.
const MARGIN: f32 = 0.02;

/// The page as PNG, 8-bit gray, of exactly the requested size.
pub fn draw(request: &DrawRequest) -> Result<Vec<u8>, DrawError> {
    let (width, height) = (request.size.width, request.size.height);
    let allowed = SMALLEST_SIDE..=LARGEST_SIDE;
    if !allowed.contains(&width) || !allowed.contains(&height) {
        return Err(DrawError::Invalid(format!(
            "cannot draw {width}x{height}: sides are {SMALLEST_SIDE} to {LARGEST_SIDE} pixels"
        )));
    }
    let Some(photograph) = &request.source else {
        return Err(DrawError::Invalid(
            "a photograph is needed: source is missing".to_string(),
        ));
    };
    let style = Style::of(request.audience);
    let picture = source::read(&photograph.bytes, style.working_side)?;
    let strokes = lines_of(&picture, &style);
    let sheet = Sheet::new((width, height), (picture.width as f32, picture.height as f32), &style);
    png(sheet.paint(&strokes)?)
}

fn lines_of(picture: &Plane, style: &Style) -> Vec<Stroke> {
    let smooth = evened(&smooth(picture, style.texture, style.contrast));
    let flow = flow(&smooth, 2.5);
    let response = edges::response(&smooth, &flow, style.sigma);
    let mut line = edges::lines(&response, style.strong, style.weak);
    thin(&mut line, picture.width);
    let longer = picture.width.max(picture.height) as f32;
    let measures = Measures {
        shortest: style.shortest * longer,
        widest_gap: style.widest_gap * longer,
    };
    strokes(line, picture.width, measures)
}

/// A white sheet with the picture in its middle.
struct Sheet {
    size: (u32, u32),
    pen: f32,
    /// From working pixels to the sheet.
    view: Transform,
    frame: Option<Rect>,
}

impl Sheet {
    fn new(size: (u32, u32), picture: (f32, f32), style: &Style) -> Self {
        let (width, height) = (size.0 as f32, size.1 as f32);
        let short = width.min(height);
        // Below two pixels a line would break when it is made black and white.
        let pen = (style.pen * short / SHORT_SIDE).max(2.0);
        let margin = short * MARGIN + pen;
        let scale = ((width - 2.0 * margin) / picture.0).min((height - 2.0 * margin) / picture.1);
        let (left, top) = ((width - picture.0 * scale) / 2.0, (height - picture.1 * scale) / 2.0);
        Self {
            size,
            pen,
            view: Transform::from_translate(left, top).pre_scale(scale, scale),
            frame: Rect::from_xywh(left, top, picture.0 * scale, picture.1 * scale),
        }
    }

    fn paint(&self, strokes: &[Stroke]) -> Result<GrayImage, DrawError> {
        let no_room = || DrawError::Other("no room for a sheet of this size".to_string());
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
        let frame = self.frame.map(PathBuilder::from_rect);
        let lines = strokes
            .iter()
            .filter_map(path)
            .filter_map(|path| path.transform(self.view));
        for path in lines.chain(frame) {
            pixmap.stroke_path(&path, &ink, &pen, Transform::identity(), None);
        }
        // Black on white without color: any channel is the gray value.
        let pixels = pixmap.data().iter().step_by(4).copied().collect();
        let mut sheet = GrayImage::from_raw(self.size.0, self.size.1, pixels).ok_or_else(no_room)?;
        close_specks(&mut sheet, (self.pen * self.pen * 1.5) as usize);
        Ok(sheet)
    }
}

/// Through the middles between the points, which are its handles.
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

/// White spots of fewer pixels are gaps between lines, not something to color.
fn close_specks(sheet: &mut GrayImage, smallest: usize) {
    let (width, height) = (sheet.width() as usize, sheet.height() as usize);
    let pixels: &mut [u8] = sheet;
    let mut seen = vec![false; pixels.len()];
    for start in 0..pixels.len() {
        if seen[start] || pixels[start] < 128 {
            continue;
        }
        let mut part = vec![start];
        seen[start] = true;
        let mut next = 0;
        while let Some(index) = part.get(next).copied() {
            next += 1;
            let (x, y) = (index % width, index / width);
            let near = [
                (x > 0).then(|| index - 1),
                (x + 1 < width).then(|| index + 1),
                (y > 0).then(|| index - width),
                (y + 1 < height).then(|| index + width),
            ];
            for near in near.into_iter().flatten() {
                if !seen[near] && pixels[near] >= 128 {
                    seen[near] = true;
                    part.push(near);
                }
            }
        }
        if part.len() < smallest {
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
