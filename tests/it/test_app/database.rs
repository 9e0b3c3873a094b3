//! The separate database of each test: a SQLite file, or a database on the PostgreSQL server that the run started.
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use linepress_platform::database::Database;
use sqlx::{Connection as _, Executor as _};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// Set when the suite runs on PostgreSQL: the URL of a server where the tests may create databases.
const POSTGRES_VARIABLE: &str = "LINEPRESS_TEST_POSTGRES";

/// PostgreSQL writes a checkpoint for each database that it deletes. When several are deleted one after another, only
/// the first checkpoint has much to write.
const MIN_DELETED_DATABASES: usize = 16;

/// The databases on the PostgreSQL server that are not yet deleted, each with the folder of its test.
static DATABASES: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());

/// Returns true when the run tests PostgreSQL.
pub(super) fn is_on_postgres() -> bool {
    std::env::var_os(POSTGRES_VARIABLE).is_some()
}

/// Returns the URL of an empty database of the kind that the run tests; a SQLite file is in `folder`.
pub(crate) async fn empty_database(folder: &Path) -> String {
    match std::env::var(POSTGRES_VARIABLE) {
        Ok(server) => create(&server, "template1", folder).await,
        Err(_) => sqlite(folder),
    }
}

/// Returns the URL of a database with all tables. They are copied, which is faster than creating them.
pub(crate) async fn database(folder: &Path) -> String {
    match std::env::var(POSTGRES_VARIABLE) {
        Ok(server) => create(&server, template(&server).await, folder).await,
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
        let url = copy(server, "template1", &new_name()).await;
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

/// Copies a database for the test whose folder this is; returns the URL of the copy.
async fn create(server: &str, template: &str, folder: &Path) -> String {
    delete_unused(server).await;
    let name = new_name();
    let url = copy(server, template, &name).await;
    DATABASES.lock().unwrap().push((folder.to_owned(), name));
    url
}

fn new_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!(
        "linepress_{}_{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

/// Copies a database; returns the URL of the copy.
async fn copy(server: &str, template: &str, name: &str) -> String {
    let mut admin = connect(server).await.unwrap();
    let statement = format!("CREATE DATABASE {name} TEMPLATE {template}");
    admin.execute(sqlx::AssertSqlSafe(statement)).await.unwrap();
    admin.close().await.unwrap();
    let (base, _) = server.rsplit_once('/').unwrap();
    format!("{base}/{name}")
}

/// Deletes the databases of tests that have ended: together, the databases of all tests would take 20 GB of the disk.
async fn delete_unused(server: &str) {
    let unused: Vec<String> = {
        let mut databases = DATABASES.lock().unwrap();
        let (used, unused): (Vec<_>, Vec<_>) = databases.drain(..).partition(|(folder, _)| folder.exists());
        if unused.len() < MIN_DELETED_DATABASES {
            databases.extend(used.into_iter().chain(unused));
            return;
        }
        databases.extend(used);
        unused.into_iter().map(|(_, name)| name).collect()
    };
    // This test did not create them, so it does not fail because of them.
    if let Err(error) = delete(server, &unused).await {
        eprintln!("Databases of tests that have ended could not be deleted: {error}");
    }
}

/// Deletes databases: the others, too, if one cannot be deleted. Returns the first error.
async fn delete(server: &str, names: &[String]) -> sqlx::Result<()> {
    let mut admin = connect(server).await?;
    let mut outcome = Ok(());
    for name in names {
        // Nodes of a test that has ended may still be connected.
        let statement = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        outcome = outcome.and(admin.execute(sqlx::AssertSqlSafe(statement)).await.map(drop));
    }
    admin.close().await?;
    outcome
}

async fn connect(server: &str) -> sqlx::Result<sqlx::AnyConnection> {
    sqlx::any::install_default_drivers();
    sqlx::AnyConnection::connect(server).await
}
