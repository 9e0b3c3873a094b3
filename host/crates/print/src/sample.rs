//! The sample book of a layout, as files next to its templates, so that Typst and editors work without a server.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::data::{COVER, DATA, data_json, drawing_path};
use crate::{PrintError, RenderJob};

/// Writes the files that a server would pass to the templates into a folder, and returns their paths. `jobs` are one
/// book in several formats. `data.json` holds all the formats, and the sheet of `cover` if it is given. The artwork is
/// written next to it.
pub fn write_sample(
    folder: &Path,
    jobs: &[RenderJob<'_>],
    cover: Option<&RenderJob<'_>>,
) -> Result<Vec<PathBuf>, PrintError> {
    let data = sample_data(jobs, cover)?;
    let mut files = vec![(DATA.to_owned(), data)];
    if let Some(job) = jobs.first() {
        files.extend(job.book.cover.iter().map(|cover| (COVER.to_owned(), cover.to_vec())));
        let drawings = job.book.drawings.iter().enumerate();
        files.extend(drawings.map(|(index, drawing)| (drawing_path(index), drawing.master.to_vec())));
    }
    let write = |(name, content): (String, Vec<u8>)| -> io::Result<PathBuf> {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(&path, content)?;
        Ok(path)
    };
    let written: io::Result<Vec<_>> = files.into_iter().map(write).collect();
    written.map_err(PrintError::io("write the sample"))
}

/// Returns the data of the first job, with the formats of all jobs.
fn sample_data(jobs: &[RenderJob<'_>], cover: Option<&RenderJob<'_>>) -> Result<Vec<u8>, PrintError> {
    let mut all = Value::Object(Map::new());
    for job in jobs {
        let mut data = parsed(&data_json(job)?)?;
        match all.get_mut("formats").and_then(Value::as_object_mut) {
            None => all = data,
            Some(formats) => {
                if let Value::Object(more) = data["formats"].take() {
                    formats.extend(more);
                }
            }
        }
    }
    if let Some(cover) = cover {
        all["sheet"] = parsed(&data_json(cover)?)?["sheet"].take();
    }
    let mut text = serde_json::to_vec_pretty(&all)
        .map_err(io::Error::from)
        .map_err(PrintError::io("write the sample's data"))?;
    text.push(b'\n');
    Ok(text)
}

fn parsed(json: &[u8]) -> Result<Value, PrintError> {
    serde_json::from_slice(json)
        .map_err(io::Error::from)
        .map_err(PrintError::io("read the sample's data"))
}
