//! A summary of a plugin folder for the operator, who decides whether to allow it. The component is not executed.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::Version;
use serde_json::Value;

use crate::fingerprint;
use crate::inspect::inspect;
use crate::limits::Limits;
use crate::manifest::{Contents, Manifest};
use crate::network::{Network, Requests};
use crate::settings_schema::SCHEMA_FILE;
use crate::variant::Variant;

/// A plugin folder whose manifest and component passed the checks that need no execution.
#[derive(Clone, Debug)]
pub struct Preview {
    pub id: String,
    pub version: Version,
    /// Such as `linepress:image/image-provider@0.1`.
    pub world: String,
    /// The layout whose component a variant uses.
    pub variant: Option<Variant>,
    pub limits: Limits,
    /// Network access and services that the plugin asks for, with its settings applied.
    pub requests: Requests,
    /// SHA-256 of the whole folder in hexadecimal, to which a grant applies.
    pub digest: String,
    /// The JSON Schema of the plugin's settings, if the folder contains one.
    pub schema: Option<String>,
}

impl Preview {
    /// Reads a plugin folder. `config` contains the settings of all plugins. An error says what is wrong with the
    /// folder.
    pub fn read(folder: &Path, config: &BTreeMap<String, Value>) -> Result<Self, String> {
        let contents = Contents::read(folder)?;
        let (digest, schema) = (contents.digest(), contents.text(SCHEMA_FILE)?);
        let (manifest, wasm) = contents.into_plugin()?;
        manifest.check_surface(&inspect(&wasm.bytes)?)?;
        let none = Value::Object(serde_json::Map::new());
        Ok(Self {
            requests: manifest.requests.resolve(config.get(&manifest.id).unwrap_or(&none))?,
            id: manifest.id,
            version: manifest.version,
            variant: manifest.variant,
            limits: manifest.limits,
            world: manifest.world.to_string(),
            digest,
            schema,
        })
    }

    /// The reason why what the plugin requests is refused. `None` if it is granted.
    pub fn missing_grant(&self, network: &Network) -> Option<String> {
        network.approve(&self.id, &self.digest, self.requests.clone()).err()
    }
}

/// Finds the folder of the plugin with this id in the first of these directories that has one. If a directory has
/// several, the first by path is returned.
pub fn find_folder(directories: &[&Path], id: &str) -> Option<PathBuf> {
    let folders = directories
        .iter()
        .filter_map(|directory| fingerprint::folders(directory).ok());
    let holds = |folder: &PathBuf| Manifest::read(folder).is_ok_and(|manifest| manifest.id == id);
    folders.flat_map(BTreeMap::into_keys).find(holds)
}
