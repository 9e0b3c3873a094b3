//! `cargo xtask examples`: creates a plugin of each kind in each language with `linepress plugin new`, and runs the
//! commands in its README.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};

use crate::project::{self, Project};
use crate::{clients, folders, interrupt};

/// A language that `plugin new` supports, and the program that building the plugin needs.
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

/// A kind of plugin that `plugin new` creates.
struct World {
    name: &'static str,
    /// The file that the commands in the README write, if any.
    result: Option<&'static str>,
}

const WORLDS: [World; 4] = [
    World {
        name: "image-provider",
        result: Some("fox.png"),
    },
    World {
        name: "planner",
        result: None,
    },
    World {
        name: "layout",
        result: None,
    },
    World {
        name: "reviewer",
        result: None,
    },
];

/// Builds the server and tests the examples.
pub(crate) fn run(project: &Project) -> anyhow::Result<ExitCode> {
    let program = project.build_server(false)?;
    interrupt::catch()?;
    let skips = check(project, &program)?;
    for skip in &skips {
        println!("skipped: {skip}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Tests the examples with this server. Returns a line for each example that was skipped, with the reason.
pub(crate) fn check(project: &Project, program: &Path) -> anyhow::Result<Vec<String>> {
    println!("Testing plugins that `linepress plugin new` creates");
    let root = project.target.join("examples");
    folders::empty(&root)?;
    let program_folder = program
        .parent()
        .context("the path of the server's program has no folder")?;
    // `linepress` is the program that was built, and the Node.js of the tests is used if no other is installed.
    let mut path = vec![program_folder.to_owned()];
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
        for world in &WORLDS {
            let kind = world.name;
            follow(&root, program, &path, name, world).with_context(|| format!("the {kind} in {name} failed"))?;
            println!("{kind} in {name}: built, checked and tried");
            interrupt::check()?;
        }
    }
    Ok(skips)
}

fn follow(root: &Path, program: &Path, path: &OsStr, language: &str, world: &World) -> anyhow::Result<()> {
    let id = format!("acme.{language}-{}", world.name);
    let folder = root.join(&id);
    let mut new = Command::new(program);
    new.args(["plugin", "new", "--world", world.name, "--language", language, &id])
        .current_dir(root);
    project::read(&mut new)?;
    let readme = std::fs::read_to_string(folder.join("README.md"))?;
    let commands = commands(&readme);
    if commands.is_empty() {
        bail!("the README.md of the plugin contains no commands");
    }
    let mut shell = Command::new("sh");
    shell
        .args(["-e", "-c", &commands])
        .current_dir(&folder)
        .env("PATH", path)
        // The plugin is not part of this workspace, like a plugin of the README's reader.
        .env_remove("CARGO_TARGET_DIR");
    project::read(&mut shell)?;
    if let Some(result) = world.result
        && !folder.join(result).is_file()
    {
        bail!("the plugin wrote no {result}");
    }
    Ok(())
}

/// Returns the commands of a README, in order.
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
