//! From one set of plugins to the next: what is new is loaded beside the old, and all of it changes at once.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use crate::difference::Difference;
use crate::error::LoadError;
use crate::fingerprint::{self, Fingerprint, Folders};
use crate::load::Loader;
use crate::registry::{FolderState, PluginConfig, Registry, States};
use crate::{PluginSettings, Plugins, State};

impl Plugins {
    /// Loads all folders for the first time.
    pub(crate) async fn start(&self) -> Result<(), LoadError> {
        let mut state = self.0.state.lock().await;
        let State {
            loader: Some(loader), ..
        } = &mut *state
        else {
            return Ok(());
        };
        let now = look_at(&loader.settings.directory).await?;
        let next = loader.next(&States::new(), &now).await;
        loader.warn_of_settings_without_plugin(&next);
        loader.components.prune().await;
        for loaded in next.values().filter_map(|state| state.loaded.as_ref()) {
            loaded.log("plugin loaded");
        }
        // From now on. At the start nothing else could serve, and whoever waits for the server waits for every trial.
        loader.is_serving = true;
        self.publish(&mut state, next);
        Ok(())
    }

    /// Loads one folder and no other, for its author.
    pub async fn load_folder(settings: PluginSettings, folder: &Path) -> Result<Self, LoadError> {
        let mut loader = Loader::new(settings)?;
        let path = std::path::absolute(folder).map_err(|source| LoadError::Folder {
            path: folder.to_owned(),
            source,
        })?;
        let now = Folders::from([(path.clone(), fingerprint::of(&path))]);
        let next = loader.next(&States::new(), &now).await;
        loader.components.prune().await;
        let plugins = Self::none();
        let mut state = plugins.0.state.lock().await;
        state.loader = Some(loader);
        plugins.publish(&mut state, next);
        drop(state);
        Ok(plugins)
    }

    /// Loads what has changed, and ends what is gone: for whoever knows that nobody is copying anything.
    pub async fn reload(&self) -> Result<(), LoadError> {
        let state = self.0.state.lock().await;
        let Some(directory) = state.loader.as_ref().map(|loader| loader.settings.directory.clone()) else {
            return Ok(());
        };
        drop(state);
        let now = look_at(&directory).await?;
        self.become_like(&now).await;
        Ok(())
    }

    /// Takes over what the operator's settings say about plugins now.
    pub async fn configure(&self, change: impl FnOnce(&mut PluginSettings)) {
        let now = {
            let mut state = self.0.state.lock().await;
            let Some(loader) = &mut state.loader else { return };
            change(&mut loader.settings);
            fingerprints(&state.folders)
        };
        self.become_like(&now).await;
    }

    /// The folders as they were when they were read.
    pub(crate) async fn known(&self) -> Folders {
        fingerprints(&self.0.state.lock().await.folders)
    }

    /// Has folders that were refused read again with the next change, when their time has come; true when there are such.
    pub(crate) async fn has_overdue(&self, first_pause: Duration) -> bool {
        let mut state = self.0.state.lock().await;
        let folders = state.folders.values_mut();
        folders.fold(false, |any, folder| folder.try_again_after(first_pause) || any)
    }

    pub(crate) async fn directory(&self) -> Option<PathBuf> {
        let state = self.0.state.lock().await;
        state.loader.as_ref().map(|loader| loader.settings.directory.clone())
    }

    /// Loads every folder of which this is another state than the one that was read. True when something has changed.
    pub(crate) async fn become_like(&self, now: &Folders) -> bool {
        let mut state = self.0.state.lock().await;
        let State {
            loader: Some(loader),
            folders,
        } = &mut *state
        else {
            return false;
        };
        let next = loader.next(folders, now).await;
        let difference = Difference::between(folders, &next);
        let has_changed = !difference.is_empty();
        self.publish(&mut state, next);
        difference.log();
        if let Some(loader) = &mut state.loader
            && has_changed
        {
            difference
                .gone
                .iter()
                .for_each(|gone| loader.components.forget(&gone.id));
            loader.components.prune().await;
        }
        has_changed
    }

    fn publish(&self, state: &mut State, folders: States) {
        let registry = Arc::new(Registry::of(&folders));
        state.folders = folders;
        *self.0.registry.write().unwrap_or_else(PoisonError::into_inner) = registry;
    }
}

