//! Checks of plugins.
use linepress_plugin_host::Refusal;

use super::Finding;
use linepress_platform::app::{App, ChosenPlugin};

/// Checks that the plugins of the settings are loaded, and that no other was refused. One that only waits for approval
/// is a note, unless a setting names it.
pub fn check(app: &App) -> Vec<Finding> {
    let chosen = app.chosen_plugins();
    let refusals = app.plugins.refusals();
    let refused = refusals.iter().map(|refusal| {
        let its_setting = chosen.iter().find(|chosen| is_refused(chosen, refusal));
        let (folder, reason) = (refusal.folder.display(), &refusal.reason);
        match its_setting {
            None if refusal.awaits_approval => {
                Finding::note("plugin", format!("{folder} waits for approval: {reason}"))
            }
            Some(chosen) if refusal.awaits_approval => Finding::bad(
                chosen.setting,
                format!("{folder} waits for approval: {reason}"),
                format!("Approve the plugin, or name another one in `{}`.", chosen.setting),
            ),
            _ => Finding::bad(
                its_setting.map_or("plugin", |chosen| chosen.setting),
                format!("{folder} was refused: {reason}"),
                "Fix or remove the folder, then restart the server.",
            ),
        }
    });
    let is_reported = |chosen: &ChosenPlugin| refusals.iter().any(|refusal| is_refused(chosen, refusal));
    let others = chosen.iter().filter(|chosen| !is_reported(chosen));
    refused.chain(others.map(|chosen| state(app, chosen))).collect()
}

fn state(app: &App, chosen: &ChosenPlugin) -> Finding {
    let ChosenPlugin { setting, id, .. } = chosen;
    let Some(problem) = chosen.problem() else {
        return Finding::good(setting, format!("{id} is loaded"));
    };
    let advice = format!(
        "`linepress plugin list` shows whether it waits for approval. Otherwise put its folder into {} (`cargo xtask plugins --out` builds the plugins that come with Linepress), or name another plugin in `{setting}`.",
        app.config.plugins_dir.display()
    );
    Finding::bad(setting, problem, advice)
}

/// Returns true when the refusal is the reason why the plugin of a setting is not loaded. If two folders contain the
/// same plugin, the first is loaded.
fn is_refused(chosen: &ChosenPlugin, refusal: &Refusal) -> bool {
    !chosen.loaded && refusal.id.as_deref() == Some(&*chosen.id)
}
