//! The registry that the settings name, and the versions that are installed from it.
use std::io::{BufRead as _, IsTerminal as _, Read as _};
use std::time::Duration;

use anyhow::{Context as _, bail};
use linepress_egress::Fetcher;
use linepress_platform::clock::Clock;
use linepress_platform::config::Config;
use linepress_registry::{Index, IndexPlace, LockedStore, PublicKey, Seen, Source, Store};
use linepress_terminal::print_error_line;

/// Time before the end of an index at which a warning begins.
const EXPIRY_WARNING_PERIOD: Duration = Duration::from_hours(24 * 30);
/// Maximum length of an answer.
const MAX_ANSWER_BYTES: u64 = 100;

/// The registry that the settings name.
pub(super) struct Registry {
    pub(super) source: Source,
    /// The place, for records and for people.
    pub(super) place: String,
    keys: Vec<PublicKey>,
    pub(super) store: Store,
}

impl Registry {
    pub(super) fn new(config: &Config) -> anyhow::Result<Self> {
        let settings = &config.plugin_index;
        let Some(place) = settings.place() else {
            bail!(
                "no registry is set: write its `url` and `public_keys` below [plugin_index] in the settings file, as \
                 docs/plugins/registry.md describes"
            );
        };
        let place: IndexPlace = place.map_err(|problem| anyhow::anyhow!("plugin_index.url {problem}"))?;
        let keys = settings.keys().map_err(anyhow::Error::msg)?;
        let fetcher = Fetcher::system(&settings.private_hosts, &config.denied_networks);
        Ok(Self {
            place: place.to_string(),
            source: Source::new(place, fetcher),
            keys,
            store: Store::new(&config.plugins_dir),
        })
    }

    /// Reads and verifies the index. Warns if it expires soon.
    pub(super) async fn index(&self) -> anyhow::Result<(Index, Seen)> {
        let now = Clock::System.now();
        let read = self.source.index(&self.keys, &self.store, now.into()).await;
        let (index, seen) = read.with_context(|| format!("the registry {} cannot be used", self.place))?;
        let soon: jiff::Timestamp = now.plus(EXPIRY_WARNING_PERIOD).into();
        if let Some(expiry) = index.expiry().filter(|expiry| *expiry < soon) {
            print_error_line!(
                "the index of the registry expires at {expiry}: ask the operator of the registry to publish it again"
            );
        }
        Ok((index, seen))
    }

    /// Does the same, and remembers the index, so that an older one is refused from now on.
    pub(super) async fn remembered_index(&self, locked: &LockedStore) -> anyhow::Result<Index> {
        let (index, seen) = self.index().await?;
        locked.remember(&seen)?;
        Ok(index)
    }
}

/// Asks the operator to accept what was printed before. Fails without an answer.
pub(super) fn accept(question: &str, is_accepted: bool) -> anyhow::Result<()> {
    if is_accepted {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        bail!("nothing was changed: add --yes if you accept this");
    }
    print_error_line!("{question} Type yes and press Enter:");
    let mut answer = String::new();
    let read = std::io::stdin().lock().take(MAX_ANSWER_BYTES).read_line(&mut answer);
    read.context("the answer cannot be read from standard input")?;
    match answer.trim() {
        "y" | "yes" | "Y" | "Yes" | "YES" => Ok(()),
        _ => bail!("nothing was changed"),
    }
}
