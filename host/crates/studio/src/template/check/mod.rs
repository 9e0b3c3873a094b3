//! The command `linepress template check`: prints difficult books in every format and for every printer, and reports
//! faults of their pages.
mod picture;
mod trial;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use clap::Args;
use linepress_operator::startup::render_settings;
use linepress_platform::config::Config;
use linepress_print::{Finding, Proofer};
use linepress_terminal::{print_line, printable};

use super::artwork::Artwork;
use super::bench::{Bench, TemplateSelection};
use trial::{Outcome, Trial, trials};

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    which: TemplateSelection,
    /// Check only this format.
    #[arg(long, value_name = "ID")]
    format: Option<String>,
    /// Print only these sample books.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    samples: Vec<String>,
    /// The folder for pictures of pages with faults.
    #[arg(long, value_name = "FOLDER", default_value = "template-check")]
    out: PathBuf,
}

pub(super) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let bench = Arc::new(Bench::open(config, &arguments.which).await?);
    let formats = bench.chosen(arguments.format.as_deref())?;
    let trials = trials(&bench, formats, &arguments.samples)?;
    let count = trials.len();
    let outcomes = prove_all(config, &bench, trials).await?;
    let mut lines = 0;
    let mut printed = 0;
    for (trial, outcome) in &outcomes {
        match outcome {
            Outcome::NotPrinted => {}
            Outcome::Failed(problem) => {
                printed += 1;
                lines += 1;
                print_line!("{trial}: {}", printable(&problem.replace("\n  hint:", "; hint:")));
            }
            Outcome::Printed { findings, pictures, .. } => {
                printed += 1;
                for (finding, more) in grouped(findings) {
                    lines += 1;
                    let file = match pictures.get(&finding.leaf) {
                        Some(svg) => Some(write(&arguments.out, trial, finding.leaf, svg)?),
                        None => None,
                    };
                    print_line!("{}", printable(&line(trial, finding, more, file)));
                }
            }
        }
    }
    for leaf in placed_nowhere(&outcomes) {
        lines += 1;
        print_line!("layout.toml: {leaf}");
    }
    let refused = count - printed;
    print_line!(
        "{printed} books printed, {refused} not accepted by their printers; {}",
        summary(lines)
    );
    Ok(if lines == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Sentences about the leaves of `layout.toml` that no book has. A book may lack some, such as a thick one those that
/// fill up thin books.
fn placed_nowhere(outcomes: &[(Trial, Outcome)]) -> Vec<String> {
    let mut books = outcomes.iter().filter_map(|(_, outcome)| match outcome {
        Outcome::Printed { unplaced, .. } => Some(unplaced),
        Outcome::NotPrinted | Outcome::Failed(_) => None,
    });
    let first = books.next().cloned().unwrap_or_default();
    books.fold(first, |mut missing, book| {
        missing.retain(|leaf| book.contains(leaf));
        missing
    })
}

fn summary(lines: usize) -> String {
    match lines {
        0 => "no problems.".into(),
        1 => "1 problem.".into(),
        many => format!("{many} problems."),
    }
}

/// Runs all trials; returns them in their order with their outcomes. Runs one process per core, which is reused.
async fn prove_all(config: &Config, bench: &Arc<Bench>, trials: Vec<Trial>) -> anyhow::Result<Vec<(Trial, Outcome)>> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut settings = render_settings(config, std::env::current_exe()?);
    settings.max_concurrent = 1;
    let queue = Arc::new(Mutex::new(trials.into_iter().enumerate()));
    let artwork = Arc::new(Artwork::default());
    let workers = (0..cores).map(|_| {
        let (queue, bench, artwork) = (queue.clone(), bench.clone(), artwork.clone());
        let mut proofer = Proofer::new(settings.clone());
        tokio::spawn(async move {
            let mut done = Vec::new();
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((number, trial)) = next else { return done };
                let outcome = trial.prove(&bench, &mut proofer, &artwork).await;
                done.push((number, trial, outcome));
            }
        })
    });
    let workers: Vec<_> = workers.collect();
    let mut all = Vec::new();
    for worker in workers {
        all.extend(worker.await.context("a check ended unexpectedly")?);
    }
    all.sort_by_key(|(number, ..)| *number);
    Ok(all.into_iter().map(|(_, trial, outcome)| (trial, outcome)).collect())
}

/// Groups the findings by the place in the templates that causes them; returns the first of each group and the number
/// of the others.
fn grouped(findings: &[Finding]) -> Vec<(&Finding, usize)> {
    let mut groups: BTreeMap<_, (&Finding, usize)> = BTreeMap::new();
    for finding in findings {
        // Without a known place, findings with the same text are grouped.
        let place = finding.place.as_deref().unwrap_or(&finding.what);
        let group = groups.entry((finding.rule, place)).or_insert((finding, 0));
        group.1 += finding.times;
    }
    let mut groups: Vec<_> = groups
        .into_values()
        .map(|(finding, times)| (finding, times - 1))
        .collect();
    groups.sort_by_key(|(finding, _)| finding.leaf);
    groups
}

/// One line of the output: `format/sample/leaf: finding: remedy`.
fn line(trial: &Trial, finding: &Finding, more: usize, file: Option<PathBuf>) -> String {
    let Finding {
        leaf,
        rule,
        what,
        place,
        ..
    } = finding;
    let more = match more {
        0 => String::new(),
        more => format!(", and {more} more like it"),
    };
    let place = place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    let file = file.map(|file| format!(" [{}]", file.display())).unwrap_or_default();
    format!("{trial}/{leaf}: {what}{more}{place}: {}{file}", rule.remedy())
}

fn write(out: &std::path::Path, trial: &Trial, leaf: usize, svg: &str) -> anyhow::Result<PathBuf> {
    let path = out.join(format!("{}-{leaf}.svg", trial.to_string().replace('/', "-")));
    let written = std::fs::create_dir_all(out).and_then(|()| std::fs::write(&path, svg));
    written.with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(path)
}
