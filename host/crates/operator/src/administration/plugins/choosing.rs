//! The choice of the plugins that draw, plan, lay out and review, and the settings that are passed to plugins. They are
//! in the settings file, which the running server reads again within seconds.
use std::collections::BTreeMap;
use std::path::Path;

use garde::Validate;
use linepress_plugin_host::{Preview, own_settings, setting_problems, settings_from_text};
use serde::Deserialize;

use super::changes::{PluginChange, apply, lock_for, read, unreadable};
use super::resource::PluginKind;
use super::{ManagedPlugin, folder_of, get, installed, present_config};
use crate::administration::Actor;
use linepress_platform::app::App;
use linepress_platform::config::{Config, MAX_PROVIDERS, PluginChoice, SettingChanges, changed_settings};
use linepress_platform::error::{Detail, Error, Result};
use linepress_platform::field::Field;
use linepress_platform::validation;

/// The use of a plugin: an image provider draws; a planner, a layout or a reviewer takes the place of the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginUse {
    /// The place of an image provider in the order of preference, from 1: a drawing goes to the first provider that can
    /// draw it. If omitted, a provider that is in use remains in its place, and another one becomes the first.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false, minimum = 1, maximum = 16)]
    pub position: Option<usize>,
}

/// A change of the settings of a plugin.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginSettingsChange {
    /// The new values of settings, by name. Null removes a setting, so that the plugin's default applies. Other
    /// settings remain.
    #[garde(skip)]
    #[schema(value_type = std::collections::BTreeMap<String, Option<serde_json::Value>>)]
    pub settings: SettingChanges,
}

/// Uses a plugin: an image provider takes its place in the order; a planner, a layout or a reviewer replaces the one
/// before. Drawings in progress end with the provider they began with. Fails if the plugin is not loaded. None if there
/// is no such plugin.
pub async fn use_plugin(app: &App, actor: &Actor, id: &str, given: &PluginUse) -> Result<Option<ManagedPlugin>> {
    actor.require_operator()?;
    let Some(installed) = installed(app, id) else {
        return Ok(None);
    };
    if installed.serving.is_none() {
        let reason = installed
            .refusal
            .unwrap_or_else(|| "the server looks at its files".into());
        let problem = format!("is not loaded, so it cannot be used: {reason}");
        return Err(Error::invalid_field(Field::named("plugin"), problem));
    }
    use_folder(app, actor, &installed.folder, given).await?;
    get(app, actor, id).await
}

/// Uses the plugin in this folder. Returns the new value of the setting; `None` if it was in use in this way already.
pub async fn use_folder(app: &App, actor: &Actor, folder: &Path, given: &PluginUse) -> Result<Option<PluginChoice>> {
    actor.require_operator()?;
    let (config, preview) = read(present_config(app).await, folder).await?;
    let Some(change) = used(&config, &preview, given)? else {
        return Ok(None);
    };
    let choice = change.to.clone();
    apply(app, actor, config, preview.id, PluginChange::Choose(change)).await?;
    Ok(Some(choice))
}

/// Does the same as [`use_folder`] without an entry in the audit log, before there is a database.
pub fn use_unrecorded(config: &Config, folder: &Path, given: &PluginUse) -> Result<Option<PluginChoice>> {
    let preview = Preview::read(folder, &config.plugins).map_err(unreadable)?;
    let Some(change) = used(config, &preview, given)? else {
        return Ok(None);
    };
    let choice = change.to.clone();
    write(config, &preview.id, &PluginChange::Choose(change))?;
    Ok(Some(choice))
}

/// Takes an image provider out of the order, or the reviewer out of use. None if there is no such plugin.
pub async fn stop_using(app: &App, actor: &Actor, id: &str) -> Result<Option<ManagedPlugin>> {
    actor.require_operator()?;
    if folder_of(app, id).is_none() {
        return Ok(None);
    }
    leave_out(app, actor, id).await?;
    get(app, actor, id).await
}

/// Takes an image provider out of the order, or the reviewer out of use, whether or not its folder still exists.
/// Returns false if it is not in use.
pub async fn leave_out(app: &App, actor: &Actor, id: &str) -> Result<bool> {
    actor.require_operator()?;
    let config = present_config(app).await;
    let Some(change) = left_out(&config, id)? else {
        return Ok(false);
    };
    apply(app, actor, config, id.to_owned(), PluginChange::Choose(change)).await?;
    Ok(true)
}

