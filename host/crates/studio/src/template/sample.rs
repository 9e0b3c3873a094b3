//! The command `linepress template sample`: writes the sample book of a layout as files, in the form that a server
//! passes to templates.
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use linepress_core::print::{leaves_of, sample_book};
use linepress_model::Aspect;
use linepress_platform::config::Config;
use linepress_plugin_host::Layout;
use linepress_print::{Purpose, RenderJob, has_wraparound, write_sample};
use linepress_printers::{Edition, Part};
use linepress_terminal::print_line;

use super::bench::{Bench, TemplateSelection};

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    which: TemplateSelection,
    /// The folder to write to. Default: the folder of the templates; an installed layout is only changed when its
    /// folder is named.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(super) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let bench = Bench::open(config, &arguments.which).await?;
    let out = match arguments.out {
        Some(out) => out,
        // A running server would print from the written files.
        None if bench.is_found => bail!(
            "the sample would replace files of the installed layout {}: name the folder of your layout, or \
             the folder to write to with --out",
            bench.layout.description().id
        ),
        None => bench.templates,
    };
    for path in write(&bench.layout, &out).await? {
        print_line!("{}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// The number of pages of the book to which the sample's wraparound cover belongs.
const COVERED_PAGES: usize = 120;

/// Writes the sample into a folder of templates; returns the paths of the files.
pub(super) async fn write(layout: &Layout, out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let formats = &layout.description().formats;
    // Most books are portrait. A template shows drawings of any aspect in each of its formats.
    let usual = formats.iter().find(|format| format.aspect == Aspect::Portrait);
    let first = usual.or(formats.first()).context("the layout has no formats")?;
    let sample = sample_book(first.aspect);
    let purpose = Purpose::default();
    let leaves = leaves_of(layout, first, purpose, sample.aspect, &sample.book).await;
    let leaves = leaves.map_err(|error| anyhow::anyhow!(error.for_operator()))?.leaves;
    let others = formats.iter().filter(|format| format.id != first.id);
    let jobs = std::iter::once(first).chain(others).map(|format| RenderJob {
        templates: layout.templates(),
        format,
        purpose,
        leaves: &leaves,
        book: &sample.book,
    });
    let jobs: Vec<_> = jobs.collect();
    // Thick enough for text on its spine.
    let thick: Vec<_> = leaves.iter().cycle().take(COVERED_PAGES).cloned().collect();
    let cover = RenderJob {
        purpose: Purpose {
            edition: Edition::Kdp,
            part: Part::Cover,
            ..purpose
        },
        leaves: &thick,
        ..jobs[0]
    };
    let cover = has_wraparound(layout.templates()).then_some(&cover);
    Ok(write_sample(out, &jobs, cover)?)
}
