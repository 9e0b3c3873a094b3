//! The command `linepress plugin keygen`.
use std::path::PathBuf;

use clap::Args;
use linepress_registry::SigningKey;
use linepress_terminal::{print_error_line, print_line};

#[derive(Args)]
pub struct Arguments {
    /// The new file for the private key. An existing file is never replaced.
    file: PathBuf,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let key = SigningKey::create(&arguments.file)?;
    print_error_line!(
        "The private key is in {}: keep it secret, and keep a copy. The public key is",
        arguments.file.display()
    );
    print_line!("{}", key.public());
    Ok(())
}
