//! The plugins that the server of this machine has loaded, recorded in its data folder for commands: they load plugins
//! by themselves, and cannot see which versions the server uses. When a provider is replaced, its pause ends.
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use linepress_drawings::routing;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::folders;
use linepress_plugin_host::{Fingerprint, Installed};
use serde::{Deserialize, Serialize};

/// The folder of the record in the data folder. The server locks it while it runs.
const FOLDER: &str = "loaded-plugins";
const FILE: &str = "loaded.json";

/// The time between two looks at the loaded plugins.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// A plugin folder as the running server sees it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct LoadedPlugin {
    /// The path of the folder. Bytes that are not UTF-8 are replaced.
    pub folder: String,
    /// The version that the server uses. `None` if it has loaded none.
    pub version: Option<String>,
    /// The fingerprint of the files that the server read last.
    pub fingerprint: Fingerprint,
    /// The reason why the server refused the files that it read last.
    pub refusal: Option<String>,
}

impl LoadedPlugin {
    /// Returns true if the server has loaded the files with this fingerprint.
    pub fn has_loaded(&self, files: Fingerprint) -> bool {
        self.version.is_some() && self.refusal.is_none() && self.fingerprint == files
    }
}

impl From<Installed> for LoadedPlugin {
    fn from(installed: Installed) -> Self {
        Self {
            folder: installed.folder.to_string_lossy().into_owned(),
            version: installed.serving.map(|serving| serving.version),
            fingerprint: installed.fingerprint,
            refusal: installed.refusal,
        }
    }
}

/// Records the loaded plugins, and ends the pauses of replaced ones, until the future is dropped.
pub async fn follow(app: App) {
    let folder = app.config.data_dir.join(FOLDER);
    let mut serving = serving(&app);
    let mut locked = None;
    let mut recorded = None;
    let mut is_failing = false;
    loop {
        if locked.is_none() {
            // A command may be looking at the lock, and another server may have the same data folder.
            locked = lock(&folder);
        }
        let before = std::mem::replace(&mut serving, self::serving(&app));
        for (id, _) in serving
            .iter()
            .filter(|(id, version)| before.get(*id).is_some_and(|before| before != *version))
        {
            if let Err(error) = end_pause(&app, id).await {
                let error = error.for_operator();
                tracing::warn!(plugin = id, error, "the pause of a replaced plugin cannot be ended");
            }
        }
        let now: Vec<LoadedPlugin> = app.plugins.installed().into_iter().map(Into::into).collect();
        if locked.is_some() && recorded.as_ref() != Some(&now) {
            recorded = match write(&folder, &now) {
                Ok(()) => Some(now),
                Err(error) => {
                    if !is_failing {
                        tracing::warn!(%error, "the loaded plugins cannot be recorded for `linepress plugin list`");
                    }
                    // An old record would be wrong.
                    drop(fs::remove_file(folder.join(FILE)));
                    None
                }
            };
            is_failing = recorded.is_none();
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

/// The version and the digest of each plugin that is in use, by its id.
fn serving(app: &App) -> BTreeMap<String, (String, String)> {
    let installed = app.plugins.installed().into_iter();
    let serving = installed.filter_map(|plugin| plugin.id.zip(plugin.serving));
    serving
        .map(|(id, serving)| (id, (serving.version, serving.digest)))
        .collect()
}

/// Ends the pause of an image provider: the failures that led to it were those of the version before.
pub(crate) async fn end_pause(app: &App, id: &str) -> Result<()> {
    let mut tx = app.database.begin().await?;
    routing::end_pause(app, &mut tx, id).await?;
    Ok(tx.commit().await?)
}

/// Locks the folder of the record until the returned file is dropped. `None` if another process has locked it, or if
/// the file system cannot lock it.
fn lock(folder: &Path) -> Option<File> {
    folders::make_private(folder).ok()?;
    let file = File::open(folder).ok()?;
    file.try_lock().is_ok().then_some(file)
}

fn write(folder: &Path, loaded: &[LoadedPlugin]) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(loaded)?)?;
    file.persist(folder.join(FILE))?;
    Ok(())
}

/// The plugins that the running server with this data folder has loaded. `None` if no server runs, or if its record
/// cannot be read.
pub fn read(data_dir: &Path) -> Option<Vec<LoadedPlugin>> {
    let folder = data_dir.join(FOLDER);
    match File::open(&folder).ok()?.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {}
        Ok(()) | Err(TryLockError::Error(_)) => return None,
    }
    let record = fs::read(folder.join(FILE)).ok()?;
    serde_json::from_slice(&record).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_counts_while_its_server_runs() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join(FOLDER);
        assert_eq!(read(data.path()), None);
        let locked = lock(&folder).unwrap();
        assert!(lock(&folder).is_none(), "one server at a time");
        assert_eq!(read(data.path()), None);
        let loaded = LoadedPlugin {
            folder: "/plugins.d/acme.flux".into(),
            version: Some("1.2.0".into()),
            fingerprint: serde_json::from_str("1").unwrap(),
            refusal: None,
        };
        for loaded in [vec![loaded], Vec::new()] {
            write(&folder, &loaded).unwrap();
            assert_eq!(read(data.path()), Some(loaded));
        }
        drop(locked);
        assert_eq!(read(data.path()), None);
    }
}
