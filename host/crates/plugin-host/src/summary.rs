//! What a folder says about its plugin, without running any of it.
use std::path::{Path, PathBuf};

use semver::Version;
use serde_json::Value;

use crate::fingerprint;
use crate::limits::Limits;
use crate::manifest::{Contents, Manifest};
use crate::network::{Network, Requests};

/// What a folder says about its plugin.
#[derive(Clone, Debug)]
pub struct Summary {
    pub id: String,
    pub version: Version,
    pub world: String,
    pub limits: Limits,
    /// Of the whole folder, in hexadecimal: what an operator approves.
    pub digest: String,
    /// What it asks for with the settings that it has.
    pub requests: Requests,
}

impl Summary {
    /// Reads a folder, whose plugin has these settings.
    pub fn read(folder: &Path, settings: Option<&Value>) -> Result<Self, String> {
        let contents = Contents::read(folder)?;
        let digest = contents.digest();
        let (manifest, _) = contents.into_plugin()?;
        let Manifest {
            id,
            version,
            world,
            limits,
            asked,
            ..
        } = manifest;
        Ok(Self {
            id,
            version,
            world: world.to_string(),
            limits,
            digest,
            requests: asked.with(settings.unwrap_or(&Value::Null))?,
        })
    }

    /// What is in the way of what it asks for; nothing where it is granted.
    pub fn missing(&self, network: &Network) -> Option<String> {
        network.approve(&self.id, &self.digest, self.requests.clone()).err()
    }
}

/// The folder of the directory that holds the plugin of this id, the first where there are more.
pub fn find_folder(directory: &Path, id: &str) -> Option<PathBuf> {
    let folders = fingerprint::folders(directory).ok()?;
    let holds = |folder: &PathBuf| Manifest::read(folder).is_ok_and(|manifest| manifest.id == id);
    folders.into_keys().find(holds)
}
