//! The workspace: its folder, its target folder, and functions that run cargo and other commands.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The workspace that this program belongs to.
pub(crate) struct Project {
    pub root: PathBuf,
    /// Cargo's target folder, as configured by the user.
    pub target: PathBuf,
}

impl Project {
    /// Finds the workspace with `cargo metadata`.
    pub(crate) fn find() -> anyhow::Result<Self> {
        let output = cargo_command()
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output();
        let output = output.context("cargo cannot be started")?;
        if !output.status.success() {
            bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
        let folder = |name: &str| {
            let path = metadata[name]
                .as_str()
                .with_context(|| format!("cargo metadata has no {name}"))?;
            anyhow::Ok(PathBuf::from(path))
        };
        Ok(Self {
            root: folder("workspace_root")?,
            target: folder("target_directory")?,
        })
    }

    /// Returns a cargo command that runs in the workspace.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = cargo_command();
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// Builds the server and returns the path of its program.
    pub(crate) fn build_server(&self, release: bool) -> anyhow::Result<PathBuf> {
        self.build_server_with(release, &[])
    }

    /// Builds the server with further arguments for cargo, which select features or more targets. A benchmark is built
    /// by the same command, because its dependencies enable features of crates that the server uses as well: two
    /// commands would compile most of the server twice.
    pub(crate) fn build_server_with(&self, release: bool, arguments: &[&str]) -> anyhow::Result<PathBuf> {
        let mut cargo = self.cargo();
        // The tests build the whole workspace, too: another selection would build the dependencies with other features.
        cargo
            .args(["build", "--workspace", "--bin", "linepress"])
            .args(arguments);
        if release {
            cargo.arg("--release");
        }
        run(&mut cargo)?;
        let profile = if release { "release" } else { "debug" };
        let name = format!("linepress{}", std::env::consts::EXE_SUFFIX);
        Ok(self.target.join(profile).join(name))
    }

    /// The folder of the plugins that ship with the server and run without an approval.
    pub(crate) fn plugins_folder(&self) -> PathBuf {
        self.target.join("plugins.d")
    }

    /// The folder of the plugins that ship with the server and request network access.
    pub(crate) fn network_plugins_folder(&self) -> PathBuf {
        self.target.join("network-plugins.d")
    }

    /// The folder of the plugins that only tests and benchmarks use.
    pub(crate) fn testbed_folder(&self) -> PathBuf {
        self.target.join("testbed.d")
    }
}

fn cargo_command() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    forget_own_package(&mut command);
    command
}

/// Removes the environment variables with which cargo describes the package of this program: they do not apply to the
/// packages that `command` builds.
pub(crate) fn forget_own_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
}

/// Runs a command that prints to the terminal.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command
        .status()
        .with_context(|| format!("{} cannot be started", name(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", name(command));
    }
    Ok(())
}

/// Runs a command and returns its output.
pub(crate) fn read(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .output()
        .with_context(|| format!("{} cannot be started", name(command)))?;
    printed(command, &output)
}

/// Runs a command that reads one line of input, and returns its output.
pub(crate) fn feed(command: &mut Command, line: &str) -> anyhow::Result<String> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .with_context(|| format!("{} cannot be started", name(command)))?;
    if let Some(mut input) = child.stdin.take() {
        writeln!(input, "{line}")?;
    }
    let output = child.wait_with_output()?;
    printed(command, &output)
}

fn printed(command: &Command, output: &Output) -> anyhow::Result<String> {
    if !output.status.success() {
        // Some programs report errors on standard output.
        let said = [&output.stderr, &output.stdout].map(|text| String::from_utf8_lossy(text));
        let said = said.concat();
        bail!("{} failed ({}): {}", name(command), output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns the program and its first arguments, for messages.
fn name(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let arguments = command
        .get_args()
        .take(3)
        .map(|argument| format!(" {}", argument.to_string_lossy()));
    format!("{program}{}", arguments.collect::<String>())
}
