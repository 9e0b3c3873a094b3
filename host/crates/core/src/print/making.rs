//! Making one PDF: it is laid out by the layout's component, typeset with its templates, and stored in the cache under
//! a key that is derived from its content.
use std::time::Duration;

use bytes::Bytes;
use linepress_imaging::{blank_master, is_whole_master};
use linepress_model::{Audience, Leaf};
use linepress_plugin_host::{CallError, LaidOut, Layout, LayoutBook, LayoutDrawing};
use linepress_print::{
    ContentKey, PrintBook, PrintDrawing, PrintError, Purpose, RenderJob, Supplement, typesetting_digest,
};
use linepress_printers::page_limits;
use tokio::io::AsyncSeekExt as _;

use super::cache::{self, PdfId};
use super::options::{mismatch, trim};
use super::{Manuscript, ManuscriptDrawing, OfferedFormat, PrintOptions, PrintRequest, formats};
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind, FormatMismatch, MissingCharacters, Result, UnprintableText};

/// Makes the PDF and stores it.
pub(super) async fn make(app: &App, leaves: &[Leaf], key: &str, request: &PrintRequest) -> Result<()> {
    let permit = app.renderer.permit().await;
    let book = load(app, &request.manuscript).await?;
    // Written to disk, because a PDF may be too large for memory.
    let file = app.importer.create_file().map_err(Error::unavailable)?;
    let mut file = tokio::fs::File::from_std(file);
    let job = job(&request.offered, request.purpose, leaves, &book);
    let rendered = permit.render_into(job, &mut file).await;
    let size = rendered.map_err(|error| print_failure(error, &request.manuscript))?;
    // The templates may have been replaced meanwhile, and it would be unknown which of them were used.
    if object_key(request, &content_key(app, request).await?) != key {
        return Err(ErrorKind::PrintingUnavailable {
            retry_after: Duration::from_secs(1),
        }
        .into());
    }
    file.rewind().await.map_err(Error::internal)?;
    let pdf_id = PdfId {
        account: &request.account,
        book: &request.book,
        name: &request.name(),
        key,
    };
    if cache::store_pdf(app, pdf_id, file, size).await? {
        Ok(())
    } else {
        Err(Error::not_found("book"))
    }
}

/// Distinguishes a book with characters that no font contains, which the client can correct, and a full disk, which
/// passes, from internal errors.
fn print_failure(error: PrintError, manuscript: &Manuscript) -> Error {
    match error {
        PrintError::MissingGlyphs { characters } => mismatch(FormatMismatch::MissingCharacters(MissingCharacters {
            texts: manuscript.texts_with(&characters),
            characters,
        })),
        PrintError::Sink(_) => Error::unavailable(error),
        error => Error::internal(error),
    }
}

fn job<'a>(offered: &'a OfferedFormat, purpose: Purpose, leaves: &'a [Leaf], book: &'a PrintBook) -> RenderJob<'a> {
    RenderJob {
        templates: offered.layout.templates(),
        format: &offered.format,
        purpose,
        leaves,
        book,
    }
}

/// The key of the object that holds the PDF with this content.
pub(super) fn object_key(request: &PrintRequest, content: &str) -> String {
    format!("prints/{}/{content}.pdf", request.book)
}

/// Typesets a sample book and returns the size of its PDF in bytes. Errors in templates and fonts appear only when they
/// are used.
pub async fn proof(app: &App, offered: &OfferedFormat) -> Result<u64> {
    let aspect = offered.format.aspect;
    let master = tokio::task::spawn_blocking(move || blank_master(aspect)).await;
    let master = master.map_err(Error::internal)?.map_err(Error::internal)?;
    let drawing = ManuscriptDrawing {
        title: "A sheet of paper".into(),
        caption: "Nothing is drawn on it yet.".into(),
        alternative_text: String::new(),
        master: String::new(),
    };
    let manuscript = Manuscript {
        title: "Proof".into(),
        subtitle: "A sample".into(),
        author: "Linepress".into(),
        description: "Printed to see whether it can be.".into(),
        audience: Audience::default(),
        aspect,
        language: "en".into(),
        isbn: String::new(),
        cover: Some(String::new()),
        drawings: vec![drawing],
    };
    let purpose = PrintOptions::default().purpose()?;
    let permit = app.renderer.permit().await;
    let leaves = lay_out(&manuscript, offered, purpose).await?;
    let book = with_masters(&manuscript, Some(master.clone().into()), vec![master.into()]);
    let job = job(offered, purpose, &leaves, &book);
    permit
        .render_into(job, &mut tokio::io::sink())
        .await
        .map_err(Error::internal)
}

