//! The loaded plugins, and the state of each folder.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use semver::Version;
use serde_json::Value;

use crate::calls::PluginVersion;
use crate::fingerprint::{self, Fingerprint};
use crate::image::ImageProvider;
use crate::layout::{LatestFormats, Layout};
use crate::network::{CredentialSource, Grant};
use crate::planner::Planner;
use crate::reviewer::Reviewer;
use crate::world::World;

/// The plugins that can be called. It is replaced as a whole, so that no reader sees a partial change.
#[derive(Default)]
pub(crate) struct Registry {
    pub(crate) image_providers: BTreeMap<String, ImageProvider>,
    pub(crate) planners: BTreeMap<String, Planner>,
    pub(crate) layouts: BTreeMap<String, Layout>,
    pub(crate) formats: LatestFormats,
    pub(crate) reviewers: BTreeMap<String, Reviewer>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) installed: Vec<Installed>,
}

/// The state of a plugin folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    pub folder: PathBuf,
    /// The fingerprint of the folder's files when they were last read. They are loaded unless they were refused.
    pub fingerprint: Fingerprint,
    /// The plugin's id. `None` if no manifest in this folder could be read.
    pub id: Option<String>,
    /// The loaded plugin. If the folder was refused, the version that was loaded before.
    pub serving: Option<Serving>,
    /// Reason why the current files are not loaded.
    pub refusal: Option<String>,
}

/// A loaded plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serving {
    pub name: String,
    /// The version in the manifest.
    pub version: String,
    /// The version in the component's own description.
    pub described_version: String,
    pub world: String,
    /// SHA-256 of the component in hexadecimal.
    pub digest: String,
}

/// A folder that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub folder: PathBuf,
    /// The plugin's id. `None` if its manifest could not be read.
    pub id: Option<String>,
    /// The problem, for the operator, with a remedy where one is known.
    pub reason: String,
    /// True if the operator has not approved these files, which ask for network access, credentials or services.
    pub awaits_approval: bool,
}

/// A handle to a loaded plugin of any kind.
#[derive(Clone)]
pub(crate) enum Handle {
    ImageProvider(ImageProvider),
    Planner(Planner),
    Layout(Layout),
    Reviewer(Reviewer),
}

impl Handle {
    /// The version that was loaded.
    fn version(&self) -> &PluginVersion {
        match self {
            Self::ImageProvider(provider) => provider.version(),
            Self::Planner(planner) => planner.version(),
            Self::Layout(layout) => layout.version(),
            Self::Reviewer(reviewer) => reviewer.version(),
        }
    }

    /// The version in the component's own description.
    fn described_version(&self) -> &str {
        match self {
            Self::ImageProvider(provider) => &provider.description().version,
            Self::Planner(planner) => &planner.description().version,
            Self::Layout(layout) => &layout.description().version,
            Self::Reviewer(reviewer) => &reviewer.description().version,
        }
    }

    /// The display name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::ImageProvider(provider) => &provider.description().name,
            Self::Planner(planner) => &planner.description().name,
            Self::Layout(layout) => &layout.description().name,
            Self::Reviewer(reviewer) => &reviewer.description().name,
        }
    }
}

/// A loaded plugin.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) id: String,
    pub(crate) version: Version,
    pub(crate) world: World,
    pub(crate) digest: String,
    pub(crate) handle: Handle,
    /// The operator's settings for the plugin when it was loaded.
    pub(crate) config: PluginConfig,
}

impl Loaded {
    /// Returns true if both are the same load, and not two of the same files.
    pub(crate) fn is_same_load(&self, other: &Self) -> bool {
        self.handle.version().load == other.handle.version().load
    }

    /// Returns true if the plugin may stay loaded although the new files of its folder were refused.
    pub(crate) fn may_stay_loaded(&self, now: &PluginConfig) -> bool {
        self.config.is_still_granted(now)
    }

    pub(crate) fn log(&self, event: &str) {
        let Self {
            id,
            version,
            world,
            digest,
            ..
        } = self;
        tracing::info!(plugin = id, %version, %world, digest, "{event}");
    }
}

/// Why a folder was not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The plugin's id. `None` if its manifest could not be read.
    pub(crate) id: Option<String>,
    pub(crate) reason: String,
    /// True if the folder was refused because another folder holds the same plugin.
    pub(crate) is_second: bool,
    /// True if the operator has not approved these files.
    pub(crate) awaits_approval: bool,
    /// False for a bundled plugin that the operator has not approved, or that another folder replaces.
    pub(crate) is_problem: bool,
}

