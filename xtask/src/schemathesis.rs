//! `cargo xtask schemathesis`: sends a temporary server thousands of requests that Schemathesis generates from the
//! OpenAPI document, with all of its checks. The settings are in tests/schemathesis.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::client::Client;
use crate::project::Project;
use crate::server::{Installation, Server};
use crate::{folders, interrupt, plugins, python, server};

/// The minimum number of test cases of a run that covers the whole document.
const MIN_CASES: u64 = 2000;

/// The names of two accounts, each of which tries to read the objects of the other.
const NAMES: [&str; 2] = ["ada", "ben"];

/// The credits of each account, more than the tests can spend.
const CREDITS: u64 = 1_000_000_000;

#[derive(Args, Default)]
pub(crate) struct Schemathesis {
    /// The seed of the generated requests. Another seed generates other requests.
    #[arg(long)]
    seed: Option<u64>,
    /// Further arguments for `schemathesis run`, such as --include-path /pages or --phases stateful.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Returns the folder with the programs of Schemathesis, and installs it if it is missing.
pub(crate) fn programs(project: &Project) -> anyhow::Result<PathBuf> {
    python::environment("schemathesis", &own_folder(project).join("requirements.txt"))
}

fn own_folder(project: &Project) -> PathBuf {
    project.root.join("tests").join("schemathesis")
}

impl Schemathesis {
    pub(crate) fn run(&self, project: &Project) -> anyhow::Result<ExitCode> {
        plugins::assemble_offline(project)?;
        plugins::assemble_testbed(project)?;
        let program = project.build_server(false)?;
        let programs = programs(project)?;
        interrupt::catch()?;
        let passed = self.check(project, &program, &programs)?;
        Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Runs Schemathesis against the server `program`, whose plugins must be assembled. Returns true if all checks
    /// passed.
    pub(crate) fn check(&self, project: &Project, program: &Path, programs: &Path) -> anyhow::Result<bool> {
        println!("Testing the server against its OpenAPI document with Schemathesis");
        let folder = Folder::prepare(project)?;
        let installation = Installation::new(program.to_owned(), folder.plugins.clone(), folder.data.clone())?
            .with("LINEPRESS_IMAGE_PROVIDERS", "testbed.plain")
            // High limits, so that the server does not refuse any of the thousands of valid requests.
            .with("LINEPRESS_LIMITS__GENERATIONS", "1000000")
            .with("LINEPRESS_LIMITS__PLANS_PER_MINUTE", "6000")
            .with("LINEPRESS_LIMITS__CHANGES_PER_MINUTE", "1000000")
            .with("LINEPRESS_LIMITS__CHARACTERS", "1000000")
            .with("LINEPRESS_LIMITS__PAGES", "1000000")
            .with("LINEPRESS_LIMITS__BOOKS", "1000000")
            .with("LINEPRESS_LIMITS__UPLOADS", "1000000")
            .with("LINEPRESS_LIMITS__FREE_COVERS_PER_DAY", "1000000")
            // One worker leaves processor time for the requests.
            .with("LINEPRESS_WORKERS", "1");
        let server = installation.serve()?;
        let accounts = NAMES.map(|name| installation.account(&format!("{name}@example.com"), CREDITS));
        let [ada, ben] = accounts;
        let keys = [ada?, ben?];
        let passed = self.compare(&server, &folder, &keys, programs);
        if !matches!(passed, Ok(true)) {
            server.show_log();
        }
        passed
    }

    fn compare(&self, server: &Server, folder: &Folder, keys: &[String], programs: &Path) -> anyhow::Result<bool> {
        folder.write_identities(keys)?;
        folder.write_books(server, keys)?;
        let report = folder.work.join("report.json");
        let mut command = Command::new(programs.join("schemathesis"));
        command
            .current_dir(&folder.work)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .args(["--config-file", "schemathesis.toml", "run"])
            .arg(format!("{}/api/v1/openapi.json", server.address))
            .arg("--report-json-path")
            .arg(&report);
        if let Some(seed) = self.seed {
            command.args(["--seed", &seed.to_string()]);
        }
        let started = Instant::now();
        let status = command
            .args(&self.arguments)
            .status()
            .context("Schemathesis cannot be started")?;
        interrupt::check()?;
        let cases = cases(&report)?;
        println!("{cases} test cases in {} seconds", started.elapsed().as_secs());
        ensure!(
            cases >= MIN_CASES || !self.arguments.is_empty(),
            "Schemathesis made only {cases} test cases; at least {MIN_CASES} are expected"
        );
        Ok(status.success())
    }
}

/// The folders of one run.
struct Folder {
    /// The data folder of the server.
    data: PathBuf,
    plugins: PathBuf,
    /// The folder in which Schemathesis runs.
    work: PathBuf,
}

impl Folder {
    /// Creates empty folders.
    fn prepare(project: &Project) -> anyhow::Result<Self> {
        let root = project.target.join("schemathesis");
        let folder = Self {
            data: root.join("data"),
            plugins: root.join("plugins.d"),
            work: root.join("work"),
        };
        server::empty_data(&folder.data)?;
        for folder in [&folder.plugins, &folder.work] {
            folders::empty(folder)?;
        }
        folders::copy(&project.plugins_folder(), &folder.plugins)?;
        let drawing = "testbed.plain";
        folders::copy(&project.testbed_folder().join(drawing), &folder.plugins.join(drawing))?;
        folders::copy(&own_folder(project), &folder.work)?;
        Ok(folder)
    }

