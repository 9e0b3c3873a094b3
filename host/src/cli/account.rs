//! `linepress account`.
use clap::Subcommand;
use linepress::accounts::{self, Plan};
use linepress::app::App;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Make an account.
    Create {
        #[arg(long)]
        email: String,
        #[arg(long, value_enum, default_value_t = Plan::Business)]
        plan: Plan,
        /// Credits to begin with.
        #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..=1_000_000_000))]
        credits: i64,
    },
    /// Show every account.
    List,
    /// Add credits to an account.
    Grant {
        #[arg(long)]
        email: String,
        #[arg(long, value_parser = clap::value_parser!(i64).range(1..=1_000_000_000))]
        credits: i64,
    },
    /// Change the plan of an account.
    SetPlan {
        #[arg(long)]
        email: String,
        #[arg(long, value_enum)]
        plan: Plan,
    },
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create { email, plan, credits } => {
            let account = accounts::create(app, &email, plan, credits).await?;
            println!(
                "{} {} has the plan {} and {} credits",
                account.id,
                account.email,
                plan.as_str(),
                account.credits
            );
        }
        Command::List => {
            for account in accounts::list(app).await? {
                println!(
                    "{}\t{}\t{}\t{} credits\t{}",
                    account.id,
                    account.email,
                    account.plan.as_str(),
                    account.credits,
                    account.created_at
                );
            }
        }
        Command::Grant { email, credits } => {
            let account = super::account(app, &email).await?;
            let balance = accounts::grant(app, &account, credits).await?;
            println!("{} has {balance} credits", account.email);
        }
        Command::SetPlan { email, plan } => {
            let account = super::account(app, &email).await?;
            accounts::set_plan(app, &account, plan).await?;
            println!("{} has the plan {}", account.email, plan.as_str());
        }
    }
    Ok(())
}
