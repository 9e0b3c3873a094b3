//! Several image providers in one installation.
mod breaker;
mod failover;
mod places;
mod rate;
mod record;

use crate::test_app::TestApp;

/// Returns the provider that drew, or last tried, each drawing, in the order of their creation. Drawings of the same
/// moment have no defined order.
async fn providers(app: &TestApp) -> Vec<Option<String>> {
    sqlx::query_scalar("SELECT provider FROM drawings ORDER BY created_at, position")
        .fetch_all(&app.server.database.read)
        .await
        .unwrap()
}

/// Fails unless these plugins of the testbed drew the drawings, or tried them last.
#[track_caller]
fn check(providers: &[Option<String>], names: &[&str]) {
    let short: Vec<&str> = providers
        .iter()
        .map(|id| id.as_deref().map_or("nobody", |id| id.trim_start_matches("testbed.")))
        .collect();
    assert_eq!(short, names);
}