/// Loads the print masters of a manuscript.
pub(crate) async fn load(app: &App, manuscript: &Manuscript) -> Result<PrintBook> {
    let mut masters = Vec::with_capacity(manuscript.drawings.len());
    for drawing in &manuscript.drawings {
        masters.push(master(app, &drawing.master).await?);
    }
    let cover = match &manuscript.cover {
        Some(key) => Some(master(app, key).await?),
        None => None,
    };
    Ok(with_masters(manuscript, cover, masters))
}

fn with_masters(manuscript: &Manuscript, cover: Option<Bytes>, masters: Vec<Bytes>) -> PrintBook {
    let drawings = manuscript.drawings.iter().zip(masters);
    PrintBook {
        title: manuscript.title.clone(),
        subtitle: manuscript.subtitle.clone(),
        author: manuscript.author.clone(),
        description: manuscript.description.clone(),
        audience: manuscript.audience,
        language: manuscript.language.clone(),
        isbn: manuscript.isbn.clone(),
        cover,
        drawings: drawings
            .map(|(drawing, master)| PrintDrawing {
                title: drawing.title.clone(),
                caption: drawing.caption.clone(),
                alternative_text: drawing.alternative_text.clone(),
                master,
            })
            .collect(),
    }
}

/// The leaves of the interior, from the layout.
pub(super) async fn lay_out(manuscript: &Manuscript, offered: &OfferedFormat, purpose: Purpose) -> Result<Vec<Leaf>> {
    Ok(lay_out_reporting(manuscript, offered, purpose).await?.leaves)
}

/// The leaves of the interior, and a sentence about each leaf that the book does not have.
pub(super) async fn lay_out_reporting(
    manuscript: &Manuscript,
    offered: &OfferedFormat,
    purpose: Purpose,
) -> Result<LaidOut> {
    let book = layout_book(manuscript, offered, purpose);
    let laid_out = offered.layout.lay_out_reporting(book, &offered.format.id).await;
    laid_out.map_err(|error| layout_failure(error, offered))
}

/// Distinguishes a book that the layout declined from a layout that failed.
fn layout_failure(error: CallError, offered: &OfferedFormat) -> Error {
    if !matches!(error, CallError::Invalid(_)) {
        return Error::internal(error);
    }
    let formats = offered.layout.description().formats.iter();
    let declined = FormatMismatch::Declined {
        format: offered.format.id.clone(),
        known: formats.map(|format| format.id.clone()).collect(),
    };
    Error::from(ErrorKind::FormatMismatch(declined)).with_cause(error)
}

async fn master(app: &App, key: &str) -> Result<Bytes> {
    let master = app.storage.get(key).await?;
    let master = master.ok_or_else(|| Error::internal(format!("object {key} is missing")))?;
    // Checked here, because the typesetter's error would not name the object.
    if !is_whole_master(&master) {
        return Err(Error::internal(format!(
            "object {key} is damaged: it is not a complete print master"
        )));
    }
    Ok(master)
}