/// Does the same as [`leave_out`] without an entry in the audit log, before there is a database.
pub fn leave_out_unrecorded(config: &Config, id: &str) -> Result<bool> {
    let Some(change) = left_out(config, id)? else {
        return Ok(false);
    };
    write(config, id, &PluginChange::Choose(change))?;
    Ok(true)
}

/// Changes settings of a plugin, unless its `config.json` does not allow the result. None if there is no such plugin.
pub async fn configure(
    app: &App,
    actor: &Actor,
    id: &str,
    given: &PluginSettingsChange,
) -> Result<Option<ManagedPlugin>> {
    actor.require_operator()?;
    let Some(folder) = folder_of(app, id) else {
        return Ok(None);
    };
    configure_folder(app, actor, &folder, given).await?;
    get(app, actor, id).await
}

/// Changes settings of a plugin to values that a person typed. None if there is no such plugin.
pub async fn configure_from_text(
    app: &App,
    actor: &Actor,
    id: &str,
    typed: BTreeMap<String, Option<String>>,
) -> Result<Option<ManagedPlugin>> {
    actor.require_operator()?;
    let Some(folder) = folder_of(app, id) else {
        return Ok(None);
    };
    let settings = super::blocking(move || settings_from_text(&folder, typed)).await?;
    configure(app, actor, id, &PluginSettingsChange { settings }).await
}

/// Changes settings of the plugin in this folder. Returns false if it has them already.
pub async fn configure_folder(app: &App, actor: &Actor, folder: &Path, given: &PluginSettingsChange) -> Result<bool> {
    actor.require_operator()?;
    let config = present_config(app).await;
    let (folder, changes) = (folder.to_owned(), given.settings.clone());
    let checked = super::blocking(move || {
        let id = configured(&config, &folder, &changes)?;
        Ok::<_, Error>((config, id, changes))
    });
    let (config, id, changes) = checked.await??;
    let Some(id) = id else { return Ok(false) };
    apply(app, actor, config, id, PluginChange::Configure(changes)).await?;
    Ok(true)
}

/// Does the same as [`configure_folder`] without an entry in the audit log, before there is a database.
pub fn configure_unrecorded(config: &Config, folder: &Path, given: &PluginSettingsChange) -> Result<bool> {
    let Some(id) = configured(config, folder, &given.settings)? else {
        return Ok(false);
    };
    write(config, &id, &PluginChange::Configure(given.settings.clone()))?;
    Ok(true)
}

fn write(config: &Config, id: &str, change: &PluginChange) -> Result<()> {
    let file = lock_for(config, id, change)?;
    change.write(file, id).map(drop)
}

/// A change of the setting that names plugins.
pub(super) struct Chosen {
    pub(super) from: Vec<String>,
    pub(super) to: PluginChoice,
}

/// The change that uses the plugin; `None` if the settings use it in this way already.
fn used(config: &Config, preview: &Preview, given: &PluginUse) -> Result<Option<Chosen>> {
    let id = &preview.id;
    let choice = match PluginKind::of_world(&preview.world) {
        Some(PluginKind::ImageProvider) => {
            PluginChoice::ImageProviders(ordered(&config.image_providers, id, given.position)?)
        }
        Some(PluginKind::Planner) => PluginChoice::Planner(id.clone()),
        Some(PluginKind::Layout) => PluginChoice::Layout(id.clone()),
        Some(PluginKind::Reviewer) => PluginChoice::Reviewer(id.clone()),
        None => {
            let problem = format!("has the world {}, which no setting can name", preview.world);
            return Err(Error::invalid_field(Field::named("plugin"), problem));
        }
    };
    if given.position.is_some() && !matches!(choice, PluginChoice::ImageProviders(_)) {
        let problem = format!("cannot be given: only image providers have an order, and {id} is none");
        return Err(Error::invalid_field(Field::position(), problem));
    }
    let from = choice.present(config);
    let has_changed = from != choice.ids();
    Ok(has_changed.then_some(Chosen { from, to: choice }))
}

