//! External programs that check our output, found through `PATH`.
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the path of a program. Fails if it is not installed: the test cannot check anything without it.
/// `cargo xtask test` leaves out the tests of missing programs, which it recognizes by their names.
#[track_caller]
pub(crate) fn tool(name: &str) -> PathBuf {
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!("{name} is not installed. Install it, or run the tests with `cargo xtask test`, which skips this one.")
    })
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
