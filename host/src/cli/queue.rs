//! The command `linepress queue`.
use clap::Subcommand;
use linepress_operator::administration::operations::{self, QueueState};
use linepress_operator::administration::{Actor, GivenReason};
use linepress_platform::app::App;
use linepress_terminal::one_line;

use super::Format;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Show the length of the queue, and its pause.
    Show {
        #[command(flatten)]
        format: Format,
    },
    /// Pause the queue on all servers of the database. Orders are accepted and wait; drawings that a provider has begun
    /// are completed.
    Pause {
        /// The reason, in one line, which is recorded in the audit log.
        #[arg(long)]
        reason: String,
    },
    /// End the pause of the queue.
    Resume,
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    let actor = &Actor::command_line();
    let (state, format) = match command {
        Command::Show { format } => (operations::queue_state(app, actor).await?, format),
        Command::Pause { reason } => {
            let given = GivenReason { reason: reason.into() };
            (operations::pause_queue(app, actor, &given).await?, Format::default())
        }
        Command::Resume => (operations::resume_queue(app, actor).await?, Format::default()),
    };
    format.print_one(&state, show)
}

fn show(state: &QueueState) -> String {
    let QueueState {
        queued,
        running,
        oldest_age_seconds,
        pause,
    } = state;
    let pause = match pause {
        None => "not paused".into(),
        Some(pause) => format!("paused since {}: {}", pause.since, one_line(&pause.reason)),
    };
    [
        format!("queue    {pause}"),
        format!("queued   {queued} drawings, the oldest for {oldest_age_seconds} seconds"),
        format!("running  {running} drawings"),
    ]
    .join("\n")
}
