//! The picture of a part of a finished PDF: the front of a cover, for shops, or a page or two, for a preview.
//!
//! A PDF with large pictures needs much memory, so a separate process (`linepress picture-pdf`) makes the picture.
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::vello_cpu::Pixmap;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{RenderCache, RenderSettings, render};
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use linepress_child::{Command, Ended, Limits, confine, limit};
use serde::{Deserialize, Serialize};

use crate::PrintError;

/// The processor time that a picture may take, in seconds.
const PROCESSOR_SECONDS: u64 = 60;
/// The time after which the process is stopped.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The address space of the process: a sheet with four drawings of 600 pixels per inch takes less than half of it.
const MEMORY_LIMIT_BYTES: u64 = 2 << 30;
/// The largest picture. KDP takes covers of up to 50 MB.
const MAX_PICTURE_BYTES: u64 = 50_000_000;
/// The longest text that is read from the process's standard error.
const MAX_MESSAGE_BYTES: u64 = 64 * 1024;
/// The quality at which lines show no blocks around them.
const JPEG_QUALITY: u8 = 92;
/// The line between two excerpts that are side by side: its width in pixels, and its gray.
const FOLD_PIXELS: usize = 2;
const FOLD_GRAY: u8 = 0xb0;

/// A part of a page of a PDF, and the size of its picture. The part is measured from the top left corner of the page,
/// in shares of the page's width and height.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The index of the page, from 0.
    pub page: usize,
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    /// The length of the picture's longer side, in pixels.
    pub longest_side: u16,
}

impl Excerpt {
    /// A whole page.
    pub fn of_page(page: usize, longest_side: u16) -> Self {
        Self {
            page,
            left: 0.0,
            top: 0.0,
            width: 1.0,
            height: 1.0,
            longest_side,
        }
    }
}

/// The line before the file.
#[derive(Serialize, Deserialize)]
struct Header {
    excerpts: Vec<Excerpt>,
    bytes: usize,
}

/// Makes a picture of the excerpts, side by side, in a separate process, which has limits on time and memory.
pub(crate) async fn picture_apart(program: &Path, pdf: Bytes, excerpts: &[Excerpt]) -> Result<Vec<u8>, PrintError> {
    let pictured = tokio::time::timeout(TIMEOUT, picture_unlimited(program, pdf, excerpts)).await;
    let pictured = pictured.map_err(|_| PrintError::TimedOut(TIMEOUT))?;
    pictured.map_err(PrintError::io("run the process that pictures a PDF"))
}

async fn picture_unlimited(program: &Path, pdf: Bytes, excerpts: &[Excerpt]) -> io::Result<Vec<u8>> {
    let header = Header {
        excerpts: excerpts.to_vec(),
        bytes: pdf.len(),
    };
    let mut line = serde_json::to_vec(&header)?;
    line.push(b'\n');
    let command = Command {
        program,
        subcommand: "picture-pdf",
        threads: 1,
        output_bytes: MAX_PICTURE_BYTES,
        message_bytes: MAX_MESSAGE_BYTES,
    };
    let mut picture = Vec::new();
    let Ended { status, message, .. } = command.run([line.into(), pdf], &mut picture).await?;
    if !status.success() {
        return Err(io::Error::other(format!("it ended with {status}: {message}")));
    }
    Ok(picture)
}

/// Runs `linepress picture-pdf`: reads a file from standard input and writes its picture to standard output.
pub fn excerpt_child() -> ExitCode {
    match picture_input() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // When standard error is closed as well, the exit code still reports the failure.
            let _ = writeln!(io::stderr(), "{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn picture_input() -> anyhow::Result<()> {
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    let Header { excerpts, bytes } = serde_json::from_slice(&line)?;
    limit(Limits {
        memory_bytes: MEMORY_LIMIT_BYTES,
        processor_s: PROCESSOR_SECONDS,
    })?;
    confine(None)?;
    let mut pdf = vec![0; bytes];
    input.read_exact(&mut pdf)?;
    let picture = picture(pdf, &excerpts)?;
    let mut output = io::stdout().lock();
    output.write_all(&picture)?;
    Ok(output.flush()?)
}

/// The excerpts side by side, from left to right, as a JPEG in sRGB.
fn picture(pdf: Vec<u8>, excerpts: &[Excerpt]) -> anyhow::Result<Vec<u8>> {
    let pdf = Pdf::new(pdf).map_err(|error| anyhow::anyhow!("the PDF cannot be read: {error:?}"))?;
    let parts = excerpts.iter().map(|excerpt| Pixels::of_excerpt(&pdf, excerpt));
    let parts: Vec<Pixels> = parts.collect::<anyhow::Result<_>>()?;
    let Pixels { columns, rows, rgb } = Pixels::side_by_side(parts);
    let (width, height) = (u32::try_from(columns)?, u32::try_from(rows)?);
    let mut jpeg = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut jpeg, JPEG_QUALITY);
    encoder.encode(&rgb, width, height, ExtendedColorType::Rgb8)?;
    Ok(jpeg)
}

/// Pixels in sRGB, three bytes each, row by row.
struct Pixels {
    columns: usize,
    rows: usize,
    rgb: Vec<u8>,
}

