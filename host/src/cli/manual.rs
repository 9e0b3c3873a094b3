//! The hidden command `linepress manual`, with which packages of this program are made.
use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap_complete::Shell;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The folder for the files. Manual pages are written to `man`, completions to `completions`.
    folder: PathBuf,
}

/// The shells with completions.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Fish, Shell::Zsh];

/// Writes a manual page for each command, and the completions for each shell.
pub(super) fn run(mut program: clap::Command, arguments: &Arguments) -> anyhow::Result<()> {
    let [manual, completions] = ["man", "completions"].map(|name| arguments.folder.join(name));
    for folder in [&manual, &completions] {
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    }
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut program, "linepress", &completions)?;
    }
    clap_mangen::generate_to(program, &manual)?;
    Ok(())
}
