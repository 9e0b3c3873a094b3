//! The installation under test: several nodes with one database and one bucket.
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use fastrand::Rng;
use hyper::StatusCode;

use crate::api;
use crate::clock::Clock;
use crate::database::Database;
use crate::disk::Disk;
use crate::link::Link;
use crate::node::Node;
use crate::parts::Parts;
use crate::plugins::Plugins;

/// The first start compiles the plugins, which takes a minute on a quiet machine.
const FIRST_START_TIMEOUT: Duration = Duration::from_secs(600);

/// Much longer than a node needs to be ready after the last fault.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(180);

const BUCKET: &str = "linepress-faults";

/// The credits of each account, more than a run can spend.
pub(crate) const CREDITS: i64 = 1_000_000;

/// The programs and servers that the caller has built and started.
pub(crate) struct Foundation {
    pub program: PathBuf,
    /// Folders with built plugins.
    pub plugins: Vec<PathBuf>,
    pub database: Database,
    pub s3: SocketAddr,
    /// The folder for the data folders of the nodes.
    pub data: PathBuf,
    /// True if the folder with the incoming files of each node is a small file system.
    pub small_disks: bool,
}

pub(crate) struct Site {
    pub nodes: Vec<Arc<Node>>,
    pub database: Database,
}

/// An account with an API key.
pub(crate) struct Account {
    pub email: String,
    pub key: String,
}

impl Site {
    /// Starts all nodes, and waits until they are ready.
    pub(crate) async fn start(foundation: Foundation, nodes: usize, random: &mut Rng) -> anyhow::Result<Self> {
        let Foundation {
            program,
            plugins,
            database,
            s3,
            data,
            small_disks,
        } = foundation;
        create_bucket(s3).await?;
        database.take_clock().await?;
        let mut site = Self {
            nodes: Vec::new(),
            database,
        };
        let addresses = (0..nodes)
            .map(|_| free_address(random))
            .collect::<anyhow::Result<Vec<_>>>()?;
        for (number, address) in addresses.iter().copied().enumerate() {
            let folder = data.join(format!("node-{number}"));
            std::fs::create_dir_all(&folder)?;
            let database = Link::to(site.database.address()?, random.fork()).await?;
            let node = Node::new(Parts {
                number,
                address,
                program: program.clone(),
                plugins: Plugins::install(&folder, &plugins)?,
                disk: small_disks.then(|| Disk::at(folder.join("incoming"))).transpose()?,
                clock: Clock::create(&folder)?,
                folder,
                database_url: site.database.url_at(database.address)?,
                database,
                storage: Link::to(s3, random.fork()).await?,
                storage_url: format!("s3://{BUCKET}/books"),
                public_url: format!("http://{}", addresses[0]),
            })?;
            node.start();
            // The first node creates the tables.
            node.ready(FIRST_START_TIMEOUT).await?;
            node.check_clock()?;
            site.nodes.push(node);
        }
        Ok(site)
    }

    /// Creates an account with the Business plan.
    pub(crate) async fn account(&self, email: &str) -> anyhow::Result<Account> {
        let node = self.nodes.first().context("an installation without nodes")?;
        let credits = CREDITS.to_string();
        let create = [
            "account",
            "create",
            "--email",
            email,
            "--plan",
            "business",
            "--credits",
            &credits,
        ];
        node.read(&create).await?;
        let key = node
            .read(&["key", "create", "--email", email, "--name", "faults"])
            .await?;
        Ok(Account {
            email: email.to_owned(),
            key,
        })
    }

    pub(crate) fn addresses(&self) -> Arc<[SocketAddr]> {
        self.nodes.iter().map(|node| node.parts.address).collect()
    }

    /// Waits until every node is ready after the last fault.
    pub(crate) async fn recovered(&self) -> anyhow::Result<()> {
        for node in &self.nodes {
            node.ready(RECOVERY_TIMEOUT).await?;
        }
        Ok(())
    }
}

/// Returns an address of the loopback interface on which nothing listens. Its port is below those that the system gives
/// to connections, which could otherwise take it while a node does not run.
fn free_address(random: &mut Rng) -> anyhow::Result<SocketAddr> {
    const PORTS: std::ops::Range<u16> = 20_000..32_000;
    const MAX_TRIES: usize = 100;
    let mut addresses = (0..MAX_TRIES).map(|_| SocketAddr::from((Ipv4Addr::LOCALHOST, random.u16(PORTS))));
    let free = addresses.find(|address| TcpListener::bind(address).is_ok());
    free.with_context(|| format!("none of {MAX_TRIES} ports is free"))
}

async fn create_bucket(s3: SocketAddr) -> anyhow::Result<()> {
    let request = hyper::Request::put(format!("/{BUCKET}")).body(http_body_util::Full::default())?;
    let reply = api::send(s3, request, Duration::from_secs(30)).await?;
    ensure!(
        reply.status == StatusCode::OK,
        "the bucket was not created: {}",
        reply.summary()
    );
    Ok(())
}
