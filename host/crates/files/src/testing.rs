//! Test files that the standard library cannot create.
use std::path::{Path, PathBuf};
use std::process::Command;

/// Creates a named pipe in this folder.
pub(crate) fn pipe_in(folder: &Path) -> PathBuf {
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    pipe
}
