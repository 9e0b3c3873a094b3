//! The command `linepress plugin new`.
mod files;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use linepress_terminal::print_line;

use files::{BinaryFile, File};

use crate::new_folder::NewFolder;

#[derive(Args)]
pub struct Arguments {
    /// The plugin's id: lowercase words joined by dots, beginning with a word of yours, such as acme.flux.
    name: String,
    /// The kind of plugin.
    #[arg(long, value_enum, default_value_t = World::ImageProvider)]
    world: World,
    /// The programming language.
    #[arg(long, value_enum)]
    language: Language,
    /// The folder to create. Default: a folder named like the plugin's id in the current folder.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum World {
    /// Draws pictures.
    ImageProvider,
    /// Turns a theme into a plan of a book.
    Planner,
    /// Offers print formats, and arranges a book as pages.
    Layout,
    /// Checks prompts before they are drawn, and pictures before they are stored.
    Reviewer,
}

#[derive(Clone, Copy, ValueEnum)]
enum Language {
    Rust,
    Javascript,
    Python,
}

/// The plugin id in the example files, which `new` replaces.
const ID: &str = "acme.quilt";

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments {
        name, language, world, ..
    } = arguments;
    if !linepress_plugin_host::is_plugin_id(name) {
        bail!("{name:?} must be lowercase words of letters, digits and hyphens, joined by dots, such as acme.flux");
    }
    let folder = NewFolder::at(arguments.out.clone().unwrap_or_else(|| name.into()))?;
    let fresh = folder.path();
    for File { path, text } in texts(*world, *language) {
        write(&fresh.join(path), named(text, name).as_bytes())?;
    }
    if let World::Layout = world {
        for BinaryFile { path, bytes } in files::FONTS {
            write(&fresh.join(path), bytes)?;
        }
    }
    let folder = folder.put_in_place()?;
    print_line!(
        "{} is written; {} explains how to build it",
        folder.display(),
        folder.join("README.md").display()
    );
    Ok(())
}

/// The files that contain the example's id.
fn texts(world: World, language: Language) -> impl Iterator<Item = &'static File> {
    let (wit, templates): (&'static [File], &'static [File]) = match world {
        World::ImageProvider => (files::IMAGE_WIT, &[]),
        World::Planner => (files::PLANNER_WIT, &[]),
        World::Layout => (files::LAYOUT_WIT, files::TEMPLATES),
        World::Reviewer => (files::REVIEWER_WIT, &[]),
    };
    let sources = match (world, language) {
        (World::ImageProvider, Language::Rust) => files::RUST_PROVIDER,
        (World::ImageProvider, Language::Javascript) => files::JAVASCRIPT_PROVIDER,
        (World::ImageProvider, Language::Python) => files::PYTHON_PROVIDER,
        (World::Planner, Language::Rust) => files::RUST_PLANNER,
        (World::Planner, Language::Javascript) => files::JAVASCRIPT_PLANNER,
        (World::Planner, Language::Python) => files::PYTHON_PLANNER,
        (World::Layout, Language::Rust) => files::RUST_LAYOUT,
        (World::Layout, Language::Javascript) => files::JAVASCRIPT_LAYOUT,
        (World::Layout, Language::Python) => files::PYTHON_LAYOUT,
        (World::Reviewer, Language::Rust) => files::RUST_REVIEWER,
        (World::Reviewer, Language::Javascript) => files::JAVASCRIPT_REVIEWER,
        (World::Reviewer, Language::Python) => files::PYTHON_REVIEWER,
    };
    wit.iter().chain(sources).chain(templates)
}

fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let write = || {
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::write(path, content)
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
}

/// The text with the example's id replaced by the plugin's id in each of its spellings.
fn named(text: &str, id: &str) -> String {
    let package = id.replace('.', "-");
    text.replace(ID, id)
        .replace(&ID.replace('.', "-"), &package)
        .replace(&ID.replace('.', "_"), &package.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_replaced_in_each_of_its_spellings() {
        assert_eq!(
            named("acme.quilt acme-quilt acme_quilt quilt", "bob.my-art"),
            "bob.my-art bob-my-art bob_my_art quilt"
        );
    }
}
