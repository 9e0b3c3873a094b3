//! A plugin as an operator sees it.
use std::path::Path;

use linepress_model::text_enum;
use linepress_plugin_host::{
    CredentialRequest, CredentialSource, Grant, Installed, OriginRequest, Permission, Preview, own_settings,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::source::PluginSource;
use linepress_platform::config::Config;

text_enum! {
    /// The kind of a plugin.
    pub enum PluginKind {
        ImageProvider = "image_provider",
        Planner = "planner",
        Layout = "layout",
        Reviewer = "reviewer",
    }
}

impl PluginKind {
    /// The kind of the plugins that implement a world, such as `linepress:image/image-provider@0.1`.
    pub(super) fn of_world(world: &str) -> Option<Self> {
        let (package, _) = world.strip_prefix("linepress:")?.split_once('/')?;
        match package {
            "image" => Some(Self::ImageProvider),
            "planner" => Some(Self::Planner),
            "layout" => Some(Self::Layout),
            "review" => Some(Self::Reviewer),
            _ => None,
        }
    }
}

text_enum! {
    /// The state of the files in a plugin's folder.
    pub enum PluginState {
        /// They are loaded.
        Serving = "serving",
        /// The server has not loaded them yet, for example because it compiles them. Meanwhile it uses the files that
        /// it loaded before, whose version is in `serving_version`.
        Loading = "loading",
        /// They request something that no operator has approved for exactly these files.
        WaitingForApproval = "waiting_for_approval",
        /// They cannot be loaded. The reason is in `problem`.
        Refused = "refused",
    }
}

text_enum! {
    /// A service of the server that a plugin may use if an operator has approved it.
    pub enum PluginPermission {
        /// To store values in the server's database.
        Store = "store",
        /// To keep values in the server's memory between its calls.
        Cache = "cache",
    }
}

impl PluginPermission {
    /// The permission in words, such as "to store ...".
    pub fn in_words(self) -> String {
        match self {
            Self::Store => Permission::Store.in_words(),
            Self::Cache => Permission::Cache.in_words(),
        }
    }
}

impl From<Permission> for PluginPermission {
    fn from(permission: Permission) -> Self {
        match permission {
            Permission::Store => Self::Store,
            Permission::Cache => Self::Cache,
        }
    }
}

/// A plugin folder of the server, as an operator sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ManagedPlugin {
    /// The id of the plugin; null if its manifest cannot be read.
    #[schema(required)]
    pub id: Option<String>,
    /// The path of the folder on the server.
    pub folder: String,
    /// The name of the loaded plugin; null if none is loaded.
    #[schema(required)]
    pub name: Option<String>,
    /// Its kind; null if its files cannot be read.
    #[schema(required)]
    pub kind: Option<PluginKind>,
    /// The contract that it implements, such as `linepress:image/image-provider@0.1`; null if its files cannot be read.
    #[schema(required)]
    pub world: Option<String>,
    /// The version of the present files; null if they cannot be read.
    #[schema(required)]
    pub version: Option<String>,
    /// The version that is loaded, which may be older than the present files; null if none is loaded.
    #[schema(required)]
    pub serving_version: Option<String>,
    /// The SHA-256 digest of the present files, to which an approval applies; null if they cannot be read.
    #[schema(required)]
    pub digest: Option<String>,
    /// The state of the present files.
    pub state: PluginState,
    /// The place that its files come from.
    pub source: PluginSource,
    /// True if the settings use it: as one of the image providers, as the planner, as the layout, or as the reviewer.
    pub in_use: bool,
    /// The place of an image provider in the order of preference, from 1; null for another plugin and if it is not in
    /// use.
    #[schema(required, minimum = 1)]
    pub position: Option<usize>,
    /// The reason why the present files cannot be loaded; null if there is none.
    #[schema(required)]
    pub problem: Option<String>,
    /// The origins that it requests to reach.
    pub origins: Vec<RequestedOrigin>,
    /// The secrets that it requests to have added to its requests.
    pub credentials: Vec<RequestedCredential>,
    /// The services of the server that it requests to use.
    pub permissions: Vec<PluginPermission>,
    /// Its settings.
    pub settings: Vec<PluginSetting>,
    /// The approval in the settings file; null if there is none.
    #[schema(required)]
    pub approval: Option<PluginGrant>,
}

/// An origin that a plugin requests to reach.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct RequestedOrigin {
    /// The origin, or a pattern with an asterisk for all subdomains.
    #[schema(example = "https://api.example.com:443")]
    pub origin: String,
    /// The methods of its requests.
    pub methods: Vec<String>,
}

impl From<&OriginRequest> for RequestedOrigin {
    fn from(request: &OriginRequest) -> Self {
        Self {
            origin: request.origin.to_string(),
            methods: request.methods.iter().map(ToString::to_string).collect(),
        }
    }
}

/// A secret that a plugin requests to have added to its requests. The plugin never sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct RequestedCredential {
    pub name: String,
    /// The origin to which it is sent.
    pub origin: String,
    /// The header in which it is sent.
    pub header: String,
    /// True if requests may be sent without it.
    pub is_optional: bool,
    /// The place from which the server reads it, never the secret itself; null if the settings name none.
    #[schema(required)]
    pub source: Option<String>,
}

impl RequestedCredential {
    fn new(config: &Config, plugin: &str, request: &CredentialRequest) -> Self {
        let sources = config.credentials.get(plugin);
        let source = sources.and_then(|sources| sources.get(&request.name));
        Self {
            name: request.name.clone(),
            origin: request.origin.to_string(),
            header: request.header.to_string(),
            is_optional: request.optional,
            source: source.map(described),
        }
    }
}

