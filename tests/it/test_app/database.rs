//! A database of one test's own: a SQLite file, or on PostgreSQL a database that is dropped afterwards.
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{Connection as _, Executor as _};

/// Set for the run of the suite on PostgreSQL: the URL of a server where databases may be created.
const POSTGRES: &str = "LINEPRESS_TEST_POSTGRES";

static NEXT: AtomicU32 = AtomicU32::new(0);

pub(super) struct Temporary {
    url: String,
}

impl Temporary {
    pub(super) async fn create(folder: &Path) -> Self {
        let Ok(server) = std::env::var(POSTGRES) else {
            return Self {
                url: format!("sqlite://{}?mode=rwc", folder.join("test.db").display()),
            };
        };
        let name = format!(
            "linepress_{}_{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        sqlx::any::install_default_drivers();
        let mut admin = sqlx::AnyConnection::connect(&server).await.unwrap();
        admin
            .execute(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .await
            .unwrap();
        admin.close().await.unwrap();
        let (base, _) = server.rsplit_once('/').unwrap();
        Self {
            url: format!("{base}/{name}"),
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

/// The URL of an empty database of the kind the run is for; on SQLite it lies in the folder.
pub(crate) async fn database_url(folder: &Path) -> String {
    Temporary::create(folder).await.url().to_owned()
}
