//! The command `linepress account`.
mod output;
mod password;

use anyhow::Context as _;
use clap::{Args, Subcommand, value_parser};
use linepress_accounts::accounts::{self, Account, LimitName, Plan, Role};
use linepress_accounts::credits;
use linepress_operator::administration::accounts::{
    self as administration, AccountChange, CreditChange, LimitChanges, ManagedAccount, NewAccount,
};
use linepress_operator::administration::{Actor, GivenReason};
use linepress_platform::app::App;
use linepress_platform::ids::AccountId;
use linepress_terminal::print_line;

use self::output::{entry, line, own_limits, print_link, show};
use self::password::read_password;
use super::{Format, listing};

const MAX_CREDITS: i64 = credits::MAX_GRANT_CREDITS;

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
    /// Create an account, and print a link with which its owner sets a password. It works once, within 24 hours.
    Invite {
        #[command(flatten)]
        named: Named,
        /// The account's plan: only business allows the use of the API.
        #[arg(long, value_enum, default_value_t = Plan::Business)]
        plan: Plan,
        /// The account's role: an operator may administer the server.
        #[arg(long, value_enum, default_value_t = Role::Customer)]
        role: Role,
        /// The credits that the account starts with.
        #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = value_parser!(i64).range(0..=MAX_CREDITS))]
        credits: i64,
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
    /// List accounts, oldest first.
    List {
        /// Only accounts whose address contains this text or whose id it is.
        #[arg(long, default_value = "", hide_default_value = true)]
        search: String,
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
        /// The reason, in one line, which is recorded in the ledger and in the audit log.
        #[arg(long, default_value = "added on the command line")]
        reason: String,
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
    /// Change the role of an account. An operator may administer the server in the browser and over REST.
    SetRole {
        #[command(flatten)]
        verified: Verified,
        /// The new role.
        #[arg(long, value_enum)]
        role: Role,
    },
    /// Set limits of one account, which then differ from those of the settings.
    SetLimits {
        #[command(flatten)]
        verified: Verified,
        /// A limit and its number, such as pages=50000; pages=default returns to the limit of the settings.
        #[arg(required = true, value_name = "NAME=NUMBER", value_parser = limit_change)]
        limits: Vec<(LimitName, Option<i64>)>,
    },
    /// Administer the second factor of an account.
    SecondFactor {
        #[command(subcommand)]
        command: SecondFactorCommand,
    },
    /// Suspend an account: its keys, sessions and apps are refused, and its queued drawings are canceled and refunded.
    Suspend {
        #[command(flatten)]
        named: Named,
        /// The reason, in one line, which is recorded in the audit log.
        #[arg(long)]
        reason: String,
    },
    /// End the suspension of an account, whose keys, sessions and apps work again.
    Resume {
        #[command(flatten)]
        named: Named,
    },
    /// End an account's plan, keys, password, sessions, apps and public previews, and refund its queued drawings. Its
    /// webhooks, its review links with their comments, what is in its bin, and all pictures except those in use are
    /// deleted, which cannot be undone. Its books, pages, credits and ledger remain.
    Close {
        #[command(flatten)]
        named: Named,
    },
}

#[derive(Subcommand)]
pub(super) enum SecondFactorCommand {
    /// Turn off the second factor of an account, whose owner lost the authenticator app and the recovery codes. The
    /// password alone then signs in.
    Reset {
        #[command(flatten)]
        named: Named,
    },
}

/// An account, named by its email address.
#[derive(Args)]
pub(super) struct Named {
    /// The account's email address.
    #[arg(long)]
    pub(super) email: String,
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

/// The error for an account that disappears while a command runs.
const GONE: &str = "the account does not exist any more";

/// A change of an account whose address the command has checked.
const ACCEPTED: AccountChange = AccountChange {
    plan: None,
    role: None,
    limits: None,
    accept_unverified: true,
};

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    let actor = &Actor::command_line();
    match command {
        Command::Create {
            named,
            plan,
            credits,
            password_stdin,
        } => {
            let new = NewAccount {
                email: named.email,
                plan,
                role: Role::Customer,
                credits,
            };
            let password = password_stdin.then(read_password).transpose()?;
            let account = administration::create(app, actor, &new, password.as_deref()).await?;
            let ManagedAccount { id, email, credits, .. } = account;
            print_line!("{id} {email} has the plan {plan} and {credits} credits");
        }
        Command::Invite {
            named,
            plan,
            role,
            credits,
        } => {
            let new = NewAccount {
                email: named.email,
                plan,
                role,
                credits,
            };
            let invitation = administration::invite(app, actor, &new).await?;
            print_link(app, &invitation.account.email, &invitation.link);
        }
        Command::SetPassword { named } => {
            let account = named.find(app).await?;
            administration::set_password(app, actor, &account.id, &read_password()?).await?;
            print_line!("{} has a new password, and its sessions have ended", account.email);
        }
        Command::ResetLink { named } => {
            let account = named.find(app).await?;
            let link = administration::offer_password_link(app, actor, &account.id).await?;
            print_link(app, &account.email, &link.context(GONE)?);
        }
        Command::List { search, format } => {
            let listed = listing::read(app, AccountId::PREFIX, usize::MAX, async |request| {
                administration::list(app, actor, &search, request).await
            });
            let mut listed = listed.await?;
            listed.reverse();
            format.print(&listed, line)?;
        }
        Command::Show { named, format } => {
            let summary = accounts::summary(app, &named.find(app).await?).await?;
            format.print_one(&summary, show)?;
        }
        Command::Ledger { named, limit, format } => {
            let account = named.find(app).await?;
            format.print(&credits::entries(app, &account.id, limit).await?, entry)?;
        }
        Command::Grant {
            verified,
            credits,
            reason,
        } => {
            let account = verified.find(app).await?;
            change_credits(app, actor, &account, credits, reason).await?;
        }
        Command::Debit { named, credits, reason } => {
            let account = named.find(app).await?;
            change_credits(app, actor, &account, -credits, reason).await?;
        }
        Command::SetPlan { verified, plan } => {
            let account = verified.find(app).await?;
            let change = AccountChange {
                plan: Some(plan),
                ..ACCEPTED
            };
            administration::change(app, actor, &account.id, &change)
                .await?
                .context(GONE)?;
            print_line!("{} has the plan {plan}", account.email);
        }
        Command::SetRole { verified, role } => {
            let account = verified.find(app).await?;
            let change = AccountChange {
                role: Some(role),
                ..ACCEPTED
            };
            administration::change(app, actor, &account.id, &change)
                .await?
                .context(GONE)?;
            print_line!("{} has the role {role}", account.email);
        }
        Command::SetLimits { verified, limits } => {
            let account = verified.find(app).await?;
            let change = AccountChange {
                limits: Some(LimitChanges(limits.into_iter().collect())),
                ..ACCEPTED
            };
            let changed = administration::change(app, actor, &account.id, &change).await?;
            print_line!("{} has {}", account.email, own_limits(&changed.context(GONE)?.limits));
        }
        Command::SecondFactor {
            command: SecondFactorCommand::Reset { named },
        } => {
            let account = named.find(app).await?;
            administration::reset_second_factor(app, actor, &account.id)
                .await?
                .context(GONE)?;
            print_line!("{} has no second factor", account.email);
        }
        Command::Suspend { named, reason } => {
            let account = named.find(app).await?;
            let given = GivenReason { reason: reason.into() };
            administration::suspend(app, actor, &account.id, &given)
                .await?
                .context(GONE)?;
            print_line!("{} is suspended", account.email);
        }
        Command::Resume { named } => {
            let account = named.find(app).await?;
            administration::resume(app, actor, &account.id).await?.context(GONE)?;
            print_line!("{} is not suspended", account.email);
        }
        Command::Close { named } => {
            let account = named.find(app).await?;
            let closed = administration::close(app, actor, &account.id).await?.context(GONE)?;
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

/// Adds credits to an account whose address the command has checked, or withdraws some.
async fn change_credits(
    app: &App,
    actor: &Actor,
    account: &Account,
    amount: i64,
    reason: String,
) -> anyhow::Result<()> {
    let change = CreditChange {
        amount,
        reason: reason.into(),
        accept_unverified: true,
    };
    let done = administration::change_credits(app, actor, None, &account.id, &change).await?;
    let balance = done.context(GONE)?.reply.credits;
    print_line!("{} has {balance} credits", account.email);
    Ok(())
}

/// Parses the argument of a limit: its name, and the number or the word `default`.
fn limit_change(argument: &str) -> Result<(LimitName, Option<i64>), String> {
    let names = || {
        LimitName::ALL
            .iter()
            .map(|name| name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (name, number) = argument
        .split_once('=')
        .ok_or("write a limit as NAME=NUMBER, such as pages=50000")?;
    let name = LimitName::parse(name).ok_or_else(|| format!("there is no limit {name}; the limits are {}", names()))?;
    if number == "default" {
        return Ok((name, None));
    }
    let number = number
        .parse()
        .map_err(|_| format!("write a number or the word default after {name}="))?;
    Ok((name, Some(number)))
}
