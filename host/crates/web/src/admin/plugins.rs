//! `/admin/plugins`: the plugins of this node, what they request, and its approval.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Redirect;
use serde::Deserialize;
use serde_json::Value;

use super::operator::{Operator, OperatorForm};
use super::{Tab, words};
use crate::library::accepted;
use crate::library::form::{Complaints, Fields, Refused};
use linepress_http::html::{Frame, page};
use linepress_http::{PathId, Query, Reply};
use linepress_operator::administration::plugins::{
    self, ManagedPlugin, PluginApproval, PluginGrant, PluginKind, PluginSetting, PluginState, PluginUse,
    RequestedCredential,
};
use linepress_platform::app::App;
use linepress_platform::error::Result;

#[derive(Template)]
#[template(path = "admin/plugins.html")]
struct PluginsPage {
    frame: Frame,
    tab: Tab,
    plugins: Vec<PluginCard>,
    done: Option<&'static str>,
    complaints: Complaints,
    /// The plugin whose form was rejected, or empty.
    opened: String,
}

/// A plugin with its state.
struct PluginCard {
    /// The id; empty if the manifest cannot be read.
    id: String,
    /// The id, or the folder of a plugin without one.
    title: String,
    status: &'static str,
    class: &'static str,
    /// Its name, kind and version, and what is loaded instead of the present files.
    summary: String,
    problem: Option<String>,
    origins: Vec<OriginRow>,
    credentials: Vec<CredentialRow>,
    /// The requested services of the server, in words.
    permissions: Vec<String>,
    settings: Vec<SettingRow>,
    facts: Vec<(&'static str, String)>,
    digest: String,
    is_image_provider: bool,
    is_reviewer: bool,
    /// True if the settings name it.
    in_use: bool,
    /// True if a version of it is loaded.
    is_loaded: bool,
    /// The place that the form for its use shows.
    position: usize,
    /// True if a form for its settings is shown.
    has_form: bool,
    /// True if it requests something that is not approved for the present files.
    needs_approval: bool,
    is_approved: bool,
}

/// An origin that a plugin requests to reach.
struct OriginRow {
    origin: String,
    methods: String,
    /// True if its addresses may be private. A pattern for several hosts cannot be private.
    is_private: bool,
    is_pattern: bool,
}

/// A secret that a plugin requests.
struct CredentialRow {
    name: String,
    use_of: String,
    source: String,
}

impl From<RequestedCredential> for CredentialRow {
    fn from(credential: RequestedCredential) -> Self {
        Self {
            use_of: format!("sent to {} as {}", credential.origin, credential.header),
            source: match (credential.source, credential.is_optional) {
                (Some(source), _) => format!("read from {source}"),
                (None, true) => "optional, and not set".into(),
                (None, false) => "not set; set it on the command line with the option --credential".into(),
            },
            name: credential.name,
        }
    }
}

/// A setting of a plugin.
struct SettingRow {
    name: String,
    value: String,
    description: String,
    /// The field of the form; `None` for a setting that the plugin does not describe, whose value is not shown.
    field: Option<SettingField>,
}

/// The field of the form for a setting.
struct SettingField {
    id: String,
    name: String,
    hint: String,
    /// The text of the present value; empty if the default applies.
    stored: String,
    /// The text that the field shows.
    shown: String,
    is_long: bool,
    /// The texts of the only values that it may have; empty if it may have others.
    options: Vec<String>,
}

impl SettingField {
    const MAX_CHARS: usize = 20_000;

    fn new(plugin: &str, setting: &PluginSetting) -> Option<Self> {
        /// A longer value, or one with parts, is shown in several lines.
        const LONG_CHARS: usize = 80;
        if !setting.is_known {
            return None;
        }
        let stored = setting.value.as_ref().map(text_of).unwrap_or_default();
        let has_parts = |value: &Option<Value>| {
            value
                .as_ref()
                .is_some_and(|value| value.is_object() || value.is_array())
        };
        let default = setting
            .default
            .as_ref()
            .map(|default| format!("Default: {}.", text_of(default)));
        let hint = [setting.description.clone(), default].into_iter().flatten();
        Some(Self {
            id: format!("setting-{plugin}-{}", setting.name),
            name: setting_field(&setting.name),
            hint: hint.collect::<Vec<_>>().join(" "),
            is_long: has_parts(&setting.value) || has_parts(&setting.default) || stored.len() > LONG_CHARS,
            options: options(setting, &stored),
            shown: stored.clone(),
            stored,
        })
    }
}

/// The texts of the values that a setting may have, with the present one, which an earlier version may have allowed.
fn options(setting: &PluginSetting, stored: &str) -> Vec<String> {
    let options = setting.options.iter().flatten();
    let mut options: Vec<String> = options.map(text_of).collect();
    if !options.is_empty() && !stored.is_empty() && !options.iter().any(|option| option == stored) {
        options.push(stored.to_owned());
    }
    options
}

/// The name of the field of a setting.
fn setting_field(setting: &str) -> String {
    format!("setting_{setting}")
}

/// A value as a person types it: a text as it is, any other as JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl SettingRow {
    fn new(plugin: &str, setting: PluginSetting) -> Self {
        Self {
            field: SettingField::new(plugin, &setting),
            value: match (setting.value, setting.default) {
                (Some(value), _) => value.to_string(),
                (None, Some(default)) => format!("{default} (default)"),
                (None, None) => "not set".into(),
            },
            name: setting.name,
            description: match (setting.description, setting.is_for_other_version) {
                (_, true) => "Reserved for another stored version: this one does not receive it.".into(),
                (description, false) => description.unwrap_or_default(),
            },
        }
    }
}

