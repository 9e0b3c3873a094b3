//! Checks of typesetting, which runs in a child process.
use super::Finding;
use linepress_core::print::{self, OfferedFormat};
use linepress_platform::app::App;

/// Typesets a sample in a format of a layout, because faults of templates and fonts only appear when they are used.
pub async fn check(app: &App, offered: &OfferedFormat) -> Finding {
    let format = &offered.format;
    let subject = format!("template {} of {}", format.template, offered.layout.description().id);
    match print::proof(app, offered).await {
        Ok(size) => Finding::good(
            &subject,
            format!("{} prints with its fonts ({size} bytes)", format.name),
        ),
        Err(error) => Finding::bad(
            &subject,
            error.for_operator(),
            "Fix the template or its fonts in the layout plugin's templates folder.",
        ),
    }
}