/// The order of image providers with this one at its position.
fn ordered(before: &[String], id: &str, position: Option<usize>) -> Result<Vec<String>> {
    let present = before.iter().position(|other| other == id);
    let mut order: Vec<String> = before.iter().filter(|other| *other != id).cloned().collect();
    if order.len() == MAX_PROVIDERS {
        let problem = format!("would be one too many: there are {MAX_PROVIDERS} image providers. Stop using one first");
        return Err(Error::invalid_field(Field::named("plugin"), problem));
    }
    let most = order.len() + 1;
    let place = position.unwrap_or(present.map_or(1, |place| place + 1));
    if !(1..=most).contains(&place) {
        return Err(Error::invalid_field(Field::position(), format!("must be 1 to {most}")));
    }
    order.insert(place - 1, id.to_owned());
    Ok(order)
}

/// The change that takes an image provider out of the order, or the reviewer out of use; `None` if it is not in use.
fn left_out(config: &Config, id: &str) -> Result<Option<Chosen>> {
    let refused = |problem: String| Err(Error::invalid_field(Field::named("plugin"), problem));
    for (kind, chosen) in [("planner", &config.planner), ("layout", &config.layout)] {
        if chosen == id {
            return refused(format!("is the {kind} in use: use another {kind} in its place"));
        }
    }
    if config.reviewer == id {
        return Ok(Some(Chosen {
            from: vec![config.reviewer.clone()],
            to: PluginChoice::Reviewer(String::new()),
        }));
    }
    let before = &config.image_providers;
    if !before.iter().any(|other| other == id) {
        return Ok(None);
    }
    if before.len() == 1 {
        return refused("is the only image provider: use another one first".into());
    }
    let order = before.iter().filter(|other| *other != id).cloned().collect();
    Ok(Some(Chosen {
        from: before.clone(),
        to: PluginChoice::ImageProviders(order),
    }))
}

/// Checks the settings that the plugin in this folder will have, without those that remain for another stored version.
/// Returns its id; `None` if nothing changes.
fn configured(config: &Config, folder: &Path, changes: &SettingChanges) -> Result<Option<String>> {
    let id = linepress_plugin_host::id_in(folder).map_err(unreadable)?;
    let present = config.plugins.get(&id);
    let settings = changed_settings(present, changes);
    if present == Some(&settings) || changes.values().all(Option::is_none) && present.is_none() {
        return Ok(None);
    }
    let own = present.map(|present| own_settings(folder, present));
    let problems = setting_problems(folder, &changed_settings(own.as_ref(), changes));
    let details = problems.into_iter().map(|found| Detail {
        field: match found.setting.as_str() {
            "" => Field::named("settings"),
            setting => Field::named("settings").then(Field::parse(setting)),
        },
        message: found.problem,
    });
    let details: Vec<Detail> = details.collect();
    if !details.is_empty() {
        return Err(Error::validation(details));
    }
    Ok(Some(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_takes_its_place_in_the_order() {
        let before = ["a", "b", "c"].map(str::to_owned);
        for (id, position, expected) in [
            ("new", None, Some("new a b c")),
            ("new", Some(4), Some("a b c new")),
            ("new", Some(5), None),
            ("new", Some(0), None),
            ("b", None, Some("a b c")),
            ("b", Some(1), Some("b a c")),
            ("b", Some(3), Some("a c b")),
            ("b", Some(4), None),
        ] {
            let order = ordered(&before, id, position).ok();
            assert_eq!(
                order.map(|order| order.join(" ")).as_deref(),
                expected,
                "{id} {position:?}"
            );
        }
    }

    #[test]
    fn the_last_provider_and_the_planner_stay_in_use() {
        let config = Config {
            image_providers: vec!["a".into()],
            planner: "p".into(),
            ..Config::default()
        };
        assert!(left_out(&config, "a").is_err());
        assert!(left_out(&config, "p").is_err());
        assert!(left_out(&config, "b").is_ok_and(|change| change.is_none()));
    }

    #[test]
    fn the_reviewer_can_be_taken_out_of_use() {
        let config = Config {
            reviewer: "r".into(),
            ..Config::default()
        };
        let change = left_out(&config, "r").unwrap().unwrap();
        assert_eq!(change.from, ["r"]);
        assert_eq!(change.to, PluginChoice::Reviewer(String::new()));
        assert!(change.to.ids().is_empty());
    }
}
