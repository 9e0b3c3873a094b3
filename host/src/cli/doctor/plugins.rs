//! Checks of plugins and templates.
use linepress_core::app::{App, ChosenPlugin};
use linepress_core::print;
use linepress_plugin_host::Refusal;
use linepress_terminal::Report;

pub(super) fn check(app: &App, report: &mut Report) {
    let chosen = app.chosen_plugins();
    let refusals = app.plugins.refusals();
    for refusal in &refusals {
        let is_its = |chosen: &&ChosenPlugin<'_>| is_refused(chosen, refusal);
        report.bad(
            chosen.iter().find(is_its).map_or("plugin", |chosen| chosen.setting),
            &format!("{} was refused: {}", refusal.folder.display(), refusal.reason),
            "Fix or remove the folder, then restart the server.",
        );
    }
    let is_reported = |chosen: &ChosenPlugin<'_>| refusals.iter().any(|refusal| is_refused(chosen, refusal));
    for chosen in chosen.iter().filter(|chosen| !is_reported(chosen)) {
        let ChosenPlugin { setting, id, .. } = chosen;
        let Some(problem) = chosen.problem() else {
            report.good(setting, &format!("{id} is loaded"));
            continue;
        };
        let remedy = format!(
            "`linepress plugin list` shows whether it waits for approval. Otherwise put its folder into {} (`cargo xtask plugins --out` builds the plugins that come with Linepress), or name another plugin in `{setting}`.",
            app.config.plugins_dir.display()
        );
        report.bad(setting, &problem, &remedy);
    }
}

/// Returns true when the refusal is the reason why the plugin of a setting is not loaded. If two folders contain the
/// same plugin, the first is loaded.
fn is_refused(chosen: &ChosenPlugin<'_>, refusal: &Refusal) -> bool {
    !chosen.loaded && refusal.id.as_deref() == Some(chosen.id)
}

/// Prints a one-page sample in every format, because faults of templates and fonts only appear when they are used.
pub(super) async fn check_templates(app: &App, report: &mut Report) {
    for print::HiddenFormat {
        format,
        layout,
        offered_by,
    } in print::hidden_formats(app)
    {
        report.bad(
            &format!("format {format} of {layout}"),
            &format!("{offered_by} has a format with the same id, which is used instead"),
            "Remove one of the two layouts, or give the format another id.",
        );
    }
    for offered in print::formats(app) {
        let format = &offered.format;
        let what = format!("template {} of {}", format.template, offered.layout.description().id);
        match print::proof(app, &offered).await {
            Ok(size) => report.good(&what, &format!("{} prints with its fonts ({size} bytes)", format.name)),
            Err(error) => {
                let finding = error.for_operator();
                report.bad(
                    &what,
                    &finding,
                    "Fix the template or its fonts in the layout plugin's templates folder.",
                );
            }
        }
    }
}
