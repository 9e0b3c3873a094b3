//! A password on standard input.
use std::io::{BufRead as _, IsTerminal as _, Read as _};

use anyhow::Context as _;
use linepress_terminal::print_error_line;

/// The number of bytes that are read of a line with a password; longer than any password.
const MAX_LINE_BYTES: u64 = 4096;

/// Reads one line of standard input.
pub(super) fn read_password() -> anyhow::Result<String> {
    if std::io::stdin().is_terminal() {
        print_error_line!("Type the password and press Enter. It is visible while you type:");
    }
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .take(MAX_LINE_BYTES)
        .read_line(&mut line)
        .context("the password cannot be read from standard input")?;
    let password = line.strip_suffix('\n').unwrap_or(&line);
    Ok(password.strip_suffix('\r').unwrap_or(password).to_owned())
}
