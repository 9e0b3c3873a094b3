//! `linepress storage`.
use std::path::Path;
use std::process::Command;

use crate::testing::open_with;
use linepress_operator::startup::Scope;
use linepress_platform::app::App;

use super::{Operator, error_of};
use crate::test_app::{ObjectStore, TestApp, binary};

/// More than one part of an upload.
const LARGE_BYTES: usize = 6_000_000;

/// A node with the objects of a database in a folder.
struct Site {
    node: App,
    operator: Operator,
}

impl Site {
    async fn new() -> Self {
        let operator = Operator::new().await.with_objects_in_a_folder();
        let app = TestApp::builder().objects_in_a_folder().start().await;
        let mut config = app.server.config.clone();
        config.data_dir = operator.path().to_owned();
        config.database_url = operator.database.clone();
        config.plugins_dir = operator.path().join("no-plugins");
        std::fs::create_dir(&config.plugins_dir).unwrap();
        let node = open_with(config, Scope::Everything, binary()).await.unwrap();
        node.storage.put("drawings/1/image.png", "a picture").await.unwrap();
        node.storage.put("drawings/2/image.png", "another").await.unwrap();
        node.storage.put("prints/1.pdf", vec![7; LARGE_BYTES]).await.unwrap();
        Self { node, operator }
    }

    fn from(&self) -> String {
        format!("file://{}", self.operator.path().join("objects").display())
    }

    fn folder(&self, name: &str) -> String {
        format!("file://{}", self.operator.path().join(name).display())
    }

    fn move_to(&self, to: &str) -> Command {
        let from = self.from();
        self.operator
            .command(&format!("storage move {from} {to} --servers-stopped"))
    }

    #[track_caller]
    fn moves_to(&self, command: &mut Command) -> String {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", error_of(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    fn is_refused(&self, to: &str, words: &str) {
        let output = self.move_to(to).output().unwrap();
        assert!(!output.status.success());
        assert!(error_of(&output).contains(words), "{}", error_of(&output));
    }

    /// Opens a node on the same database with its objects in another place.
    async fn node_with(&self, storage_url: &str) -> App {
        let mut config = self.node.config.clone();
        config.storage_url = storage_url.into();
        open_with(config, Scope::Everything, binary()).await.unwrap()
    }
}

async fn check_objects(node: &App) {
    let sizes = node.storage.list().await.unwrap().sizes;
    let sizes: Vec<_> = sizes.iter().map(|(key, size)| (&**key, *size)).collect();
    let expected = [
        ("drawings/1/image.png", 9),
        ("drawings/2/image.png", 7),
        ("prints/1.pdf", LARGE_BYTES as u64),
    ];
    assert_eq!(sizes, expected);
    let picture = node.storage.get("drawings/1/image.png").await.unwrap().unwrap();
    assert_eq!(picture, "a picture");
}

#[tokio::test]
async fn all_objects_are_moved_to_another_folder_which_is_then_the_store() {
    let site = Site::new().await;
    let to = site.folder("elsewhere/objects");
    let told = site.moves_to(&mut site.move_to(&to));
    assert!(told.contains("3 objects (7 MB) are in"), "{told}");
    // A server with the old setting reads, but stores nothing.
    assert!(site.node.storage.get("drawings/1/image.png").await.unwrap().is_some());
    let error = site.node.storage.put("drawings/3/image.png", "x").await.unwrap_err();
    assert!(
        error
            .for_operator()
            .contains("is not the object store of this database"),
        "{error:?}"
    );
    let node = site.node_with(&to).await;
    check_objects(&node).await;
    node.storage.put("drawings/3/image.png", "x").await.unwrap();
    site.is_refused(&to, "already is the object store of this database");
    assert!(files(&site.operator.path().join("elsewhere/objects")).contains(&"linepress-store".to_owned()));
}

#[tokio::test]
async fn an_interrupted_move_is_continued_and_finds_what_was_damaged() {
    let site = Site::new().await;
    let to = site.operator.path().join("to");
    std::fs::create_dir_all(to.join("drawings/1")).unwrap();
    std::fs::create_dir_all(to.join("drawings/9")).unwrap();
    let mark = std::fs::read_to_string(site.operator.path().join("objects/linepress-store")).unwrap();
    std::fs::write(to.join("linepress-store-arriving"), mark).unwrap();
    // The size is right, and the content is not.
    std::fs::write(to.join("drawings/1/image.png"), "a pictuXX").unwrap();
    // The original was deleted since.
    std::fs::write(to.join("drawings/9/image.png"), "old").unwrap();
    let to = site.folder("to");
    site.moves_to(&mut site.move_to(&to));
    check_objects(&site.node_with(&to).await).await;
    assert_eq!(
        files(&site.operator.path().join("to")),
        ["drawings", "linepress-store", "prints"]
    );
}

#[tokio::test]
async fn a_store_that_is_in_use_is_not_overwritten() {
    let site = Site::new().await;
    let other = site.operator.path().join("other");
    std::fs::create_dir_all(other.join("pages")).unwrap();
    std::fs::write(other.join("pages/1"), "not ours").unwrap();
    site.is_refused(&site.folder("other"), "other is in use");
    std::fs::write(other.join("linepress-store"), "another mark").unwrap();
    site.is_refused(&site.folder("other"), "other is in use");
    site.is_refused(&site.from(), "already is the object store of this database");
    site.is_refused("gs://books", "s3://bucket/prefix");
    // Nothing was taken from the store.
    site.node.storage.put("drawings/3/image.png", "x").await.unwrap();
    let output = site
        .operator
        .command(&format!("storage move {} {}", site.folder("other"), site.folder("new")))
        .output()
        .unwrap();
    assert!(
        error_of(&output).contains("other is not the object store of this database"),
        "{}",
        error_of(&output)
    );
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Tests that need an S3 server.
mod buckets {
    use super::*;

    #[tokio::test]
    async fn all_objects_are_moved_from_a_folder_to_a_bucket() {
        let site = Site::new().await;
        let bucket = ObjectStore::bucket();
        let mut command = site.move_to(&bucket.url());
        command.envs(bucket.variables()).env_remove("LINEPRESS_STORAGE_URL");
        site.moves_to(&mut command);
        let mut config = site.node.config.clone();
        bucket.configure(&mut config);
        let node = open_with(config, Scope::Everything, binary()).await.unwrap();
        check_objects(&node).await;
        assert_eq!(bucket.begun_uploads(), 0);
    }
}
