//! Plugins, templates and fonts.
use linepress::app::{App, Chosen};
use linepress::print;
use linepress_plugin_host::Refusal;

use crate::cli::report::Report;

pub(super) fn check(app: &App, report: &mut Report) {
    let chosen = app.chosen_plugins();
    let refusals = app.plugins.refusals();
    for refusal in &refusals {
        let is_its = |chosen: &&Chosen<'_>| is_refused(chosen, refusal);
        report.bad(
            chosen.iter().find(is_its).map_or("plugin", |chosen| chosen.setting),
            &format!("{} was refused: {}", refusal.folder.display(), refusal.reason),
            "Fix or remove the folder, then start again.",
        );
    }
    let is_reported = |chosen: &Chosen<'_>| refusals.iter().any(|refusal| is_refused(chosen, refusal));
    for chosen in chosen.iter().filter(|chosen| !is_reported(chosen)) {
        let Chosen { setting, id, .. } = chosen;
        let Some(problem) = chosen.problem() else {
            report.good(setting, &format!("{id} is loaded"));
            continue;
        };
        let remedy = format!(
            "Put its folder into {} (`cargo xtask plugins --out` builds those that come with Linepress), or name another in `{setting}`.",
            app.config.plugins_dir.display()
        );
        report.bad(setting, &problem, &remedy);
    }
}

/// Whether it is the plugin of a setting that was refused. Of two folders with one plugin the first is loaded.
fn is_refused(chosen: &Chosen<'_>, refusal: &Refusal) -> bool {
    !chosen.loaded && refusal.id.as_deref() == Some(chosen.id)
}

/// Prints a one-page sample in every format: templates and fonts show their faults only when they are used.
pub(super) async fn check_templates(app: &App, report: &mut Report) {
    for print::HiddenFormat {
        format,
        layout,
        offered_by,
    } in print::hidden_formats(app)
    {
        report.bad(
            &format!("format {format} of {layout}"),
            &format!("{offered_by} has a format of the same id, which is the one that is printed"),
            "Remove one of the two layouts, or give the format another id.",
        );
    }
    for offered in print::formats(app) {
        let format = &offered.format;
        let what = format!("template {} of {}", format.template, offered.layout.description().id);
        match print::proof(app, &offered).await {
            Ok(size) => report.good(
                &what,
                &format!("{} prints, its fonts are there ({size} bytes)", format.name),
            ),
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
