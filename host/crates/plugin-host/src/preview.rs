//! What a plugin's folder says of itself, for whoever decides about it. Nothing in it is run.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::Version;
use serde_json::Value;

use crate::fingerprint;
use crate::inspect::inspect;
use crate::limits::Limits;
use crate::manifest::{Contents, Manifest};
use crate::network::{Network, Requests};

/// A folder that could be loaded, as far as its manifest and its component's imports and exports tell.
#[derive(Clone, Debug)]
pub struct Preview {
    pub id: String,
    pub version: Version,
    /// Such as `linepress:image/image-provider@0.1`.
    pub world: String,
    pub limits: Limits,
    /// What it asks for, with the settings that it has.
    pub requests: Requests,
    /// Of the whole folder, in hexadecimal: what a grant is for.
    pub digest: String,
    /// The JSON Schema of its settings, where it has one.
    pub schema: Option<String>,
}

impl Preview {
    /// Reads the folder; `config` are the settings of all plugins. An error says what is wrong with the folder.
    pub fn read(folder: &Path, config: &BTreeMap<String, Value>) -> Result<Self, String> {
        let contents = Contents::read(folder)?;
        let (digest, schema) = (contents.digest(), contents.text("config.json")?);
        let (manifest, wasm) = contents.into_plugin()?;
        let asks = !manifest.asked.is_empty();
        manifest.world.check(&inspect(&wasm.bytes)?, asks)?;
        let none = Value::Object(serde_json::Map::new());
        Ok(Self {
            requests: manifest.asked.with(config.get(&manifest.id).unwrap_or(&none))?,
            id: manifest.id,
            version: manifest.version,
            limits: manifest.limits,
            world: manifest.world.to_string(),
            digest,
            schema,
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