fn layout_book(manuscript: &Manuscript, offered: &OfferedFormat, purpose: Purpose) -> LayoutBook {
    let least_pages = page_limits(purpose.edition, trim(offered)).map_or(1, |limits| *limits.start());
    let drawings = manuscript.drawings.iter();
    LayoutBook {
        title: manuscript.title.clone(),
        subtitle: manuscript.subtitle.clone(),
        author: manuscript.author.clone(),
        description: manuscript.description.clone(),
        audience: manuscript.audience,
        aspect: manuscript.aspect,
        has_cover: manuscript.cover.is_some(),
        drawings: drawings
            .map(|drawing| LayoutDrawing {
                title: drawing.title.clone(),
                caption: drawing.caption.clone(),
            })
            .collect(),
        language: manuscript.language.clone(),
        extra: vec![
            ("edition".into(), purpose.edition.to_string()),
            ("backs".into(), purpose.backs.to_string()),
            ("least-pages".into(), least_pages.to_string()),
        ],
    }
}

/// A digest of everything that the PDF depends on: equal keys mean equal bytes. Print masters never change under their
/// keys, and the leaves follow from the book and the layout's digest.
pub(super) async fn content_key(app: &App, request: &PrintRequest) -> Result<String> {
    let layout: &Layout = &request.offered.layout;
    let templates = layout.templates().to_owned();
    let typesetting = tokio::task::spawn_blocking(move || typesetting_digest(&templates))
        .await
        .map_err(Error::internal)?;
    let mut key = ContentKey::default();
    key.add(typesetting.map_err(Error::internal)?.as_bytes());
    for face in supplement(app, request).await?.faces {
        key.add(format!("{} {}", face.digest, face.index).as_bytes());
    }
    key.add(layout.digest().as_bytes());
    key.add(request.name().as_bytes());
    key.add(&serde_json::to_vec(&request.manuscript)?);
    Ok(key.finish())
}

/// The system's fonts that the book needs in addition to the layout's. They affect its appearance, so they are part of
/// its key.
async fn supplement(app: &App, request: &PrintRequest) -> Result<Supplement> {
    supplement_for(app, &request.offered, &request.manuscript).await
}

async fn supplement_for(app: &App, offered: &OfferedFormat, manuscript: &Manuscript) -> Result<Supplement> {
    let fonts = app.renderer.fonts().clone();
    let templates = offered.layout.templates().to_owned();
    let manuscript = manuscript.clone();
    let found = tokio::task::spawn_blocking(move || {
        let texts: Vec<_> = manuscript.texts().map(|(_, text)| text).collect();
        fonts.supplement(&templates, texts.into_iter())
    });
    found.await.map_err(Error::internal)?.map_err(Error::internal)
}

/// Returns the texts that cannot be printed in the preferred format of the book, because no font has some of their
/// characters.
pub async fn unprintable_texts(app: &App, manuscript: &Manuscript) -> Result<Vec<UnprintableText>> {
    let fits = |offered: &OfferedFormat| offered.format.aspect == manuscript.aspect;
    let formats = formats(app);
    let Some(offered) = formats.iter().find(|offered| fits(offered)) else {
        return Ok(Vec::new());
    };
    let missing = supplement_for(app, offered, manuscript).await?.missing;
    Ok(manuscript.texts_with(&missing))
}

#[cfg(test)]
mod tests {
    use std::io;

    use linepress_model::Aspect;

    use super::*;

    #[test]
    fn a_full_disk_is_an_outage_and_a_broken_template_is_not() {
        let manuscript = Manuscript {
            title: "A fox".into(),
            subtitle: String::new(),
            author: String::new(),
            description: String::new(),
            audience: Audience::default(),
            aspect: Aspect::default(),
            language: "en".into(),
            isbn: String::new(),
            cover: None,
            drawings: Vec::new(),
        };
        let full = print_failure(PrintError::Sink(io::ErrorKind::StorageFull.into()), &manuscript);
        assert!(matches!(full.kind, ErrorKind::Unavailable { .. }), "{full:?}");
        let broken = print_failure(PrintError::NoLeaves, &manuscript);
        assert!(matches!(broken.kind, ErrorKind::Internal), "{broken:?}");
    }
}
