//! The command `linepress oauth`.
use anyhow::bail;
use clap::{ArgGroup, Args, Subcommand};
use linepress_accounts::accounts;
use linepress_accounts::grants::clients::{self, Client};
use linepress_accounts::grants::{self, GrantOfAccount};
use linepress_operator::administration::{Actor, apps};
use linepress_platform::app::App;
use linepress_platform::ids::{ClientId, GrantId};
use linepress_terminal::{one_line, print_line};

use super::Format;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Manage apps that registered themselves or published a document.
    #[command(subcommand)]
    Client(ClientCommand),
    /// Manage the grants of accounts to apps.
    #[command(subcommand)]
    Grant(GrantCommand),
}

#[derive(Subcommand)]
pub(super) enum ClientCommand {
    /// List all apps, without their secrets.
    List {
        #[command(flatten)]
        format: Format,
    },
    /// Revoke an app and all grants to it, at once.
    #[command(group = ArgGroup::new("apps").args(["id", "host"]).required(true))]
    Revoke {
        /// The app's id, from `linepress oauth client list`.
        id: Option<String>,
        /// Revoke every app that publishes its document on this host.
        #[arg(long)]
        host: Option<String>,
    },
}

#[derive(Subcommand)]
pub(super) enum GrantCommand {
    /// List the active grants.
    List {
        #[command(flatten)]
        filter: AccountFilter,
        #[command(flatten)]
        format: Format,
    },
    /// Revoke a grant and all tokens issued under it, at once.
    Revoke {
        /// The grant's id, from `linepress oauth grant list`.
        id: String,
    },
}

/// The account whose grants are listed.
#[derive(Args)]
pub(super) struct AccountFilter {
    /// The account's email address. Default: all accounts.
    #[arg(long)]
    email: Option<String>,
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    let actor = &Actor::command_line();
    match command {
        Command::Client(ClientCommand::List { format }) => format.print(&clients::list(app).await?, client_line)?,
        Command::Client(ClientCommand::Revoke { host: Some(host), .. }) => {
            let revoked = apps::revoke_host(app, actor, &host).await?;
            if revoked == 0 {
                bail!("no active app has its document on {host}; `linepress oauth client list` lists all apps");
            }
            print_line!("{revoked} apps of {host} are revoked");
        }
        Command::Client(ClientCommand::Revoke { id, .. }) => {
            let id = id.unwrap_or_default();
            if !apps::revoke(app, actor, &ClientId::from_text(&id)).await? {
                bail!("no active app {id}; `linepress oauth client list` lists all apps");
            }
            print_line!("{id} is revoked");
        }
        Command::Grant(GrantCommand::List { filter, format }) => {
            let granted = match filter.email {
                None => grants::list_all(app).await?,
                Some(email) => {
                    let Some(account) = accounts::find(app, &email).await? else {
                        bail!("there is no account {email}; `linepress account list` lists all accounts");
                    };
                    grants::list_of(app, &account).await?
                }
            };
            format.print(&granted, grant_line)?;
        }
        Command::Grant(GrantCommand::Revoke { id }) => {
            if !apps::revoke_grant(app, actor, &GrantId::from_text(&id)).await? {
                bail!("no active grant {id}; `linepress oauth grant list` lists the active grants");
            }
            print_line!("{id} is revoked");
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
