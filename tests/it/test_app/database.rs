//! The separate database of each test: a SQLite file, or a database on the PostgreSQL server that the run started.
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use linepress_platform::database::Database;
use sqlx::{Connection as _, Executor as _};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// Set when the suite runs on PostgreSQL: the URL of a server where the tests may create databases.
const POSTGRES_VARIABLE: &str = "LINEPRESS_TEST_POSTGRES";

/// Returns true when the run tests PostgreSQL.
pub(super) fn is_on_postgres() -> bool {
    std::env::var_os(POSTGRES_VARIABLE).is_some()
}

/// Returns the URL of an empty database of the kind that the run tests; a SQLite file is in `folder`.
pub(crate) async fn empty_database(folder: &Path) -> String {
    match std::env::var(POSTGRES_VARIABLE) {
        Ok(server) => create(&server, "template1").await,
        Err(_) => sqlite(folder),
    }
}

/// Returns the URL of a database with all tables. They are copied, which is faster than creating them.
pub(crate) async fn database(folder: &Path) -> String {
    match std::env::var(POSTGRES_VARIABLE) {
        Ok(server) => create(&server, template(&server).await).await,
        Err(_) => {
            let mut options = OpenOptions::new();
            // The server warns of a file that others may read.
            let file = options
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(sqlite_file(folder));
            file.unwrap().write_all(sqlite_template().await).unwrap();
            sqlite(folder)
        }
    }
}

/// Returns the URL of an empty SQLite file, whichever kind of database the run tests.
pub(crate) fn sqlite(folder: &Path) -> String {
    format!("sqlite://{}?mode=rwc", sqlite_file(folder).display())
}

fn sqlite_file(folder: &Path) -> PathBuf {
    folder.join("test.db")
}

/// Returns the content of a SQLite file with all tables, created once per run.
async fn sqlite_template() -> &'static [u8] {
    static TEMPLATE: OnceCell<Vec<u8>> = OnceCell::const_new();
    let make = async || {
        let folder = TempDir::new().unwrap();
        make_tables(&sqlite(folder.path())).await;
        std::fs::read(sqlite_file(folder.path())).unwrap()
    };
    TEMPLATE.get_or_init(make).await
}

/// Returns the name of an empty database with all tables, created once per run.
async fn template(server: &str) -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    let make = async || {
        let url = create(server, "template1").await;
        // PostgreSQL copies a database only while no client is connected to it.
        make_tables(&url).await;
        url.rsplit_once('/').unwrap().1.to_owned()
    };
    TEMPLATE.get_or_init(make).await
}

/// Creates the tables as a server does at its first start.
pub(crate) async fn make_tables(url: &str) {
    let database = Database::connect(url, 1).await.unwrap();
    database.migrate().await.unwrap();
    database.close().await;
}

/// Copies a database; returns the URL of the copy.
async fn create(server: &str, template: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("linepress_{}_{number}", std::process::id());
    sqlx::any::install_default_drivers();
    let mut admin = sqlx::AnyConnection::connect(server).await.unwrap();
    let statement = format!("CREATE DATABASE {name} TEMPLATE {template}");
    admin.execute(sqlx::AssertSqlSafe(statement)).await.unwrap();
    admin.close().await.unwrap();
    let (base, _) = server.rsplit_once('/').unwrap();
    format!("{base}/{name}")
}
