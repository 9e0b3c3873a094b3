//! `linepress plugin`: the commands of operators and plugin authors.
mod grants;
mod recordings;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Typist, command_in};
use crate::test_app::{binary, from_environment, pictures};

/// A user with a folder of plugins and a settings file, and no server.
struct Author {
    folder: TempDir,
}

impl Author {
    fn with(plugins: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let author = Self { folder };
        std::fs::create_dir(author.plugins()).unwrap();
        for id in plugins {
            author.copy(id, &author.plugins().join(id));
        }
        author
    }

    fn plugins(&self) -> PathBuf {
        self.folder.path().join("plugins.d")
    }

    fn copy(&self, id: &str, to: &Path) {
        std::fs::create_dir(to).unwrap();
        for file in ["plugin.toml", "plugin.wasm"] {
            let from = from_environment("LINEPRESS_TEST_TESTBED").join(id).join(file);
            std::fs::copy(from, to.join(file)).unwrap();
        }
    }

    /// Adds requests to a plugin's manifest.
    fn ask(&self, id: &str, tables: &str) {
        let path = self.plugins().join(id).join("plugin.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, format!("{text}\n{tables}")).unwrap();
    }

    fn settings(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("linepress.toml")).unwrap_or_default()
    }
}

impl Typist for Author {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command_in(self.folder.path());
        command.arg("plugin").args(arguments);
        command
    }
}

const ASKS: &str = "[[http]]\norigin = \"https://api.acme.com\"\nmethods = [\"POST\"]\n\n[[http]]\n\
                    origin = \"http://127.0.0.1:8188\"\nmethods = [\"GET\"]\n\n[[credential]]\nname = \"api_key\"\n\
                    origin = \"https://api.acme.com\"\nheader = \"x-key\"\n";

#[test]
fn each_plugin_is_listed_with_its_state() {
    let author = Author::with(&["testbed.plain", "testbed.stray", "testbed.flaky"]);
    author.ask("testbed.flaky", ASKS);
    let listed: Value = serde_json::from_str(&author.reads(&["list", "--json"])).unwrap();
    let states: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["id"], &row["state"]))
        .collect();
    assert_eq!(
        states,
        [
            (&json!("testbed.flaky"), &json!("waiting_for_approval")),
            (&json!("testbed.plain"), &json!("loadable")),
            (&json!("testbed.stray"), &json!("refused")),
        ]
    );
    assert!(listed[2]["reason"].as_str().unwrap().contains("acme:vault/keys"));
    let text = author.reads(&["list"]);
    assert!(
        text.contains("testbed.plain\t0.1.0\tlinepress:image/image-provider@0.1\tcan be loaded"),
        "{text}"
    );
}

#[test]
fn a_packed_folder_is_the_same_until_something_changes_and_what_a_server_refuses_is_not_packed() {
    let author = Author::with(&[]);
    let source = author.folder.path().join("source");
    author.copy("testbed.plain", &source);
    let manifest = source.join("plugin.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let digest = text.split("sha256 = \"").nth(1).unwrap().split('"').next().unwrap();
    let without = text
        .replace(&format!(", sha256 = \"{digest}\""), "")
        .replace("[limits]", "# ours\n[limits]");
    assert_ne!(without, text);
    std::fs::write(&manifest, &without).unwrap();
    std::fs::write(source.join("config.json"), "{}").unwrap();
    std::fs::write(source.join("secret.txt"), "mine").unwrap();

    assert!(
        author
            .reads(&["pack", "source", "--tar"])
            .contains("testbed.plain 0.1.0\twritten")
    );
    assert_eq!(
        std::fs::read_to_string(&manifest).unwrap(),
        text.replace("[limits]", "# ours\n[limits]")
    );
    let packed = source.join("packed/testbed.plain");
    let tar = std::fs::read(source.join("packed/testbed.plain-0.1.0.tar")).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&packed)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["config.json", "plugin.toml", "plugin.wasm"]);
    assert!(author.reads(&["pack", "source", "--tar"]).contains("unchanged"));
    assert!(tar == std::fs::read(source.join("packed/testbed.plain-0.1.0.tar")).unwrap());

    std::fs::write(source.join("plugin.wasm"), b"\0asm").unwrap();
    assert!(
        author
            .is_refused(&["pack", "source"])
            .contains("its component is broken")
    );
    assert_eq!(
        std::fs::read(packed.join("plugin.toml")).unwrap(),
        std::fs::read(&manifest).unwrap()
    );
}

