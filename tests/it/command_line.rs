//! The command line: what an operator types, and what comes back.
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::test_app::{binary, empty_database, install_plugins};

struct Operator {
    folder: TempDir,
    database: String,
}

impl Operator {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        install_plugins(folder.path());
        let database = empty_database(folder.path()).await;
        Self { folder, database }
    }

    fn types(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(binary());
        command
            .args(line.split_whitespace())
            .current_dir(self.folder.path())
            .env("LINEPRESS_DATA_DIR", self.folder.path())
            .env("LINEPRESS_DATABASE_URL", &self.database);
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

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn an_operator_makes_accounts_sells_credits_and_hands_out_keys() {
    let operator = Operator::new().await;
    operator.reads("account create --email Ada@Example.com --plan free --credits 5");
    assert!(
        operator
            .is_refused("account create --email ada@example.com")
            .contains("exists already")
    );
    assert!(operator.is_refused("account create --email nonsense").contains("email"));
    assert!(
        operator
            .reads("account grant --email ada@example.com --credits 7")
            .contains("12 credits")
    );
    assert!(
        operator
            .reads("account set-plan --email ada@example.com --plan business")
            .contains("business")
    );
    let list = operator.reads("account list");
    assert!(list.contains("ada@example.com\tbusiness\t12 credits"), "{list}");
    assert!(
        operator
            .is_refused("account grant --email ada@example.com --credits 0")
            .contains("credits")
    );
    assert!(
        operator
            .is_refused("account grant --email ben@example.com --credits 1")
            .contains("no account")
    );

    let key = operator.reads("key create --email ada@example.com --name laptop");
    assert!(key.starts_with("lp_") && key.trim().len() == 46, "{key:?}");
    let keys = operator.reads("key list --email ada@example.com");
    assert!(
        keys.contains("laptop") && keys.contains("active") && !keys.contains(key.trim()),
        "{keys}"
    );
    let id = keys.split('\t').next().unwrap();
    operator.reads(&format!("key revoke {id}"));
    assert!(operator.reads("key list --email ada@example.com").contains("revoked"));
    assert!(operator.is_refused("key revoke key_none").contains("no key"));
}

#[tokio::test]
async fn a_key_is_stored_only_as_a_hash() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com");
    let key = operator.reads("key create --email ada@example.com --name laptop");
    if !operator.database.starts_with("sqlite") {
        return;
    }
    for file in std::fs::read_dir(operator.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if file.is_file() {
            let bytes = std::fs::read(&file).unwrap();
            let found = bytes
                .windows(key.trim().len())
                .any(|window| window == key.trim().as_bytes());
            assert!(!found, "the key stands in {}", file.display());
        }
    }
}

#[tokio::test]
async fn a_wrong_setting_stops_the_start_and_names_itself() {
    let operator = Operator::new().await;
    for (name, value, words) in [
        ("LINEPRESS_LISTEN", "here", "listen"),
        ("LINEPRESS_LISTN", "127.0.0.1:1", "listn"),
        ("LINEPRESS_BRAND", "two words", "brand"),
        ("LINEPRESS_DATABASE_URL", "mysql://localhost", "database_url"),
    ] {
        let output = operator.command("account list").env(name, value).output().unwrap();
        assert!(!output.status.success(), "{name}");
        assert!(error_of(&output).contains(words), "{name}: {}", error_of(&output));
    }
    std::fs::write(operator.path().join("linepress.toml"), "colour = \"blue\"\n").unwrap();
    assert!(operator.is_refused("account list").contains("colour"));
}

#[tokio::test]
async fn the_doctor_finds_nothing_wrong_with_a_good_installation() {
    let operator = Operator::new().await;
    let report = operator.reads("doctor");
    for part in [
        "ledger",
        "storage",
        "image_provider",
        "planner",
        "layout",
        "template us_letter.typ",
        "All is well.",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[tokio::test]
async fn nothing_in_a_plugin_folder_reaches_the_terminal_as_a_command() {
    let operator = Operator::new().await;
    let folder = operator.path().join("plugins.d/\u{1b}[31mred");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("plugin.toml"), "\"\u{1b}[2J\" = 1").unwrap();
    let output = operator.types("doctor");
    assert!(!output.status.success());
    for text in [output.stdout, output.stderr] {
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("[31mred"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
}

#[tokio::test]
async fn the_doctor_says_how_to_fix_what_is_wrong() {
    let operator = Operator::new().await;
    std::fs::create_dir(operator.path().join("plugins.d/broken")).unwrap();
    let output = operator
        .command("doctor")
        .env("LINEPRESS_PLANNER", "acme.absent")
        .output()
        .unwrap();
    assert!(!output.status.success());
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(
        report.contains("PROBLEM  planner: no such plugin is loaded: acme.absent"),
        "{report}"
    );
    assert!(report.contains("broken was refused"), "{report}");
    assert!(report.contains("2 problems."), "{report}");
}
