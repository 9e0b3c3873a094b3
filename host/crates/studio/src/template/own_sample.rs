//! The sample book in a template folder: `data.json` with the texts that a designer chose, and the artwork next to it.
use std::path::Path;

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use linepress_core::print::{SampleBook, sample_book};
use linepress_model::{Aspect, Audience};
use linepress_print::{PrintBook, PrintDrawing};
use serde::Deserialize;

/// The name of the file, and of its sample book.
pub(super) const OWN_SAMPLE: &str = "data.json";

/// The size limits of the file and of a piece of artwork in bytes.
const MAX_DATA_BYTES: u64 = 4 << 20;
const MAX_ARTWORK_BYTES: u64 = 64 << 20;
/// The maximum number of drawings of a sample book. A book of more drawings than this has no readable preview.
pub(super) const MAX_SAMPLE_DRAWINGS: usize = 300;

/// The part of `data.json` that belongs to the book. The server computes the rest.
#[derive(Deserialize)]
struct Data {
    book: Texts,
    cover: Option<Piece>,
    drawings: Vec<Piece>,
}

#[derive(Deserialize)]
#[serde(default)]
struct Texts {
    title: String,
    subtitle: String,
    author: String,
    description: String,
    audience: Audience,
    language: String,
}

impl Default for Texts {
    fn default() -> Self {
        Self {
            title: String::new(),
            subtitle: String::new(),
            author: String::new(),
            description: String::new(),
            audience: Audience::default(),
            language: "en".to_owned(),
        }
    }
}

#[derive(Deserialize)]
struct Piece {
    file: String,
    width: u32,
    height: u32,
    #[serde(default)]
    title: String,
    #[serde(default)]
    caption: String,
}

/// Returns true when the folder has a sample book.
pub(super) fn has_own_sample(templates: &Path) -> bool {
    templates.join(OWN_SAMPLE).is_file()
}

/// Reads the sample book of a template folder, for a format of this aspect. Where the artwork has another aspect, that
/// of the usual sample takes its place.
pub(super) fn own_sample(templates: &Path, aspect: Aspect) -> anyhow::Result<PrintBook> {
    let text = linepress_files::read_inside(templates, Path::new(OWN_SAMPLE), MAX_DATA_BYTES);
    let text = text.with_context(|| format!("{OWN_SAMPLE} cannot be read"))?;
    let Data { book, cover, drawings } =
        serde_json::from_slice(&text).with_context(|| format!("{OWN_SAMPLE} is not the data of a book"))?;
    ensure!(
        (1..=MAX_SAMPLE_DRAWINGS).contains(&drawings.len()),
        "{OWN_SAMPLE} has {} drawings; a sample book has 1 to {MAX_SAMPLE_DRAWINGS}",
        drawings.len()
    );
    let SampleBook { book: usual, .. } = sample_book(aspect);
    let master = |piece: &Piece| -> anyhow::Result<Option<Bytes>> {
        if Aspect::nearest(piece.width.max(1), piece.height.max(1)) != aspect {
            return Ok(None);
        }
        let file = linepress_files::read_inside(templates, Path::new(&piece.file), MAX_ARTWORK_BYTES);
        let file = file.with_context(|| format!("{}, which {OWN_SAMPLE} names, cannot be read", piece.file))?;
        ensure!(
            file.starts_with(b"%PDF-"),
            "{}, which {OWN_SAMPLE} names, is not a PDF",
            piece.file
        );
        Ok(Some(file.into()))
    };
    let cover = match cover {
        Some(piece) => master(&piece)?.or(usual.cover),
        None => None,
    };
    let printed = |(piece, usual): (Piece, &PrintDrawing)| -> anyhow::Result<PrintDrawing> {
        let master = master(&piece)?.unwrap_or_else(|| usual.master.clone());
        Ok(PrintDrawing {
            title: piece.title,
            caption: piece.caption,
            alternative_text: String::new(),
            master,
        })
    };
    let drawings: anyhow::Result<Vec<_>> = drawings
        .into_iter()
        .zip(usual.drawings.iter().cycle())
        .map(printed)
        .collect();
    Ok(PrintBook {
        title: book.title,
        subtitle: book.subtitle,
        author: book.author,
        description: book.description,
        audience: book.audience,
        language: book.language,
        isbn: String::new(),
        cover,
        drawings: drawings?,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const DATA: &str = r#"{
        "book": {"title": "The Deep", "language": "de"},
        "cover": null,
        "drawings": [{"file": "drawings/001.pdf", "width": 3, "height": 4, "title": "A whale"}]
    }"#;

    #[test]
    fn the_artwork_of_the_folder_is_used_in_formats_of_its_aspect() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(OWN_SAMPLE), DATA).unwrap();
        let missing = own_sample(folder.path(), Aspect::Portrait).unwrap_err();
        assert!(format!("{missing:#}").contains("drawings/001.pdf"), "{missing:#}");
        fs::create_dir(folder.path().join("drawings")).unwrap();
        fs::write(folder.path().join("drawings/001.pdf"), "%PDF-1.7 mine").unwrap();
        let portrait = own_sample(folder.path(), Aspect::Portrait).unwrap();
        assert_eq!(
            (portrait.title.as_str(), portrait.language.as_str()),
            ("The Deep", "de")
        );
        assert_eq!(portrait.cover, None);
        assert_eq!(portrait.drawings[0].title, "A whale");
        assert_eq!(portrait.drawings[0].master, "%PDF-1.7 mine");
        let square = own_sample(folder.path(), Aspect::Square).unwrap();
        assert_eq!(
            square.drawings[0].master,
            sample_book(Aspect::Square).book.drawings[0].master
        );
    }

    #[test]
    fn a_file_outside_the_folder_or_without_drawings_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (templates, secret) = (folder.path().join("templates"), folder.path().join("secret.pdf"));
        fs::create_dir(&templates).unwrap();
        // A file that would be used as a drawing in the folder.
        fs::write(&secret, "%PDF-1.7 secret").unwrap();
        let refusal = |data: String| {
            fs::write(templates.join(OWN_SAMPLE), data).unwrap();
            format!("{:#}", own_sample(&templates, Aspect::Portrait).unwrap_err())
        };
        for name in [secret.to_str().unwrap(), "../secret.pdf"] {
            let refusal = refusal(DATA.replace("drawings/001.pdf", name));
            assert!(
                refusal.contains(&format!("{name}, which {OWN_SAMPLE} names")),
                "{refusal}"
            );
            assert!(refusal.contains("is a link to outside of its folder"), "{refusal}");
        }
        assert!(refusal(r#"{"book": {}, "drawings": []}"#.to_owned()).contains("has 0 drawings"));
        assert!(refusal("{".to_owned()).contains("is not the data of a book"));
    }
}