#[test]
fn a_check_distinguishes_a_good_plugin_from_a_bad_one() {
    let author = Author::with(&[
        "testbed.plain",
        "testbed.trap",
        "testbed.glutton",
        "testbed.stray",
        "testbed.echo",
        "testbed.critic",
    ]);
    let good = author.reads(&["check", "plugins.d/testbed.plain"]);
    assert!(good.contains("ok       landscape, adult: a coloring page"), "{good}");
    assert!(good.contains("ok       memory: at most"), "{good}");
    for (id, words) in [
        ("testbed.trap", "PROBLEM  portrait, child: trapped"),
        ("testbed.glutton", "PROBLEM  portrait, child: out of memory"),
        ("testbed.stray", "a server refuses it: it imports acme:vault/keys"),
    ] {
        let bad = author.is_refused(&["check", &format!("plugins.d/{id}")]);
        assert!(bad.contains(words), "{id}: {bad}");
    }
    let plans = author.reads(&["check", "plugins.d/testbed.echo"]);
    assert!(plans.contains("ok       a plan of 100 pages: complete"), "{plans}");
    let reviews = author.reads(&["check", "plugins.d/testbed.critic"]);
    for words in [
        "ok       an ordinary prompt: passes",
        "ok       a picture: verdict pass",
        "ok       an empty page: verdict pass",
        "ok       wrong settings: are reported",
    ] {
        assert!(reviews.contains(words), "{words}: {reviews}");
    }
}

#[test]
fn calls_are_measured_next_to_another_version() {
    let author = Author::with(&["testbed.plain", "testbed.flaky", "testbed.echo", "testbed.critic"]);
    let path = "plugins.d/testbed.plain";
    let told = author.reads(&["bench", path, "--against", path, "--calls", "2"]);
    assert_eq!(told.matches("calls\t2\n").count(), 2, "{told}");
    assert!(told.contains("memory\tat most ") && told.contains("ratio\t"), "{told}");
    let plans = author.reads(&["bench", "plugins.d/testbed.echo", "--calls", "1"]);
    assert!(plans.contains("calls\t1\n") && !plans.contains("ratio"), "{plans}");
    let reviews = author.reads(&["bench", "plugins.d/testbed.critic", "--calls", "1"]);
    assert!(reviews.contains("calls\t1\n"), "{reviews}");
    let settings = "[plugins.\"testbed.flaky\"]\nfail = \"refused\"\nseeds = \"all\"\n";
    std::fs::write(author.folder.path().join("linepress.toml"), settings).unwrap();
    let told = author.is_refused(&["bench", "plugins.d/testbed.flaky"]);
    assert!(told.contains("call 1 of plugins.d/testbed.flaky failed"), "{told}");
}

