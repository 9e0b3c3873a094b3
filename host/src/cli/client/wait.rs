//! The command `linepress client wait`.
use std::process::ExitCode;

use anyhow::ensure;
use clap::Args;

use super::api::Api;
use super::printing::Printing;
use super::{file, following};

#[derive(Args)]
pub(super) struct Arguments {
    /// The id of the operation, which begins with op_.
    operation: String,
    #[command(flatten)]
    printing: Printing,
}

pub(super) async fn run(api: &Api, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { operation, printing } = arguments;
    // It becomes a part of an address.
    let is_id = operation
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    ensure!(
        is_id && !operation.is_empty(),
        "{operation} is not the id of an operation"
    );
    if let Some(target) = &printing.pdf {
        file::check(target)?;
    }
    following::follow(api, operation, printing).await
}
