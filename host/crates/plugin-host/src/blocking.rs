//! Blocking work, apart from the server's own threads.
use tokio::task::spawn_blocking;

/// Runs blocking work on Tokio's pool of blocking threads. A panic becomes an error.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    spawn_blocking(work)
        .await
        .unwrap_or_else(|panic| Err(format!("it cannot be loaded: {panic}")))
}
