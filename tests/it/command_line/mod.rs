//! The command line: what an operator types, and what the program prints.
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::test_app::{ObjectStore, binary, empty_database, install_plugins, make_tables};

mod accounts;
mod administration;
mod client;
mod clusters;
mod databases;
mod development;
mod discovery;
mod doctor;
mod keys;
mod local_page;
mod maintenance;
mod oauth;
mod oci;
mod packages;
mod passwords;
mod plugins;
mod print;
mod registry;
mod replay;
mod secrets;
mod settings;
mod spend;
mod storage;
mod template;

struct Operator {
    folder: TempDir,
    database: String,
    objects: ObjectStore,
}

impl Operator {
    /// Creates an installation whose server was started once.
    async fn new() -> Self {
        let operator = Self::before_the_first_start().await;
        make_tables(&operator.database).await;
        operator
    }

    async fn before_the_first_start() -> Self {
        let folder = TempDir::new().unwrap();
        install_plugins(folder.path());
        let database = empty_database(folder.path()).await;
        Self {
            folder,
            database,
            objects: ObjectStore::of_this_run(),
        }
    }

    /// Stores the objects in a folder whatever the run tests, for a test that changes files behind the server's back.
    fn with_objects_in_a_folder(self) -> Self {
        Self {
            objects: ObjectStore::Folder,
            ..self
        }
    }

    fn types(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(binary());
        command
            .args(line.split_whitespace())
            .current_dir(self.folder.path())
            // No server listens there.
            .env("LINEPRESS_PUBLIC_URL", "http://127.0.0.1:9")
            .env("LINEPRESS_DATA_DIR", self.folder.path())
            .env("LINEPRESS_DATABASE_URL", &self.database)
            .envs(self.objects.variables());
        command
    }

    #[track_caller]
    fn reads(&self, line: &str) -> String {
        let output = self.types(line);
        assert!(output.status.success(), "{line}: {}", error_of(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    fn is_refused(&self, line: &str) -> String {
        let output = self.types(line);
        assert!(!output.status.success(), "{line}");
        error_of(&output)
    }

    /// Returns the output of the command with `--json`.
    #[track_caller]
    fn reads_json(&self, line: &str) -> Value {
        serde_json::from_str(&self.reads(&format!("{line} --json"))).unwrap()
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A user with a folder of plugins, who needs neither a server nor a database.
trait Typist {
    /// Returns the command, to be run in the user's folder.
    fn command(&self, arguments: &[&str]) -> Command;

    /// Runs the command; returns whether it succeeds, and its output.
    fn types(&self, arguments: &[&str]) -> (bool, String) {
        let output = self.command(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    }

    #[track_caller]
    fn reads(&self, arguments: &[&str]) -> String {
        let (succeeded, text) = self.types(arguments);
        assert!(succeeded, "{arguments:?}: {text}");
        text
    }

    #[track_caller]
    fn is_refused(&self, arguments: &[&str]) -> String {
        let (succeeded, text) = self.types(arguments);
        assert!(!succeeded, "{arguments:?}: {text}");
        text
    }
}

/// Returns the program with `folder` as its data folder.
fn command_in(folder: &Path) -> Command {
    let mut command = Command::new(binary());
    command
        .current_dir(folder)
        .env("LINEPRESS_DATA_DIR", folder)
        .env("LINEPRESS_LOG", "warn")
        .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")));
    command
}
