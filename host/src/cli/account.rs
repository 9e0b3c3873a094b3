//! The command `linepress account`.
use std::io::{BufRead as _, IsTerminal as _, Read as _};

use anyhow::Context as _;
use clap::{Args, Subcommand, value_parser};
use linepress_core::accounts::{self, Account, ListedAccount, Plan};
use linepress_core::app::App;
use linepress_core::{closing, credits, sign_in};
use linepress_platform::clock::Timestamp;
use linepress_terminal::{one_line, print_error_line, print_line};

use super::Format;

const MAX_CREDITS: i64 = credits::MAX_GRANT_CREDITS;
/// The number of bytes that are read of a line with a password; longer than any password.
const MAX_LINE_BYTES: u64 = 4096;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Create an account.
    Create {
        #[command(flatten)]
        named: Named,
        /// The account's plan: only business allows the use of the API.
        #[arg(long, value_enum, default_value_t = Plan::Business)]
        plan: Plan,
        /// The credits that the account starts with.
        #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = value_parser!(i64).range(0..=MAX_CREDITS))]
        credits: i64,
        /// Read the password with which the account's owner signs in in a browser from standard input, as one line.
        #[arg(long)]
        password_stdin: bool,
    },
    /// Set the password with which an account's owner signs in, read from standard input as one line. Ends its
    /// sessions.
    SetPassword {
        #[command(flatten)]
        named: Named,
    },
    /// Print a link with which an account's owner sets a new password. It works once, within 24 hours.
    ResetLink {
        #[command(flatten)]
        named: Named,
    },
    /// List all accounts.
    List {
        #[command(flatten)]
        format: Format,
    },
    /// Show one account: its plan, its credits, and its resources.
    Show {
        #[command(flatten)]
        named: Named,
        #[command(flatten)]
        format: Format,
    },
    /// List the latest entries of an account's ledger, newest first.
    Ledger {
        #[command(flatten)]
        named: Named,
        /// The maximum number of entries.
        #[arg(long, default_value_t = 50, value_parser = value_parser!(i64).range(1..=1_000_000))]
        limit: i64,
        #[command(flatten)]
        format: Format,
    },
    /// Add credits to an account.
    Grant {
        #[command(flatten)]
        verified: Verified,
        /// The number of credits to add.
        #[arg(long, allow_negative_numbers = true, value_parser = value_parser!(i64).range(1..=MAX_CREDITS))]
        credits: i64,
    },
    /// Withdraw credits from an account, at most its balance.
    Debit {
        #[command(flatten)]
        named: Named,
        /// The number of credits to withdraw.
        #[arg(long, allow_negative_numbers = true, value_parser = value_parser!(i64).range(1..=MAX_CREDITS))]
        credits: i64,
        /// The reason, in one line, which is recorded in the ledger.
        #[arg(long)]
        reason: String,
    },
    /// Change the plan of an account.
    SetPlan {
        #[command(flatten)]
        verified: Verified,
        /// The new plan: only business allows the use of the API.
        #[arg(long, value_enum)]
        plan: Plan,
    },
    /// End an account's plan, keys, password, sessions and public previews, and refund its queued drawings. Its books
    /// and pages remain.
    Close {
        #[command(flatten)]
        named: Named,
    },
}

/// An account, named by its email address.
#[derive(Args)]
pub(super) struct Named {
    /// The account's email address.
    #[arg(long)]
    email: String,
}

impl Named {
    pub(super) async fn find(&self, app: &App) -> anyhow::Result<Account> {
        let Self { email } = self;
        let found = accounts::find(app, email).await?;
        found.ok_or_else(|| anyhow::anyhow!("there is no account {email}; `linepress account list` lists all accounts"))
    }
}

/// An account, named by its email address, which must be verified.
#[derive(Args)]
pub(super) struct Verified {
    #[command(flatten)]
    named: Named,
    /// Accept an account whose address was never verified.
    #[arg(long)]
    unverified: bool,
}

