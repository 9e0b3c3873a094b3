//! The protocol between the parent and the typesetting process.
//!
//! The parent sends a job as a line of JSON with names and lengths, followed by the files. The process answers with a
//! line of JSON for the outcome, followed by the PDF. Nothing is written to disk, so a killed process leaves no files
//! behind.
use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use linepress_printers::{Direction, Part, ends_at_binding, file_rules};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::barcode::Barcode;
use crate::data::{COVER, DATA, data_json, drawing_path};
use crate::world::system_font_path;
use crate::{PrintError, RenderJob};

/// The first line that the process receives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Setup {
    pub(crate) templates: PathBuf,
    pub(crate) memory_limit_bytes: u64,
    pub(crate) processor_limit_s: u64,
}

/// The description of a job, sent before its files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) template: String,
    pub(crate) title: String,
    pub(crate) author: String,
    pub(crate) description: String,
    pub(crate) language: String,
    pub(crate) trim_width_um: u32,
    pub(crate) trim_height_um: u32,
    pub(crate) bleed_um: u32,
    /// The edge of the first page at which the sheet ends without bleed; the pages alternate. `None` where pages bleed
    /// on all four sides.
    pub(crate) bound: Option<Edge>,
    pub(crate) tagged: bool,
    /// The highest resolution at which a drawing may be printed, in pixels per inch.
    pub(crate) most_ppi: Option<u32>,
    /// The barcode that is printed on the cover.
    pub(crate) barcode: Option<Barcode>,
    /// The virtual name and the length of each file that follows.
    files: Vec<(String, usize)>,
}

/// A vertical edge of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Edge {
    Left,
    Right,
}

/// A job as the typesetting process received it.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) header: Header,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// The end of a job: sent as one line, followed by the PDF if there is one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ending {
    pub(crate) outcome: Outcome,
    /// Typst's diagnostics, one per line, or the missing characters.
    pub(crate) message: String,
    /// The length of the PDF.
    pub(crate) bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Printed,
    /// The template has errors.
    Template,
    /// No font has a glyph for the characters in the message.
    Glyphs,
    /// The machine or the typesetting process failed.
    Machine,
}

/// Serializes a value as one line of JSON.
pub(crate) fn line_of(value: &impl Serialize) -> Result<Vec<u8>, PrintError> {
    let mut line = serde_json::to_vec(value)
        .map_err(io::Error::from)
        .map_err(PrintError::io("serialize the job"))?;
    line.push(b'\n');
    Ok(line)
}

/// Returns every part of a job, in the order in which it is sent. `fonts` are the system fonts that the job needs, each
/// with the index of its face.
pub(crate) fn parts(job: &RenderJob<'_>, fonts: Vec<(u32, bytes::Bytes)>) -> Result<Vec<bytes::Bytes>, PrintError> {
    let mut files = vec![(DATA.to_owned(), bytes::Bytes::from(data_json(job)?))];
    files.extend(job.book.cover.iter().map(|cover| (COVER.to_owned(), cover.clone())));
    let drawings = job.book.drawings.iter().enumerate();
    files.extend(drawings.map(|(index, drawing)| (drawing_path(index), drawing.master.clone())));
    let fonts = fonts.into_iter().enumerate();
    files.extend(fonts.map(|(number, (index, bytes))| (system_font_path(number, index), bytes)));
    let (size, bleed_um) = match job.sheet() {
        Some(sheet) => (sheet.size, sheet.bleed),
        None => (job.trim(), job.bleed()),
    };
    let header = Header {
        template: job.template().to_owned(),
        title: job.book.title.clone(),
        author: job.book.author.clone(),
        description: job.book.description.clone(),
        language: job.book.language.clone(),
        trim_width_um: size.width,
        trim_height_um: size.height,
        bleed_um,
        bound: bound_edge(job),
        tagged: job.is_tagged(),
        most_ppi: match job.purpose.part {
            Part::Cover => None,
            Part::Interior | Part::Book => file_rules(job.purpose.edition).most_ppi,
        },
        barcode: job
            .sheet()
            .and_then(|sheet| Barcode::new(&job.book.isbn, sheet.barcode.into())),
        files: files.iter().map(|(name, bytes)| (name.clone(), bytes.len())).collect(),
    };
    Ok(std::iter::once(line_of(&header)?.into())
        .chain(files.into_iter().map(|(_, bytes)| bytes))
        .collect())
}

/// The bound edge of the first page, where the printer accepts no bleed at the binding.
fn bound_edge(job: &RenderJob<'_>) -> Option<Edge> {
    let is_cover = job.purpose.part == Part::Cover;
    let edge = match job.direction() {
        Direction::LeftToRight => Edge::Left,
        Direction::RightToLeft => Edge::Right,
    };
    (!is_cover && ends_at_binding(job.purpose.edition)).then_some(edge)
}

/// Reads one line of JSON, or `None` at the end of the input.
pub(crate) fn read_line<T: DeserializeOwned>(input: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&line).map(Some).map_err(io::Error::from)
}

pub(crate) fn read_files(header: Header, input: &mut impl Read) -> io::Result<Job> {
    let mut files = Vec::with_capacity(header.files.len());
    for (name, length) in &header.files {
        let mut bytes = vec![0; *length];
        input.read_exact(&mut bytes)?;
        files.push((name.clone(), bytes));
    }
    Ok(Job { header, files })
}
