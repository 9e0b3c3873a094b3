//! The command `linepress plugin publish`.
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use linepress_platform::clock::Clock;
use linepress_registry::{Author, SigningKey, Submission, publish};
use linepress_terminal::print_line;

#[derive(Args)]
pub struct Arguments {
    /// The author's folder, with plugin.toml and the component that it names.
    folder: PathBuf,
    /// The folder of the registry, which any web server can serve. It is created if it does not exist.
    #[arg(long, value_name = "FOLDER")]
    index: PathBuf,
    /// The file with the publisher's private key, which `linepress plugin keygen` wrote.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The file with the private key of the registry. Default: the publisher's key.
    #[arg(long, value_name = "FILE")]
    index_key: Option<PathBuf>,
    /// The name of the publisher. Default: that of the plugin's previous version.
    #[arg(long, value_name = "NAME")]
    publisher: Option<String>,
    /// A description of the plugin, in one line. Default: that of the plugin's previous version.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Sign with another key than the plugin's previous version.
    #[arg(long)]
    replace_key: bool,
    /// The days after which servers refuse the index, unless it was published again.
    #[arg(long, value_name = "DAYS", default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3650))]
    valid_days: u32,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let key = SigningKey::read(&arguments.key)?;
    let index_key = arguments.index_key.as_deref().map(SigningKey::read).transpose()?;
    let published = publish(&Submission {
        source: &arguments.folder,
        registry: &arguments.index,
        author: Author {
            key: &key,
            publisher: arguments.publisher,
            description: arguments.description,
            is_new_key: arguments.replace_key,
        },
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
