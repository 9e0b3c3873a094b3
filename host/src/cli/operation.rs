//! The command `linepress operation`.
use anyhow::Context as _;
use clap::{Subcommand, value_parser};
use linepress_operator::administration::Actor;
use linepress_operator::administration::operations::{
    self, ManagedDrawing, ManagedOperation, OperationFilter, Waiting,
};
use linepress_platform::app::App;
use linepress_platform::ids::OperationId;
use linepress_terminal::{one_line, print_line};
use serde::Serialize;

use super::account::Named;
use super::{Format, listing};

#[derive(Subcommand)]
pub(super) enum Command {
    /// List the operations of all accounts, newest first.
    List {
        /// Only operations that have not ended.
        #[arg(long)]
        open: bool,
        /// Only operations of the account with this email address.
        #[arg(long)]
        email: Option<String>,
        /// The maximum number of operations.
        #[arg(long, default_value_t = 50, value_parser = value_parser!(u32).range(1..=1_000_000))]
        limit: u32,
        #[command(flatten)]
        format: Format,
    },
    /// Show one operation with its drawings, and why they wait. The server decides about its providers: this command
    /// knows their pauses, and not which of them the server has loaded.
    Show {
        /// The operation's id, from `linepress operation list`.
        id: String,
        #[command(flatten)]
        format: Format,
    },
    /// Cancel and refund the queued drawings of an operation. Drawings that a provider has begun are completed.
    Cancel {
        /// The operation's id, from `linepress operation list`.
        id: String,
    },
    /// Try drawings of an operation again at once that wait for their next attempt.
    Retry {
        /// The operation's id, from `linepress operation list`.
        id: String,
    },
}

/// An operation with its drawings.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    operation: ManagedOperation,
    drawings: Vec<ManagedDrawing>,
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    let actor = &Actor::command_line();
    match command {
        Command::List {
            open,
            email,
            limit,
            format,
        } => {
            let account = match email {
                Some(email) => Some(Named { email }.find(app).await?.id),
                None => None,
            };
            let filter = OperationFilter { account, open };
            let listed = listing::read(app, OperationId::PREFIX, usize::try_from(limit)?, async |request| {
                operations::list(app, actor, &filter, request).await
            });
            format.print(&listed.await?, line)?;
        }
        Command::Show { id, format } => {
            let found = operations::get(app, actor, &OperationId::from_client(&id)).await?;
            let operation = found.with_context(|| no_such(&id))?;
            let drawings = operations::drawings(app, actor, &operation.id).await?;
            format.print_one(&Shown { operation, drawings }, show)?;
        }
        Command::Cancel { id } => {
            let canceled = operations::cancel(app, actor, &OperationId::from_client(&id)).await?;
            let canceled = canceled.with_context(|| no_such(&id))?;
            print_line!("{id}: {} drawings canceled and refunded", canceled.canceled_drawings);
        }
        Command::Retry { id } => {
            let retried = operations::retry_now(app, actor, &OperationId::from_client(&id)).await?;
            let retried = retried.with_context(|| no_such(&id))?;
            print_line!("{id}: {} drawings are due now", retried.due_drawings);
        }
    }
    Ok(())
}

fn no_such(id: &str) -> String {
    format!("there is no operation {id}; `linepress operation list` lists all operations")
}

fn line(operation: &ManagedOperation) -> String {
    let ManagedOperation { progress, credits, .. } = operation;
    [
        operation.id.to_string(),
        operation.account_email.clone(),
        operation.kind.to_string(),
        operation.status.to_string(),
        format!("{} of {} drawn", progress.completed, progress.total),
        format!("{} charged, {} refunded", credits.charged, credits.refunded),
        operation.created_at.to_string(),
    ]
    .join("\t")
}

fn show(shown: &Shown) -> String {
    let drawings = shown.drawings.iter().map(drawing);
    std::iter::once(line(&shown.operation))
        .chain(drawings)
        .collect::<Vec<_>>()
        .join("\n")
}

fn drawing(drawing: &ManagedDrawing) -> String {
    let waiting = drawing.waiting.as_ref().map(waiting).unwrap_or_default();
    let error = drawing.error.as_ref().map(|error| error.message.as_ref());
    [
        drawing.id.as_str(),
        &drawing.target_id,
        &one_line(&drawing.title),
        drawing.status.as_str(),
        &format!("{} attempts", drawing.attempts),
        &one_line(drawing.provider.as_deref().unwrap_or("-")),
        &waiting,
        &one_line(error.unwrap_or_default()),
    ]
    .join("\t")
    .trim_end()
    .to_owned()
}

fn waiting(waiting: &Waiting) -> String {
    let until = waiting.until.map(|until| format!(" until {until}")).unwrap_or_default();
    format!("waits: {}{until}", waiting.reason)
}
