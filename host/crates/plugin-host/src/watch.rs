//! Changes of the plugins' folders and of a settings file, noticed while the server runs.
//!
//! The file system tells when to look; where it does not (a network file system, a folder behind a link), a look every few
//! seconds does. What has changed is decided by looking alone. A folder that still changes is left alone: somebody is copying.
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::Plugins;
use crate::fingerprint::{self, Fingerprint, Folders};

/// How often is looked.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// For so long a folder must not have changed before it is loaded.
    pub quiet: Duration,
    /// After so long is looked although the file system told nothing.
    pub poll: Duration,
    /// A refused folder is read again after this time, and then after twice the time before.
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

/// Looks after the folders of the plugins.
pub struct Watch {
    plugins: Plugins,
    directory: PathBuf,
    /// The operator's settings.
    file: Option<(PathBuf, Fingerprint)>,
    pace: Pace,
    /// What the last look saw.
    seen: Look,
    /// Why looking failed the last time: told once.
    problem: Option<String>,
    changed: Arc<Notify>,
    _watcher: Option<RecommendedWatcher>,
}

/// What has changed and is quiet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Whether the settings file has changed.
    pub settings: bool,
    folders: Option<Folders>,
}

#[derive(Clone, Default, PartialEq)]
struct Look {
    /// Nothing where they could not be looked at.
    folders: Option<Folders>,
    file: Option<Fingerprint>,
}

impl Plugins {
    /// Begins to look after the folders, and after the file, if there is one; nothing where there are no plugins.
    pub async fn watch(&self, file: Option<PathBuf>, pace: Pace) -> Option<Watch> {
        let directory = self.directory().await?;
        let changed = Arc::new(Notify::new());
        let file = file.and_then(|file| std::path::absolute(file).ok());
        let watcher = watcher(&directory, file.as_deref(), changed.clone());
        let watcher = watcher.inspect_err(
            |error| tracing::warn!(%error, seconds = pace.poll.as_secs_f32(), "the file system does not tell of changes: plugins are looked at from time to time"),
        );
        let file = file.map(|file| (file.clone(), fingerprint::of(&file)));
        Some(Watch {
            plugins: self.clone(),
            directory,
            seen: Look {
                folders: Some(self.known().await),
                file: file.as_ref().map(|(_, fingerprint)| *fingerprint),
            },
            file,
            pace,
            problem: None,
            changed,
            _watcher: watcher.ok(),
        })
    }

    /// Loads what has changed, and ends what is gone. True when something came, went, was replaced or was refused.
    pub async fn apply(&self, changes: &Changes) -> bool {
        match &changes.folders {
            Some(folders) => self.become_like(folders).await,
            None => false,
        }
    }
}

impl Watch {
    /// Waits for changes that are complete.
    pub async fn next(&mut self) -> Changes {
        loop {
            let now = self.look().await;
            let is_quiet = now == self.seen;
            let changes = self.changes(&now).await;
            self.seen = now;
            if changes != Changes::default() {
                return changes;
            }
            // However much the file system has to tell, looking takes little of the time.
            sleep(self.pace.quiet).await;
            if is_quiet {
                // What was told meanwhile is remembered.
                let _ = timeout(self.pace.poll, self.changed.notified()).await;
            }
        }
    }

    async fn look(&mut self) -> Look {
        let (directory, file) = (self.directory.clone(), self.file.as_ref().map(|(path, _)| path.clone()));
        let looked = tokio::task::spawn_blocking(move || {
            let folders = fingerprint::folders(&directory).map_err(|error| error.to_string());
            (folders, file.as_deref().map(fingerprint::of))
        });
        let (folders, file) = looked.await.unwrap_or_else(|panic| (Err(panic.to_string()), None));
        let problem = folders.as_ref().err().cloned();
        if let Some(problem) = problem
            .as_ref()
            .filter(|problem| Some(*problem) != self.problem.as_ref())
        {
            tracing::warn!(problem, "plugins stay as they are");
        }
        self.problem = problem;
        Look {
            folders: folders.ok(),
            file,
        }
    }

    /// What differs from what is loaded, and has not changed since the last look.
    async fn changes(&mut self, now: &Look) -> Changes {
        let mut changes = Changes::default();
        if let (Some((_, read)), Some(file)) = (&mut self.file, now.file)
            && now.file == self.seen.file
            && *read != file
        {
            *read = file;
            changes.settings = true;
        }
        if let (Some(now), Some(seen)) = (&now.folders, &self.seen.folders) {
            let known = self.plugins.known().await;
            let wanted = quiet(now, seen, &known);
            let is_overdue = self.plugins.has_overdue(self.pace.retry).await;
            changes.folders = (wanted != known || is_overdue).then_some(wanted);
        }
        changes
    }
}

/// The folders as they are now, but for those that still change: these as they were loaded.
fn quiet(now: &Folders, seen: &Folders, known: &Folders) -> Folders {
    let all = now.keys().chain(seen.keys()).chain(known.keys());
    let state = |path: &PathBuf| {
        let is_quiet = now.get(path) == seen.get(path);
        let fingerprint = if is_quiet { now.get(path) } else { known.get(path) };
        Some((path.clone(), *fingerprint?))
    };
    all.filter_map(state).collect()
}

/// Has the file system ring whenever something in the folders, or in the folder of the file, changes. Links are not followed:
/// nobody knows how much lies behind one.
fn watcher(directory: &Path, file: Option<&Path>, changed: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let ring = move |event: notify::Result<notify::Event>| {
        // Looking is an access, too.
        if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
            changed.notify_one();
        }
    };
    let mut watcher = RecommendedWatcher::new(ring, notify::Config::default().with_follow_symlinks(false))?;
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
    fn a_folder_that_still_changes_stays_as_it_was_loaded() {
        let nowhere = tempfile::tempdir().unwrap();
        let fingerprint = |name: &str| {
            let path = nowhere.path().join(name);
            std::fs::write(&path, name).unwrap();
            fingerprint::of(&path)
        };
        let (one, two, three) = (fingerprint("one"), fingerprint("two"), fingerprint("three"));
        let folders = |states: &[(&str, Fingerprint)]| -> Folders {
            let states = states.iter();
            states.map(|(path, fingerprint)| (path.into(), *fingerprint)).collect()
        };
        let known = folders(&[("changing", one), ("gone", one), ("going", one), ("new", one)]);
        let seen = folders(&[
            ("changing", two),
            ("coming", one),
            ("come", one),
            ("going", one),
            ("new", two),
        ]);
        let now = folders(&[("changing", three), ("coming", two), ("come", one), ("new", two)]);
        assert_eq!(
            quiet(&now, &seen, &known),
            folders(&[("changing", one), ("come", one), ("going", one), ("new", two)])
        );
    }
}