impl Pixels {
    fn of_excerpt(pdf: &Pdf, excerpt: &Excerpt) -> anyhow::Result<Self> {
        let page = pdf.pages().get(excerpt.page).context("the PDF has no such page")?;
        let (width, height) = page.render_dimensions();
        let longest = (f64::from(width) * excerpt.width).max(f64::from(height) * excerpt.height);
        // A page is at most a few thousand points wide, so the loss of precision is far below a pixel.
        let scale = (f64::from(excerpt.longest_side) / longest) as f32;
        let settings = RenderSettings {
            x_scale: scale,
            y_scale: scale,
            bg_color: WHITE,
            ..RenderSettings::default()
        };
        let sheet = render(page, &RenderCache::new(), &InterpreterSettings::default(), &settings);
        let (left, columns) = span(excerpt.left, excerpt.width, sheet.width());
        let (top, rows) = span(excerpt.top, excerpt.height, sheet.height());
        Ok(Self {
            columns: columns.into(),
            rows: rows.into(),
            rgb: cut(&sheet, left, top, columns, rows),
        })
    }

    /// Puts parts side by side, with a line between them. A part that is lower than the others is white below.
    fn side_by_side(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let rows = parts.iter().map(|part| part.rows).max().unwrap_or_default();
        let mut rgb = Vec::new();
        for row in 0..rows {
            for (number, part) in parts.iter().enumerate() {
                if number > 0 {
                    rgb.extend([FOLD_GRAY; 3 * FOLD_PIXELS]);
                }
                let line = part.rgb.chunks_exact(3 * part.columns).nth(row);
                match line {
                    Some(line) => rgb.extend_from_slice(line),
                    None => rgb.extend(std::iter::repeat_n(u8::MAX, 3 * part.columns)),
                }
            }
        }
        let folds = FOLD_PIXELS * parts.len().saturating_sub(1);
        let columns = parts.iter().map(|part| part.columns).sum::<usize>() + folds;
        Self { columns, rows, rgb }
    }
}

/// The first pixel and the number of pixels of a share of a side, at least one and within the side.
fn span(start: f64, share: f64, side: u16) -> (u16, u16) {
    // The casts are of rounded numbers that are at most the side.
    let at = |share: f64| (share.clamp(0.0, 1.0) * f64::from(side)).round() as u16;
    let first = at(start).min(side.saturating_sub(1));
    (first, at(start + share).saturating_sub(first).max(1))
}

fn cut(sheet: &Pixmap, left: u16, top: u16, columns: u16, rows: u16) -> Vec<u8> {
    let (left, top) = (usize::from(left), usize::from(top));
    let lines = sheet.data_as_u8_slice().chunks_exact(4 * usize::from(sheet.width()));
    let within = |line: &[u8]| -> Vec<u8> {
        let pixels = line.chunks_exact(4).skip(left).take(usize::from(columns));
        // The sheet is opaque, so premultiplied colors are the colors.
        pixels.flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
    };
    lines.skip(top).take(usize::from(rows)).flat_map(within).collect()
}

#[cfg(test)]
mod tests {
    use lopdf::{Document, Object, Stream, dictionary};

    use super::*;

    /// A page of 200 x 100 points: red on its left half, black on its right half.
    fn sheet() -> Vec<u8> {
        let mut document = Document::with_version("1.4");
        let content = b"1 0 0 rg 0 0 100 100 re f 0 g 100 0 100 100 re f".to_vec();
        let content = document.add_object(Stream::new(dictionary! {}, content));
        let pages = document.new_object_id();
        let page = document.add_object(dictionary! {
            "Type" => "Page", "Parent" => pages, "Contents" => content,
            "MediaBox" => vec![0.into(), 0.into(), 200.into(), 100.into()],
        });
        let tree = dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 };
        document.objects.insert(pages, Object::Dictionary(tree));
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn an_excerpt_has_its_part_of_the_page_at_the_requested_size() {
        for (left, color) in [(0.0, [254, 0, 0]), (0.5, [0, 0, 0])] {
            let excerpt = Excerpt {
                page: 0,
                left,
                top: 0.1,
                width: 0.5,
                height: 0.8,
                longest_side: 500,
            };
            let picture = image::load_from_memory(&picture(sheet(), &[excerpt]).unwrap()).unwrap();
            let picture = picture.to_rgb8();
            assert_eq!(picture.dimensions(), (500, 400));
            let near = |pixel: [u8; 3]| pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 4);
            assert!(picture.pixels().all(|pixel| near(pixel.0)), "{left}");
        }
    }

    #[test]
    fn excerpts_are_side_by_side_with_a_line_between_them() {
        let half = |left, longest_side| Excerpt {
            left,
            width: 0.5,
            ..Excerpt::of_page(0, longest_side)
        };
        let picture = picture(sheet(), &[half(0.5, 200), half(0.0, 100)]).unwrap();
        let picture = image::load_from_memory(&picture).unwrap().to_rgb8();
        assert_eq!(picture.dimensions(), (302, 200));
        for (column, row, color) in [
            (100, 100, [0, 0, 0]),
            (252, 50, [254, 0, 0]),
            (252, 150, [255, 255, 255]),
        ] {
            let pixel = picture.get_pixel(column, row).0;
            let is_near = pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 8);
            assert!(is_near, "{column}, {row}: {pixel:?}");
        }
    }

    #[test]
    fn a_file_without_pages_is_an_error() {
        let excerpt = Excerpt::of_page(0, 10);
        for bytes in [b"".as_slice(), b"%PDF-1.4\n%%EOF", b"GIF89a"] {
            assert!(picture(bytes.to_vec(), &[excerpt]).is_err());
        }
    }
}
