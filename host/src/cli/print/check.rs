//! The command `linepress print check`: prints one line for each finding, with its pages and what to do.
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use linepress_preflight::{Expected, Finding, Report, Severity, check_apart, page_words};
use linepress_printers::{Edition, Paper, Part};
use linepress_terminal::{one_of, printable};

use crate::cli::Format;

/// The size limit of a PDF in bytes; printers accept no larger files.
const MAX_FILE_BYTES: u64 = 1_000_000_000;

#[derive(Args)]
pub(in crate::cli) struct Arguments {
    /// The PDF to check.
    file: PathBuf,
    /// The printer: kdp, lulu or home.
    #[arg(long = "for", value_name = "PRINTER", value_parser = edition)]
    edition: Edition,
    /// Check the file as a cover: back, spine and front on one sheet. Without it, a file of one very wide page is
    /// checked as a cover, and every other file as an interior.
    #[arg(long)]
    cover: bool,
    /// For a cover, the number of pages of the interior, including blank ones. It determines the width of the spine.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pages: Option<u32>,
    /// Check for a book whose interior is printed in color. Without it, colors in an interior are reported.
    #[arg(long)]
    color: bool,
    /// For a cover, the paper of the interior: white, cream or premium-color. Default: any of them is accepted.
    #[arg(long, value_name = "PAPER", value_parser = paper)]
    paper: Option<Paper>,
    /// For a cover: it has the barcode of your own ISBN, so the printer adds none.
    #[arg(long)]
    barcode: bool,
    #[command(flatten)]
    format: Format,
}

fn edition(text: &str) -> Result<Edition, String> {
    one_of(Edition::ALL, text)
}

fn paper(text: &str) -> Result<Paper, String> {
    match text {
        "white" => Ok(Paper::White),
        "cream" => Ok(Paper::Cream),
        "premium-color" => Ok(Paper::PremiumColor),
        _ => Err("must be one of: white, cream, premium-color".to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { edition, cover, .. } = *arguments;
    if cover && edition == Edition::Home {
        bail!("a home printer cannot print a cover with a spine: leave out --cover, or use --for kdp or --for lulu");
    }
    // A link that the user names is followed.
    let file = arguments.file.canonicalize();
    let file = file.with_context(|| format!("{} cannot be read", arguments.file.display()))?;
    let pdf = linepress_files::read(&file, MAX_FILE_BYTES)?;
    let expected = Expected {
        edition,
        part: cover.then_some(Part::Cover),
        pages: arguments.pages,
        trim: None,
        color: arguments.color,
        paper: arguments.paper,
        has_barcode: arguments.barcode,
    };
    let program = std::env::current_exe().context("the path of the linepress binary cannot be determined")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime
        .block_on(check_apart(&program, pdf.into(), &expected))
        .context("the process that checks the file cannot be started")?;
    arguments.format.print_one(&report, lines)?;
    Ok(match report.count(Severity::Refusal) {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn lines(report: &Report) -> String {
    let mut lines: Vec<String> = report.findings.iter().map(line).collect();
    lines.push(summary(report));
    lines.join("\n")
}

fn line(finding: &Finding) -> String {
    let Finding {
        severity,
        rule,
        pages,
        message,
        remedy,
    } = finding;
    let line = format!("{severity:<7}  {:<12}  {rule}: {message}; {remedy}", page_words(pages));
    // Names of fonts and inks come from the file, so they are escaped.
    printable(&line).replace('\n', " ")
}

fn summary(report: &Report) -> String {
    let what = match report.part {
        Part::Cover => "cover",
        Part::Interior => "interior",
        Part::Book => "book",
    };
    let counted = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    };
    let checked = format!(
        "{what} of {} for {}",
        counted(report.page_count as usize, "page"),
        report.edition.name()
    );
    match (report.count(Severity::Refusal), report.count(Severity::Warning)) {
        (0, 0) => format!("All is well: {checked}."),
        (errors, warnings) => format!(
            "{} and {}: {checked}.",
            counted(errors, "error"),
            counted(warnings, "warning")
        ),
    }
}
