//! A watcher that detects changes of plugin folders and of a settings file while the server runs.
//!
//! Notifications of the file system trigger a check. A check every few seconds covers places without notifications,
//! such as network file systems and folders behind symbolic links. Only the comparison of fingerprints decides what has
//! changed. A folder that is still changing is not loaded, because it may be in the middle of being copied. Nothing is
//! loaded while the settings file is still changing, and not the version of a plugin that was installed by name while a
//! command changes it: the change of a plugin and that of its approval take effect together.
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::fingerprint::{self, Fingerprint, Folders};
use crate::plugins::Plugins;
use crate::settings::PluginSettings;
use crate::stored_versions;

/// The time for which a watch waits for the end of a plugin's change. It is limited, because any user of the machine
/// may lock a folder that they may read.
const MAX_CHANGE_DURATION: Duration = Duration::from_secs(60);

/// Intervals of the watcher.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Time for which a folder must be unchanged before it is loaded.
    pub quiet: Duration,
    /// Interval of the checks when the file system sends no notifications.
    pub poll: Duration,
    /// Pause before a refused folder is read again. It doubles with each refusal, up to sixteen times this value.
    pub retry: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(1),
            poll: Duration::from_secs(5),
            retry: Duration::from_secs(60),
        }
    }
}

/// Watches the plugin folders and the settings file.
pub struct Watch {
    plugins: Plugins,
    directory: PathBuf,
    bundled: Option<PathBuf>,
    /// The settings file, with the fingerprint that was last reported as a change.
    file: Option<(PathBuf, Fingerprint)>,
    pace: Pace,
    /// The result of the last check.
    seen: Look,
    /// The folders of the plugins that a command changes, with the time since which it does.
    changing_since: BTreeMap<PathBuf, Instant>,
    /// Why the last check failed. Each problem is logged once.
    problem: Option<String>,
    changed: Arc<Notify>,
    _watcher: Option<RecommendedWatcher>,
}

/// Complete changes: the files have changed, and are no longer changing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// True if the settings file has changed.
    pub settings: bool,
    folders: Option<Folders>,
}

#[derive(Clone, Default, PartialEq)]
struct Look {
    /// `None` if the plugin directory could not be read.
    folders: Option<Folders>,
    file: Option<Fingerprint>,
    /// The folders of the plugins for which the watch waits, because a command changes them.
    changing: BTreeSet<PathBuf>,
}

impl Plugins {
    /// Starts to watch the plugin folders and the optional settings file. Returns `None` for [`Plugins::none`].
    pub async fn watch(&self, file: Option<PathBuf>, pace: Pace) -> Option<Watch> {
        let (directory, bundled) = self.directories().await?;
        let changed = Arc::new(Notify::new());
        let file = file.and_then(|file| std::path::absolute(file).ok());
        let watcher = watcher(&directory, file.as_deref(), changed.clone());
        let watcher = watcher.inspect_err(|error| {
            tracing::warn!(
                %error,
                seconds = pace.poll.as_secs_f32(),
                "the file system does not report changes: plugin folders are checked periodically"
            );
        });
        let file = file.map(|file| (file.clone(), fingerprint::of_path(&file)));
        Some(Watch {
            plugins: self.clone(),
            directory,
            bundled,
            seen: Look {
                folders: Some(self.loaded_folders().await),
                file: file.as_ref().map(|(_, fingerprint)| *fingerprint),
                changing: BTreeSet::new(),
            },
            file,
            changing_since: BTreeMap::new(),
            pace,
            problem: None,
            changed,
            _watcher: watcher.ok(),
        })
    }

    /// Loads changed folders and removes deleted ones. Returns true if any plugin was added, replaced, removed or
    /// refused.
    pub async fn apply(&self, changes: &Changes) -> bool {
        match &changes.folders {
            Some(folders) => self.update_to(folders).await,
            None => false,
        }
    }

    /// Does the same as [`Plugins::apply`] with changed settings, so that a plugin whose files and settings have
    /// changed is loaded once.
    pub async fn configure_and_apply(&self, change: impl FnOnce(&mut PluginSettings), changes: &Changes) -> bool {
        self.configure_and_update(change, changes.folders.as_ref()).await
    }
}

impl Watch {
    /// Waits for changes that are complete.
    pub async fn next(&mut self) -> Changes {
        loop {
            let now = self.look().await;
            let is_stable = now == self.seen && now.changing.is_empty();
            let changes = self.changes(&now).await;
            self.seen = now;
            if changes != Changes::default() {
                return changes;
            }
            // Limits the rate of checks, however many notifications arrive.
            sleep(self.pace.quiet).await;
            if is_stable {
                // A notification that arrived in the meantime is stored by `Notify`, so it ends this wait at once.
                let _ = timeout(self.pace.poll, self.changed.notified()).await;
            }
        }
    }

