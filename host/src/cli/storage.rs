//! The command `linepress storage`.
use std::time::Duration;

use anyhow::Context as _;
use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};
use linepress_operator::administration::{Actor, installation};
use linepress_operator::relocation::{Progress, Relocation};
use linepress_platform::app::App;
use linepress_platform::config::ObjectPlace;
use linepress_platform::error::Error;
use linepress_platform::secrets;
use linepress_platform::storage::Storage;
use linepress_terminal::print_line;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Copy all objects to another folder or bucket, verify every copy, and make that the object store.
    ///
    /// Servers may run until the copies are complete; from then on they read objects, but store none until they are
    /// restarted with the new `storage_url`. An interrupted move continues when it is started again. The old store
    /// retains its objects.
    Move {
        /// The current object store, such as file:///var/lib/linepress/objects.
        #[arg(value_parser = ObjectPlace::parse)]
        from: ObjectPlace,
        /// The new object store, such as s3://bucket/prefix on the server of the table `s3`. It must be empty.
        #[arg(value_parser = ObjectPlace::parse)]
        to: ObjectPlace,
        /// All servers are stopped: do not wait for what they are writing.
        #[arg(long)]
        servers_stopped: bool,
    },
}

/// The time that running servers have to notice that the old store is closed, which takes them up to a minute, and to
/// end what they are writing.
const DRAIN_TIME: Duration = Duration::from_secs(90);

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    let Command::Move {
        from,
        to,
        servers_stopped,
    } = command;
    let mark = secrets::store_mark(&app.database).await.map_err(Error::from)?;
    let mark = mark.context("no server has used this database yet, so there are no objects to move")?;
    let store = |place: &ObjectPlace| Storage::at(place, &app.config);
    let progress = Bar(ProgressBar::new(0).with_style(style()));
    let relocation = Relocation {
        from: &store(&from)?,
        to: &store(&to)?,
        mark: &mark,
        drain: if servers_stopped { Duration::ZERO } else { DRAIN_TIME },
        progress: &progress,
    };
    let moved = installation::move_objects(app, &Actor::command_line(), &relocation, (&from, &to)).await;
    progress.0.finish_and_clear();
    let moved = moved?;
    let (objects, megabytes) = (moved.objects, moved.bytes.div_ceil(1_000_000));
    print_line!("{objects} objects ({megabytes} MB) are in {to}, and every copy is verified.");
    print_line!("Set `storage_url` to it and restart all servers. Once they work, delete {from}.");
    Ok(())
}

struct Bar(ProgressBar);

impl Progress for Bar {
    fn begins(&self, objects: u64) {
        self.0.reset();
        self.0.set_length(objects);
    }

    fn ends_one(&self) {
        self.0.inc(1);
    }
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} objects, {eta} left");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}
