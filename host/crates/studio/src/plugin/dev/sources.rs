//! The source files of an author's project, and their changes.
//!
//! Files are looked at a few times a second. Notifications of the file system would need a watch for each folder below
//! `target` and `node_modules`, which are more than many systems allow.
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, bail};
use sha2::{Digest as _, Sha256};
use tokio::time::sleep;
use toml_edit::{DocumentMut, value};

/// The time between two looks, and the time for which files must be unchanged before they are built.
const LOOK_INTERVAL: Duration = Duration::from_millis(300);

/// Maximum number of files and folders.
const MAX_ENTRIES: usize = 5000;
const MAX_DEPTH: usize = 20;

/// Files and folders that tools write. So do files whose names end in `.wasm`, and hidden ones are not sources either.
const GENERATED: [&str; 8] = [
    "target",
    "node_modules",
    "venv",
    "packed",
    "bindings",
    "__pycache__",
    "Cargo.lock",
    "package-lock.json",
];

/// A file with its size and its time.
type FileState = (PathBuf, u64, Option<SystemTime>);

/// The sources, as they were built last.
pub(super) struct Sources {
    folder: PathBuf,
    /// Other files that a call depends on.
    files: Vec<PathBuf>,
    /// The files at the last look.
    seen: Vec<FileState>,
    digest: [u8; 32],
}

impl Sources {
    /// Reads the sources in this folder, and these files.
    pub(super) fn read<'a>(folder: &Path, files: impl IntoIterator<Item = &'a PathBuf>) -> anyhow::Result<Self> {
        let mut sources = Self {
            folder: folder.to_owned(),
            files: files.into_iter().cloned().collect(),
            seen: Vec::new(),
            digest: [0; 32],
        };
        sources.seen = sources.look()?;
        sources.digest = digest(&sources.seen);
        Ok(sources)
    }

    /// Waits until the content of the sources has changed, and no longer changes.
    pub(super) async fn changed(&mut self) -> anyhow::Result<()> {
        let mut last = self.look()?;
        loop {
            sleep(LOOK_INTERVAL).await;
            let now = self.look()?;
            let is_stable = now == last;
            if is_stable && now != self.seen {
                let digest = digest(&now);
                self.seen = now;
                // A file that was saved without a change, and the digest in plugin.toml, change nothing.
                if digest != self.digest {
                    self.digest = digest;
                    return Ok(());
                }
                last.clone_from(&self.seen);
            } else {
                last = now;
            }
        }
    }

    fn look(&self) -> anyhow::Result<Vec<FileState>> {
        let mut files = Vec::new();
        collect(&self.folder, 0, &mut files)?;
        files.extend(self.files.iter().map(|file| state(file)));
        files.sort();
        Ok(files)
    }
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<FileState>) -> anyhow::Result<()> {
    let entries = match fs::read_dir(folder) {
        // The folder may have been deleted at this moment.
        Err(_) if depth > 0 => return Ok(()),
        entries => entries.with_context(|| format!("{} cannot be read", folder.display()))?,
    };
    for entry in entries {
        let entry = entry.with_context(|| format!("{} cannot be read", folder.display()))?;
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        if name.starts_with('.') || GENERATED.contains(&&*name) || name.ends_with(".wasm") {
            continue;
        }
        if files.len() >= MAX_ENTRIES {
            bail!("the folder contains more than {MAX_ENTRIES} files: name the folder of one plugin");
        }
        // Symbolic links to folders are not followed.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if depth < MAX_DEPTH {
                collect(&path, depth + 1, files)?;
            }
        } else {
            files.push(state(&path));
        }
    }
    Ok(())
}

fn state(file: &Path) -> FileState {
    let metadata = file.metadata().ok();
    let size = metadata.as_ref().map_or(0, fs::Metadata::len);
    (
        file.to_owned(),
        size,
        metadata.and_then(|metadata| metadata.modified().ok()),
    )
}

/// The digest of the names and contents of files.
fn digest(files: &[FileState]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for (path, ..) in files {
        let mut content = fs::read(path).unwrap_or_default();
        if path.ends_with("plugin.toml")
            && let Ok(text) = std::str::from_utf8(&content)
        {
            content = without_digest(text).into_bytes();
        }
        digest.update(path.as_os_str().as_encoded_bytes());
        digest.update(content.len().to_be_bytes());
        digest.update(content);
    }
    digest.finalize().into()
}

/// The manifest without the component's digest, which each build changes.
fn without_digest(text: &str) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return text.to_owned();
    };
    if let Some(wasm) = document.get_mut("wasm").and_then(|wasm| wasm.as_table_like_mut()) {
        wasm.insert("sha256", value(""));
    }
    if let Some(wasm) = document.get_mut("wasm").and_then(|wasm| wasm.as_inline_table_mut()) {
        wasm.fmt();
    }
    document.to_string()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn only_a_changed_source_changes_the_digest() {
        let folder = TempDir::new().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let read = || Sources::read(folder.path(), []).unwrap().digest;
        write("plugin.toml", "id = \"a\"\nwasm = { path = \"plugin.wasm\" }\n");
        write("src/lib.rs", "one");
        let first = read();
        for (name, text) in [
            (
                "plugin.toml",
                "id = \"a\"\nwasm = { path = \"plugin.wasm\", sha256 = \"00\" }\n",
            ),
            ("plugin.wasm", "built"),
            ("target/debug/lib.rs", "built"),
            (".git/HEAD", "main"),
            ("Cargo.lock", "locked"),
        ] {
            write(name, text);
            assert_eq!(read(), first, "{name}");
        }
        for (name, text) in [
            ("src/lib.rs", "two"),
            ("plugin.toml", "id = \"b\"\n"),
            ("src/page.rs", ""),
        ] {
            let before = read();
            write(name, text);
            assert_ne!(read(), before, "{name}");
        }
    }
}
