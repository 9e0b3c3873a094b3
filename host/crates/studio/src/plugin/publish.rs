//! The command `linepress plugin publish`.
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use linepress_platform::clock::Clock;
use linepress_platform::config::Config;
use linepress_registry::{SigningKey, Submission, publish};
use linepress_terminal::print_line;

use super::authoring::Authoring;
use super::described;

#[derive(Args)]
pub struct Arguments {
    /// The author's folder, with plugin.toml and the component that it names.
    folder: PathBuf,
    /// The folder of the registry, which any web server can serve. It is created if it does not exist.
    #[arg(long, value_name = "FOLDER")]
    index: PathBuf,
    #[command(flatten)]
    authoring: Authoring,
    /// The file with the private key of the registry. Default: the publisher's key.
    #[arg(long, value_name = "FILE")]
    index_key: Option<PathBuf>,
    /// The days after which servers refuse the index, unless it was published again.
    #[arg(long, value_name = "DAYS", default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3650))]
    valid_days: u32,
}

pub(super) async fn run(config: &Config, arguments: Arguments) -> anyhow::Result<()> {
    let key = arguments.authoring.key()?;
    let index_key = arguments.index_key.as_deref().map(SigningKey::read).transpose()?;
    described::check(config, &arguments.folder).await?;
    let published = publish(&Submission {
        source: &arguments.folder,
        registry: &arguments.index,
        author: arguments.authoring.author(&key),
        index_key: index_key.as_ref().unwrap_or(&key),
        now: Clock::System.now().into(),
        validity: Duration::from_hours(24 * u64::from(arguments.valid_days)),
    })?;
    let state = if published.has_changed {
        "published"
    } else {
        "unchanged"
    };
    print_line!(
        "{} {}\t{state}\t{}",
        published.id,
        published.version,
        published.archive.display()
    );
    print_line!(
        "index\tnumber {}, valid until {}",
        published.serial,
        published.expires_at
    );
    print_line!("key of the registry\t{}", index_key.as_ref().unwrap_or(&key).public());
    Ok(())
}
