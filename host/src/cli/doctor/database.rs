//! Checks of the file of the database.
use linepress_platform::app::App;
use linepress_platform::database;
use linepress_terminal::Report;

/// Checks the pages of the database file, which a disk error or a copy made while the server wrote may have damaged.
pub(super) async fn check_pages(app: &App, report: &mut Report) {
    let finding = match app.database.damage().await {
        Ok(None) => return,
        Ok(Some(damage)) if damage.is_empty() => return report.good("database", "every page of the file is intact"),
        Ok(Some(damage)) => damage.join("; "),
        Err(error) => error.to_string(),
    };
    report.bad(
        "database",
        &format!("the file is damaged: {finding}"),
        database::RESTORE,
    );
}
