//! How jobs travel to the child: a line of JSON with names and lengths, then the files, one after the other; and back, a line
//! that says how it ended, then the PDF.
//!
//! Nothing touches a disk, so nothing is left behind when a child is killed.
use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use linepress_printers::{Part, file_rules};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::data::{COVER, DATA, data_json, drawing_path};
use crate::world::system_font_path;
use crate::{PrintError, RenderJob};

/// The first line that a child gets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Setup {
    pub(crate) templates: PathBuf,
    pub(crate) memory_limit_bytes: u64,
    pub(crate) processor_limit_s: u64,
}

/// What is said about a job before its files.
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
    pub(crate) tagged: bool,
    /// How fine a drawing may be printed, in pixels per inch.
    pub(crate) most_ppi: Option<u32>,
    /// The virtual name and the length of each file that follows.
    files: Vec<(String, usize)>,
}

/// A job as the child sees it.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) header: Header,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// How a job ended: a line, and then the PDF, if there is one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ending {
    pub(crate) outcome: Outcome,
    /// Diagnostics, as lines.
    pub(crate) message: String,
    /// How long the PDF is.
    pub(crate) bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Printed,
    /// The template is to blame.
    Template,
    /// No font has the characters of the message.
    Glyphs,
    /// The machine is.
    Machine,
}

/// A value as a line.
pub(crate) fn line_of(value: &impl Serialize) -> Result<Vec<u8>, PrintError> {
    let mut line = serde_json::to_vec(value)
        .map_err(io::Error::from)
        .map_err(PrintError::io("describe the job"))?;
    line.push(b'\n');
    Ok(line)
}

/// Every part of a job, in the order in which it is written.
/// `fonts` are those of the system, each with the index of its face.
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
        tagged: job.is_tagged(),
        most_ppi: match job.purpose.part {
            Part::Cover => None,
            Part::Interior | Part::Book => file_rules(job.purpose.edition).most_ppi,
        },
        files: files.iter().map(|(name, bytes)| (name.clone(), bytes.len())).collect(),
    };
    Ok(std::iter::once(line_of(&header)?.into())
        .chain(files.into_iter().map(|(_, bytes)| bytes))
        .collect())
}

/// Reads a line; nothing at the end of the input.
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
