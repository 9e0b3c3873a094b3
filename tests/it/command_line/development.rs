//! `linepress plugin dev`: an author's project is built and called whenever a file changes.
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::local_page::LocalPage;
use super::{Typist, command_in};
use crate::test_app::{copy_folder, from_environment, pictures};

/// A user who develops the plugin in the folder `project`. Its build copies a component that was built before.
struct Developer {
    folder: TempDir,
}

const BUILD: &[&str] = &["--build", "sh build.sh"];

/// A build that succeeds.
const GOOD: &str = "cp ../built plugin.wasm";

impl Developer {
    fn of(plugin: &Path) -> Self {
        let folder = TempDir::new().unwrap();
        let developer = Self { folder };
        copy_folder(plugin, &developer.path("project"));
        fs::rename(developer.path("project/plugin.wasm"), developer.path("built")).unwrap();
        developer.write("project/build.sh", GOOD);
        developer
    }

    fn of_testbed(id: &str) -> Self {
        Self::of(&from_environment("LINEPRESS_TEST_TESTBED").join(id))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Saves a file as editors do: under another name first.
    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::write(path.with_extension("new"), text).unwrap();
        fs::rename(path.with_extension("new"), path).unwrap();
    }

    /// Builds and calls once; returns whether it succeeds, and the output.
    fn once(&self, arguments: &[&str]) -> (bool, String) {
        self.types(&[&["dev", "project", "--once"], BUILD, arguments].concat())
    }
}

impl Typist for Developer {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command_in(self.folder.path());
        command.arg("plugin").args(arguments);
        command
    }
}

/// A page that is open in a browser.
struct Page(LocalPage);

impl Page {
    fn open(developer: &Developer) -> Self {
        Self(LocalPage::open(
            developer.command(&[&["dev", "project"], BUILD].concat()),
        ))
    }

    /// Polls the result until it satisfies the condition.
    #[track_caller]
    fn result_when(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        self.0
            .json_when("/result", |result| result["is_working"] == false && is_so(result))
    }
}

#[test]
fn a_page_shows_the_picture_again_after_each_change_and_keeps_the_last_good_one() {
    let developer = Developer::of_testbed("testbed.plain");
    let page = Page::open(&developer);
    let html = String::from_utf8(page.0.get("/")).unwrap();
    assert!(html.contains("/dev.js") && html.contains("/dev.css"), "{html}");
    let first = page.result_when(|result| !result["file"].is_null());
    assert_eq!(
        (&first["plugin"], &first["problem"], &first["is_old"]),
        (&json!("testbed.plain 0.1.0"), &Value::Null, &json!(false))
    );
    assert!(first["facts"].to_string().contains("good to color"), "{first}");
    let picture = first["file"]["url"].as_str().unwrap();
    assert!(page.0.get(picture).starts_with(b"\x89PNG"));

    developer.write("project/build.sh", "echo 'error: the fox has no tail' >&2; exit 3");
    let broken = page.result_when(|result| result["is_old"] == true);
    assert_eq!(broken["problem"]["title"], "the build failed");
    let text = broken["problem"]["text"].as_str().unwrap();
    assert!(
        text.contains("the fox has no tail") && text.contains("exit status: 3"),
        "{text}"
    );
    assert_eq!(broken["file"], first["file"]);
    assert!(page.0.get(picture).starts_with(b"\x89PNG"));

    developer.write("project/build.sh", &format!("{GOOD} # again"));
    let again = page.result_when(|result| result["is_old"] == false);
    assert_eq!(again["problem"], Value::Null);
    assert_ne!(again["file"]["url"], first["file"]["url"]);
}

#[test]
fn the_page_is_reachable_only_from_this_machine() {
    let developer = Developer::of_testbed("testbed.plain");
    let page = Page::open(&developer);
    page.0.expect_guarded();
}

