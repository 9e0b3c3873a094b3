//! `/admin/settings`: the settings in force on this node.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;

use super::Tab;
use super::operator::Operator;
use linepress_http::Reply;
use linepress_http::html::{Frame, page};
use linepress_operator::administration::settings::{self, SettingInForce};
use linepress_platform::app::App;
use linepress_platform::config::SettingSource;

#[derive(Template)]
#[template(path = "admin/settings.html")]
struct SettingsPage {
    frame: Frame,
    tab: Tab,
    /// The path of the settings file; empty if there is none.
    file: String,
    /// The reason why the node would not start again.
    problem: Option<String>,
    settings: Vec<SettingRow>,
    needs_restart: bool,
}

/// A setting in words.
struct SettingRow {
    name: String,
    value: String,
    source: &'static str,
    needs_restart: bool,
}

impl From<SettingInForce> for SettingRow {
    fn from(in_force: SettingInForce) -> Self {
        Self {
            source: match in_force.source {
                SettingSource::Default => "default",
                SettingSource::File => "file",
                SettingSource::Environment => "environment",
                SettingSource::CommandLine => "command line",
            },
            name: in_force.name,
            value: in_force.value,
            needs_restart: in_force.needs_restart,
        }
    }
}

pub(super) async fn show(State(app): State<App>, operator: Operator) -> Reply {
    let found = settings::list(&app, &operator.actor).await?;
    let view = SettingsPage {
        frame: operator.frame(),
        tab: Tab::Settings,
        file: found.file.unwrap_or_default(),
        problem: found.problem,
        needs_restart: found.settings.iter().any(|setting| setting.needs_restart),
        settings: found.settings.into_iter().map(SettingRow::from).collect(),
    };
    Ok(page(StatusCode::OK, &view))
}
