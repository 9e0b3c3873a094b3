//! Folders, limits and settings of all plugins.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use linepress_metrics::PluginMetrics;

use crate::calls::CallSink;
use crate::components::CompileLimits;
use crate::layout::TemplateTrial;
use crate::network::Network;
use crate::services::PluginStore;

/// Folders, limits and settings of all plugins.
#[derive(Clone, Debug)]
pub struct PluginSettings {
    /// One folder per plugin.
    pub directory: PathBuf,
    /// The plugins that the program contains, one folder each. A plugin in `directory` replaces the one with its id.
    pub bundled: Option<PathBuf>,
    /// Folder for compiled code, readable only by the server's user. Safe to delete.
    pub cache_directory: PathBuf,
    /// The executable that is started as `linepress compile-plugin`; it must call [`crate::compile_child`].
    pub program: PathBuf,
    pub compile_limits: CompileLimits,
    pub max_concurrent_calls: MaxConcurrentCalls,
    /// Total memory in MiB for drawings in transfer from guests to the host. Each call reserves the response limit of
    /// its plugin's manifest, because this memory is not part of the call's own budget.
    pub max_responses_mib: u32,
    /// Settings by plugin id, passed to the plugin unchanged.
    pub config: BTreeMap<String, serde_json::Value>,
    pub network: Network,
    /// The check for templates that change while the server runs. Without it they are used unchecked.
    pub template_trial: Option<Arc<dyn TemplateTrial>>,
    /// Counts the calls of all plugins.
    pub metrics: PluginMetrics,
    /// Receives the calls of all plugins.
    pub calls: Option<Arc<dyn CallSink>>,
    /// Stores the values of plugins. Without it, a plugin's store is unavailable.
    pub store: Option<Arc<dyn PluginStore>>,
}

/// Maximum number of concurrent calls for each kind of plugin; further calls wait. Each possible call reserves address
/// space for the largest memory that a plugin may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxConcurrentCalls {
    pub image_providers: u32,
    pub planners: u32,
    pub layouts: u32,
    pub reviewers: u32,
}

impl MaxConcurrentCalls {
    /// Raises each limit to at least one, so that calls of every kind can run.
    pub(crate) fn at_least_one(self) -> Self {
        Self {
            image_providers: self.image_providers.max(1),
            planners: self.planners.max(1),
            layouts: self.layouts.max(1),
            reviewers: self.reviewers.max(1),
        }
    }

    pub(crate) fn total(self) -> u32 {
        self.image_providers
            .saturating_add(self.planners)
            .saturating_add(self.layouts)
            .saturating_add(self.reviewers)
    }
}
