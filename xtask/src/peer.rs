//! The server on the TypeScript SDK of MCP that a benchmark compares with. Its packages are installed once, in the
//! target folder.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;

use crate::project::{self, Project};
use crate::{agents, folders, python};

/// The path of Node.js, and the folder with the server and its packages.
pub(crate) struct Peer {
    pub node: PathBuf,
    pub folder: PathBuf,
}

/// Installs Node.js and the packages if they are missing or outdated.
pub(crate) fn install(project: &Project) -> anyhow::Result<Peer> {
    let programs = agents::programs(project)?;
    let own = project.root.join("tests").join("benches").join("mcp");
    let folder = project.target.join("bench-mcp");
    let lock = fs::read(own.join("package-lock.json")).context("package-lock.json cannot be read")?;
    // This file is written last. If it is missing or different, the packages are incomplete or outdated.
    let installed = folder.join("installed");
    if fs::read(&installed).is_ok_and(|installed| installed == lock) {
        folders::copy(&own, &folder)?;
    } else {
        println!("Installing the MCP SDK into {}", folder.display());
        folders::empty(&folder)?;
        folders::copy(&own, &folder)?;
        let mut npm = python::command(&programs, "npm", &folder)?;
        npm.args(["ci", "--no-audit", "--no-fund"]);
        project::read(&mut npm).context("the packages cannot be installed from npm")?;
        fs::write(installed, lock)?;
    }
    // The `node` of the environment is a wrapper, and the child that it starts would outlive it.
    let mut node = python::command(&programs, "node", &folder)?;
    let node = project::read(node.args(["-p", "process.execPath"]))?;
    Ok(Peer {
        node: node.into(),
        folder,
    })
}
