//! Reloading of plugins: changed folders are loaded while the old plugins still run, and then all plugins are replaced
//! at once.

/// The difference between two sets of plugins.
mod difference;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::sync::Semaphore;

use self::difference::Difference;
use crate::error::LoadError;
use crate::fingerprint::{self, Fingerprint, Folders};
use crate::load::Loader;
use crate::manifest::Manifest;
use crate::plugins::{Plugins, State};
use crate::registry::{FolderState, Loaded, PluginConfig, Refused, Registry, States};
use crate::settings::PluginSettings;

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
        let now = read_fingerprints(&loader.settings.directory, loader.settings.bundled.as_deref()).await?;
        let next = loader.load_changed(&States::new(), &now).await;
        loader.warn_of_settings_without_plugin(&next);
        loader.components.prune().await;
        for loaded in next.values().filter_map(|state| state.loaded.as_ref()) {
            loaded.log("plugin loaded");
        }
        // Templates are tried out only from now on. During the first load no older version could stay loaded instead,
        // and each trial would delay the start of the server.
        loader.is_serving = true;
        self.publish(&mut state, next);
        Ok(())
    }

    /// Loads a single folder, for the commands that plugin authors use.
    pub async fn load_folder(settings: PluginSettings, folder: &Path) -> Result<Self, LoadError> {
        let plugins = Self::load_candidate(settings, folder).await?;
        if let Some(loader) = &plugins.0.state.lock().await.loader {
            loader.components.prune().await;
        }
        Ok(plugins)
    }

    /// Loads a single folder that is about to be installed. Removes no compiled components: a server that shares the
    /// cache may use those that this folder does not.
    pub async fn load_candidate(settings: PluginSettings, folder: &Path) -> Result<Self, LoadError> {
        let loader = Loader::new(settings)?;
        let path = std::path::absolute(folder).map_err(|source| LoadError::Folder {
            path: folder.to_owned(),
            source,
        })?;
        let now = Folders::from([(path.clone(), fingerprint::of_path(&path))]);
        let next = loader.load_changed(&States::new(), &now).await;
        let plugins = Self::none();
        let mut state = plugins.0.state.lock().await;
        state.loader = Some(loader);
        plugins.publish(&mut state, next);
        drop(state);
        Ok(plugins)
    }

    /// Loads changed folders and removes deleted ones at once. The caller must make sure that no folder is being
    /// copied.
    pub async fn reload(&self) -> Result<(), LoadError> {
        let Some((directory, bundled)) = self.directories().await else {
            return Ok(());
        };
        let now = read_fingerprints(&directory, bundled.as_deref()).await?;
        self.update_to(&now).await;
        Ok(())
    }

    /// Changes the settings, and reloads the plugins that are affected.
    pub async fn configure(&self, change: impl FnOnce(&mut PluginSettings)) {
        self.configure_and_update(change, None).await;
    }

    /// Does the same as [`Plugins::reload`] with changed settings, so that a plugin whose files and settings have
    /// changed is loaded once.
    pub async fn configure_and_reload(&self, change: impl FnOnce(&mut PluginSettings)) -> Result<(), LoadError> {
        let Some((directory, bundled)) = self.directories().await else {
            return Ok(());
        };
        let now = read_fingerprints(&directory, bundled.as_deref()).await?;
        self.configure_and_update(change, Some(&now)).await;
        Ok(())
    }

    /// Changes the settings, and loads the plugins that are affected and those whose fingerprints in `now` differ.
    /// Returns true if any plugin was added, replaced, removed or refused.
    pub(crate) async fn configure_and_update(
        &self,
        change: impl FnOnce(&mut PluginSettings),
        now: Option<&Folders>,
    ) -> bool {
        let now = {
            let mut state = self.0.state.lock().await;
            let Some(loader) = &mut state.loader else { return false };
            change(&mut loader.settings);
            now.cloned().unwrap_or_else(|| fingerprints(&state.folders))
        };
        self.update_to(&now).await
    }

    /// The fingerprints of the folders when they were last read.
    pub(crate) async fn loaded_folders(&self) -> Folders {
        fingerprints(&self.0.state.lock().await.folders)
    }

    /// Marks refused folders whose pause is over, so that the next update reads them again. Returns true if there are
    /// any.
    pub(crate) async fn mark_overdue(&self, first_pause: Duration) -> bool {
        let mut state = self.0.state.lock().await;
        let mut has_overdue = false;
        // Not `any`, because every folder must be marked.
        for folder in state.folders.values_mut() {
            has_overdue |= folder.mark_overdue_after(first_pause);
        }
        has_overdue
    }

    /// The plugin directory, and that of the bundled plugins.
    pub(crate) async fn directories(&self) -> Option<(PathBuf, Option<PathBuf>)> {
        let state = self.0.state.lock().await;
        let settings = &state.loader.as_ref()?.settings;
        Some((settings.directory.clone(), settings.bundled.clone()))
    }

    /// Loads every folder whose fingerprint differs from the one that was last read, and removes the plugins of missing
    /// folders. Returns true if any plugin was added, replaced, removed or refused.
    pub(crate) async fn update_to(&self, now: &Folders) -> bool {
        let mut state = self.0.state.lock().await;
        let State {
            loader: Some(loader),
            folders,
        } = &mut *state
        else {
            return false;
        };
        let next = loader.load_changed(folders, now).await;
        let difference = Difference::between(folders, &next);
        let has_changed = !difference.is_empty();
        self.publish(&mut state, next);
        difference.log();
        if let Some(loader) = &mut state.loader
            && has_changed
        {
            difference
                .removed
                .iter()
                .for_each(|removed| loader.components.forget(&removed.id));
            loader.components.prune().await;
        }
        has_changed
    }

    fn publish(&self, state: &mut State, folders: States) {
        let registry = Arc::new(Registry::from_states(&folders));
        state.folders = folders;
        *self.0.registry.write().unwrap_or_else(PoisonError::into_inner) = registry;
    }
}

