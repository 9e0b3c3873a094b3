//! The peer of the whole server: axum with an open SQLite database, in a separate process.
use std::path::Path;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use linepress_platform::database::Database;
use tokio::net::TcpListener;

/// The argument that makes this program run as the bare server; the data folder follows it.
pub(crate) const BARE_SERVER_ARGUMENT: &str = "bare-server";

/// Serves on the address in `LINEPRESS_LISTEN` until the process is killed.
pub(crate) fn run(folder: &Path) -> anyhow::Result<()> {
    let listen = std::env::var("LINEPRESS_LISTEN")?;
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(async {
            let listener = TcpListener::bind(listen).await?;
            let url = format!("sqlite://{}?mode=rwc", folder.join("bare.db").display());
            let database = Database::connect(&url, 8).await?;
            let router = Router::new().route("/readyz", get(ready)).with_state(database);
            Ok(axum::serve(listener, router).await?)
        })
}

async fn ready(State(database): State<Database>) -> StatusCode {
    if database.ping().await.is_ok() {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    }
}
