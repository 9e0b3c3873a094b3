//! The command `linepress backup`.
use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use linepress_operator::backup::{self, Backup, Origin, Snapshot, Target, Verification};
use linepress_operator::startup::{self, Scope};
use linepress_platform::config::Config;
use linepress_platform::folders;
use linepress_terminal::{Report, print_error_line, print_line};
use serde::Serialize;

use super::Format;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The folder for backups, or a bucket such as s3://bucket/prefix. A missing folder is created. The snapshots in
    /// one place share unchanged objects.
    #[arg(required = true)]
    place: Option<String>,
    /// Delete the oldest snapshots in that place beyond this number. Default: keep all.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
}

#[derive(Subcommand)]
enum Command {
    /// Read every file of a snapshot and compare it with its digest.
    Verify {
        /// The folder or the bucket with backups.
        place: String,
        /// The name of the snapshot. Default: the newest.
        snapshot: Option<String>,
    },
    /// List the snapshots in a folder or a bucket, the oldest first.
    List {
        /// The folder or the bucket with backups.
        place: String,
        #[command(flatten)]
        format: Format,
    },
}

pub(super) async fn run(config: Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.command {
        Some(Command::Verify { place, snapshot }) => verify(&config, &place, snapshot.as_deref()).await,
        Some(Command::List { place, format }) => list(&config, &place, &format).await.map(|()| ExitCode::SUCCESS),
        None => create(config, &arguments.place.unwrap_or_default(), arguments.keep).await,
    }
}

async fn create(config: Config, place: &str, keep: Option<u32>) -> anyhow::Result<ExitCode> {
    let app = startup::open(config, Scope::Stores).await?;
    let scratch = app.config.incoming_dir();
    folders::make_private(&scratch)?;
    let target = Target::create(place, &app.config)?;
    let keep = keep.map(|keep| keep as usize);
    let Backup {
        snapshot,
        copied,
        deleted,
    } = backup::create(Origin::of(&app), &target, keep, &scratch).await?;
    app.database.close().await;
    let mut report = Report::default();
    report.good("snapshot", &format!("{} in {}", snapshot.name, target.place()));
    report.good("database", &format!("{} rows", snapshot.rows()));
    let objects = format!(
        "{} objects ({}), of which {} ({}) were copied",
        snapshot.objects.count,
        megabytes(snapshot.objects.size),
        copied.objects,
        megabytes(copied.size)
    );
    report.good("objects", &objects);
    if !deleted.is_empty() {
        report.note("snapshot", &format!("{} older snapshots were deleted", deleted.len()));
    }
    if !snapshot.objects.missing.is_empty() {
        let finding = format!(
            "{} objects that the database refers to were missing in the object store",
            snapshot.objects.missing.len()
        );
        let remedy = "Everything else is in the snapshot. `linepress doctor --full` shows whose objects they are.";
        report.bad("objects", &finding, remedy);
        report.list(snapshot.objects.missing.into_iter());
    }
    Ok(report.finish())
}

async fn verify(config: &Config, place: &str, name: Option<&str>) -> anyhow::Result<ExitCode> {
    let target = Target::open(place, config)?;
    let snapshot = target.find(name).await?;
    let found = backup::verify(&target, &snapshot).await?;
    let is_good = found.is_good();
    let Verification {
        files,
        contents,
        unlisted,
    } = found;
    let mut report = Report::default();
    let what = &snapshot.name;
    let others = "Restore another snapshot, or one from a copy of these backups.";
    for problem in &files {
        report.bad(what, problem, others);
    }
    if !contents.is_empty() {
        let finding = format!(
            "{} of {} objects are damaged or missing",
            contents.len(),
            snapshot.objects.count
        );
        let remedy = "Delete the damaged files: the next backup copies those objects again that the server still has. \
             `linepress restore --skip-damaged` restores everything else.";
        report.bad(what, &finding, remedy);
        report.list(contents.into_iter());
    }
    if !unlisted.is_empty() {
        let finding = format!("{} objects that the database refers to are not listed", unlisted.len());
        report.bad(what, &finding, others);
        report.list(unlisted.into_iter());
    }
    if is_good {
        let finding = format!(
            "{} rows and {} objects are intact",
            snapshot.rows(),
            snapshot.objects.count
        );
        report.good(what, &finding);
    }
    Ok(report.finish())
}

/// A snapshot in the list.
#[derive(Serialize)]
struct Line {
    snapshot: String,
    created_at: String,
    /// The version of the program.
    program: String,
    rows: u64,
    tables: BTreeMap<String, u64>,
    objects: u64,
    /// In bytes.
    objects_size: u64,
    missing_objects: usize,
}

async fn list(config: &Config, place: &str, format: &Format) -> anyhow::Result<()> {
    let (snapshots, problems) = Target::open(place, config)?.list().await?;
    for problem in &problems {
        print_error_line!("warning: {problem}");
    }
    if snapshots.is_empty() && problems.is_empty() && !format.json {
        print_line!("{place} contains no backup.");
        return Ok(());
    }
    let lines: Vec<Line> = snapshots.into_iter().map(line).collect();
    format.print(&lines, |line| {
        format!(
            "{}  {} rows, {} objects ({}), linepress {}",
            line.snapshot,
            line.rows,
            line.objects,
            megabytes(line.objects_size),
            line.program
        )
    })
}

fn line(snapshot: Snapshot) -> Line {
    Line {
        created_at: snapshot.created_at.to_string(),
        rows: snapshot.rows(),
        objects: snapshot.objects.count,
        objects_size: snapshot.objects.size,
        missing_objects: snapshot.objects.missing.len(),
        snapshot: snapshot.name,
        program: snapshot.program,
        tables: snapshot.tables,
    }
}

/// A size with a precision of 100 kB.
fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}