impl Verified {
    /// Finds the account; fails when its address is not verified. Anyone can sign up with another person's address, and
    /// would then receive what the operator gives to the account.
    pub(super) async fn find(&self, app: &App) -> anyhow::Result<Account> {
        let account = self.named.find(app).await?;
        let since = accounts::unverified_since(app, &account).await?;
        if let Some(since) = since.filter(|_| !self.unverified) {
            let email = &account.email;
            anyhow::bail!(
                "the address {email} is not verified: anyone may have signed up with it on {since}. `linepress account reset-link \
                 --email {email}` prints a link that gives the account to the owner of the address; to continue without it, add \
                 --unverified"
            );
        }
        Ok(account)
    }
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create {
            named,
            plan,
            credits,
            password_stdin,
        } => {
            let account = if password_stdin {
                let password = read_password()?;
                sign_in::create_account(app, &named.email, plan, credits, &password).await?
            } else {
                accounts::create(app, &named.email, plan, credits).await?
            };
            let Account { id, email, credits, .. } = account;
            print_line!("{id} {email} has the plan {plan} and {credits} credits");
        }
        Command::SetPassword { named } => {
            let account = named.find(app).await?;
            sign_in::set_password(app, &account, &read_password()?).await?;
            print_line!("{} has a new password, and its sessions have ended", account.email);
        }
        Command::ResetLink { named } => {
            let account = named.find(app).await?;
            let token = sign_in::offer_password_reset(app, &account).await?;
            let hours = sign_in::LINK_LIFETIME.as_secs() / 3600;
            print_error_line!("link for {}, valid once within {hours} hours:", account.email);
            print_line!("{}/reset/{}", app.config.public_url, token.expose());
        }
        Command::List { format } => format.print(&accounts::list(app).await?, line)?,
        Command::Show { named, format } => {
            let summary = accounts::summary(app, &named.find(app).await?).await?;
            format.print_one(&summary, show)?;
        }
        Command::Ledger { named, limit, format } => {
            let account = named.find(app).await?;
            format.print(&credits::entries(app, &account.id, limit).await?, entry)?;
        }
        Command::Grant { verified, credits } => {
            let account = verified.find(app).await?;
            let balance = accounts::grant(app, &account, credits).await?;
            print_line!("{} has {balance} credits", account.email);
        }
        Command::Debit { named, credits, reason } => {
            let account = named.find(app).await?;
            let balance = accounts::debit(app, &account, credits, &reason).await?;
            print_line!("{} has {balance} credits", account.email);
        }
        Command::SetPlan { verified, plan } => {
            let account = verified.find(app).await?;
            accounts::set_plan(app, &account, plan).await?;
            print_line!("{} has the plan {plan}", account.email);
        }
        Command::Close { named } => {
            let account = named.find(app).await?;
            let closed = closing::close(app, &account).await?;
            print_line!(
                "{} is closed: {} keys revoked, {} drawings canceled, {} credits left",
                account.email,
                closed.keys,
                closed.drawings,
                closed.credits
            );
        }
    }
    Ok(())
}

/// Reads one line of standard input.
fn read_password() -> anyhow::Result<String> {
    if std::io::stdin().is_terminal() {
        print_error_line!("Type the password and press Enter. It is visible while you type:");
    }
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .take(MAX_LINE_BYTES)
        .read_line(&mut line)
        .context("the password cannot be read from standard input")?;
    let password = line.strip_suffix('\n').unwrap_or(&line);
    Ok(password.strip_suffix('\r').unwrap_or(password).to_owned())
}

fn line(listed: &ListedAccount) -> String {
    let Account {
        id,
        email,
        plan,
        credits,
        created_at,
    } = &listed.account;
    let mark = listed.unverified_since.map_or("", |_| "\tnot verified");
    format!("{id}\t{email}\t{plan}\t{credits} credits\t{created_at}{mark}")
}

/// The line of `show` about the account's address.
fn verification(unverified_since: Option<Timestamp>) -> String {
    match unverified_since {
        Some(since) => format!("address      not verified (signed up {since})"),
        None => "address      verified, or entered by the operator".into(),
    }
}

fn show(summary: &accounts::Summary) -> String {
    let accounts::Summary {
        account,
        unverified_since,
        spent,
        refunded,
        active_keys,
        usage,
    } = summary;
    [
        format!("id           {}", account.id),
        format!("email        {}", account.email),
        verification(*unverified_since),
        format!("plan         {}", account.plan),
        format!("created      {}", account.created_at),
        format!("credits      {} ({spent} spent, {refunded} refunded)", account.credits),
        format!("active keys  {active_keys}"),
        format!("characters   {}", usage.characters),
        format!("pages        {}", usage.pages),
        format!("books        {}", usage.books),
        format!("generations  {} under way", usage.generations),
        format!("stored       {} bytes", usage.stored_bytes),
    ]
    .join("\n")
}

fn entry(entry: &credits::LedgerEntry) -> String {
    let operation = entry.operation_id.as_ref().map_or("", |id| id.as_str());
    let reason = one_line(&entry.reason);
    format!(
        "{}\t{}\t{}\t{:+}\t{operation}{reason}",
        entry.id, entry.created_at, entry.kind, entry.amount
    )
}
