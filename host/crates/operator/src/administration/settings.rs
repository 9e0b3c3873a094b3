//! The settings in force on a node. They can only be read: `linepress serve` checks them all when it starts.
use serde::Serialize;

use super::Actor;
use linepress_platform::app::App;
use linepress_platform::config::{LIVE_SETTINGS, Setting, SettingSource};
use linepress_platform::error::{Error, Result, chain};

/// The tables of settings that only commands read, each time.
const COMMAND_TABLES: [&str; 3] = ["publishers", "plugin_index", "oci_registries"];

/// A setting of the node that responds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct SettingInForce {
    /// The name, with its tables, such as `limits.pages`.
    #[schema(example = "limits.pages")]
    pub name: String,
    /// The value in words; empty if it is not set. A secret that is set is `(secret)`, the value of a plugin's setting
    /// is `(set)`, and a URL lacks its user, its query and its fragment.
    #[schema(example = "10000")]
    pub value: String,
    /// The place from which the value comes.
    pub source: SettingSource,
    /// True if the settings file, or the environment, names another value, which takes effect when the node is
    /// restarted.
    pub needs_restart: bool,
}

impl SettingInForce {
    fn new(setting: Setting, needs_restart: bool) -> Self {
        Self {
            name: setting.name,
            value: setting.value,
            source: setting.source,
            needs_restart,
        }
    }
}

/// The settings of the node that responds.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct SettingsInForce {
    /// The path of the settings file; null if there is none.
    #[schema(required)]
    pub file: Option<String>,
    /// The reason why the settings file and the environment are not valid now, so that the node does not use them; null
    /// if they are.
    #[schema(required)]
    pub problem: Option<String>,
    /// Every setting, sorted by name.
    pub settings: Vec<SettingInForce>,
}

/// Every setting of this node, without secrets.
pub async fn list(app: &App, actor: &Actor) -> Result<SettingsInForce> {
    actor.require_operator()?;
    let (config, live) = (app.config.clone(), app.live());
    let read = tokio::task::spawn_blocking(move || {
        let present = config.load_again().map_err(|error| chain(&error))?;
        match present.plugin_problem_since(&live) {
            None => Ok(present),
            Some(problem) => Err(format!("a plugin does not allow a setting: {problem}")),
        }
    });
    let (present, problem) = match read.await.map_err(Error::internal)? {
        Ok(present) => (present, None),
        Err(problem) => ((*app.live()).clone(), Some(problem)),
    };
    let hidden = app.config.hidden_changes(&present);
    let (started, present) = (app.config.settings(), present.settings());
    let (live, present): (Vec<Setting>, Vec<Setting>) = present.into_iter().partition(is_live);
    let live = live.into_iter().map(|setting| SettingInForce::new(setting, false));
    // These have no value before the restart.
    let is_new = |setting: &&Setting| {
        let is_unknown = started.iter().all(|started| started.name != setting.name);
        is_unknown && !setting.value.is_empty()
    };
    let new = present.iter().filter(is_new).map(|setting| Setting {
        value: String::new(),
        ..setting.clone()
    });
    let new = new.map(|setting| SettingInForce::new(setting, true));
    let others = started.iter().filter(|setting| !is_live(setting)).map(|setting| {
        let needs_restart = differs(setting, &present, &hidden);
        SettingInForce::new(setting.clone(), needs_restart)
    });
    let mut settings: Vec<SettingInForce> = live.chain(new).chain(others).collect();
    settings.sort_by(|one, other| one.name.cmp(&other.name));
    let file = app.config.file.as_ref();
    Ok(SettingsInForce {
        file: file.map(|file| file.display().to_string()),
        problem,
        settings,
    })
}

/// Returns true for a setting whose change needs no restart.
fn is_live(setting: &Setting) -> bool {
    let table = setting.name.split('.').next().unwrap_or_default();
    LIVE_SETTINGS.contains(&table) || COMMAND_TABLES.contains(&table)
}

/// Returns true if the setting would have another value after a restart: the value that is shown, or the part of it
/// that is hidden. An option of the command is given again.
fn differs(setting: &Setting, present: &[Setting], hidden: &[&str]) -> bool {
    let same = present.iter().find(|present| present.name == setting.name);
    let is_hidden = hidden.contains(&setting.name.as_str());
    let has_changed = is_hidden || same.is_none_or(|present| present.value != setting.value);
    setting.source != SettingSource::CommandLine && has_changed
}
