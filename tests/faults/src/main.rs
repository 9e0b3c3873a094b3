//! Runs several nodes under load and faults, and checks afterwards that nothing was lost or charged twice: `cargo xtask
//! faults`.
//!
//! The nodes are processes of `linepress serve` that share a PostgreSQL server and a bucket. A schedule that follows
//! from a seed kills, stops and freezes them and the database, sets the clocks of all, fills the disks of nodes,
//! disturbs connections, has the image provider fail, and exchanges its plugin, while customers order through the REST
//! interface and repeat each request under its idempotency key until there is a definite reply. When all faults are
//! undone and all operations have ended, each node makes a book for each account, and an audit examines what must hold
//! whatever happened.

mod api;
mod audit;
mod clock;
mod customer;
mod database;
mod disk;
mod figures;
mod injection;
mod link;
mod node;
mod parts;
mod plugins;
mod report;
mod schedule;
mod settings;
mod site;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Parser;
use fastrand::Rng;
use sqlx::PgPool;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

use crate::api::Api;
use crate::clock::Clock;
use crate::customer::Customer;
use crate::database::Database;
use crate::figures::Figures;
use crate::schedule::{Fault, Kind};
use crate::site::{Account, Foundation, Site};

/// The number of accounts.
const ACCOUNTS: usize = 3;

/// The number of customers. Two share an account, and compete for the lock of its row.
const CUSTOMERS: usize = 2 * ACCOUNTS;

/// Runs several nodes under load and faults. `cargo xtask faults` builds and starts everything that this needs.
#[derive(Parser)]
struct Arguments {
    /// The seed of the schedule.
    #[arg(long)]
    seed: u64,
    /// The seconds during which faults occur.
    #[arg(long)]
    seconds: u64,
    /// The number of nodes.
    #[arg(long)]
    nodes: usize,
    /// The path of the program `linepress`.
    #[arg(long)]
    program: PathBuf,
    /// A folder with built plugins. May be repeated.
    #[arg(long)]
    plugins: Vec<PathBuf>,
    /// The URL of an empty PostgreSQL database, with an IP address.
    #[arg(long)]
    database: String,
    /// The path of `pg_ctl`.
    #[arg(long)]
    pg_ctl: PathBuf,
    /// The folder of the database cluster.
    #[arg(long)]
    pg_data: PathBuf,
    /// The address of an S3 server, on which this creates a bucket.
    #[arg(long)]
    s3: SocketAddr,
    /// The absolute path of a folder for the data folders and logs of the nodes.
    #[arg(long)]
    data: PathBuf,
    /// Fill disks: the folder `node-NUMBER/incoming` of each node is a small file system.
    #[arg(long)]
    small_disks: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let stopped = asked_to_stop()?;
    tokio::select! {
        passed = run(Arguments::parse()) => Ok(if passed? { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
        // The end of the runtime drops the nodes, which kills them, and continues what is frozen.
        () = stopped => anyhow::bail!("interrupted"),
    }
}

/// Completes when the terminal or another program asks this one to stop. The signals have no other effect from now on.
fn asked_to_stop() -> anyhow::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

/// Returns true if every invariant holds.
async fn run(arguments: Arguments) -> anyhow::Result<bool> {
    let Arguments {
        seed,
        seconds,
        nodes,
        program,
        plugins,
        database,
        pg_ctl,
        pg_data,
        s3,
        data,
        small_disks,
    } = arguments;
    anyhow::ensure!(nodes > 0, "--nodes must be at least 1");
    let length = Duration::from_secs(seconds);
    let mut faults = schedule::draw_up(seed, length, nodes);
    if !small_disks {
        // Afterwards, so that the other faults are those of the seed.
        faults.retain(|fault| fault.kind != Kind::FillDisk);
    }
    report::print_schedule(seed, length, nodes, &faults);
    if !small_disks {
        println!("left out: full disks, because the nodes have no file systems of their own");
    }
    let foundation = Foundation {
        program,
        plugins,
        database: Database {
            url: database,
            pg_ctl,
            clock: Clock::create(pg_data.parent().context("--pg-data is the root folder")?)?,
            data: pg_data,
        },
        s3,
        data,
        small_disks,
    };
    // The schedule depends on its arguments alone. What it hits depends on timing, so nothing else has to be repeated.
    let mut random = Rng::new();
    let site = Arc::new(Site::start(foundation, nodes, &mut random).await?);
    let figures = Arc::new(Figures::default());
    let accounts = accounts(&site).await?;
    let customers = customers(&site, &accounts, &figures, &mut random);
    println!("all nodes are ready; the faults begin");
    let mut customers = under_faults(&site, &faults, customers, length).await?;
    site.recovered().await?;
    let pool = PgPool::connect(&site.database.url)
        .await
        .context("the database is not available")?;
    let recovery = audit::await_end(&pool).await?;
    let mut checks = vec![audit::of_the_run(&pool, &figures).await?];
    let late_customers = audit::order_everywhere(&site, &accounts, &figures, &mut random).await;
    audit::await_end(&pool).await?;
    checks.push(audit::of_each_node(&late_customers).await);
    customers.extend(late_customers);
    checks.extend(audit::examine(&site, &pool, &customers, &figures).await?);
    report::print_figures(&site, &pool, &faults, &customers, &figures, recovery).await?;
    Ok(report::print_checks(&checks))
}

async fn accounts(site: &Site) -> anyhow::Result<Vec<Account>> {
    let mut accounts = Vec::new();
    for number in 0..ACCOUNTS {
        accounts.push(site.account(&format!("account-{number}@example.com")).await?);
    }
    Ok(accounts)
}

fn customers(site: &Site, accounts: &[Account], figures: &Arc<Figures>, random: &mut Rng) -> Vec<Customer> {
    let mut customers = Vec::new();
    for number in 0..CUSTOMERS {
        let account = &accounts[number % ACCOUNTS];
        let api = Api::new(site.addresses(), account.key.clone(), Arc::clone(figures));
        let name = format!("customer-{number}");
        customers.push(Customer::new(name, account.email.clone(), api, random.fork()));
    }
    customers
}

/// Injects the faults while the customers send requests. Returns when all faults are undone and each request has its
/// reply.
async fn under_faults(
    site: &Arc<Site>,
    faults: &[Fault],
    customers: Vec<Customer>,
    length: Duration,
) -> anyhow::Result<Vec<Customer>> {
    let began = Instant::now();
    let mut shopping = JoinSet::new();
    for customer in customers {
        shopping.spawn(customer.shop(began + length));
    }
    injection::inject(site, faults, began.into()).await?;
    let mut customers = Vec::new();
    while let Some(customer) = shopping.join_next().await {
        customers.push(customer?);
    }
    Ok(customers)
}
