//! Writes the labels of the compiled-in drawings to `labels.rs`, which the catalog is compared with at build time.

#[path = "src/art/reader.rs"]
mod reader;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::{env, fs};

use flate2::read::GzDecoder;

use reader::Reader;

const DRAWINGS: &str = "art/drawings.bin.gz";

fn main() {
    println!("cargo::rerun-if-changed={DRAWINGS}");
    let compressed = fs::read(DRAWINGS).expect("the file of drawings");
    let mut file = Vec::new();
    GzDecoder::new(&*compressed)
        .read_to_end(&mut file)
        .expect("a complete gzip file");
    let labels = labels(&file).expect("drawings in the format of src/art/decode.rs");
    let folder = env::var_os("OUT_DIR").expect("a folder for the output of the build");
    fs::write(
        Path::new(&folder).join("labels.rs"),
        format!("&{:?}", Vec::from_iter(labels)),
    )
    .expect("a writable folder");
}

/// Returns the labels in alphabetical order. Some labels have two drawings.
fn labels(file: &[u8]) -> Option<BTreeSet<String>> {
    let mut reader = Reader::new(file)?;
    (0..reader.number()?).map(|_| label(&mut reader)).collect()
}

/// Reads one drawing and returns its label. `src/art/decode.rs` describes the format.
fn label(reader: &mut Reader) -> Option<String> {
    let label = reader.text()?;
    let (_group, _collection) = (reader.byte()?, reader.byte()?);
    reader.text()?;
    reader.list(|reader| {
        reader.byte()?;
        (0..2).try_for_each(|_| reader.signed().map(drop))?;
        (0..2).try_for_each(|_| reader.number().map(drop))?;
        (0..3).try_for_each(|_| reader.byte().map(drop))
    })?;
    reader.list(|reader| (0..3).try_for_each(|_| reader.number().map(drop)))?;
    reader.list(|reader| {
        (0..2).try_for_each(|_| reader.number().map(drop))?;
        reader
            .list(|reader| (0..2).try_for_each(|_| reader.signed().map(drop)))
            .map(drop)
    })?;
    Some(label)
}
