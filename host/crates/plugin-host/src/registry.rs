//! The plugins that serve, and what became of each folder.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use semver::Version;
use serde_json::Value;

use crate::fingerprint::Fingerprint;
use crate::image::ImageProvider;
use crate::layout::Layout;
use crate::planner::Planner;
use crate::world::World;
use crate::{CredentialSource, Grant, Refusal};

/// What can be called. Replaced as a whole, so that nobody sees half of a change.
#[derive(Default)]
pub(crate) struct Registry {
    pub(crate) image_providers: BTreeMap<String, ImageProvider>,
    pub(crate) planners: BTreeMap<String, Planner>,
    pub(crate) layouts: BTreeMap<String, Layout>,
    pub(crate) refusals: Vec<Refusal>,
}

/// A handle to a plugin that was loaded.
#[derive(Clone)]
pub(crate) enum Handle {
    ImageProvider(ImageProvider),
    Planner(Planner),
    Layout(Layout),
}

/// A plugin that was loaded.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) id: String,
    pub(crate) version: Version,
    pub(crate) world: World,
    pub(crate) digest: String,
    pub(crate) handle: Handle,
    /// What the operator's settings said when it was loaded.
    pub(crate) config: PluginConfig,
    /// Of all that this process has loaded.
    pub(crate) number: u64,
}

impl Loaded {
    /// Whether it may go on where its folder's new files cannot be loaded.
    pub(crate) fn may_go_on(&self, now: &PluginConfig) -> bool {
        self.config.still_stands(now)
    }

    pub(crate) fn log(&self, what: &str) {
        let Self {
            id,
            version,
            world,
            digest,
            ..
        } = self;
        tracing::info!(plugin = id, %version, %world, digest, "{what}");
    }
}

/// Why a folder was not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The plugin's, where its manifest could be read.
    pub(crate) id: Option<String>,
    pub(crate) reason: String,
    /// Another folder holds the plugin.
    pub(crate) is_second: bool,
}

/// What became of a folder.
#[derive(Clone)]
pub(crate) struct FolderState {
    /// Of the files, when they were read.
    pub(crate) fingerprint: Fingerprint,
    /// What the operator's settings said about the plugin at that time.
    pub(crate) settings: PluginConfig,
    /// What serves. Where the files were refused as well, it is what they held before.
    pub(crate) loaded: Option<Loaded>,
    pub(crate) refused: Option<Refused>,
    /// How often these files were refused, one time after the other.
    pub(crate) refusals: u32,
    /// When they were read.
    pub(crate) tried_at: Instant,
    /// Whether they are to be read again although they have not changed.
    pub(crate) is_overdue: bool,
}

/// What the operator's settings say about one plugin.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct PluginConfig {
    pub(crate) settings: Option<Value>,
    pub(crate) grant: Option<Grant>,
    pub(crate) credentials: Option<BTreeMap<String, CredentialSource>>,
}

impl PluginConfig {
    /// Whether what was loaded with this may go on where the operator says `now`: nothing was taken back.
    fn still_stands(&self, now: &Self) -> bool {
        let Some(granted) = &self.grant else { return true };
        let kept = |old: &[String], new: &[String]| old.iter().all(|origin| new.contains(origin));
        self.credentials == now.credentials
            && now
                .grant
                .as_ref()
                .is_some_and(|now| kept(&granted.origins, &now.origins) && kept(&granted.private, &now.private))
    }
}

impl FolderState {
    /// Has a refused folder read again, with longer and longer pauses: the reason may have been a full disk, a permission, or
    /// a machine that was too busy. Returns whether it is to be read.
    pub(crate) fn try_again_after(&mut self, first_pause: Duration) -> bool {
        const MAX_DOUBLINGS: u32 = 4;
        let doublings = self.refusals.saturating_sub(1).min(MAX_DOUBLINGS);
        self.is_overdue = self.refused.is_some() && self.tried_at.elapsed() >= first_pause * (1 << doublings);
        self.is_overdue
    }

    /// The plugin that this folder holds, or meant to hold.
    pub(crate) fn id(&self) -> Option<&str> {
        let refused = self.refused.as_ref().and_then(|refused| refused.id.as_deref());
        refused.or(self.loaded.as_ref().map(|loaded| loaded.id.as_str()))
    }
}

/// All folders, by their paths.
pub(crate) type States = BTreeMap<PathBuf, FolderState>;

impl Registry {
    pub(crate) fn of(states: &States) -> Self {
        let mut registry = Self::default();
        for (folder, state) in states {
            if let Some(loaded) = &state.loaded {
                registry.add(loaded);
            }
            if let Some(Refused { id, reason, .. }) = state.refused.clone() {
                let folder = folder.clone();
                registry.refusals.push(Refusal { folder, id, reason });
            }
        }
        registry
    }

    fn add(&mut self, loaded: &Loaded) {
        let id = loaded.id.clone();
        match &loaded.handle {
            Handle::ImageProvider(provider) => {
                self.image_providers.insert(id, provider.clone());
            }
            Handle::Planner(planner) => {
                self.planners.insert(id, planner.clone());
            }
            Handle::Layout(layout) => {
                self.layouts.insert(id, layout.clone());
            }
        }
    }
}
