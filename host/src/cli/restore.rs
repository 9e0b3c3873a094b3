//! The command `linepress restore`.
use std::process::ExitCode;

use clap::Args;
use linepress_operator::backup::{self, Destination, Target};
use linepress_operator::startup;
use linepress_platform::config::Config;
use linepress_terminal::Report;

#[derive(Args)]
pub(super) struct Arguments {
    /// The folder with backups, or a bucket such as s3://bucket/prefix.
    place: String,
    /// The name of the snapshot. Default: the newest.
    snapshot: Option<String>,
    /// Restore everything but the objects that are missing or damaged in the backup.
    #[arg(long)]
    skip_damaged: bool,
}

pub(super) async fn run(config: Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let target = Target::open(&arguments.place, &config)?;
    let snapshot = target.find(arguments.snapshot.as_deref()).await?;
    let (database, contents, storage) = startup::open_to_restore(&config).await?;
    let destination = Destination {
        database: &database,
        contents,
        storage: &storage,
    };
    let restored = backup::restore(&target, &snapshot, destination, arguments.skip_damaged).await?;
    database.close().await;
    let mut report = Report::default();
    report.good("snapshot", &snapshot.name);
    report.good("database", &format!("{} rows in {}", restored.rows, database.place));
    report.good("objects", &format!("{} in {}", restored.objects, storage.place_name()));
    let missing = &snapshot.objects.missing;
    if !missing.is_empty() {
        let finding = format!(
            "{} objects were already missing when the backup was made",
            missing.len()
        );
        let remedy = "`linepress doctor --full` shows whose objects they are.";
        report.bad("objects", &finding, remedy);
        report.list(missing.iter().cloned());
    }
    if !restored.skipped.is_empty() {
        let finding = format!(
            "{} objects are missing or damaged in the backup",
            restored.skipped.len()
        );
        let remedy = "`linepress doctor --full` shows whose objects they are.";
        report.bad("objects", &finding, remedy);
        report.list(restored.skipped.into_iter());
    }
    Ok(report.finish())
}
