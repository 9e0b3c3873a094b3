//! Checks of a layout: the leaves of short and long books in every format, and a printed sample of each.
use std::time::{Duration, Instant};

use linepress_imaging::blank_master;
use linepress_model::{Audience, PrintFormat};
use linepress_operator::startup::render_settings;
use linepress_platform::config::Config;
use linepress_plugin_host::Layout;
use linepress_print::{PrintBook, PrintDrawing, Purpose, RenderJob, Renderer};
use linepress_terminal::Report;

use super::calls::book;
use super::usage;

pub(super) async fn check(layout: &Layout, config: &Config, report: &mut Report) {
    let mut slowest = Duration::ZERO;
    for format in &layout.description().formats {
        for drawings in [1, 24, 100] {
            let what = format!("{}, {drawings} drawings", format.id);
            let began = Instant::now();
            let leaves = layout.lay_out(book(drawings, format.aspect), &format.id).await;
            slowest = slowest.max(began.elapsed());
            match leaves {
                Ok(leaves) => {
                    let drawn = leaves.iter().filter(|leaf| leaf.drawing.is_some()).count();
                    let finding = format!("{} leaves, {drawn} of them drawings", leaves.len());
                    if drawn < drawings {
                        report.bad(&what, &finding, "Return a leaf for every drawing of the book.");
                    } else {
                        report.good(&what, &finding);
                    }
                }
                Err(error) => report.bad(
                    &what,
                    &error.to_string(),
                    "Make sure that the plugin lays out any book in each of its formats.",
                ),
            }
        }
        match proof(layout, format, config).await {
            Ok(bytes) => report.good(&format!("{}, printed", format.id), &format!("a PDF of {bytes} bytes")),
            Err(problem) => report.bad(
                &format!("{}, printed", format.id),
                &problem,
                "Fix the template or its fonts in the folder templates.",
            ),
        }
    }
    usage(layout.usage(), slowest, None, report);
}

/// Prints a book with one drawing; returns the size of the PDF in bytes.
async fn proof(layout: &Layout, format: &PrintFormat, config: &Config) -> Result<u64, String> {
    let aspect = format.aspect;
    let master = tokio::task::spawn_blocking(move || blank_master(aspect)).await;
    let master = master
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let renderer = Renderer::new(render_settings(config, program));
    let leaves = layout.lay_out(book(1, aspect), &format.id).await;
    let printed = PrintBook {
        title: "Proof".into(),
        subtitle: "A sample".into(),
        author: "Linepress".into(),
        description: "A sample for the check of the layout.".into(),
        audience: Audience::default(),
        language: "en".into(),
        isbn: String::new(),
        cover: Some(master.clone().into()),
        drawings: vec![PrintDrawing {
            title: "A sheet of paper".into(),
            caption: "Nothing is drawn on it yet.".into(),
            alternative_text: String::new(),
            master: master.into(),
        }],
    };
    let job = RenderJob {
        templates: layout.templates(),
        format,
        purpose: Purpose::default(),
        leaves: &leaves.map_err(|error| error.to_string())?,
        book: &printed,
    };
    let rendered = renderer.permit().await.render_into(job, &mut tokio::io::sink()).await;
    rendered.map_err(|error| linepress_platform::error::chain(&error))
}
