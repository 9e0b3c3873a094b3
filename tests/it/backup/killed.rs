//! Restores whose process is killed. A named pipe in place of a file of the backup stops the process where it reads
//! this file.
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use linepress_core::objects::{self, Thoroughness};
use linepress_platform::database::{Database, Dialect};
use linepress_platform::secrets;
use sqlx::Connection as _;
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe;

use super::terminal::Terminal;
use super::{Shelter, Site};
use crate::test_app::{TestApp, install_plugins, wait_until};

/// More rows than the reader of a backup and the program hold back together.
const ACCOUNTS: i64 = 2000;

/// The progress of a restore when its process is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// The database is marked and has its tables.
    Tables,
    /// Some objects are copied.
    SomeObjects,
    /// All objects are copied, and there is no row.
    AllObjects,
    /// Some rows are inserted, and their transaction is open.
    SomeRows,
}

/// A file of a backup that is replaced by a pipe.
struct Gate {
    file: PathBuf,
    away: PathBuf,
}

impl Gate {
    fn close(file: PathBuf) -> Self {
        let away = file.with_extension("away");
        std::fs::rename(&file, &away).unwrap();
        assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
        Self { file, away }
    }

    /// Waits until the process opens the file. The process then waits for its content.
    async fn is_reached(&self) -> pipe::Sender {
        let sender = RefCell::new(None);
        wait_until("the restore opens the file", async || {
            let opened = pipe::OpenOptions::new().open_sender(&self.file).ok();
            opened.is_some_and(|opened| sender.replace(Some(opened)).is_none())
        })
        .await;
        sender.take().unwrap()
    }

    fn open(self) {
        std::fs::rename(&self.away, &self.file).unwrap();
    }
}

/// Returns the file at which a restore waits at this moment.
fn gate(shelter: &Shelter, snapshot: &Path, moment: Moment) -> Gate {
    Gate::close(match moment {
        Moment::Tables => snapshot.join("objects.jsonl.gz"),
        Moment::SomeObjects => shelter.contents().remove(0),
        Moment::AllObjects | Moment::SomeRows => snapshot.join("database.jsonl.gz"),
    })
}

/// Waits until the restore has inserted rows of accounts in an open transaction.
async fn inserts_rows(url: &str) {
    let mut database = sqlx::AnyConnection::connect(url).await.unwrap();
    let mut has_begun = async || -> sqlx::Result<bool> {
        if Dialect::of_url(url) == Some(Dialect::Postgres) {
            let statements = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
                 AND state = 'idle in transaction' AND query LIKE 'INSERT INTO \"accounts\"%'";
            let inserting: i64 = sqlx::query_scalar(statements).fetch_one(&mut database).await?;
            return Ok(inserting > 0);
        }
        // The transaction has begun when no other connection can write.
        sqlx::query("PRAGMA busy_timeout = 0").execute(&mut database).await?;
        match sqlx::query("BEGIN IMMEDIATE").execute(&mut database).await {
            Err(error) if error.to_string().contains("locked") => Ok(true),
            begun => {
                begun?;
                sqlx::query("ROLLBACK").execute(&mut database).await?;
                Ok(false)
            }
        }
    };
    loop {
        if has_begun().await.unwrap() {
            break;
        }
        tokio::task::yield_now().await;
    }
    database.close().await.unwrap();
}

/// Begins a restore, and kills its process at this moment.
async fn kill_at(shelter: &Shelter, site: &Site, snapshot: &Path, moment: Moment) {
    let gate = gate(shelter, snapshot, moment);
    let terminal = Terminal::of_site(site);
    let mut process = terminal.command(&["restore", shelter.target.place()]);
    let mut process = process.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let mut sender = gate.is_reached().await;
    if let Moment::SomeRows = moment {
        let rows = std::fs::read(&gate.away).unwrap();
        sender.write_all(&rows[..rows.len() / 2]).await.unwrap();
        inserts_rows(&site.url).await;
    }
    // SIGKILL.
    process.kill().unwrap();
    assert!(!process.wait().unwrap().success());
    drop(sender);
    gate.open();
}

async fn insert_accounts(database: &Database) -> sqlx::Result<()> {
    let mut tx = database.begin().await?;
    for number in 0..ACCOUNTS {
        sqlx::query(
            "INSERT INTO accounts (id, email, plan, credits, created_at, updated_at) VALUES ($1, $2, $3, 0, 1, 1)",
        )
        .bind(format!("acct_{number}"))
        .bind(format!("{number}@example.com"))
        .bind("free")
        .execute(&mut *tx)
        .await?;
    }
    tx.commit().await
}

#[tokio::test]
async fn a_killed_restore_is_refused_with_advice_and_succeeds_when_it_is_repeated() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    app.ready_page(&ada, "A fox").await;
    app.ready_page(&ada, "An owl").await;
    let server = &app.server;
    insert_accounts(&server.database).await.unwrap();
    let marked = secrets::mark_store(&server.database, &server.random, &server.storage);
    marked.await.unwrap();
    let shelter = Shelter::new();
    let made = shelter.back_up(server).await.snapshot;
    let snapshot = shelter.path().join("backups/snapshots").join(&made.name);
    for moment in [
        Moment::Tables,
        Moment::SomeObjects,
        Moment::AllObjects,
        Moment::SomeRows,
    ] {
        let site = shelter.site(&format!("{moment:?}")).await;
        install_plugins(&site.folder);
        let terminal = Terminal::of_site(&site);
        kill_at(&shelter, &site, &snapshot, moment).await;
        for command in [&["serve"][..], &["account", "list"], &["backup", "copies"]] {
            let refused = terminal.is_refused(command);
            for part in ["was interrupted", &made.name, "run `linepress restore` again"] {
                assert!(refused.contains(part), "{moment:?}, {command:?}: {refused}");
            }
        }
        let restored = terminal.reads(&["restore", shelter.target.place()]);
        assert!(
            restored.contains(&format!("{} rows", made.rows())),
            "{moment:?}: {restored}"
        );
        let accounts = terminal.reads(&["account", "list"]);
        assert_eq!(accounts.lines().count() as i64, ACCOUNTS + 1, "{moment:?}");
        let node = site.node(&app).await;
        let found = objects::compare(&node, Thoroughness::Full).await.unwrap();
        assert!(found.is_complete);
        assert_eq!((found.missing, found.damaged, found.orphans), Default::default());
    }
}
