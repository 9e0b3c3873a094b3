//! An edition: one book in one print format. Its PDF is made once and kept under a key of its content.
use std::time::Duration;

use bytes::Bytes;
use linepress_imaging::{blank_master, is_whole_master};
use linepress_model::{Aspect, Audience, PrintFormat};
use linepress_plugin_host::{CallError, Layout, LayoutBook, LayoutDrawing};
use linepress_print::{ContentKey, Permit, PrintBook, PrintDrawing, RenderJob, typesetting_digest};
use serde::Serialize;
use tokio::io::{AsyncSeekExt as _, AsyncWrite};

use super::PrintRequest;
use super::made::{self, Made};
use crate::app::App;
use crate::error::{Error, ErrorKind, FormatMismatch, Result};

/// A book as it is printed; artwork by the keys of its print masters.
#[derive(Clone, Debug, Serialize)]
pub struct Edition {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    pub audience: Audience,
    pub aspect: Aspect,
    pub cover: Option<String>,
    pub drawings: Vec<EditionDrawing>,
}

/// A drawing and what is printed under it.
#[derive(Clone, Debug, Serialize)]
pub struct EditionDrawing {
    pub title: String,
    pub caption: String,
    pub master: String,
}

/// The print formats of the configured layout, in its order of preference.
pub fn formats(app: &App) -> Vec<PrintFormat> {
    layout(app)
        .map(|layout| layout.description().formats.clone())
        .unwrap_or_default()
}

/// Makes the PDF and keeps it.
pub(super) async fn make(app: &App, layout: &Layout, key: &str, request: &PrintRequest) -> Result<()> {
    let format = &request.format;
    let permit = app.renderer.permit().await;
    let book = load(app, &request.edition).await?;
    // On disk: a PDF may be larger than the memory of the server should be.
    let file = tempfile::tempfile_in(app.config.incoming_dir()).map_err(Error::internal)?;
    let mut file = tokio::fs::File::from_std(file);
    let size = typeset(permit, &book, format, layout, &mut file).await?;
    // The templates may have been exchanged meanwhile, and then nobody knows which of them it was made with.
    if key_of(layout, request).await? != key {
        return Err(ErrorKind::PrintingUnavailable {
            retry_after: Duration::from_secs(1),
        }
        .into());
    }
    file.rewind().await.map_err(Error::internal)?;
    let made = Made {
        account: &request.account,
        book: &request.book,
        format: &format.id,
        key,
    };
    if made::keep(app, made, file, size).await? {
        Ok(())
    } else {
        Err(Error::not_found("book"))
    }
}

/// The layout that the settings choose, as it is now: one that replaces it prints the next book.
pub(super) fn configured_layout(app: &App) -> Result<Layout> {
    layout(app).ok_or_else(|| Error::internal(format!("the layout {} is not loaded", app.config.layout)))
}

/// The key of the object that holds the PDF.
pub(super) async fn key_of(layout: &Layout, request: &PrintRequest) -> Result<String> {
    let content = content_key(&request.edition, &request.format, layout).await?;
    Ok(format!("prints/{}/{content}.pdf", request.book))
}

/// Typesets a sample and returns its size in bytes: templates and fonts show their faults only in use.
pub async fn proof(app: &App, format: &PrintFormat) -> Result<u64> {
    let layout = configured_layout(app)?;
    let aspect = format.aspect;
    let master = tokio::task::spawn_blocking(move || blank_master(aspect)).await;
    let drawing = PrintDrawing {
        title: "A sheet of paper".into(),
        caption: "Nothing is drawn on it yet.".into(),
        master: master.map_err(Error::internal)?.map_err(Error::internal)?.into(),
    };
    let book = PrintBook {
        title: "Proof".into(),
        subtitle: "A sample".into(),
        author: "Linepress".into(),
        description: "Printed to see whether it can be.".into(),
        audience: Audience::default(),
        language: LANGUAGE.into(),
        cover: Some(drawing.master.clone()),
        drawings: vec![drawing],
    };
    let permit = app.renderer.permit().await;
    typeset(permit, &book, format, &layout, &mut tokio::io::sink()).await
}

