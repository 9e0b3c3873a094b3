//! Functions that the testbed's image providers share: a description, and a simple valid drawing.
use std::io::Cursor;

use linepress_plugin_sdk::image::{Aspect, Description, DrawRequest, Drawing, Media};

/// Half the width of a line in pixels.
const PEN: u32 = 4;

/// Minimum side of a panel in pixels. Smaller panels would be hard to color.
const MIN_PANEL_SIDE: u32 = 160;

/// The text before the version in [`VERSION`].
const VERSION_MARK: &str = "testbed-version=";

/// Bytes of [`VERSION`]; those after the version are zero.
const VERSION_BYTES: usize = 48;

/// The version of the component, after a mark. A test finds the mark in a built component and replaces the version, so
/// that the component reports that of a changed manifest.
static VERSION: [u8; VERSION_BYTES] = marked(env!("CARGO_PKG_VERSION"));

const fn marked(version: &str) -> [u8; VERSION_BYTES] {
    let (mark, version) = (VERSION_MARK.as_bytes(), version.as_bytes());
    let mut bytes = [0; VERSION_BYTES];
    let mut at = 0;
    while at < mark.len() + version.len() {
        bytes[at] = if at < mark.len() {
            mark[at]
        } else {
            version[at - mark.len()]
        };
        at += 1;
    }
    bytes
}

/// Reads the version in the component. Without the black box, the compiler would move its bytes into the code.
fn version() -> String {
    let version = &std::hint::black_box(&VERSION)[VERSION_MARK.len()..];
    let version = version.iter().take_while(|byte| **byte != 0).copied();
    String::from_utf8(version.collect()).expect("a version is text")
}

/// Returns the description of a provider that draws every aspect. The id is also its name.
pub fn describe(id: &str) -> Description {
    Description {
        id: id.into(),
        name: id.into(),
        version: version(),
        aspects: vec![Aspect::Square, Aspect::Portrait, Aspect::Landscape],
        max_references: 1,
        extra: Vec::new(),
    }
}

/// Draws a page of panels in the requested size. The seed determines the panels.
pub fn drawing(request: &DrawRequest) -> Drawing {
    let mut page = Page::new(request.size.width, request.size.height);
    let mut seed = request.seed;
    page.cut(
        Panel {
            left: 0,
            top: 0,
            right: page.width,
            bottom: page.height,
        },
        &mut seed,
    );
    Drawing {
        image: Media {
            media_type: "image/png".into(),
            bytes: page.png(),
        },
        extra: request
            .source
            .iter()
            .map(|source| source_note(source, request))
            .collect(),
    }
}

/// Draws a page like [`drawing`] in color: blue panels between yellow lines.
pub fn drawing_in_color(request: &DrawRequest) -> Drawing {
    const PALETTE: [u8; 6] = [250, 210, 30, 20, 80, 220];
    let mut drawing = drawing(request);
    let mut reader = png::Decoder::new(Cursor::new(&drawing.image.bytes))
        .read_info()
        .expect("a drawing is a PNG");
    let mut bits = vec![0; reader.output_buffer_size().expect("a drawing fits into memory")];
    reader.next_frame(&mut bits).expect("a drawing is complete");
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, request.size.width, request.size.height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::One);
    encoder.set_palette(PALETTE.as_slice());
    let mut writer = encoder.write_header().expect("a drawing has at least one pixel");
    writer.write_image_data(&bits).expect("the rows fill the page");
    writer.finish().expect("memory takes every byte");
    drawing.image.bytes = file;
    drawing
}

/// Draws an empty page.
pub fn blank(request: &DrawRequest) -> Drawing {
    Drawing {
        image: Media {
            media_type: "image/png".into(),
            bytes: Page::new(request.size.width, request.size.height).png(),
        },
        extra: Vec::new(),
    }
}

/// Returns a note about the source that the page is to be drawn from, and about what to change in it.
fn source_note(source: &Media, request: &DrawRequest) -> (String, String) {
    let begins = if source.bytes.starts_with(&[0xFF, 0xD8]) {
        "a JPEG"
    } else {
        "something else"
    };
    let instruction = request.extra.iter().find(|(name, _)| name == "instruction");
    let change = instruction.map_or_else(String::new, |(_, change)| format!(", with the change {change:?}"));
    (
        "note".into(),
        format!("drawn from {}, which is {begins}{change}", source.media_type),
    )
}

/// A white page with one bit per pixel. A set bit is white.
struct Page {
    width: u32,
    height: u32,
    row: usize,
    bits: Vec<u8>,
}

struct Panel {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

impl Page {
    fn new(width: u32, height: u32) -> Self {
        let row = width.div_ceil(8) as usize;
        Self {
            width,
            height,
            row,
            bits: vec![0xff; row * height as usize],
        }
    }

    /// Divides a panel across its longer side, and then divides both parts again.
    fn cut(&mut self, panel: Panel, seed: &mut u64) {
        let Panel {
            left,
            top,
            right,
            bottom,
        } = panel;
        let (width, height) = (right - left, bottom - top);
        if width.max(height) < 2 * MIN_PANEL_SIDE {
            return;
        }
        if width > height {
            let at = left + between(MIN_PANEL_SIDE, width - MIN_PANEL_SIDE, seed);
            self.ink(at - PEN, top, at + PEN, bottom);
            self.cut(Panel { right: at, ..panel }, seed);
            self.cut(Panel { left: at, ..panel }, seed);
        } else {
            let at = top + between(MIN_PANEL_SIDE, height - MIN_PANEL_SIDE, seed);
            self.ink(left, at - PEN, right, at + PEN);
            self.cut(Panel { bottom: at, ..panel }, seed);
            self.cut(Panel { top: at, ..panel }, seed);
        }
    }

    fn ink(&mut self, left: u32, top: u32, right: u32, bottom: u32) {
        for row in self
            .bits
            .chunks_exact_mut(self.row)
            .take(bottom as usize)
            .skip(top as usize)
        {
            for x in left..right {
                row[x as usize / 8] &= !(0x80 >> (x % 8));
            }
        }
    }

    fn png(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::One);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().expect("a drawing has at least one pixel");
        writer.write_image_data(&self.bits).expect("the rows fill the page");
        writer.finish().expect("memory takes every byte");
        file
    }
}

/// Returns a pseudorandom number from `low` to `high`, and advances the seed (splitmix64).
fn between(low: u32, high: u32, seed: &mut u64) -> u32 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *seed;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    low + (mixed % u64::from(high - low + 1)) as u32
}
