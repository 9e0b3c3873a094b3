//! The server on the TypeScript SDK of MCP with which a benchmark compares: what it needs is installed once, in the target
//! folder.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;

use crate::project::{self, Project};
use crate::{agents, folders, python};

/// Node.js itself, and the folder with the server and its packages.
pub(crate) struct Peer {
    pub node: PathBuf,
    pub folder: PathBuf,
}

/// Installs what is missing.
pub(crate) fn install(project: &Project) -> anyhow::Result<Peer> {
    let programs = agents::programs(project)?;
    let own = project.root.join("tests").join("benches").join("mcp");
    let folder = project.target.join("bench-mcp");
    let lock = fs::read(own.join("package-lock.json")).context("package-lock.json cannot be read")?;
    // Written last: without it, or with another, the packages are not those that are wanted.
    let installed = folder.join("installed");
    if fs::read(&installed).is_ok_and(|installed| installed == lock) {
        folders::copy(&own, &folder)?;
    } else {
        println!("Installing the SDK of MCP into {}", folder.display());
        folders::empty(&folder)?;
        folders::copy(&own, &folder)?;
        let mut npm = python::command(&programs, "npm", &folder)?;
        npm.args(["ci", "--no-audit", "--no-fund"]);
        project::read(&mut npm).context("the packages could not be installed from npm")?;
        fs::write(installed, lock)?;
    }
    // What lies in the environment starts it as a child, which would outlive it.
    let mut node = python::command(&programs, "node", &folder)?;
    let node = project::read(node.args(["-p", "process.execPath"]))?;
    Ok(Peer {
        node: node.into(),
        folder,
    })
}
