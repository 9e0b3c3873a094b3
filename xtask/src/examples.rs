//! `cargo xtask examples`: writes a plugin in each language with `linepress plugin new`, and follows its README word by word.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};

use crate::project::{self, Project};
use crate::{clients, folders, interrupt};

/// A language that `plugin new` knows, and what has to be there to build it.
struct Language {
    name: &'static str,
    program: &'static str,
}

const LANGUAGES: [Language; 3] = [
    Language {
        name: "rust",
        program: "cargo",
    },
    Language {
        name: "javascript",
        program: "npm",
    },
    Language {
        name: "python",
        program: "python3",
    },
];

/// Builds the server and tries the examples.
pub(crate) fn run(project: &Project) -> anyhow::Result<ExitCode> {
    let program = project.build_server(false)?;
    interrupt::catch()?;
    let skips = check(project, &program)?;
    for skip in &skips {
        println!("skipped: {skip}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Tries the examples with this server; returns what was skipped, and why.
pub(crate) fn check(project: &Project, program: &Path) -> anyhow::Result<Vec<String>> {
    println!("Plugins that `linepress plugin new` writes");
    let root = project.target.join("examples");
    folders::empty(&root)?;
    let beside = program.parent().context("the server's program lies nowhere")?;
    // What the reader calls `linepress`, and a Node.js of the tests' own where there is no other.
    let mut path = vec![beside.to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    path.extend(clients::programs(project));
    let path = std::env::join_paths(path)?;
    let mut skips = Vec::new();
    for language in &LANGUAGES {
        let Language { name, program: needed } = language;
        if project::read(Command::new("env").args([needed, "--version"]).env("PATH", &path)).is_err() {
            skips.push(format!("a plugin in {name}: {needed} is not installed"));
            continue;
        }
        follow(&root, program, &path, name).with_context(|| format!("the plugin in {name}"))?;
        println!("{name}: built, checked and tried");
        interrupt::check()?;
    }
    Ok(skips)
}

fn follow(root: &Path, program: &Path, path: &OsStr, language: &str) -> anyhow::Result<()> {
    let id = format!("acme.{language}");
    let folder = root.join(&id);
    let mut new = Command::new(program);
    new.args(["plugin", "new", "--language", language, &id])
        .current_dir(root);
    project::read(&mut new)?;
    let readme = std::fs::read_to_string(folder.join("README.md"))?;
    let commands = commands(&readme);
    if commands.is_empty() {
        bail!("its README.md names no commands");
    }
    let mut shell = Command::new("sh");
    shell
        .args(["-e", "-c", &commands])
        .current_dir(&folder)
        .env("PATH", path)
        // It is the reader's own, and no part of this workspace.
        .env_remove("CARGO_TARGET_DIR");
    project::read(&mut shell)?;
    if !folder.join("fox.png").is_file() {
        bail!("it drew no picture");
    }
    Ok(())
}

/// The commands of a README, in their order.
fn commands(readme: &str) -> String {
    let blocks = readme.split("```sh\n").skip(1);
    blocks.filter_map(|block| block.split("```").next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_a_readme_are_those_in_its_blocks() {
        let readme = "# A\n```sh\none\n```\ntext `two`\n```toml\nthree = 3\n```\n```sh\nfour\n```\n";
        assert_eq!(commands(readme), "one\nfour\n");
    }
}
