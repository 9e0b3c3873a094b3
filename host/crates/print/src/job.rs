//! How a job travels to the child: one line of JSON with names and lengths, then the files, one after the other.
//!
//! Nothing touches a disk, so nothing is left behind when a child is killed.
use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::data::{COVER, DATA, data_json, drawing_path};
use crate::{PrintError, RenderJob};

/// What is said about a job before its files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) templates: PathBuf,
    pub(crate) template: String,
    pub(crate) title: String,
    pub(crate) author: String,
    pub(crate) description: String,
    pub(crate) language: String,
    pub(crate) trim_width_um: u32,
    pub(crate) trim_height_um: u32,
    pub(crate) bleed_um: u32,
    pub(crate) memory_limit_bytes: u64,
    pub(crate) processor_limit_s: u64,
    /// The virtual name and the length of each file that follows.
    files: Vec<(String, usize)>,
}

/// A job as the child sees it.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) header: Header,
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// Every part of a job, in the order in which it is written.
pub(crate) fn parts(
    job: &RenderJob<'_>,
    memory_limit_bytes: u64,
    processor_limit_s: u64,
) -> Result<Vec<bytes::Bytes>, PrintError> {
    let mut files = vec![(DATA.to_owned(), bytes::Bytes::from(data_json(job)?))];
    files.extend(job.book.cover.iter().map(|cover| (COVER.to_owned(), cover.clone())));
    let drawings = job.book.drawings.iter().enumerate();
    files.extend(drawings.map(|(index, drawing)| (drawing_path(index), drawing.master.clone())));
    let header = Header {
        templates: job.templates.to_owned(),
        template: job.format.template.clone(),
        title: job.book.title.clone(),
        author: job.book.author.clone(),
        description: job.book.description.clone(),
        language: job.book.language.clone(),
        trim_width_um: job.format.trim_width_um,
        trim_height_um: job.format.trim_height_um,
        bleed_um: job.format.bleed_um,
        memory_limit_bytes,
        processor_limit_s,
        files: files.iter().map(|(name, bytes)| (name.clone(), bytes.len())).collect(),
    };
    let mut line = serde_json::to_vec(&header)
        .map_err(io::Error::from)
        .map_err(PrintError::io("describe the job"))?;
    line.push(b'\n');
    Ok(std::iter::once(line.into())
        .chain(files.into_iter().map(|(_, bytes)| bytes))
        .collect())
}

/// Reads the header; `files` reads the rest once the child has limited itself.
pub(crate) fn read_header(input: &mut impl BufRead) -> io::Result<Header> {
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    serde_json::from_slice(&line).map_err(io::Error::from)
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