/// A changed folder that is about to be loaded.
struct Claim {
    path: PathBuf,
    fingerprint: Fingerprint,
    /// The manifest, whose id no other folder holds.
    manifest: Result<Manifest, Refused>,
}

impl Loader {
    /// Loads the changed folders concurrently, and returns the new states of all folders.
    async fn load_changed(&self, before: &States, now: &Folders) -> States {
        let unchanged_state = |path: &Path, fingerprint: &Fingerprint| {
            let state = before.get(path)?;
            let is_same = state.fingerprint == *fingerprint && !state.is_overdue && !self.has_other_settings(state);
            is_same.then(|| state.clone())
        };
        let mut next = States::new();
        let mut changed = Vec::new();
        for (path, fingerprint) in now {
            match unchanged_state(path, fingerprint) {
                Some(state) => drop(next.insert(path.clone(), state)),
                None => changed.push((path, *fingerprint)),
            }
        }
        // Bundled plugins are loaded last, because a folder of the operator replaces the one with its id.
        changed.sort_by_key(|(path, _)| self.is_bundled(path));
        let mut claims = Vec::new();
        for (path, fingerprint) in changed {
            let claim = self
                .claim((path.as_path(), fingerprint), before, now, (&next, &claims))
                .await;
            claims.push(claim);
        }
        let places = Semaphore::new(available_parallelism().map_or(1, usize::from));
        let loads = claims
            .into_iter()
            .map(|claim| self.load_claimed(claim, before, &places));
        next.extend(join_all(loads).await);
        self.replace_bundled(&mut next);
        // A folder that was refused because another one held the same plugin is loaded when that folder has been
        // removed.
        let mut waiting: Vec<PathBuf> = next
            .iter()
            .filter(|(_, state)| state.refused.as_ref().is_some_and(|refused| refused.is_second))
            .map(|(path, _)| path.clone())
            .collect();
        waiting.sort_by_key(|path| self.is_bundled(path));
        for path in waiting {
            let (id, fingerprint) = (next[&path].id().map(str::to_owned), next[&path].fingerprint);
            // A bundled plugin that is still loaded with its old settings does not hold its own id.
            let mut others = next.iter().filter(|(other, _)| **other != path);
            let has_owner = others.any(|(_, state)| state.loaded.as_ref().map(|loaded| &loaded.id) == id.as_ref());
            if !has_owner {
                let claim = self.claim((&path, fingerprint), before, now, (&next, &[])).await;
                next.extend([self.load_claimed(claim, before, &places).await]);
            }
        }
        next
    }

