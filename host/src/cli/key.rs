//! The command `linepress key`.
use anyhow::bail;
use clap::Subcommand;
use linepress_core::accounts::{self, ApiKey};
use linepress_core::administration::{Actor, keys};
use linepress_core::app::App;
use linepress_platform::ids::KeyId;
use linepress_terminal::{one_line, print_error_line, print_line};

use super::Format;
use super::account::{Named, Verified};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Create an API key. Only the key is written to standard output; it cannot be shown again.
    Create {
        #[command(flatten)]
        verified: Verified,
        /// The purpose of the key, in one line.
        #[arg(long)]
        name: String,
    },
    /// List the keys of an account, without the secrets.
    List {
        #[command(flatten)]
        named: Named,
        #[command(flatten)]
        format: Format,
    },
    /// Revoke a key at once.
    Revoke {
        /// The key's id, from `linepress key list --email E`.
        id: String,
    },
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create { verified, name } => {
            let account = verified.find(app).await?;
            let (key, secret) = keys::create(app, &Actor::command_line(), &account, &name).await?;
            print_error_line!(
                "{} for {}; save it now, it cannot be shown again:",
                key.id,
                account.email
            );
            print_line!("{}", secret.expose());
        }
        Command::List { named, format } => {
            let account = named.find(app).await?;
            format.print(&accounts::list_keys(app, &account).await?, line)?;
        }
        Command::Revoke { id } => {
            if !keys::revoke(app, &Actor::command_line(), &KeyId::from_text(&id)).await? {
                bail!("there is no key {id}; `linepress key list --email E` lists the keys of an account");
            }
            print_line!("{id} is revoked");
        }
    }
    Ok(())
}

fn line(key: &ApiKey) -> String {
    let state = key
        .revoked_at
        .map_or_else(|| "active".into(), |at| format!("revoked {at}"));
    format!(
        "{}\t{}\tcreated {}\t{state}",
        key.id,
        one_line(&key.name),
        key.created_at
    )
}
