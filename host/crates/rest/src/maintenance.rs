//! The refusal of changes while the server is read-only.
use axum::http::{Method, Uri};

use linepress_http::maintenance;
use linepress_platform::app::App;
use linepress_platform::error::Result;

/// The operations that store nothing although their method is POST, by their path below the base path.
const STATELESS: [&str; 1] = ["/book_plans"];

/// Fails for an operation that may change something while the server is read-only.
pub(super) async fn check(app: &App, method: &Method, address: &Uri) -> Result<()> {
    if STATELESS.contains(&address.path()) {
        return Ok(());
    }
    maintenance::check(app, method).await
}