fn described(source: &CredentialSource) -> String {
    match source {
        CredentialSource::Env(name) => format!("the environment variable {name}"),
        CredentialSource::File(path) => format!("the file {}", path.display()),
    }
}

/// A setting of a plugin.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct PluginSetting {
    pub name: String,
    /// True if the plugin's `config.json` describes it.
    pub is_known: bool,
    /// True if only another stored version knows it. It is reserved for that version: this one does not receive it.
    pub is_for_other_version: bool,
    /// The plugin's description of it; null if there is none.
    #[schema(required)]
    pub description: Option<String>,
    /// The only values that it may have; null if the plugin does not list them.
    #[schema(required)]
    pub options: Option<Vec<Value>>,
    /// The value that applies without the setting; null if there is none.
    #[schema(required, value_type = Value)]
    pub default: Option<Value>,
    /// The value in the settings file; null if it is not set.
    #[schema(required, value_type = Value)]
    pub value: Option<Value>,
}

/// The operator's approval of what a plugin requests.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct PluginGrant {
    /// True if it applies to the present files. Otherwise the files have changed since it was given.
    pub is_current: bool,
    /// The origins that the plugin may reach.
    pub origins: Vec<String>,
    /// Those of them that may have private addresses or use plain http.
    pub private: Vec<String>,
    /// The services of the server that the plugin may use.
    pub permissions: Vec<PluginPermission>,
}

impl PluginGrant {
    fn new(grant: &Grant, digest: Option<&str>) -> Self {
        Self {
            is_current: digest.is_some_and(|digest| grant.digest.eq_ignore_ascii_case(digest)),
            origins: grant.origins.clone(),
            private: grant.private.clone(),
            permissions: grant.permissions.iter().copied().map(Into::into).collect(),
        }
    }
}

impl ManagedPlugin {
    /// A plugin folder with the preview of its files, which exists if they are valid.
    pub(super) fn new(config: &Config, installed: Installed, preview: Option<&Preview>) -> Self {
        // After the preview was read: files that have changed since then are not loaded, either.
        let is_loaded = installed.has_loaded_present_files();
        let Installed {
            folder,
            id,
            serving,
            refusal: problem,
            ..
        } = installed;
        let folder = folder.display().to_string();
        let id = id.or_else(|| preview.map(|preview| preview.id.clone()));
        let digest = preview.map(|preview| preview.digest.clone());
        let grant = id.as_ref().and_then(|id| config.grants.get(id));
        let approval = grant.map(|grant| PluginGrant::new(grant, digest.as_deref()));
        let is_approved = approval.as_ref().is_some_and(|approval| approval.is_current);
        let asks = preview.is_some_and(|preview| !preview.requests.is_empty());
        let version = preview.map(|preview| preview.version.to_string());
        let (name, serving_version) = serving.map(|serving| (serving.name, serving.version)).unzip();
        let world = preview.map(|preview| preview.world.clone());
        let settings = preview.map(|preview| {
            let given = config.plugins.get(&preview.id);
            settings(Path::new(&folder), preview.schema.as_deref(), given)
        });
        let settings = settings.unwrap_or_default();
        Self {
            source: PluginSource::new(config, Path::new(&folder), id.as_deref(), digest.as_deref()),
            in_use: id.as_ref().is_some_and(|id| config.uses_plugin(id)),
            position: id.as_ref().and_then(|id| {
                let place = config.image_providers.iter().position(|other| other == id)?;
                Some(place + 1)
            }),
            folder,
            name,
            kind: world.as_deref().and_then(PluginKind::of_world),
            world,
            version,
            serving_version,
            digest,
            state: match &problem {
                None if is_loaded => PluginState::Serving,
                None => PluginState::Loading,
                Some(_) if asks && !is_approved => PluginState::WaitingForApproval,
                Some(_) => PluginState::Refused,
            },
            problem,
            origins: preview
                .into_iter()
                .flat_map(|preview| preview.requests.origins.iter().map(RequestedOrigin::from))
                .collect(),
            credentials: preview
                .into_iter()
                .flat_map(|preview| {
                    let requests = preview.requests.credentials.iter();
                    requests.map(|request| RequestedCredential::new(config, &preview.id, request))
                })
                .collect(),
            permissions: preview
                .into_iter()
                .flat_map(|preview| preview.requests.permissions.iter().copied().map(Into::into))
                .collect(),
            settings,
            approval,
            id,
        }
    }
}

/// The values that a setting may have, if there are only some.
fn options(property: &Value) -> Option<Vec<Value>> {
    match property["enum"].as_array() {
        Some(options) => Some(options.clone()),
        None if property["type"] == "boolean" => Some(vec![true.into(), false.into()]),
        None => None,
    }
}

/// The settings that the config.json of this folder describes, and those that the operator set, in one list.
fn settings(folder: &Path, schema: Option<&str>, given: Option<&Value>) -> Vec<PluginSetting> {
    let schema = schema.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let schema = schema.unwrap_or_default();
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    let own = given.map(|given| own_settings(folder, given)).unwrap_or_default();
    let given = given.and_then(Value::as_object).unwrap_or(&none);
    let known = properties.iter().map(|(name, property)| PluginSetting {
        name: name.clone(),
        is_known: true,
        is_for_other_version: false,
        description: property["description"].as_str().map(str::to_owned),
        options: options(property),
        default: property.get("default").cloned(),
        value: given.get(name).cloned(),
    });
    let unknown = given.iter().filter(|(name, _)| !properties.contains_key(*name));
    let unknown = unknown.map(|(name, value)| PluginSetting {
        name: name.clone(),
        is_known: false,
        is_for_other_version: own.get(name).is_none(),
        description: None,
        options: None,
        default: None,
        value: Some(linepress_platform::config::masked(value)),
    });
    known.chain(unknown).collect()
}
