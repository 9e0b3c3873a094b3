//! The set of loaded plugins.
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::LoadError;
use crate::image::ImageProvider;
use crate::layout::{Formats, Layout};
use crate::load::Loader;
use crate::planner::Planner;
use crate::registry::{Installed, Refusal, Registry, States};
use crate::reviewer::Reviewer;
use crate::settings::PluginSettings;

/// The loaded plugins. Cheap to clone.
///
/// A handle remains usable after its plugin is replaced or removed: a call finishes with the instance it started with.
#[derive(Clone)]
pub struct Plugins(pub(crate) Arc<Shared>);

#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) registry: RwLock<Arc<Registry>>,
    /// Locked while plugins are loaded, so that only one load runs at a time.
    pub(crate) state: tokio::sync::Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    /// `None` for [`Plugins::none`].
    pub(crate) loader: Option<Loader>,
    pub(crate) folders: States,
}

impl Plugins {
    /// Loads every folder of the plugin directory. A plugin that cannot be loaded does not affect the others and is
    /// listed by [`Plugins::refusals`].
    pub async fn load(settings: PluginSettings) -> Result<Self, LoadError> {
        let loader = Loader::new(settings)?;
        let plugins = Self::none();
        plugins.0.state.lock().await.loader = Some(loader);
        plugins.start().await?;
        Ok(plugins)
    }

    /// An empty set, for commands that need no plugins.
    pub fn none() -> Self {
        Self(Arc::default())
    }

    fn registry(&self) -> Arc<Registry> {
        self.0.registry.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn refusals(&self) -> Vec<Refusal> {
        self.registry().refusals.clone()
    }

    /// The state of every folder, sorted by path. A bundled plugin that another folder replaces is omitted. While
    /// plugins are being loaded, it is the state before.
    pub fn installed(&self) -> Vec<Installed> {
        self.registry().installed.clone()
    }

    /// The kind of a loaded plugin, in words. `None` if no plugin with this id is loaded.
    pub fn kind_of(&self, id: &str) -> Option<&'static str> {
        let registry = self.registry();
        let kinds = [
            (registry.image_providers.contains_key(id), "image provider"),
            (registry.planners.contains_key(id), "planner"),
            (registry.layouts.contains_key(id), "layout"),
            (registry.reviewers.contains_key(id), "reviewer"),
        ];
        kinds
            .into_iter()
            .find(|(is_loaded, _)| *is_loaded)
            .map(|(_, kind)| kind)
    }

    pub fn image_provider(&self, id: &str) -> Option<ImageProvider> {
        self.registry().image_providers.get(id).cloned()
    }

    /// All image providers, sorted by id.
    pub fn image_providers(&self) -> Vec<ImageProvider> {
        self.registry().image_providers.values().cloned().collect()
    }

    pub fn planner(&self, id: &str) -> Option<Planner> {
        self.registry().planners.get(id).cloned()
    }

    /// All planners, sorted by id.
    pub fn planners(&self) -> Vec<Planner> {
        self.registry().planners.values().cloned().collect()
    }

    pub fn layout(&self, id: &str) -> Option<Layout> {
        self.registry().layouts.get(id).cloned()
    }

    /// All layouts, sorted by id.
    pub fn layouts(&self) -> Vec<Layout> {
        self.registry().layouts.values().cloned().collect()
    }

    /// The print formats of all layouts, those of the layout `first` before the others.
    pub fn formats(&self, first: &str) -> Formats {
        let registry = self.registry();
        registry.formats.of_layouts(&registry.layouts, first)
    }

    pub fn reviewer(&self, id: &str) -> Option<Reviewer> {
        self.registry().reviewers.get(id).cloned()
    }

    /// All reviewers, sorted by id.
    pub fn reviewers(&self) -> Vec<Reviewer> {
        self.registry().reviewers.values().cloned().collect()
    }
}
