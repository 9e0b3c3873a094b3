//! The command `linepress provider`.
use anyhow::Context as _;
use clap::Subcommand;
use linepress_operator::administration::providers::{self, ManagedProvider};
use linepress_operator::administration::{Actor, GivenReason};
use linepress_platform::app::App;
use linepress_terminal::{one_line, print_line};

use super::Format;

#[derive(Subcommand)]
pub(super) enum Command {
    /// List the image providers of the settings in their order, with pauses and switches. `linepress plugin list` shows
    /// which of them can be loaded.
    List {
        #[command(flatten)]
        format: Format,
    },
    /// Switch a provider off on all servers of the database. Drawings go to the next provider, or wait.
    SwitchOff {
        /// The id of the provider's plugin.
        id: String,
        /// The reason, in one line, which is recorded in the audit log.
        #[arg(long)]
        reason: String,
    },
    /// Switch a provider on.
    SwitchOn {
        /// The id of the provider's plugin.
        id: String,
    },
    /// End the pause of a provider and forget its failures, so that it is called again at once.
    EndPause {
        /// The id of the provider's plugin.
        id: String,
    },
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    let actor = &Actor::command_line();
    let (id, changed) = match command {
        Command::List { format } => return format.print(&providers::list(app, actor).await?, line),
        Command::SwitchOff { id, reason } => {
            let given = GivenReason { reason: reason.into() };
            let changed = providers::switch_off(app, actor, &id, &given).await?;
            (id, changed)
        }
        Command::SwitchOn { id } => {
            let changed = providers::switch_on(app, actor, &id).await?;
            (id, changed)
        }
        Command::EndPause { id } => {
            let changed = providers::end_pause(app, actor, &id).await?;
            (id, changed)
        }
    };
    let provider = changed.with_context(|| {
        format!("the setting `image_providers` does not name {id}; `linepress provider list` lists the providers")
    })?;
    print_line!("{}", line(&provider));
    Ok(())
}

fn line(provider: &ManagedProvider) -> String {
    let switch = match &provider.switched_off {
        None => "on".to_owned(),
        Some(switch) => format!("off since {}: {}", switch.since, one_line(&switch.reason)),
    };
    let pause = match provider.paused_until {
        None => "not paused".to_owned(),
        Some(until) => format!("paused until {until}"),
    };
    format!(
        "{}\t{}\t{switch}\t{pause}\t{} failures in a row",
        provider.position,
        one_line(&provider.id),
        provider.failures
    )
}
