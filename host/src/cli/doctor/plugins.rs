//! Plugins, templates and fonts.
use linepress::app::{App, Chosen};
use linepress::print;

use super::Report;

pub(super) fn check(app: &App, report: &mut Report) {
    for refusal in app.plugins.refusals() {
        report.bad(
            "plugin",
            &format!("{} was refused: {}", refusal.folder.display(), refusal.reason),
            "Fix or remove the folder, then start again.",
        );
    }
    for Chosen { setting, id, loaded } in app.chosen_plugins() {
        if loaded {
            report.good(setting, &format!("{id} is loaded"));
        } else {
            let remedy = format!(
                "Put its folder into {} (`cargo xtask plugins --out` builds those that come with Linepress), or name another in `{setting}`.",
                app.config.plugins_dir.display()
            );
            report.bad(setting, &format!("no such plugin is loaded: {id}"), &remedy);
        }
    }
}

/// Prints a one-page sample in every format: templates and fonts show their faults only when they are used.
pub(super) async fn check_templates(app: &App, report: &mut Report) {
    for format in print::formats(app) {
        let what = format!("template {}", format.template);
        match print::proof(app, &format).await {
            Ok(size) => report.good(
                &what,
                &format!("{} prints, its fonts are there ({size} bytes)", format.name),
            ),
            Err(error) => {
                let finding = error.cause().unwrap_or_else(|| error.to_string());
                report.bad(
                    &what,
                    &finding,
                    "Fix the template or its fonts in the layout plugin's templates folder.",
                );
            }
        }
    }
}
