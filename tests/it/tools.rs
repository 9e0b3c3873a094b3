//! Programs that check what we make, found through `PATH`.
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program, or nothing when it is not installed; a continuous integration run must have them all.
pub(crate) fn tool(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    found.or_else(|| skip(name))
}

fn skip(missing: &str) -> Option<PathBuf> {
    assert!(env::var("CI").as_deref() != Ok("true"), "{missing} is missing");
    println!("skipped: {missing} is missing");
    None
}

/// What a program prints; it must succeed.
pub(crate) fn output(program: &Path, arguments: &[&str], file: &Path) -> String {
    let output = Command::new(program)
        .args(arguments)
        .arg(file)
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {text}{errors}", program.display());
    text
}
