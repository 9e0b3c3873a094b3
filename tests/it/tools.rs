//! External programs that check our output, found through `PATH`.
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the path of a program, or `None` if it is not installed; a continuous integration run must have all
/// programs.
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

/// Runs a program, which must succeed; returns its output.
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
