//! Checks of a server, for `linepress doctor` and the pages of operators. They change no data: a check of a place for
//! files writes a file or an object of its own and deletes it.
mod backups;
mod database;
mod plugins;
mod printing;
mod storage;

use linepress_platform::app::App;
use linepress_platform::maintenance;

pub use backups::check as check_backups;
pub use database::{check as check_database, check_ledger};
pub use linepress_platform::health::{Finding, Verdict};
pub use plugins::check as check_plugins;
pub use printing::check as check_printing;
pub use storage::check as check_storage;

/// Reports that the server is read-only, which an operator may have forgotten.
pub async fn check_maintenance(app: &App) -> Vec<Finding> {
    let Ok(Some(maintenance)) = maintenance::current(app).await else {
        return Vec::new();
    };
    let finding = format!(
        "the server has been read-only since {}; `linepress maintenance off` ends this",
        maintenance.began_at
    );
    vec![Finding::note("maintenance", finding)]
}