#[test]
fn a_request_in_a_file_is_sent_and_an_unknown_field_refused() {
    let developer = Developer::of_testbed("testbed.echo");
    developer.write("request.json", r#"{"theme": "Foxes", "page_count": 2}"#);
    let (succeeded, told) = developer.once(&["--request", "request.json"]);
    assert!(succeeded, "{told}");
    assert!(
        told.contains("1 | Foxes 1 | Foxes") && told.contains("2 | Foxes 2"),
        "{told}"
    );
    assert!(!told.contains("3 | "), "{told}");
    developer.write("request.json", r#"{"prompt": "A fox"}"#);
    let (succeeded, told) = developer.once(&["--request", "request.json"]);
    assert!(!succeeded, "{told}");
    assert!(
        told.contains("the request cannot be sent") && told.contains("unknown field `prompt`"),
        "{told}"
    );
}

#[test]
fn a_reviewer_gets_the_picture_of_the_request_as_a_server_would_store_it() {
    let developer = Developer::of_testbed("testbed.critic");
    fs::write(developer.path("fox.jpg"), pictures::jpeg(900, 1200)).unwrap();
    for (request, words) in [
        (r#"{"prompt": "A forbidden fox"}"#, "Not here."),
        (r#"{"prompt": "A wonky fox", "picture": "fox.jpg"}"#, "Fewer legs."),
    ] {
        developer.write("request.json", request);
        let (succeeded, told) = developer.once(&["--request", "request.json"]);
        assert!(succeeded && told.contains(words), "{told}");
    }
    for (request, words) in [
        (
            r#"{"picture": "project/plugin.toml"}"#,
            "cannot be used as the picture to review",
        ),
        (r#"{"picture": 1}"#, "the picture must be the name of a file"),
    ] {
        developer.write("request.json", request);
        let (succeeded, told) = developer.once(&["--request", "request.json"]);
        assert!(!succeeded && told.contains(words), "{told}");
    }
}

#[test]
fn a_layout_prints_its_sample_book() {
    let developer = Developer::of(&from_environment("LINEPRESS_TEST_PLUGINS").join("linepress.classic"));
    developer.write("request.json", r#"{"format": "a4", "drawings": 1}"#);
    let (succeeded, told) = developer.once(&["--request", "request.json"]);
    assert!(succeeded, "{told}");
    assert!(
        told.contains("leaves\t8\n") && told.contains("PDF\ta sample book, "),
        "{told}"
    );
    assert!(told.contains("5 | drawing | drawing 1\n"), "{told}");
}

#[test]
fn the_failure_of_each_step_is_reported() {
    let developer = Developer::of_testbed("testbed.trap");
    let (succeeded, told) = developer.once(&[]);
    assert!(
        !succeeded && told.contains("PROBLEM  the call failed: trapped"),
        "{told}"
    );
    developer.write("project/build.sh", "printf '\\0asm' > plugin.wasm");
    let (succeeded, told) = developer.once(&[]);
    assert!(
        !succeeded && told.contains("PROBLEM  the folder cannot be packed"),
        "{told}"
    );
    fs::remove_file(developer.path("project/plugin.toml")).unwrap();
    let (succeeded, told) = developer.once(&[]);
    assert!(!succeeded && told.contains("contains no plugin.toml"), "{told}");
    let told = Developer::of_testbed("testbed.plain").is_refused(&["dev", "project", "--once"]);
    assert!(
        told.contains("state the command that builds plugin.wasm with --build"),
        "{told}"
    );
}

#[test]
fn requests_are_sent_only_with_the_option() {
    let developer = Developer::of_testbed("testbed.courier");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = connections.clone();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            counted.fetch_add(1, Ordering::Relaxed);
            drop(connection);
        }
    });
    developer.write("key.txt", "s3cret");
    developer.write(
        "linepress.toml",
        &format!(
            "[plugins.\"testbed.courier\"]\nmirror = \"http://{address}\"\n\
             requests = [{{ scheme = \"http\", authority = \"{address}\" }}]\n\n\
             [credentials.\"testbed.courier\"]\napi_key = {{ file = \"key.txt\" }}\n"
        ),
    );
    for (arguments, sends) in [(&[][..], false), (&["--network"], true)] {
        let (succeeded, told) = developer.once(arguments);
        assert!(!succeeded && told.contains("PROBLEM  the call failed"), "{told}");
        assert_eq!(connections.load(Ordering::Relaxed) > 0, sends, "{told}");
    }
}
