//! A template folder, watched.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linepress_files::TEMPLATES;
use typst_kit::watcher::Watcher;

/// Tells when something in a folder changes.
pub struct TemplateWatch {
    folder: PathBuf,
    watcher: Watcher,
}

impl TemplateWatch {
    pub fn new(folder: &Path) -> io::Result<Self> {
        let mut watch = Self {
            folder: folder.to_owned(),
            watcher: Watcher::new(None).map_err(io_error)?,
        };
        watch.update()?;
        Ok(watch)
    }

    /// Waits, on this thread, until something has changed. Changes that follow each other closely are one: editors write a
    /// new file and rename it.
    pub fn wait(&mut self) -> io::Result<()> {
        self.watcher.wait().map_err(io_error)?;
        self.update()
    }

    /// Folders, and not their files: one that is yet to come is told, too.
    fn update(&mut self) -> io::Result<()> {
        let mut folders = Vec::new();
        collect(&self.folder, 0, &mut folders);
        self.watcher.update(folders).map_err(io_error)
    }
}

fn io_error(message: impl ToString) -> io::Error {
    io::Error::other(message.to_string())
}

fn collect(folder: &Path, depth: usize, folders: &mut Vec<PathBuf>) {
    folders.push(folder.to_owned());
    if depth == TEMPLATES.depth {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if folders.len() > TEMPLATES.entries {
            return;
        }
        // Not through links, which the server refuses.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&entry.path(), depth + 1, folders);
        }
    }
}
