//! The publisher's part of a version, as `linepress plugin publish` and `push` take it.
use std::path::PathBuf;

use clap::Args;
use linepress_registry::{Author, RegistryError, SigningKey};

#[derive(Args)]
pub(super) struct Authoring {
    /// The file with the publisher's private key, which `linepress plugin keygen` wrote.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The name of the publisher. Default: that of the plugin's previous version.
    #[arg(long, value_name = "NAME")]
    publisher: Option<String>,
    /// A description of the plugin, in one line. Default: that of the plugin's previous version.
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Sign with another key than the plugin's previous version.
    #[arg(long)]
    replace_key: bool,
}

impl Authoring {
    pub(super) fn key(&self) -> Result<SigningKey, RegistryError> {
        SigningKey::read(&self.key)
    }

    pub(super) fn author(self, key: &SigningKey) -> Author<'_> {
        Author {
            key,
            publisher: self.publisher,
            description: self.description,
            is_new_key: self.replace_key,
        }
    }
}