fn layout(app: &App) -> Option<Layout> {
    app.plugins.layout(&app.config.layout)
}

/// Loads an edition with its print masters.
async fn load(app: &App, edition: &Edition) -> Result<PrintBook> {
    let mut drawings = Vec::with_capacity(edition.drawings.len());
    for drawing in &edition.drawings {
        drawings.push(PrintDrawing {
            title: drawing.title.clone(),
            caption: drawing.caption.clone(),
            master: master(app, &drawing.master).await?,
        });
    }
    let cover = match &edition.cover {
        Some(key) => Some(master(app, key).await?),
        None => None,
    };
    Ok(PrintBook {
        title: edition.title.clone(),
        subtitle: edition.subtitle.clone(),
        author: edition.author.clone(),
        description: edition.description.clone(),
        audience: edition.audience,
        language: LANGUAGE.into(),
        cover,
        drawings,
    })
}

/// Has the book laid out by the layout's component, and rendered with its templates.
async fn typeset(
    permit: Permit<'_>,
    book: &PrintBook,
    format: &PrintFormat,
    layout: &Layout,
    sink: &mut (impl AsyncWrite + Send + Unpin),
) -> Result<u64> {
    let leaves = layout
        .lay_out(layout_book(book, format.aspect), &format.id)
        .await
        .map_err(|error| layout_failure(error, format, layout))?;
    let job = RenderJob {
        templates: layout.templates(),
        format,
        leaves: &leaves,
        book,
    };
    permit.render_into(job, sink).await.map_err(Error::internal)
}

/// A book that the layout cannot print is told from a layout that is broken.
fn layout_failure(error: CallError, format: &PrintFormat, layout: &Layout) -> Error {
    if !matches!(error, CallError::Invalid(_)) {
        return Error::internal(error);
    }
    let formats = layout.description().formats.iter();
    let declined = FormatMismatch::Declined {
        format: format.id.clone(),
        known: formats.map(|format| format.id.clone()).collect(),
    };
    Error::from(ErrorKind::FormatMismatch(declined)).with_cause(error)
}

/// Books do not say their language; the layout's own words are English.
const LANGUAGE: &str = "en";

async fn master(app: &App, key: &str) -> Result<Bytes> {
    let master = app.storage.get(key).await?;
    let master = master.ok_or_else(|| Error::internal(format!("object {key} is missing")))?;
    // The typesetter would complain of a picture, and nobody would know which one.
    if !is_whole_master(&master) {
        return Err(Error::internal(format!(
            "object {key} is damaged: it is no whole print master"
        )));
    }
    Ok(master)
}

fn layout_book(book: &PrintBook, aspect: Aspect) -> LayoutBook {
    LayoutBook {
        title: book.title.clone(),
        subtitle: book.subtitle.clone(),
        author: book.author.clone(),
        description: book.description.clone(),
        audience: book.audience,
        aspect,
        has_cover: book.cover.is_some(),
        drawings: book
            .drawings
            .iter()
            .map(|drawing| LayoutDrawing {
                title: drawing.title.clone(),
                caption: drawing.caption.clone(),
            })
            .collect(),
        language: book.language.clone(),
    }
}

/// Names the PDF: equal keys, equal bytes. The objects of masters never change under their keys, and the
/// layout's leaves follow from the book and the layout's digest.
async fn content_key(edition: &Edition, format: &PrintFormat, layout: &Layout) -> Result<String> {
    let templates = layout.templates().to_owned();
    let typesetting = tokio::task::spawn_blocking(move || typesetting_digest(&templates))
        .await
        .map_err(Error::internal)?;
    let mut key = ContentKey::default();
    key.add(typesetting.map_err(Error::internal)?.as_bytes());
    key.add(layout.digest().as_bytes());
    key.add(format.id.as_bytes());
    key.add(&serde_json::to_vec(edition)?);
    Ok(key.finish())
}
