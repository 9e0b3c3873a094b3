//! Checks of templates.
use linepress_core::print;
use linepress_operator::diagnosis;
use linepress_platform::app::App;
use linepress_terminal::Report;

/// Prints a one-page sample in every format, because faults of templates and fonts only appear when they are used.
pub(super) async fn check(app: &App, report: &mut Report) {
    for print::HiddenFormat {
        format,
        layout,
        offered_by,
    } in print::hidden_formats(app).iter()
    {
        report.bad(
            &format!("format {format} of {layout}"),
            &format!("{offered_by} has a format with the same id, which is used instead"),
            "Remove one of the two layouts, or give the format another id.",
        );
    }
    for offered in print::formats(app).iter() {
        super::print(vec![diagnosis::check_printing(app, offered).await], report);
    }
}