impl PluginCard {
    /// Shows in the form for settings what was typed into the rejected one.
    fn show_typed(&mut self, fields: &Fields) {
        for field in self.settings.iter_mut().filter_map(|setting| setting.field.as_mut()) {
            field.shown = fields.changed_or(&field.name, &field.stored);
        }
    }
}

impl From<ManagedPlugin> for PluginCard {
    fn from(plugin: ManagedPlugin) -> Self {
        let (status, class) = match plugin.state {
            PluginState::Serving => ("Loaded", "ready"),
            PluginState::Loading => ("Not yet loaded", "waits"),
            PluginState::WaitingForApproval => ("Waits for approval", "waits"),
            PluginState::Refused => ("Refused", "incomplete"),
        };
        let private = plugin.approval.as_ref().map(|approval| approval.private.clone());
        let private = private.unwrap_or_default();
        let asks = !plugin.origins.is_empty() || !plugin.credentials.is_empty() || !plugin.permissions.is_empty();
        let origins = plugin.origins.iter().map(|request| OriginRow {
            is_private: private.contains(&request.origin),
            is_pattern: request.origin.contains('*'),
            origin: request.origin.clone(),
            methods: request.methods.join(", "),
        });
        let id = plugin.id.clone().unwrap_or_default();
        let settings = plugin.settings.clone().into_iter();
        let settings: Vec<SettingRow> = settings.map(|setting| SettingRow::new(&id, setting)).collect();
        Self {
            in_use: plugin.in_use,
            is_loaded: plugin.serving_version.is_some(),
            position: plugin.position.unwrap_or(1),
            has_form: settings.iter().any(|setting| setting.field.is_some()),
            title: plugin.id.clone().unwrap_or_else(|| plugin.folder.clone()),
            status,
            class,
            summary: summary(&plugin),
            facts: facts(&plugin),
            origins: origins.collect(),
            needs_approval: asks && !plugin.approval.as_ref().is_some_and(|approval| approval.is_current),
            is_approved: plugin.approval.is_some(),
            is_image_provider: plugin.kind == Some(PluginKind::ImageProvider),
            is_reviewer: plugin.kind == Some(PluginKind::Reviewer),
            id: plugin.id.unwrap_or_default(),
            problem: plugin.problem,
            credentials: plugin.credentials.into_iter().map(CredentialRow::from).collect(),
            permissions: plugin
                .permissions
                .iter()
                .map(|permission| permission.in_words())
                .collect(),
            settings,
            digest: plugin.digest.unwrap_or_default(),
        }
    }
}

