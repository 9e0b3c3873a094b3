//! `linepress secrets`.
use clap::Subcommand;
use linepress::app::App;
use linepress::error::Error;
use linepress::secrets;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Replace the secrets that sign download links, cursors of lists and agents' confirmations, such as after a copy of the
    /// database has become known. Those that were issued before end when every server was started again.
    Renew,
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Renew => {
            let renewed = secrets::renew(&app.database, &app.random).await;
            renewed.map_err(Error::from)?;
            println!(
                "The secrets are renewed. Start every server on this database again: one that runs uses the old ones."
            );
        }
    }
    Ok(())
}
