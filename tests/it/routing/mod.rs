//! Several image providers side by side.
mod breaker;
mod failover;
mod places;
mod rate;
mod record;

use crate::test_app::TestApp;

/// Who drew each drawing, or tried last, in the order in which they were asked for: not in the same moment, where that counts.
async fn providers(app: &TestApp) -> Vec<Option<String>> {
    sqlx::query_scalar("SELECT provider FROM drawings ORDER BY created_at, position")
        .fetch_all(&app.server.database.read)
        .await
        .unwrap()
}

/// Fails unless these plugins of the testbed drew, or tried last.
#[track_caller]
fn check(providers: &[Option<String>], names: &[&str]) {
    let short: Vec<&str> = providers
        .iter()
        .map(|id| id.as_deref().map_or("nobody", |id| id.trim_start_matches("testbed.")))
        .collect();
    assert_eq!(short, names);
}
