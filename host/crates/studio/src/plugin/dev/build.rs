//! The build of an author's project.
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use tokio::process::Command;
use toml_edit::DocumentMut;

use super::outcome::{Problem, Step};

/// The modules of a new plugin in Python, one for each kind of plugin.
const PYTHON_MODULES: [&str; 3] = ["provider", "planner", "layout"];

/// The most of a build's output that is shown: its end, which contains the errors.
const MAX_OUTPUT_CHARS: usize = 20_000;

/// A command that `sh` runs in the author's folder.
pub(super) struct Build {
    command: String,
}

impl Build {
    pub(super) fn of_command(command: String) -> Self {
        Self { command }
    }

    /// The commands in the README.md of a new plugin, for the language of this project.
    pub(super) fn of_project(folder: &Path) -> anyhow::Result<Self> {
        let command = if folder.join("Cargo.toml").is_file() {
            of_rust(folder)?
        } else if folder.join("package.json").is_file() {
            of_javascript(folder)
        } else if let Some(module) = PYTHON_MODULES.into_iter().find(|module| is_python(folder, module)) {
            of_python(folder, module)?
        } else {
            bail!(
                "{} has no Cargo.toml, no package.json and none of {}: state the command that builds \
                 plugin.wasm with --build",
                folder.display(),
                PYTHON_MODULES.map(|module| format!("{module}.py")).join(", ")
            );
        };
        Ok(Self { command })
    }

    pub(super) fn command(&self) -> &str {
        &self.command
    }

    /// Builds the component, and returns the time that it took.
    pub(super) async fn run(&self, folder: &Path) -> Result<Duration, Problem> {
        let began = Instant::now();
        let output = Command::new("sh")
            .args(["-c", &self.command])
            .current_dir(folder)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output()
            .await
            .map_err(|error| Step::Build.failed()(format!("sh cannot be started: {error}")))?;
        if output.status.success() {
            return Ok(began.elapsed());
        }
        let text = [output.stdout, output.stderr].concat();
        let text = last_chars(&String::from_utf8_lossy(&text));
        Err(Step::Build.failed()(format!(
            "{}\n$ {}\n{text}",
            output.status, self.command
        )))
    }
}

fn last_chars(text: &str) -> String {
    let dropped = text.chars().count().saturating_sub(MAX_OUTPUT_CHARS);
    text.chars().skip(dropped).collect()
}

fn of_rust(folder: &Path) -> anyhow::Result<String> {
    let document = document(&folder.join("Cargo.toml"))?;
    let name_in = |table: &str| document.get(table)?.get("name")?.as_str();
    let name = name_in("lib").or_else(|| name_in("package"));
    let name = word(name.context("Cargo.toml names no package")?)?.replace('-', "_");
    Ok(format!(
        "cargo build --target wasm32-wasip2 --profile plugin --target-dir target && \
         cp target/wasm32-wasip2/plugin/{name}.wasm plugin.wasm"
    ))
}

fn of_javascript(folder: &Path) -> String {
    let install = if folder.join("node_modules").is_dir() {
        ""
    } else {
        "npm install && "
    };
    format!("{install}npm run build")
}

fn is_python(folder: &Path, module: &str) -> bool {
    folder.join(module).with_extension("py").is_file()
}

fn of_python(folder: &Path, module: &str) -> anyhow::Result<String> {
    let manifest = document(&folder.join("plugin.toml"))?;
    let world = manifest.get("world").and_then(|world| world.as_str());
    let world = world.and_then(|world| world.split('/').nth(1)?.split('@').next());
    let world = word(world.context("plugin.toml names no world")?)?;
    let program = if folder.join("venv/bin/componentize-py").is_file() {
        "venv/bin/componentize-py"
    } else {
        "componentize-py"
    };
    Ok(format!(
        "{program} --wit-path wit --world {world} componentize {module} --output plugin.wasm"
    ))
}

fn document(file: &Path) -> anyhow::Result<DocumentMut> {
    let text = fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    text.parse::<DocumentMut>()
        .with_context(|| format!("{} is not TOML", file.display()))
}

/// Checks that a name has no meaning for `sh`.
fn word(name: &str) -> anyhow::Result<&str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if name.is_empty() || !name.chars().all(is_plain) {
        bail!("{name:?} is not a name of letters, digits, hyphens and underscores: state the command with --build");
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn each_language_is_built_like_its_readme_says() {
        let folder = TempDir::new().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let command = || Build::of_project(folder.path()).map(|build| build.command);
        assert!(command().unwrap_err().to_string().contains("--build"));
        write("plugin.toml", "world = \"linepress:planner/book-planner@0.1\"\n");
        write("planner.py", "");
        assert_eq!(
            command().unwrap(),
            "componentize-py --wit-path wit --world book-planner componentize planner --output plugin.wasm"
        );
        write("package.json", "{}");
        assert_eq!(command().unwrap(), "npm install && npm run build");
        write("Cargo.toml", "[package]\nname = \"acme-quilt\"\n");
        assert!(command().unwrap().ends_with("/plugin/acme_quilt.wasm plugin.wasm"));
        write("Cargo.toml", "[package]\nname = \"a; rm -r .\"\n");
        assert!(command().unwrap_err().to_string().contains("--build"));
    }

    #[test]
    fn the_end_of_a_long_output_is_shown() {
        let shown = last_chars(&format!("{}error", "x".repeat(MAX_OUTPUT_CHARS)));
        assert!(shown.ends_with("xerror") && shown.len() == MAX_OUTPUT_CHARS);
    }
}