fn summary(plugin: &ManagedPlugin) -> String {
    let kind = match plugin.kind {
        Some(PluginKind::ImageProvider) => Some("image provider"),
        Some(PluginKind::Planner) => Some("planner"),
        Some(PluginKind::Layout) => Some("layout"),
        Some(PluginKind::Reviewer) => Some("reviewer"),
        None => None,
    };
    let version = plugin.version.as_ref().map(|version| format!("version {version}"));
    let older = plugin.serving_version.as_ref();
    let older = older.filter(|_| plugin.state != PluginState::Serving);
    let older = older.map(|version| match plugin.version.as_ref() == Some(version) {
        true => "its earlier files remain loaded".to_owned(),
        false => format!("version {version} remains loaded"),
    });
    let parts = [plugin.name.clone(), kind.map(str::to_owned), version, older];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn facts(plugin: &ManagedPlugin) -> Vec<(&'static str, String)> {
    let facts = [
        ("Source", Some(plugin.source.in_words())),
        (
            "Stored versions",
            Some(plugin.source.stored.join(", ")).filter(|stored| !stored.is_empty()),
        ),
        ("Folder", Some(plugin.folder.clone())),
        ("Contract", plugin.world.clone()),
        ("Digest", plugin.digest.clone()),
        ("Approved", plugin.approval.as_ref().map(approved)),
    ];
    let known = facts.into_iter().filter_map(|(name, value)| Some((name, value?)));
    known.collect()
}

fn approved(approval: &PluginGrant) -> String {
    let origins = approval.origins.iter().map(|origin| {
        let is_private = approval.private.contains(origin);
        format!("{origin}{}", if is_private { " (private)" } else { "" })
    });
    let permissions = approval.permissions.iter().map(|permission| permission.in_words());
    let granted: Vec<String> = origins.chain(permissions).collect();
    let granted = match granted.is_empty() {
        true => "no origins".to_owned(),
        false => granted.join(", "),
    };
    match approval.is_current {
        true => granted,
        false => format!("{granted}; the files have changed since"),
    }
}

const PATH: &str = "/admin/plugins";

#[derive(Deserialize)]
pub(super) struct Done {
    done: Option<String>,
}

pub(super) async fn show(State(app): State<App>, operator: Operator, Query(done): Query<Done>) -> Reply {
    let done = words::done(done.done.as_deref());
    respond(&app, &operator, done, None).await
}

async fn respond(
    app: &App,
    operator: &Operator,
    done: Option<&'static str>,
    refused: Option<(&str, Refused<'_>)>,
) -> Reply {
    let (opened, refused) = refused.unzip();
    let plugins = plugins::list(app, &operator.actor).await?;
    let mut plugins: Vec<PluginCard> = plugins.into_iter().map(PluginCard::from).collect();
    if let (Some(opened), Some(refused)) = (opened, &refused) {
        let mut opened = plugins.iter_mut().filter(|plugin| plugin.id == opened);
        if let Some(plugin) = opened.next() {
            plugin.show_typed(refused.fields);
        }
    }
    let status = refused.as_ref().map_or(StatusCode::OK, |refused| refused.status);
    let view = PluginsPage {
        frame: operator.frame(),
        tab: Tab::Plugins,
        plugins,
        done,
        opened: opened.unwrap_or_default().to_owned(),
        complaints: refused.map_or_else(Complaints::none, |refused| refused.complaints),
    };
    Ok(page(status, &view))
}

/// Redirects to the plugins, or shows them with the complaints about this form.
async fn finish(
    app: &App,
    form: &OperatorForm,
    id: &str,
    done: &'static str,
    outcome: Result<Option<ManagedPlugin>>,
) -> Reply {
    let refused = match accepted::changed_by(("", &form.fields), outcome, "plugin", PATH, done)? {
        Ok(response) => return Ok(response),
        Err(refused) => refused,
    };
    respond(app, &form.operator, None, Some((id, refused))).await
}

pub(super) async fn allow(State(app): State<App>, PathId(id): PathId<String>, form: OperatorForm) -> Reply {
    let approval = PluginApproval {
        digest: form.fields.text("digest"),
        origins: None,
        private: Some(form.fields.all("private").collect()),
    };
    let changed = plugins::allow(&app, &form.operator.actor, &id, &approval).await;
    finish(&app, &form, &id, "allowed", changed).await
}

pub(super) async fn deny(State(app): State<App>, PathId(id): PathId<String>, form: OperatorForm) -> Reply {
    let changed = plugins::deny(&app, &form.operator.actor, &id).await;
    finish(&app, &form, &id, "denied", changed).await
}

pub(super) async fn use_plugin(State(app): State<App>, PathId(id): PathId<String>, form: OperatorForm) -> Reply {
    let given = PluginUse {
        // A text that is no number is rejected like a wrong number.
        position: form
            .fields
            .given::<String>("position")
            .map(|text| text.parse().unwrap_or(0)),
    };
    let changed = plugins::use_plugin(&app, &form.operator.actor, &id, &given).await;
    finish(&app, &form, &id, "used", changed).await
}

pub(super) async fn stop_using(State(app): State<App>, PathId(id): PathId<String>, form: OperatorForm) -> Reply {
    let changed = plugins::stop_using(&app, &form.operator.actor, &id).await;
    finish(&app, &form, &id, "left-out", changed).await
}

pub(super) async fn configure(State(app): State<App>, PathId(id): PathId<String>, form: OperatorForm) -> Reply {
    let plugin = plugins::get(&app, &form.operator.actor, &id).await?;
    let settings = plugin.map(|plugin| plugin.settings).unwrap_or_default();
    let typed = settings
        .into_iter()
        .filter(|setting| setting.is_known)
        .filter_map(|setting| {
            let text = form.fields.changed(&setting_field(&setting.name))?;
            Some((setting.name, Some(text).filter(|text| !text.is_empty())))
        });
    let changed = plugins::configure_from_text(&app, &form.operator.actor, &id, typed.collect()).await;
    finish(&app, &form, &id, "configured", changed).await
}

/// Redirects from the address of a form to the plugins.
pub(super) async fn to_list(_: Operator) -> Redirect {
    Redirect::to(PATH)
}
