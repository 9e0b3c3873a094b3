//! The command `linepress secrets`.
use clap::Subcommand;
use linepress_operator::administration::{Actor, installation};
use linepress_platform::app::App;
use linepress_terminal::print_line;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Replace the secrets that sign download links, unsubscribe links, cursors of lists and agents' confirmations, for
    /// example after a backup of the database was leaked. Restart every server afterwards: from then on, links, cursors
    /// and confirmations that were signed before are invalid.
    Renew,
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Renew => {
            installation::renew_secrets(app, &Actor::command_line()).await?;
            print_line!(
                "The secrets are renewed. Restart every server on this database: running servers use the old secrets."
            );
        }
    }
    Ok(())
}
