//! Changes to the settings file that preserve the rest of it as the operator wrote it.
use std::io::Write as _;
use std::path::{Path, PathBuf};

use toml_edit::DocumentMut;

use super::{Config, ConfigError};

/// The reason why the settings file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the settings were not read from a file")]
    NoFile,
    #[error("the settings file {} cannot be {what}", path.display())]
    File {
        path: PathBuf,
        what: &'static str,
        source: std::io::Error,
    },
    #[error("the settings file {} is not valid TOML, line {line}", path.display())]
    Toml { path: PathBuf, line: usize },
    #[error("the settings file was not changed, because the result would be invalid")]
    Wrong(#[from] ConfigError),
}

impl Config {
    /// Changes the settings file, or creates it. The result is validated first and then replaces the old file
    /// atomically.
    pub fn edit(file: &Path, change: impl FnOnce(&mut DocumentMut)) -> Result<(), EditError> {
        // Links are followed, because the file itself is replaced.
        let path = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let failed = |what| {
            let path = path.clone();
            move |source| EditError::File { path, what, source }
        };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed("read")(error)),
        };
        let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| EditError::Toml {
            path: path.clone(),
            line: line_of(&text, error.span()),
        })?;
        change(&mut document);
        let changed = document.to_string();
        Self::read(&path, &changed, std::env::vars())?;
        if changed == text {
            return Ok(());
        }
        replace(&path, &changed).map_err(failed("written"))
    }
}

fn line_of(text: &str, span: Option<std::ops::Range<usize>>) -> usize {
    let before = text.get(..span.map_or(0, |span| span.start)).unwrap_or_default();
    before.matches('\n').count() + 1
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    if let Ok(old) = std::fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
        keep_owner(file.path(), &old)?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Restores the owner of the file: an administrator may edit the settings of a server that runs as another user, who
/// must still be able to read them.
#[cfg(unix)]
fn keep_owner(path: &Path, old: &std::fs::Metadata) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let new = std::fs::metadata(path)?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    chown(path, Some(old.uid()), Some(old.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &std::fs::Metadata) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, change: impl FnOnce(&mut DocumentMut)) -> (Result<(), EditError>, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("linepress.toml");
        std::fs::write(&path, text).expect("a file");
        let outcome = Config::edit(&path, change);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
        (outcome, std::fs::read_to_string(&path).expect("a file"))
    }

    #[test]
    fn comments_and_formatting_are_preserved() {
        let text = "# ours\nbrand = \"A\" # short\n\n[limits] # few\npages = 5\n";
        let (outcome, edited) = edited(text, |document| document["workers"] = toml_edit::value(2));
        assert!(outcome.is_ok());
        assert_eq!(edited, text.replace("\n\n[limits]", "\nworkers = 2\n\n[limits]"));
    }

    #[test]
    fn an_invalid_result_is_not_written() {
        let (outcome, edited) = edited("brand = \"A\"\n", |document| document["brnd"] = toml_edit::value(2));
        assert!(matches!(outcome, Err(EditError::Wrong(_))));
        assert_eq!(edited, "brand = \"A\"\n");
    }

    #[test]
    fn an_error_names_the_line_that_is_not_valid_toml() {
        let (outcome, _) = edited("brand = \"A\"\nworkers = = 1\n", |_| {});
        assert!(matches!(outcome, Err(EditError::Toml { line: 2, .. })), "{outcome:?}");
    }
}
