//! An edition: one book in one print format. Its PDF is made once and kept under a key of its content.
use bytes::Bytes;
use serde::Serialize;

use super::book::{Key, press_digest};
use super::{PrintBook, PrintDrawing, RenderJob};
use crate::app::App;
use crate::artwork::{Aspect, Audience};
use crate::error::{Error, Result};
use crate::plugins::{Layout, LayoutBook, LayoutDrawing, PrintFormat};

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

/// The PDF of an edition: read when it was made before, else made and kept.
pub async fn pdf_of(app: &App, edition: &Edition, format: &PrintFormat) -> Result<Bytes> {
    let layout =
        layout(app).ok_or_else(|| Error::internal(format!("the layout {} is not loaded", app.config.layout)))?;
    let key = format!("prints/{}.pdf", content_key(edition, format, layout).await?);
    if let Some(kept) = app.storage.get(&key).await? {
        return Ok(kept);
    }
    let pdf = make(app, edition, format, layout).await?;
    app.storage.put(&key, pdf.clone()).await?;
    Ok(pdf)
}

/// Prints a sample without drawings and answers its size: templates and fonts show their faults only in use.
pub async fn proof(app: &App, format: &PrintFormat) -> Result<usize> {
    let layout =
        layout(app).ok_or_else(|| Error::internal(format!("the layout {} is not loaded", app.config.layout)))?;
    let edition = Edition {
        title: "Proof".into(),
        subtitle: "A sample".into(),
        author: "Linepress".into(),
        description: "Printed to see whether it can be.".into(),
        audience: Audience::default(),
        aspect: format.aspect,
        cover: None,
        drawings: Vec::new(),
    };
    make(app, &edition, format, layout).await.map(|pdf| pdf.len())
}

fn layout(app: &App) -> Option<&Layout> {
    app.plugins.layout(&app.config.layout)
}

async fn make(app: &App, edition: &Edition, format: &PrintFormat, layout: &Layout) -> Result<Bytes> {
    let leaves = layout
        .lay_out(layout_book(edition), &format.id)
        .await
        .map_err(Error::internal)?;
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
    let book = PrintBook {
        title: edition.title.clone(),
        subtitle: edition.subtitle.clone(),
        author: edition.author.clone(),
        description: edition.description.clone(),
        audience: edition.audience,
        language: LANGUAGE.into(),
        cover,
        drawings,
    };
    let job = RenderJob {
        templates: layout.templates(),
        format,
        leaves: &leaves,
        book: &book,
    };
    app.renderer.render(job).await.map(Bytes::from).map_err(Error::internal)
}

/// Books do not say their language; the layout's own words are English.
const LANGUAGE: &str = "en";

async fn master(app: &App, key: &str) -> Result<Bytes> {
    app.storage
        .get(key)
        .await?
        .ok_or_else(|| Error::internal(format!("object {key} is missing")))
}

fn layout_book(edition: &Edition) -> LayoutBook {
    LayoutBook {
        title: edition.title.clone(),
        subtitle: edition.subtitle.clone(),
        author: edition.author.clone(),
        description: edition.description.clone(),
        audience: edition.audience,
        aspect: edition.aspect,
        has_cover: edition.cover.is_some(),
        drawings: edition
            .drawings
            .iter()
            .map(|drawing| LayoutDrawing {
                title: drawing.title.clone(),
                caption: drawing.caption.clone(),
            })
            .collect(),
        language: LANGUAGE.into(),
    }
}

/// Names the PDF: equal keys, equal bytes. The objects of masters never change under their keys, and the
/// layout's leaves follow from the book and the layout's digest.
async fn content_key(edition: &Edition, format: &PrintFormat, layout: &Layout) -> Result<String> {
    let templates = layout.templates().to_owned();
    let press = tokio::task::spawn_blocking(move || press_digest(&templates))
        .await
        .map_err(Error::internal)?;
    let mut key = Key::default();
    key.add(press.map_err(Error::internal)?.as_bytes());
    key.add(layout.digest().as_bytes());
    key.add(format.id.as_bytes());
    key.add(&serde_json::to_vec(edition)?);
    Ok(key.finish())
}