impl Loader {
    /// What the folders are to become: those that have not changed stay, the others are loaded.
    async fn next(&mut self, before: &States, now: &Folders) -> States {
        let is_unchanged = |path: &Path, fingerprint: &Fingerprint| {
            let state = before.get(path)?;
            let is_same = state.fingerprint == *fingerprint && !state.is_overdue && !self.has_other_settings(state);
            is_same.then(|| state.clone())
        };
        let mut next = States::new();
        let mut changed = Vec::new();
        for (path, fingerprint) in now {
            match is_unchanged(path, fingerprint) {
                Some(state) => drop(next.insert(path.clone(), state)),
                None => changed.push((path, *fingerprint)),
            }
        }
        for (path, fingerprint) in changed {
            let state = self.load_again(path, fingerprint, before, now, &next).await;
            next.insert(path.clone(), state);
        }
        // The folder that stood in their way may be gone.
        let waiting: Vec<PathBuf> = next
            .iter()
            .filter(|(_, state)| state.refused.as_ref().is_some_and(|refused| refused.is_second))
            .map(|(path, _)| path.clone())
            .collect();
        for path in waiting {
            let (id, fingerprint) = (next[&path].id().map(str::to_owned), next[&path].fingerprint);
            let has_owner = next
                .values()
                .any(|state| state.loaded.as_ref().map(|loaded| &loaded.id) == id.as_ref());
            if !has_owner {
                let state = self.load_again(&path, fingerprint, before, now, &next).await;
                next.insert(path, state);
            }
        }
        next
    }

    async fn load_again(
        &mut self,
        path: &Path,
        fingerprint: Fingerprint,
        before: &States,
        now: &Folders,
        next: &States,
    ) -> FolderState {
        // Those that are yet to be loaded hold their plugins as well: whoever had one first keeps it.
        let others: BTreeSet<&str> = now
            .keys()
            .filter(|other| *other != path)
            .filter_map(|other| next.get(other).or_else(|| before.get(other))?.loaded.as_ref())
            .map(|loaded| loaded.id.as_str())
            .collect();
        let (loaded, refused) = match self.load(path, |id| others.contains(id)).await {
            Ok(loaded) => (Some(loaded), None),
            // A new version that is broken leaves the one before it serving, with what it was granted and still is.
            Err(refused) => {
                let old = before.get(path).and_then(|state| state.loaded.clone());
                (old.filter(|old| old.may_go_on(&self.config_of(&old.id))), Some(refused))
            }
        };
        let before = before.get(path).filter(|before| before.fingerprint == fingerprint);
        let mut state = FolderState {
            fingerprint,
            settings: PluginConfig::default(),
            loaded,
            refusals: match &refused {
                Some(_) => before.map_or(0, |before| before.refusals) + 1,
                None => 0,
            },
            refused,
            tried_at: Instant::now(),
            is_overdue: false,
        };
        state.settings = state.id().map(|id| self.config_of(id)).unwrap_or_default();
        state
    }

    fn has_other_settings(&self, state: &FolderState) -> bool {
        state.id().is_some_and(|id| self.config_of(id) != state.settings)
    }

    fn warn_of_settings_without_plugin(&self, folders: &States) {
        let loaded: BTreeSet<&str> = folders
            .values()
            .filter_map(|state| state.loaded.as_ref())
            .map(|loaded| loaded.id.as_str())
            .collect();
        for plugin in self.settings.config.keys() {
            if !loaded.contains(plugin.as_str()) {
                tracing::warn!(
                    plugin,
                    "there are settings for this plugin, but no such plugin is loaded"
                );
            }
        }
    }
}

async fn look_at(directory: &Path) -> Result<Folders, LoadError> {
    let path = directory.to_owned();
    let looked = tokio::task::spawn_blocking(move || fingerprint::folders(&path)).await;
    looked.unwrap_or_else(|panic| {
        Err(LoadError::Folder {
            path: directory.to_owned(),
            source: std::io::Error::other(panic),
        })
    })
}

fn fingerprints(states: &States) -> Folders {
    states
        .iter()
        .map(|(path, state)| (path.clone(), state.fingerprint))
        .collect()
}
