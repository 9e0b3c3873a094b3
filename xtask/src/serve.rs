//! `cargo xtask serve`: runs the server and the plugins of this source tree.

use std::process::{Command, ExitCode};

use anyhow::Context as _;
use clap::Args;

use crate::interrupt;
use crate::plugins;
use crate::project::Project;

#[derive(Args)]
pub(crate) struct Serve {
    /// Build with optimizations: the build takes longer, drawing and printing are several times faster.
    #[arg(long)]
    release: bool,
    /// Further arguments for `linepress serve`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Serve {
    /// Builds, starts the server and waits until it ends.
    pub(crate) fn run(&self, project: &Project) -> anyhow::Result<ExitCode> {
        let folder = plugins::assemble_offline(project)?;
        let program = project.build_server(self.release)?;
        let mut server = Command::new(program);
        server
            .arg("serve")
            .args(&self.arguments)
            .current_dir(&project.root)
            .env("LINEPRESS_PLUGINS_DIR", folder);
        if std::env::var_os("LINEPRESS_DATA_DIR").is_none() {
            server.env("LINEPRESS_DATA_DIR", project.root.join("data"));
        }
        // The terminal sends Ctrl-C to the server as well. It shuts down gracefully while this program waits.
        interrupt::catch()?;
        let status = server.status().context("the server cannot be started")?;
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
    }
}