    /// Drops each bundled plugin that a folder of the operator has replaced while it was loaded.
    fn replace_bundled(&self, next: &mut States) {
        let own = next.iter().filter(|(path, _)| !self.is_bundled(path));
        let own: BTreeSet<String> = own
            .filter_map(|(_, state)| Some(state.loaded.as_ref()?.id.clone()))
            .collect();
        for (_, state) in next.iter_mut().filter(|(path, _)| self.is_bundled(path)) {
            if let Some(Loaded { id, .. }) = state.loaded.take_if(|loaded| own.contains(&loaded.id)) {
                state.refused = Some(Refused {
                    reason: format!("another folder replaces the plugin {id}"),
                    id: Some(id),
                    is_second: true,
                    awaits_approval: false,
                    is_problem: false,
                });
            }
        }
    }

    /// Reads the manifest of a changed folder, unless another folder holds the id in it: one whose state is in `next`,
    /// one that claimed the id before, or one that is loaded later in this update and still has its plugin.
    async fn claim(
        &self,
        (path, fingerprint): (&Path, Fingerprint),
        before: &States,
        now: &Folders,
        (next, claims): (&States, &[Claim]),
    ) -> Claim {
        let holds = |other: &Path| other != path && (self.is_bundled(path) || !self.is_bundled(other));
        let loaded = now
            .keys()
            .filter(|other| holds(other))
            .filter_map(|other| next.get(other).or_else(|| before.get(other))?.loaded.as_ref())
            .map(|loaded| loaded.id.as_str());
        let claimed = claims
            .iter()
            .filter(|claim| holds(&claim.path))
            .filter_map(|claim| Some(claim.manifest.as_ref().ok()?.id.as_str()));
        let others: BTreeSet<&str> = loaded.chain(claimed).collect();
        Claim {
            manifest: self.read_manifest(path, |id| others.contains(id)).await,
            path: path.to_owned(),
            fingerprint,
        }
    }

    /// Loads a folder, and returns its path and its state.
    async fn load_claimed(&self, claim: Claim, before: &States, places: &Semaphore) -> (PathBuf, FolderState) {
        let Claim {
            path,
            fingerprint,
            manifest,
        } = claim;
        let loaded = match manifest {
            Ok(manifest) => {
                // The semaphore is never closed.
                let _place = places.acquire().await;
                self.load(&path, manifest).await
            }
            Err(refused) => Err(refused),
        };
        let state = self.state_after(&path, fingerprint, before, loaded);
        (path, state)
    }

    fn state_after(
        &self,
        path: &Path,
        fingerprint: Fingerprint,
        before: &States,
        loaded: Result<Loaded, Refused>,
    ) -> FolderState {
        let (loaded, refused) = match loaded {
            Ok(loaded) => (Some(loaded), None),
            // If the new version is broken, the previous one stays loaded, provided that its grant was not reduced.
            Err(refused) => {
                let old = before.get(path).and_then(|state| state.loaded.clone());
                (
                    old.filter(|old| old.may_stay_loaded(&self.config_of(&old.id))),
                    Some(refused),
                )
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
                tracing::warn!(plugin, "the settings name a plugin that is not loaded");
            }
        }
    }
}

async fn read_fingerprints(directory: &Path, bundled: Option<&Path>) -> Result<Folders, LoadError> {
    let (path, bundled) = (directory.to_owned(), bundled.map(Path::to_owned));
    let read = tokio::task::spawn_blocking(move || fingerprint::all_folders(&path, bundled.as_deref())).await;
    read.unwrap_or_else(|panic| {
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
