//! `linepress oauth`.
use anyhow::bail;
use clap::{Args, Subcommand};
use linepress::accounts;
use linepress::app::App;
use linepress::grants::clients::{self, Client};
use linepress::grants::{self, GrantOfAccount};
use linepress::ids::{ClientId, GrantId};

use super::{Format, one_line};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Apps that registered, or that publish a document about themselves.
    #[command(subcommand)]
    Client(ClientCommand),
    /// What accounts let apps do.
    #[command(subcommand)]
    Grant(GrantCommand),
}

#[derive(Subcommand)]
pub(super) enum ClientCommand {
    /// Show every app, without its secrets.
    List {
        #[command(flatten)]
        format: Format,
    },
    /// End an app and all that was granted to it, at once.
    Revoke {
        /// The app's id, from `linepress oauth client list`.
        #[arg(required_unless_present = "host", conflicts_with = "host")]
        id: Option<String>,
        /// End every app that publishes its document on this host.
        #[arg(long)]
        host: Option<String>,
    },
}

#[derive(Subcommand)]
pub(super) enum GrantCommand {
    /// Show what was granted and has not ended.
    List {
        #[command(flatten)]
        of: Of,
        #[command(flatten)]
        format: Format,
    },
    /// End a grant at once, and all tokens that were issued under it.
    Revoke {
        /// The grant's id, from `linepress oauth grant list`.
        id: String,
    },
}

/// Whose grants.
#[derive(Args)]
pub(super) struct Of {
    /// The account's e-mail address; every account when it is left out.
    #[arg(long)]
    email: Option<String>,
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Client(ClientCommand::List { format }) => format.print(&clients::list(app).await?, client_line)?,
        Command::Client(ClientCommand::Revoke { host: Some(host), .. }) => {
            let revoked = clients::revoke_host(app, &host).await?;
            if revoked == 0 {
                bail!("no active app has its document on {host}; `linepress oauth client list` shows the apps");
            }
            println!("{revoked} apps of {host} are revoked");
        }
        Command::Client(ClientCommand::Revoke { id, .. }) => {
            let id = id.unwrap_or_default();
            if !clients::revoke(app, &ClientId::from_text(&id)).await? {
                bail!("no active app {id}; `linepress oauth client list` shows the apps");
            }
            println!("{id} is revoked");
        }
        Command::Grant(GrantCommand::List { of, format }) => {
            let granted = match of.email {
                None => grants::list_all(app).await?,
                Some(email) => {
                    let Some(account) = accounts::find(app, &email).await? else {
                        bail!("there is no account {email}; `linepress account list` shows those there are");
                    };
                    grants::list_of(app, &account).await?
                }
            };
            format.print(&granted, grant_line)?;
        }
        Command::Grant(GrantCommand::Revoke { id }) => {
            if !grants::revoke_any(app, &GrantId::from_text(&id)).await? {
                bail!("there is no grant {id} that has not ended; `linepress oauth grant list` shows those there are");
            }
            println!("{id} is revoked");
        }
    }
    Ok(())
}

fn client_line(client: &Client) -> String {
    let state = match client.revoked_at {
        Some(at) => format!("revoked {at}"),
        None => format!("active until {}", client.expires_at),
    };
    let named = client.document_url.as_deref().unwrap_or("registered itself");
    format!(
        "{}\t{}\t{}\tcreated {}\t{state}",
        client.id,
        one_line(&client.name),
        one_line(named),
        client.created_at
    )
}

fn grant_line(grant: &GrantOfAccount) -> String {
    let app = &grant.app;
    let cap = app
        .credit_cap
        .map_or_else(|| "no limit".into(), |cap| format!("of {cap}"));
    let used = app
        .last_used_at
        .map_or_else(|| "never used".into(), |at| format!("used {at}"));
    format!(
        "{}\t{}\t{}\t{}\t{} credits spent, {cap}\tcreated {}\t{used}",
        app.grant_id,
        one_line(&grant.email),
        one_line(&app.client_name),
        app.scopes,
        app.credits_spent,
        app.created_at
    )
}
