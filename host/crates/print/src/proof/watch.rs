//! A watcher for template folders.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linepress_files::TEMPLATES;
use typst_kit::watcher::Watcher;

/// Reports changes in a template folder.
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

    /// Blocks this thread until something has changed. Changes in quick succession are reported as one, because editors
    /// write a new file and then rename it.
    pub fn wait(&mut self) -> io::Result<()> {
        self.watcher.wait().map_err(io_error)?;
        self.update()
    }

    /// Watches folders rather than files, so that new files are noticed too.
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
        // Symbolic links are not followed: the server refuses them.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&entry.path(), depth + 1, folders);
        }
    }
}
