//! Prints a sample book:
//! `cargo run -p linepress-studio --example render -- TEMPLATES FORMAT.typ OUTPUT.pdf MASTER.pdf...`
//!
//! This needs no server: the artwork comes from print masters, and the leaves are those of the classic layout. The
//! subcommand `render` runs the typesetting child process.
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use linepress_imaging::prepare_drawing;
use linepress_model::{Aspect, Audience, FormatMargins, Leaf, PrintFormat};
use linepress_print::{PrintBook, PrintDrawing, Purpose, RenderJob, RenderSettings, Renderer, render_child};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [render] if render == "render" => render_child(),
        [prepare, aspect, source, target] if prepare == "prepare" => report(prepare_one(aspect, source, target)),
        [templates, template, output, masters @ ..] => {
            report(print(templates.as_ref(), template, output.as_ref(), masters).await)
        }
        _ => {
            eprintln!(
                "usage: render TEMPLATES FORMAT.typ OUTPUT.pdf MASTER.pdf...\n       render prepare ASPECT IMAGE MASTER.pdf"
            );
            ExitCode::FAILURE
        }
    }
}

fn report(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Turns an image into a print master, and prints its measures.
fn prepare_one(aspect: &str, source: &str, target: &str) -> anyhow::Result<()> {
    let aspect =
        Aspect::parse(aspect).ok_or_else(|| anyhow::anyhow!("unknown aspect: use square, portrait or landscape"))?;
    let bytes = std::fs::read(source)?;
    let started = std::time::Instant::now();
    let prepared = prepare_drawing(&bytes, aspect, Audience::Child)?;
    println!(
        "{:?} {} bytes {:?}",
        started.elapsed(),
        prepared.master.len(),
        prepared.measures
    );
    std::fs::write(Path::new(target).with_extension("png"), prepared.image)?;
    std::fs::write(target, prepared.master)?;
    Ok(())
}

async fn print(templates: &Path, template: &str, output: &Path, masters: &[String]) -> anyhow::Result<()> {
    let format = format(template)?;
    let drawings = masters
        .iter()
        .enumerate()
        .map(|(index, path)| {
            let title = format!("Drawing {}", index + 1);
            Ok(PrintDrawing {
                title,
                caption: String::new(),
                alternative_text: String::new(),
                master: std::fs::read(path)?.into(),
            })
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let leaf = |kind: &str, drawing| Leaf {
        kind: kind.to_owned(),
        drawing,
        extra: Vec::new(),
    };
    let mut leaves = vec![
        leaf("title", None),
        leaf("blank", None),
        leaf("belongs-to", None),
        leaf("blank", None),
    ];
    for index in 0..u32::try_from(drawings.len())? {
        leaves.extend([leaf("drawing", Some(index)), leaf("blank", None)]);
    }
    leaves.extend([leaf("colophon", None), leaf("blank", None)]);
    let book = PrintBook {
        title: "The Lighthouse Cats".to_owned(),
        subtitle: "A coloring book".to_owned(),
        author: "Ada Lines".to_owned(),
        description: String::new(),
        audience: Audience::Child,
        language: "en".to_owned(),
        isbn: String::new(),
        cover: drawings.first().map(|drawing| drawing.master.clone()),
        drawings,
    };
    let renderer = Renderer::new(RenderSettings {
        program: std::env::current_exe()?,
        timeout: Duration::from_secs(60),
        memory_limit_bytes: 2 << 30,
        max_concurrent: 1,
        font_folders: Vec::new(),
    });
    let pdf = renderer
        .render(RenderJob {
            templates,
            format: &format,
            purpose: Purpose::default(),
            leaves: &leaves,
            book: &book,
        })
        .await?;
    std::fs::write(output, pdf)?;
    Ok(())
}

fn format(template: &str) -> anyhow::Result<PrintFormat> {
    let id = PathBuf::from(template).with_extension("");
    let id = id.to_str().unwrap_or_default();
    let (aspect, trim_width_um, trim_height_um) = match id {
        "square" => (Aspect::Square, 215_900, 215_900),
        "small_square" => (Aspect::Square, 190_500, 190_500),
        "us_letter" => (Aspect::Portrait, 215_900, 279_400),
        "a4" => (Aspect::Portrait, 210_000, 297_000),
        "us_letter_landscape" => (Aspect::Landscape, 279_400, 215_900),
        "a4_landscape" => (Aspect::Landscape, 297_000, 210_000),
        _ => anyhow::bail!("unknown format {id}: use a format of the classic layout"),
    };
    let (recommended_width, recommended_height) = aspect.recommended_pixels();
    Ok(PrintFormat {
        id: id.to_owned(),
        name: id.to_owned(),
        aspect,
        trim_width_um,
        trim_height_um,
        bleed_um: 0,
        margins: FormatMargins::default(),
        recommended_width,
        recommended_height,
        template: template.to_owned(),
    })
}