    /// Writes the credentials of the accounts, in the format of Web Fuzzing Commons.
    fn write_identities(&self, keys: &[String]) -> anyhow::Result<()> {
        let identity = |(name, key): (&&str, &String)| {
            let header = json!({"name": "Authorization", "value": format!("Bearer {key}")});
            json!({"name": name, "fixedHeaders": [header]})
        };
        let identities: Vec<Value> = NAMES.iter().zip(keys).map(identity).collect();
        Ok(fs::write(
            self.work.join("identities.json"),
            json!({"auth": identities}).to_string(),
        )?)
    }

    /// Makes a finished book for each account and writes their ids, in the dictionary format of libFuzzer.
    fn write_books(&self, server: &Server, keys: &[String]) -> anyhow::Result<()> {
        let books: Vec<String> = keys
            .iter()
            .map(|key| finished_book(&Client::new(format!("{}/api/v1", server.address), key.clone())))
            .collect::<anyhow::Result<_>>()?;
        let lines: String = books.iter().map(|id| format!("\"{id}\"\n")).collect();
        Ok(fs::write(self.work.join("books.dict"), lines)?)
    }
}

fn finished_book(client: &Client) -> anyhow::Result<String> {
    let body = json!({"book": {"title": "Finished", "pages": [{"title": "A fox in the woods"}]}});
    let accepted = client.post("/books", &body, Some("finished"))?.body;
    let url = accepted["operation"]["url"]
        .as_str()
        .context("the response lacks the operation's url")?;
    let end = Instant::now() + Duration::from_secs(60);
    while Instant::now() < end {
        interrupt::check()?;
        match client.get(url)?.body["operation"]["status"].as_str() {
            Some("queued" | "running") => std::thread::sleep(Duration::from_millis(100)),
            Some("succeeded") => {
                let id = accepted["book"]["id"]
                    .as_str()
                    .context("the response lacks the book's id")?;
                return Ok(id.to_owned());
            }
            status => bail!("the first book ended as {status:?}"),
        }
    }
    bail!("the first book was not drawn within a minute")
}

/// Returns the number of test cases in a report.
fn cases(report: &Path) -> anyhow::Result<u64> {
    let text = fs::read(report).context("Schemathesis wrote no report")?;
    let report: Value = serde_json::from_slice(&text)?;
    let generated = report.pointer("/test_cases/generated").and_then(Value::as_u64);
    generated.context("the report of Schemathesis does not contain the number of test cases")
}
