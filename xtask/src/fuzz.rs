//! `cargo xtask fuzz`: feeds the targets of tests/fuzz with inputs that libFuzzer varies, guided by the code they
//! reach.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};
use clap::Args;

use crate::plugins;
use crate::project::{self, Project};

/// The compiler options that add counters to the code, so that libFuzzer learns which branches an input reaches and
/// which values it is compared with. Stable Rust has them.
const COVERAGE: [&str; 8] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    // Decoders skip their checksums, which no variation of an input would match.
    "--cfg",
    "fuzzing",
];

/// The time after which an input counts as a hang, in seconds.
const MAX_INPUT_SECONDS: u32 = 30;

/// The memory of one target, in megabytes.
const MAX_MEMORY_MB: u32 = 4_096;

#[derive(Args)]
pub(crate) struct Fuzz {
    /// The targets to fuzz: bodies, clients, cursors, manifests, pdfs, pictures, requests, urls. The default is all.
    targets: Vec<String>,
    /// The time for each target, in seconds.
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    seconds: u32,
}

impl Fuzz {
    pub(crate) fn run(&self, project: &Project) -> anyhow::Result<ExitCode> {
        let all = targets(project)?;
        if let Some(unknown) = self.targets.iter().find(|name| !all.contains(name)) {
            bail!("there is no target {unknown:?}: choose among {}", all.join(", "));
        }
        let wanted = if self.targets.is_empty() { &all } else { &self.targets };
        let plugins = plugins::assemble_offline(project)?;
        let server = project.build_server(false)?;
        let fuzzer = build(project)?;
        let mut failed = Vec::new();
        for name in wanted {
            println!("Fuzzing {name} for {} s", self.seconds);
            let findings = Folders::create(project, name)?;
            let mut command = self.command(&fuzzer, name, &findings);
            command
                .env("LINEPRESS_TEST_BINARY", &server)
                .env("LINEPRESS_TEST_PLUGINS", &plugins);
            if !command.status().context("the fuzzer cannot be started")?.success() {
                failed.push(format!("{name}: the input is in {}", findings.failures.display()));
            }
        }
        for failure in &failed {
            eprintln!("error: {failure}");
        }
        Ok(if failed.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }

    fn command(&self, fuzzer: &Path, target: &str, folders: &Folders) -> Command {
        let mut command = Command::new(fuzzer);
        command
            .env("LINEPRESS_FUZZ_TARGET", target)
            .arg(format!("-max_total_time={}", self.seconds))
            .arg(format!("-timeout={MAX_INPUT_SECONDS}"))
            .arg(format!("-rss_limit_mb={MAX_MEMORY_MB}"))
            .arg(format!("-artifact_prefix={}/", folders.failures.display()))
            .arg("-print_final_stats=1")
            // The first folder also receives the inputs that reached new code, for the next run.
            .args([&folders.found, &folders.seeds]);
        command
    }
}

/// The folders of one target.
struct Folders {
    /// The inputs that earlier runs found.
    found: PathBuf,
    /// The inputs that broke a rule.
    failures: PathBuf,
    /// The inputs in the repository.
    seeds: PathBuf,
}

impl Folders {
    fn create(project: &Project, target: &str) -> anyhow::Result<Self> {
        let own = folder(project);
        let folders = Self {
            found: own.join("found").join(target),
            failures: own.join("failures").join(target),
            seeds: seeds(project).join(target),
        };
        for folder in [&folders.found, &folders.failures] {
            fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
        }
        Ok(folders)
    }
}

/// The folder of the instrumented build and of what the fuzzer finds.
fn folder(project: &Project) -> PathBuf {
    project.target.join("fuzz")
}

fn seeds(project: &Project) -> PathBuf {
    project.root.join("tests/fuzz/seeds")
}

/// The names of the targets: each has a folder of seeds.
fn targets(project: &Project) -> anyhow::Result<Vec<String>> {
    let seeds = seeds(project);
    let entries = fs::read_dir(&seeds).with_context(|| format!("{} cannot be read", seeds.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Builds the targets with libFuzzer, apart from the usual build because all crates get other code.
fn build(project: &Project) -> anyhow::Result<PathBuf> {
    let platform = platform()?;
    let folder = folder(project);
    let mut cargo = project.cargo();
    cargo
        .args(["build", "--package", "linepress-fuzz", "--bin", "fuzz"])
        .args(["--features", "libfuzzer", "--profile", "fuzz"])
        // With a named platform, build scripts and macros are built without the flags.
        .args(["--target", &platform])
        .env("CARGO_TARGET_DIR", &folder)
        .env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\x1f"));
    project::run(&mut cargo)
        .context("the fuzzer cannot be built: it needs a C++ compiler, such as Debian's package g++")?;
    Ok(folder.join(platform).join("fuzz/fuzz"))
}

/// The platform that the compiler runs on, as it names it.
fn platform() -> anyhow::Result<String> {
    let version = project::read(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV does not name its platform")?.to_owned())
}
