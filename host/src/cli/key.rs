//! `linepress key`.
use anyhow::bail;
use clap::Subcommand;
use linepress::accounts;
use linepress::app::App;
use linepress::ids::KeyId;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Make an API key. The key alone goes to standard output; it is shown this once.
    Create {
        #[arg(long)]
        email: String,
        /// What the key is for.
        #[arg(long)]
        name: String,
    },
    /// Show the keys of an account, without the secrets.
    List {
        #[arg(long)]
        email: String,
    },
    /// End a key at once.
    Revoke {
        /// The key's id, from `linepress key list`.
        id: String,
    },
}

pub(super) async fn run(app: &App, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create { email, name } => {
            let account = super::account(app, &email).await?;
            let (key, secret) = accounts::create_key(app, &account, &name).await?;
            eprintln!("{} for {}; keep it, it is not shown again:", key.id, account.email);
            println!("{}", secret.expose());
        }
        Command::List { email } => {
            let account = super::account(app, &email).await?;
            for key in accounts::list_keys(app, &account).await? {
                let state = key
                    .revoked_at
                    .map_or_else(|| "active".into(), |at| format!("revoked {at}"));
                println!("{}\t{}\tcreated {}\t{state}", key.id, key.name, key.created_at);
            }
        }
        Command::Revoke { id } => {
            if !accounts::revoke_key(app, &KeyId::from_text(&id)).await? {
                bail!("there is no key {id}; `linepress key list` shows those there are");
            }
            println!("{id} is revoked");
        }
    }
    Ok(())
}