#[test]
fn one_call_writes_a_picture_and_reports_its_quality() {
    let author = Author::with(&["testbed.plain", "testbed.flaky", "testbed.critic"]);
    let reviewed = author.reads(&["try", "plugins.d/testbed.critic", "--prompt", "A forbidden fox"]);
    assert!(reviewed.contains("prompt\trefuse: Not here."), "{reviewed}");
    assert!(
        reviewed.contains("model\teye-1\ncost\t0.002000 US dollars"),
        "{reviewed}"
    );
    let told = author.reads(&[
        "try",
        "plugins.d/testbed.plain",
        "--prompt",
        "A fox",
        "--out",
        "fox.png",
    ]);
    assert!(told.contains("page\tgood to color"), "{told}");
    assert!(
        std::fs::read(author.folder.path().join("fox.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
    // The reviewer accepts only the form in which a server stores a drawing.
    std::fs::write(author.folder.path().join("fox.jpg"), pictures::jpeg(900, 1200)).unwrap();
    for file in ["fox.png", "fox.jpg"] {
        let critic = "plugins.d/testbed.critic";
        let reviewed = author.reads(&["try", critic, "--prompt", "A wonky fox", "--source", file]);
        assert!(reviewed.contains("picture\tredraw: Fewer legs."), "{file}: {reviewed}");
    }
    let settings = "[plugins.\"testbed.flaky\"]\nfail = \"refused\"\nseeds = \"all\"\n";
    std::fs::write(author.folder.path().join("linepress.toml"), settings).unwrap();
    let told = author.is_refused(&["try", "plugins.d/testbed.flaky", "--prompt", "A fox"]);
    assert!(
        told.contains("would not be retried") && told.contains("not a picture for children"),
        "{told}"
    );
    assert!(
        author
            .is_refused(&["try", "plugins.d/testbed.plain", "--prompt", "x", "--aspect", "round"])
            .contains("square")
    );
}

#[test]
fn a_provider_that_draws_only_from_pictures_is_given_one() {
    let author = Author::with(&[]);
    let shipped = from_environment("LINEPRESS_TEST_PLUGINS");
    let (photo, sketchbook) = (shipped.join("linepress.photo"), shipped.join("linepress.sketchbook"));
    let (photo, sketchbook) = (photo.to_str().unwrap(), sketchbook.to_str().unwrap());
    std::fs::write(
        author.folder.path().join("dog.jpg"),
        pictures::photo_of_shapes(1200, 1600),
    )
    .unwrap();
    let none = author.is_refused(&["try", photo, "--prompt", "A dog"]);
    assert!(none.contains("--source FILE"), "{none}");
    let drawn = author.reads(&["try", photo, "--prompt", "A dog", "--source", "dog.jpg"]);
    assert!(drawn.contains("picture\tdrawing.png (image/png"), "{drawn}");
    let unchecked = author.reads(&["check", photo]);
    assert!(
        unchecked.contains("note     calls: not made") && unchecked.contains("--source FILE"),
        "{unchecked}"
    );
    // The findings about these shapes do not matter: each call gets the picture.
    let (_, checked) = author.types(&["check", photo, "--source", "dog.jpg"]);
    let calls = [" portrait, child: ", "ok       a short prompt: done"];
    assert!(calls.iter().all(|call| checked.contains(call)), "{checked}");
    assert!(!checked.contains("source is missing"), "{checked}");
    for (plugin, file, words) in [
        (sketchbook, "dog.jpg", "leave --source out"),
        (
            photo,
            "linepress.toml",
            "linepress.toml cannot be used as the source picture",
        ),
    ] {
        std::fs::write(author.folder.path().join("linepress.toml"), "# no picture\n").unwrap();
        let refused = author.is_refused(&["try", plugin, "--prompt", "A dog", "--source", file]);
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn a_new_plugin_gets_its_name_and_replaces_nothing() {
    let author = Author::with(&[]);
    for language in ["rust", "javascript", "python"] {
        let id = format!("bob.{language}");
        author.reads(&["new", "--language", language, &id]);
        let folder = author.folder.path().join(&id);
        let manifest = std::fs::read_to_string(folder.join("plugin.toml")).unwrap();
        assert!(manifest.contains(&format!("id = \"{id}\"")), "{manifest}");
        let wit = std::fs::read_to_string(folder.join("wit/image.wit")).unwrap();
        assert!(wit.contains("world image-provider"));
        assert!(
            author
                .is_refused(&["new", "--language", language, &id])
                .contains("already exists")
        );
    }
    for (world, (wit, declared), source) in [
        ("planner", ("planner.wit", "world book-planner"), "planner.py"),
        ("layout", ("layout.wit", "world book-layout"), "layout.py"),
        ("reviewer", ("review.wit", "world reviewer"), "reviewer.py"),
    ] {
        for language in ["rust", "javascript", "python"] {
            let id = format!("bob.{world}-{language}");
            author.reads(&["new", "--world", world, "--language", language, &id]);
            let folder = author.folder.path().join(&id);
            let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
            assert!(read("plugin.toml").contains(&format!("id = \"{id}\"")));
            assert!(read(&format!("wit/{wit}")).contains(declared));
            assert_eq!(folder.join(source).exists(), language == "python");
            assert!(!read("README.md").contains("acme"));
            if world == "layout" {
                let template = read("templates/letter.typ");
                assert!(
                    template.contains(&format!("bob_layout_{language}_letter")),
                    "{template}"
                );
                assert!(folder.join("templates/fonts/Nunito-Regular.ttf").exists());
            }
        }
    }
    assert!(
        author
            .is_refused(&["new", "--language", "rust", "Bob"])
            .contains("lowercase words")
    );
    assert!(author.is_refused(&["check", "bob.rust"]).contains("sha256"));
}

/// A server that runs with a user's folder, and its log.
pub(super) struct Running {
    process: Child,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Running {
    pub(super) fn start(folder: &Path) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let mut process = Command::new(binary())
            .arg("serve")
            .current_dir(folder)
            .env("LINEPRESS_DATA_DIR", folder)
            .env("LINEPRESS_LISTEN", address.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(process.stderr.take().unwrap());
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = lines.clone();
        std::thread::spawn(move || {
            log.lines()
                .map_while(Result::ok)
                .for_each(|line| kept.lock().unwrap().push(line));
        });
        let running = Self { process, lines };
        running.until("serving");
        running
    }

    pub(super) fn holds(&self, text: &str) -> bool {
        self.count(text) > 0
    }

    /// Returns the number of log lines that contain the text.
    pub(super) fn count(&self, text: &str) -> usize {
        let lines = self.lines.lock().unwrap();
        lines.iter().filter(|line| line.contains(text)).count()
    }

    #[track_caller]
    pub(super) fn until(&self, text: &str) {
        let began = Instant::now();
        while !self.holds(text) {
            let lines = self.lines.lock().unwrap();
            assert!(
                began.elapsed() < Duration::from_secs(120),
                "{text} is not logged: {lines:#?}"
            );
            drop(lines);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn a_plugin_is_configured_and_used_by_commands() {
    let author = Author::with(&["testbed.slow", "testbed.plain", "testbed.moody", "testbed.critic"]);
    let schema = "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"milliseconds\": \
                  {\"type\": \"integer\", \"maximum\": 1000}}}";
    std::fs::write(author.plugins().join("testbed.slow").join("config.json"), schema).unwrap();
    let told = author.is_refused(&["set", "testbed.slow", "milliseconds=5000"]);
    assert!(told.contains("settings.milliseconds: must be at most 1000"), "{told}");
    let told = author.is_refused(&["set", "testbed.slow", "seconds=topsecret"]);
    assert!(
        told.contains("settings.seconds: is not a setting of this plugin"),
        "{told}"
    );
    assert!(!told.contains("topsecret"), "{told}");
    assert_eq!(author.settings(), "");
    let told = author.reads(&["set", "testbed.slow", "milliseconds=5"]);
    assert!(told.contains("the settings are saved"), "{told}");
    let told = author.reads(&["set", "testbed.slow", "milliseconds=5"]);
    assert!(told.contains("the plugin has these settings already"), "{told}");

    let told = author.reads(&["use", "testbed.slow"]);
    assert!(
        told.contains("image providers\ttestbed.slow, linepress.sketchbook, linepress.photo"),
        "{told}"
    );
    assert!(told.contains("a running server applies this within seconds"), "{told}");
    author.reads(&["use", "testbed.plain", "--position", "2"]);
    author.reads(&["use", "testbed.moody"]);
    let told = author.reads(&["use", "testbed.critic"]);
    assert!(told.contains("reviewer\ttestbed.critic"), "{told}");
    assert!(author.settings().contains("reviewer = \"testbed.critic\"\n"));
    author.reads(&["stop-using", "testbed.critic"]);
    assert!(author.settings().contains("reviewer = \"\"\n"));
    author.reads(&["stop-using", "linepress.sketchbook"]);
    author.reads(&["stop-using", "linepress.photo"]);
    assert!(
        author
            .is_refused(&["stop-using", "testbed.moody"])
            .contains("is the planner in use")
    );
    assert!(
        author
            .is_refused(&["use", "testbed.absent"])
            .contains("there is no plugin testbed.absent")
    );
    let settings = author.settings();
    for part in [
        "image_providers = [\"testbed.slow\", \"testbed.plain\"]\n",
        "planner = \"testbed.moody\"\n",
        "[plugins.\"testbed.slow\"]\nmilliseconds = 5\n",
    ] {
        assert!(settings.contains(part), "{part:?} is missing: {settings}");
    }
    author.reads(&["set", "testbed.slow", "--unset", "milliseconds"]);
    assert!(!author.settings().contains("milliseconds"), "{}", author.settings());
}
