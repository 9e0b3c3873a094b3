//! The settings in force on a node. They can only be read: `linepress serve` checks them all when it starts.
use serde::Serialize;

use super::{Actor, plugins};
use crate::app::App;
use linepress_platform::config::{Setting, SettingSource};
use linepress_platform::error::Result;

/// The tables of settings that take effect while the server runs.
const LIVE_TABLES: [&str; 3] = ["plugins", "grants", "credentials"];

/// A setting of the node that responds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct SettingInForce {
    /// The name, with its tables, such as `limits.pages`.
    #[schema(example = "limits.pages")]
    pub name: String,
    /// The value in words; empty if it is not set. A secret that is set is `(secret)`, the value of a plugin's setting is
    /// `(set)`, and a URL lacks its user, its query and its fragment.
    #[schema(example = "10000")]
    pub value: String,
    /// The place from which the value comes.
    pub source: SettingSource,
    /// True if the settings file, or the environment, names another value, which takes effect when the node is restarted.
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
    /// Every setting, sorted by name.
    pub settings: Vec<SettingInForce>,
}

/// Every setting of this node, without secrets.
pub async fn list(app: &App, actor: &Actor) -> Result<SettingsInForce> {
    actor.require_operator()?;
    let present = plugins::file_settings(app).await.settings();
    let is_live = |setting: &Setting| {
        let table = setting.name.split('.').next().unwrap_or_default();
        LIVE_TABLES.contains(&table)
    };
    let live = present.iter().filter(|setting| is_live(setting)).cloned();
    let live = live.map(|setting| SettingInForce::new(setting, false));
    let others = app.config.settings().into_iter().filter(|setting| !is_live(setting));
    let others = others.map(|setting| {
        let needs_restart = differs(&setting, &present);
        SettingInForce::new(setting, needs_restart)
    });
    let mut settings: Vec<SettingInForce> = live.chain(others).collect();
    settings.sort_by(|one, other| one.name.cmp(&other.name));
    let file = app.config.file.as_ref();
    Ok(SettingsInForce {
        file: file.map(|file| file.display().to_string()),
        settings,
    })
}

/// Returns true if the setting would have another value after a restart. An option of the command is given again.
fn differs(setting: &Setting, present: &[Setting]) -> bool {
    let same = present.iter().find(|present| present.name == setting.name);
    setting.source != SettingSource::CommandLine && same.is_none_or(|present| present.value != setting.value)
}
