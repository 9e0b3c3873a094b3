//! The settings of a node.
use crate::parts::Parts;
use crate::plugins::SLOW;

/// The time after which another worker takes over a drawing. A frozen node is frozen for longer.
pub(crate) const LEASE_SECONDS: u64 = 3;

/// The behavior of the provider, which a node reads again when its settings change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ProviderBehavior {
    Draws,
    Fails,
    Hangs,
}

impl ProviderBehavior {
    /// The time of a call in milliseconds, and the percentage of calls that fail.
    fn settings(self) -> (u64, u64) {
        match self {
            Self::Draws => (600, 0),
            Self::Fails => (100, 100),
            // Much longer than `deadline_seconds`.
            Self::Hangs => (600_000, 0),
        }
    }
}

/// Returns the settings of a node.
pub(crate) fn of(parts: &Parts, provider: ProviderBehavior) -> String {
    let Parts {
        address,
        folder,
        database_url,
        storage_url,
        public_url,
        ..
    } = parts;
    let (folder, s3) = (folder.display(), parts.storage.address);
    let (milliseconds, failures) = provider.settings();
    format!(
        r#"listen = "{address}"
public_url = "{public_url}"
data_dir = "{folder}"
plugins_dir = "{folder}/plugins.d"
database_url = "{database_url}"
storage_url = "{storage_url}"
image_providers = ["testbed.flaky", "{SLOW}", "testbed.plain"]
workers = 2
lease_seconds = {LEASE_SECONDS}
drawing_attempts = 4
shutdown_grace_seconds = 2

[limits]
changes_per_minute = 100000
generations = 100000
books = 100000
characters = 100000
pages = 100000
uploads = 100000
free_covers_per_day = 100000

[s3]
endpoint = "http://{s3}"
allow_http = true
stall_seconds = 3

[providers."{SLOW}"]
concurrency = 4
deadline_seconds = 4

[plugins."testbed.flaky"]
fail = "asked"
seeds = "all"
aspects = ["square"]

[plugins."{SLOW}"]
milliseconds = {milliseconds}
failures = {failures}
"#
    )
}