/// The state of a plugin folder.
#[derive(Clone)]
pub(crate) struct FolderState {
    /// The fingerprint of the files when they were read.
    pub(crate) fingerprint: Fingerprint,
    /// The operator's settings for the plugin at that time.
    pub(crate) settings: PluginConfig,
    /// The loaded plugin. If the current files were refused, it is the previous version.
    pub(crate) loaded: Option<Loaded>,
    /// Why the current files were refused.
    pub(crate) refused: Option<Refused>,
    /// Number of consecutive times that these files were refused.
    pub(crate) refusals: u32,
    /// The time when the files were read.
    pub(crate) tried_at: Instant,
    /// True if the files are to be read again although they have not changed.
    pub(crate) is_overdue: bool,
}

/// The operator's settings for one plugin.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct PluginConfig {
    pub(crate) settings: Option<Value>,
    pub(crate) grant: Option<Grant>,
    pub(crate) credentials: Option<BTreeMap<String, CredentialSource>>,
}

impl PluginConfig {
    /// Returns true if a plugin that was loaded with these settings may keep running with `now`: no origin and no
    /// permission was revoked, and the credentials are the same.
    fn is_still_granted(&self, now: &Self) -> bool {
        let Some(granted) = &self.grant else { return true };
        let contains_all = |old: &[String], new: &[String]| old.iter().all(|origin| new.contains(origin));
        self.credentials == now.credentials
            && now.grant.as_ref().is_some_and(|now| {
                contains_all(&granted.origins, &now.origins)
                    && contains_all(&granted.private, &now.private)
                    && granted.permissions.is_subset(&now.permissions)
            })
    }
}

impl FolderState {
    /// Marks a refused folder as overdue when its pause is over, and returns true if it is overdue. The pause doubles
    /// with each refusal. Reading the same files again can succeed if the reason was a full disk, a permission, or a
    /// busy machine.
    pub(crate) fn mark_overdue_after(&mut self, first_pause: Duration) -> bool {
        const MAX_DOUBLINGS: u32 = 4;
        let doublings = self.refusals.saturating_sub(1).min(MAX_DOUBLINGS);
        let has_problem = self.refused.as_ref().is_some_and(|refused| refused.is_problem);
        self.is_overdue = has_problem && self.tried_at.elapsed() >= first_pause * (1 << doublings);
        self.is_overdue
    }

    /// Returns true for a bundled plugin that another folder replaces.
    pub(crate) fn is_replaced(&self) -> bool {
        let refused = self.refused.as_ref();
        refused.is_some_and(|refused| refused.is_second && !refused.is_problem)
    }

    /// The id of the folder's plugin, even if the plugin was refused.
    pub(crate) fn id(&self) -> Option<&str> {
        let refused = self.refused.as_ref().and_then(|refused| refused.id.as_deref());
        refused.or(self.loaded.as_ref().map(|loaded| loaded.id.as_str()))
    }
}

/// The states of all folders, by path.
pub(crate) type States = BTreeMap<PathBuf, FolderState>;

impl Installed {
    /// A folder with this plugin that is described without being loaded.
    pub fn not_loaded(folder: PathBuf, id: String) -> Self {
        Self {
            fingerprint: fingerprint::of_path(&folder),
            folder,
            id: Some(id),
            serving: None,
            refusal: None,
        }
    }

    /// Returns true if the folder is loaded and none of its files has changed since. Reads the metadata of all files.
    pub fn has_loaded_present_files(&self) -> bool {
        self.serving.is_some() && self.refusal.is_none() && self.fingerprint == fingerprint::of_path(&self.folder)
    }

    fn new(folder: &Path, state: &FolderState) -> Self {
        Self {
            folder: folder.to_owned(),
            fingerprint: state.fingerprint,
            id: state.id().map(str::to_owned),
            serving: state.loaded.as_ref().map(|loaded| Serving {
                name: loaded.handle.name().to_owned(),
                version: loaded.version.to_string(),
                described_version: loaded.handle.described_version().to_owned(),
                world: loaded.world.to_string(),
                digest: loaded.digest.clone(),
            }),
            refusal: state.refused.as_ref().map(|refused| refused.reason.clone()),
        }
    }
}

impl Registry {
    pub(crate) fn from_states(states: &States) -> Self {
        let mut registry = Self::default();
        for (folder, state) in states {
            if let Some(loaded) = &state.loaded {
                registry.add(loaded);
            }
            if let Some(Refused {
                id,
                reason,
                awaits_approval,
                is_problem: true,
                ..
            }) = state.refused.clone()
            {
                let folder = folder.clone();
                registry.refusals.push(Refusal {
                    folder,
                    id,
                    reason,
                    awaits_approval,
                });
            }
            if !state.is_replaced() {
                registry.installed.push(Installed::new(folder, state));
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
            Handle::Reviewer(reviewer) => {
                self.reviewers.insert(id, reviewer.clone());
            }
        }
    }
}
