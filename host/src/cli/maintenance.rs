//! The command `linepress maintenance`.
use clap::Subcommand;
use linepress_operator::administration::{Actor, installation};
use linepress_platform::app::App;
use linepress_platform::maintenance::{self, Maintenance, Message};
use linepress_terminal::{one_line, print_line};

use super::Format;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Make all nodes read-only at once. Clients can read, and every change is refused with 503 and the message.
    ///
    /// Drawings that a provider has begun are completed, and no others are begun. The commands of the operator, such as
    /// `backup` and `storage move`, work as usual. Run it again to change the message.
    On {
        /// One line for clients and their users, such as "Back at 14:00 UTC."
        #[arg(long, value_name = "TEXT", default_value = "")]
        message: Message,
    },
    /// Make all nodes writable again.
    Off,
    /// Show whether the server is read-only, since when, and with which message.
    Status {
        #[command(flatten)]
        format: Format,
    },
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    match command {
        Command::On { message } => {
            let maintenance = installation::begin_maintenance(app, &Actor::command_line(), &message).await?;
            print_line!("{}", line(Some(&maintenance)));
            print_line!("`linepress maintenance off` ends the maintenance.");
        }
        Command::Off => {
            installation::end_maintenance(app, &Actor::command_line()).await?;
            print_line!("{}", line(None));
        }
        Command::Status { format } => {
            let current = maintenance::current(app).await?;
            format.print_one(&current, |current| line(current.as_ref()))?;
        }
    }
    Ok(())
}

fn line(maintenance: Option<&Maintenance>) -> String {
    match maintenance {
        None => "The server can be changed: there is no maintenance.".into(),
        Some(Maintenance { began_at, message }) if message.is_empty() => {
            format!("The server has been read-only since {began_at}, without a message.")
        }
        Some(Maintenance { began_at, message }) => {
            format!(
                "The server has been read-only since {began_at}. Message: {}",
                one_line(message)
            )
        }
    }
}
