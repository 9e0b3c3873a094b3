//! Backups and their restore, under load, damage and interruption.
use std::path::{Path, PathBuf};

use linepress::server;
use linepress_core::app::App;
use linepress_core::backup::{self, Backup, BackupError, Destination, Origin, Restored, Snapshot, Target};
use linepress_platform::database::Database;
use linepress_platform::storage::Storage;
use tempfile::TempDir;

use crate::test_app::{Actor, TestApp, empty_database, sqlite};

mod commands;
mod damage;
mod load;
mod migrations;
mod schedule;

/// A folder for backups, and room for the servers that are restored from them.
struct Shelter {
    folder: TempDir,
    target: Target,
}

/// A place for a server: a database that is empty so far, and a folder.
struct Site {
    url: String,
    folder: PathBuf,
}

impl Shelter {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let target = Target::create(folder.path().join("backups").to_str().unwrap()).unwrap();
        Self { folder, target }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    async fn back_up(&self, server: &App) -> Backup {
        self.try_to_back_up(server).await.unwrap()
    }

    async fn try_to_back_up(&self, server: &App) -> Result<Backup, BackupError> {
        let scratch = server.config.incoming_dir();
        backup::create(Origin::of(server), &self.target, None, &scratch).await
    }

    /// Returns a site on SQLite, which is another kind of database than the server's where the run is for PostgreSQL.
    fn sqlite_site(&self, name: &str) -> Site {
        let folder = self.new_folder(name);
        let url = sqlite(&folder);
        Site { url, folder }
    }

    /// Returns a site of the kind of database that the run is for.
    async fn site(&self, name: &str) -> Site {
        let folder = self.new_folder(name);
        let url = empty_database(&folder).await;
        Site { url, folder }
    }

    fn new_folder(&self, name: &str) -> PathBuf {
        let folder = self.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        folder
    }

    async fn newest(&self) -> Snapshot {
        self.target.find(None).await.unwrap()
    }

    /// Restores the newest snapshot.
    async fn restore(&self, site: &Site) -> Restored {
        self.try_to_restore(site).await.unwrap()
    }

    async fn try_to_restore(&self, site: &Site) -> Result<Restored, BackupError> {
        let (database, contents) = Database::connect_to_restore(&site.url, 2).await.unwrap();
        let storage = Storage::folder(&site.objects()).unwrap();
        let destination = Destination {
            database: &database,
            contents,
            storage: &storage,
            storage_place: "objects".into(),
        };
        let restored = backup::restore(&self.target, &self.newest().await, destination, false).await;
        database.close().await;
        restored
    }

    /// Returns the paths of the files with the contents of objects.
    fn contents(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let folder = self.path().join("backups/objects");
        for folder in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            found.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        }
        found.sort();
        found
    }
}

impl Site {
    fn objects(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// Starts a node like that of the app on this site.
    async fn node(&self, app: &TestApp) -> App {
        app.another_node_with(|config| {
            config.database_url = self.url.clone();
            config.data_dir = self.folder.clone();
        })
        .await
    }
}

/// Returns the same client, connected to this node.
fn at(actor: &Actor, node: &App) -> Actor {
    actor.at(server::router(node.clone()))
}