    async fn look(&mut self) -> Look {
        let (directory, bundled) = (self.directory.clone(), self.bundled.clone());
        let file = self.file.as_ref().map(|(path, _)| path.clone());
        let looked = tokio::task::spawn_blocking(move || {
            // Before the rest, so that this look sees the whole of a change that has ended. One that begins later is
            // new to this look, and is not loaded before the next one.
            let changing = stored_versions::changing(&directory);
            let folders = fingerprint::all_folders(&directory, bundled.as_deref()).map_err(|error| error.to_string());
            (changing, folders, file.as_deref().map(fingerprint::of_path))
        });
        let looked = looked.await;
        let (changing, folders, file) = looked.unwrap_or_else(|panic| (BTreeSet::new(), Err(panic.to_string()), None));
        let problem = folders.as_ref().err().cloned();
        if let Some(problem) = problem
            .as_ref()
            .filter(|problem| Some(*problem) != self.problem.as_ref())
        {
            tracing::warn!(problem, "the plugin directory cannot be read; plugins remain unchanged");
        }
        self.problem = problem;
        Look {
            folders: folders.ok(),
            file,
            changing: self.awaited(changing),
        }
    }

    /// The folders among these for which the watch waits: those that have been changing for a short time only.
    fn awaited(&mut self, mut changing: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        self.changing_since.retain(|folder, _| changing.contains(folder));
        changing.retain(|folder| {
            let since = self.changing_since.entry(folder.clone()).or_insert_with(Instant::now);
            since.elapsed() < MAX_CHANGE_DURATION
        });
        changing
    }

    /// Returns the changes against the loaded state that have been stable since the last check.
    async fn changes(&mut self, now: &Look) -> Changes {
        let mut changes = Changes::default();
        if now.file != self.seen.file {
            return changes;
        }
        if let (Some((_, read)), Some(file)) = (&mut self.file, now.file)
            && *read != file
        {
            *read = file;
            changes.settings = true;
        }
        if let (Some(folders), Some(seen)) = (&now.folders, &self.seen.folders) {
            let loaded = self.plugins.loaded_folders().await;
            let wanted = stable_folders(folders, seen, &loaded, &now.changing);
            let is_overdue = self.plugins.mark_overdue(self.pace.retry).await;
            changes.folders = (wanted != loaded || is_overdue).then_some(wanted);
        }
        changes
    }
}

/// Returns the current fingerprints of folders that have not changed since the last check, and the loaded fingerprints
/// of those that have and of those that a command is changing.
fn stable_folders(now: &Folders, seen: &Folders, loaded: &Folders, changing: &BTreeSet<PathBuf>) -> Folders {
    let all = now.keys().chain(seen.keys()).chain(loaded.keys());
    let state = |path: &PathBuf| {
        let is_stable = now.get(path) == seen.get(path) && !changing.contains(path);
        let fingerprint = if is_stable { now.get(path) } else { loaded.get(path) };
        Some((path.clone(), *fingerprint?))
    };
    all.filter_map(state).collect()
}

/// Creates a watcher that notifies `changed` when anything in the plugin directory, or in the folder of the settings
/// file, changes. Symbolic links are not followed, because they may lead to very large folders.
fn watcher(directory: &Path, file: Option<&Path>, changed: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let notify_changed = move |event: notify::Result<notify::Event>| {
        // Access events are ignored, because the checks themselves cause them.
        if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
            changed.notify_one();
        }
    };
    let mut watcher = RecommendedWatcher::new(notify_changed, notify::Config::default().with_follow_symlinks(false))?;
    watcher.watch(directory, RecursiveMode::Recursive)?;
    if let Some(folder) = file.and_then(Path::parent) {
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_still_changing_is_not_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let fingerprint = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, name).unwrap();
            fingerprint::of_path(&path)
        };
        let (one, two, three) = (fingerprint("one"), fingerprint("two"), fingerprint("three"));
        let folders = |states: &[(&str, Fingerprint)]| -> Folders {
            let states = states.iter();
            states.map(|(path, fingerprint)| (path.into(), *fingerprint)).collect()
        };
        let loaded = folders(&[
            ("changing", one),
            ("gone", one),
            ("going", one),
            ("held", one),
            ("held and gone", one),
            ("new", one),
        ]);
        let seen = folders(&[
            ("changing", two),
            ("coming", one),
            ("come", one),
            ("going", one),
            ("held", two),
            ("held and come", one),
            ("new", two),
        ]);
        let now = folders(&[
            ("changing", three),
            ("coming", two),
            ("come", one),
            ("held", two),
            ("held and come", one),
            ("new", two),
        ]);
        let held = BTreeSet::from(["held", "held and come", "held and gone"].map(PathBuf::from));
        assert_eq!(
            stable_folders(&now, &seen, &loaded, &held),
            folders(&[
                ("changing", one),
                ("come", one),
                ("going", one),
                ("held", one),
                ("held and gone", one),
                ("new", two)
            ])
        );
    }
}
