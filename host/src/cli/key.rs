//! The command `linepress key`.
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand, value_parser};
use linepress_accounts::accounts::{self, ApiKey, KeyRotation, KeyStatus, NewApiKey};
use linepress_accounts::credits::MAX_GRANT_CREDITS;
use linepress_operator::administration::{Actor, keys};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::ids::KeyId;
use linepress_platform::scopes::{Scope, Scopes};
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
        #[command(flatten)]
        terms: Terms,
    },
    /// List the keys of an account, without the secrets.
    List {
        #[command(flatten)]
        named: Named,
        #[command(flatten)]
        format: Format,
    },
    /// Replace the secret of a key. Only the new secret is written to standard output; it cannot be shown again.
    Rotate {
        /// The key's id, from `linepress key list --email E`.
        id: String,
        /// The hours for which the old secret remains valid; with 0 it ends at once.
        #[arg(long, default_value_t = KeyRotation::DEFAULT_OVERLAP_HOURS, allow_negative_numbers = true,
            value_parser = value_parser!(i64).range(0..=KeyRotation::MAX_OVERLAP_HOURS))]
        overlap_hours: i64,
    },
    /// Revoke a key at once.
    Revoke {
        /// The key's id, from `linepress key list --email E`.
        id: String,
    },
}

/// What may be done with a new key.
#[derive(Args)]
pub(super) struct Terms {
    /// Make a test key: it costs no credits, draws samples with a watermark, and sees nothing of the account's library.
    #[arg(long)]
    test: bool,
    /// A permission of the key, all by default: books:read, books:write or credits:spend. May be repeated.
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<Scope>,
    /// The time at which the key ceases to be valid, such as 2027-01-31T00:00:00Z; never by default.
    #[arg(long, value_name = "TIME", value_parser = time)]
    expires_at: Option<Timestamp>,
    /// The most that may be spent with the key, in credits; all that the account has by default.
    #[arg(long, value_name = "CREDITS", allow_negative_numbers = true, value_parser = value_parser!(i64).range(0..=MAX_GRANT_CREDITS))]
    credit_cap: Option<i64>,
    /// The period after which as many credits may be spent again; by default, the limit is for all time.
    #[arg(long, value_enum, requires = "credit_cap")]
    credit_period: Option<CreditPeriod>,
    /// A network from which the key may be used, such as 203.0.113.0/24; every network by default. May be repeated.
    #[arg(long = "network", value_name = "CIDR")]
    networks: Vec<String>,
}

impl Terms {
    fn into_request(self, name: String) -> NewApiKey {
        NewApiKey {
            name,
            test: self.test,
            scopes: (!self.scopes.is_empty()).then_some(self.scopes),
            expires_at: self.expires_at,
            credit_cap: self.credit_cap,
            credit_period: self.credit_period,
            allowed_networks: (!self.networks.is_empty()).then_some(self.networks),
        }
    }
}

fn time(text: &str) -> Result<Timestamp, String> {
    let time = serde_json::from_value(text.into());
    time.map_err(|_| "write it as 2027-01-31T00:00:00Z".into())
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create { verified, name, terms } => {
            let account = verified.find(app).await?;
            let (key, secret) = keys::create(app, &Actor::command_line(), &account, &terms.into_request(name)).await?;
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
        Command::Rotate { id, overlap_hours } => {
            let rotation = KeyRotation {
                overlap_hours: Some(overlap_hours),
            };
            let rotated = keys::rotate(app, &Actor::command_line(), &KeyId::from_text(&id), rotation).await?;
            let (key, secret) = rotated.with_context(|| unknown(&id))?;
            let old = match key.previous_secret_expires_at {
                Some(end) => format!("is valid until {end}"),
                None => "is not valid any more".into(),
            };
            print_error_line!("{id} has a new secret, and the old one {old}; save it now, it cannot be shown again:");
            print_line!("{}", secret.expose());
        }
        Command::Revoke { id } => {
            if !keys::revoke(app, &Actor::command_line(), &KeyId::from_text(&id)).await? {
                bail!(unknown(&id));
            }
            print_line!("{id} is revoked");
        }
    }
    Ok(())
}

fn unknown(id: &str) -> String {
    format!("there is no key {id}; `linepress key list --email E` lists the keys of an account")
}

fn line(key: &ApiKey) -> String {
    let state = match (key.status, key.revoked_at, key.expires_at) {
        (KeyStatus::Revoked, Some(at), _) => format!("revoked {at}"),
        (KeyStatus::Expired, _, Some(at)) => format!("expired {at}"),
        _ => "active".into(),
    };
    format!(
        "{}\t{}\tcreated {}\t{state}{}",
        key.id,
        one_line(&key.name),
        key.created_at,
        limits(key)
    )
}

/// What limits a key, and its last use.
fn limits(key: &ApiKey) -> String {
    let test = key.test.then(|| "test".to_owned());
    let scopes = (key.scopes != Scopes::ALL).then(|| format!("only {}", key.scopes));
    let until = key.expires_at.filter(|_| key.is_active());
    let credits = key.credit_cap.map(|cap| {
        let each = key
            .credit_period
            .map(|period| format!(" a {period}"))
            .unwrap_or_default();
        format!("{} of {cap} credits{each} spent", key.credits_spent)
    });
    let networks: Vec<String> = key.allowed_networks.iter().collect();
    let networks = (!networks.is_empty()).then(|| format!("from {}", networks.join(" ")));
    let used = key.last_used_at.map(|at| format!("used {at}"));
    let all = [
        test,
        scopes,
        until.map(|at| format!("until {at}")),
        credits,
        networks,
        used,
    ];
    all.into_iter().flatten().map(|limit| format!("\t{limit}")).collect()
}
