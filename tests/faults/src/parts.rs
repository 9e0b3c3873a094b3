//! The parts of a node, from which its settings follow.
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::clock::Clock;
use crate::disk::Disk;
use crate::link::Link;
use crate::plugins::Plugins;

/// The parts of a node, apart from its process.
pub(crate) struct Parts {
    pub number: usize,
    pub address: SocketAddr,
    /// The data folder, with settings and logs.
    pub folder: PathBuf,
    pub program: PathBuf,
    pub plugins: Plugins,
    /// The disk with the incoming files, if it can be filled.
    pub disk: Option<Disk>,
    /// The clock of its machine.
    pub clock: Clock,
    /// The way to the database.
    pub database: Link,
    pub database_url: String,
    /// The way to the object store.
    pub storage: Link,
    pub storage_url: String,
    /// The address in replies, the same for all nodes.
    pub public_url: String,
}
