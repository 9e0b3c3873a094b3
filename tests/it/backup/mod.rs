//! Backups and their restore, under load, damage and interruption.
use std::path::{Path, PathBuf};

use linepress::server;
use linepress_operator::backup::{self, Backup, BackupError, Destination, Origin, Restored, Snapshot, Target};
use linepress_platform::app::App;
use linepress_platform::config::Config;
use linepress_platform::database::Database;
use linepress_platform::storage::Storage;
use tempfile::TempDir;

use crate::test_app::{Actor, ObjectStore, TestApp, empty_database, sqlite};

mod buckets;
mod commands;
mod damage;
mod killed;
mod load;
mod migrations;
mod schedule;
mod terminal;

/// A folder for backups, and room for the servers that are restored from them.
struct Shelter {
    folder: TempDir,
    target: Target,
}

/// A place for a server: an empty database, an empty object store and a folder.
struct Site {
    url: String,
    folder: PathBuf,
    objects: ObjectStore,
}

impl Shelter {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let target = Target::create(folder.path().join("backups").to_str().unwrap(), &Config::default()).unwrap();
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

    /// Returns a site on SQLite and a folder, whatever the run tests.
    fn sqlite_site(&self, name: &str) -> Site {
        let folder = self.new_folder(name);
        let url = sqlite(&folder);
        let objects = ObjectStore::Folder;
        Site { url, folder, objects }
    }

    /// Returns a site on the kinds of database and object store that the run tests.
    async fn site(&self, name: &str) -> Site {
        let folder = self.new_folder(name);
        let url = empty_database(&folder).await;
        let objects = ObjectStore::of_this_run();
        Site { url, folder, objects }
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
        let config = site.config();
        let storage = Storage::at(&config.object_place().unwrap(), &config).unwrap();
        let destination = Destination {
            database: &database,
            contents,
            storage: &storage,
        };
        let restored = backup::restore(&self.target, &self.newest().await, destination, false).await;
        database.close().await;
        restored
    }

    /// Returns the paths of the files with the contents of objects.
    fn contents(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let folder = self.path().join("backups/objects");
        // An empty folder is deleted.
        let folders = std::fs::read_dir(folder).into_iter().flatten();
        for folder in folders.map(|entry| entry.unwrap().path()) {
            found.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        }
        found.sort();
        found
    }
}

impl Site {
    fn config(&self) -> Config {
        let mut config = Config {
            data_dir: self.folder.clone(),
            database_url: self.url.clone(),
            ..Config::default()
        };
        self.objects.configure(&mut config);
        config
    }

    /// Starts a node like that of the app on this site.
    async fn node(&self, app: &TestApp) -> App {
        app.another_node_with(|config| {
            config.database_url = self.url.clone();
            config.data_dir = self.folder.clone();
            config.storage_url = self.objects.url();
            self.objects.configure(config);
        })
        .await
    }
}

/// Returns the same client, connected to this node.
fn at(actor: &Actor, node: &App) -> Actor {
    actor.at(server::router(node.clone()))
}
