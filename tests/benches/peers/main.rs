//! Measures the server against bare peers in one run: `cargo xtask bench`.
//!
//! Each number is a ratio between our side and a peer that does the same work with nothing around it. In most of them
//! the two sides take turns, so that other load on the machine affects both. No benchmark passes or fails: the report
//! shows the target next to each number.

/// `POST /pages` compared with the bare transaction.
mod accept;
/// A server to measure, with its plugins and an account.
mod app;
/// The peer of the whole server, as a process.
mod bare_server;
/// A client with a persistent connection.
mod client;
/// Instantiating and calling a component, compared with a native call of the same function.
mod component;
/// Two hundred clients of one server for five minutes.
mod crowd;
/// Latency and memory while a provider misbehaves.
mod hostile;
/// A large account compared with a small one.
mod large;
/// Throughput of concurrent workers.
mod load;
/// `tools/call` compared with a server on the TypeScript SDK.
mod mcp;
/// A book drawn by two nodes, compared with one.
mod nodes;
/// Turning a photograph into a page's picture, compared with libvips.
mod normalise;
/// The cost of the sandbox, compared with Extism.
mod plugins;
/// Preparing a drawing for storage, compared with OpenCV and libtiff.
mod prepare;
/// Making a PDF of a book, compared with other tools.
mod print;
/// A server in a separate process.
mod process;
/// A peer in Python.
mod python;
/// `GET /pages/{id}` compared with a bare handler that runs the same query.
mod read;
/// Rounds, ratios and their table.
mod report;
/// A book drawn by a slow provider.
mod routing;
/// A synthetic photograph.
mod scene;
/// Start-up time and idle memory of the program, compared with a bare server.
mod server;
/// A thousand books in all formats, and ten books at once.
mod soak;

use anyhow::{bail, ensure};

use report::Comparison;

const NAMES: [&str; 15] = [
    "component",
    "plugins",
    "hostile",
    "read",
    "accept",
    "mcp",
    "large",
    "nodes",
    "normalise",
    "print",
    "prepare",
    "routing",
    "server",
    "soak",
    "load",
];

fn main() -> anyhow::Result<()> {
    // The harness adds its own flags, such as --bench.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if let [word, folder] = &wanted[..]
        && word == bare_server::BARE_SERVER_ARGUMENT
    {
        return bare_server::run(folder.as_ref());
    }
    if let Some(unknown) = wanted.iter().find(|name| !NAMES.contains(&name.as_str())) {
        bail!("there is no benchmark {unknown}; there are {}", NAMES.join(", "));
    }
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|one| one == name);
    app::start_log();
    // The same runtime as that of `linepress serve`.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut results = Results::default();
    if runs("component") {
        results.add("component", runtime.block_on(component::measure()).map(Some));
    }
    if runs("plugins") {
        results.add("plugins", runtime.block_on(plugins::measure()));
    }
    if runs("hostile") {
        results.add("hostile", runtime.block_on(hostile::measure()));
    }
    if runs("read") {
        results.add("read", runtime.block_on(read::measure()).map(Some));
    }
    if runs("accept") {
        results.add("accept", runtime.block_on(accept::measure()).map(Some));
    }
    if runs("mcp") {
        results.add("mcp", runtime.block_on(mcp::measure()));
    }
    if runs("large") {
        results.add("large", runtime.block_on(large::measure()));
    }
    if runs("nodes") {
        results.add("nodes", runtime.block_on(nodes::measure()));
    }
    if runs("normalise") {
        results.add("normalise", runtime.block_on(normalise::measure()));
    }
    if runs("print") {
        results.add("print", runtime.block_on(print::measure()));
    }
    if runs("prepare") {
        results.add("prepare", runtime.block_on(prepare::measure()));
    }
    if runs("routing") {
        results.add("routing", runtime.block_on(routing::measure()));
    }
    if runs("server") {
        results.add("server", runtime.block_on(server::measure()));
    }
    // These take long, so they run only if they are named.
    if wanted.iter().any(|name| name == "soak") {
        results.add("soak", runtime.block_on(soak::measure()));
    }
    if wanted.iter().any(|name| name == "load") {
        results.add("load", runtime.block_on(crowd::measure()));
    }
    report::print(&results.comparisons);
    ensure!(results.failed.is_empty(), "failed: {}", results.failed.join(", "));
    Ok(())
}

/// The results so far. A benchmark that fails does not discard those of the others, which may have taken an hour.
#[derive(Default)]
struct Results {
    comparisons: Vec<Comparison>,
    /// The names of the benchmarks that failed.
    failed: Vec<&'static str>,
}

impl Results {
    fn add(&mut self, name: &'static str, measured: anyhow::Result<impl IntoIterator<Item = Comparison>>) {
        match measured {
            Ok(comparisons) => self.comparisons.extend(comparisons),
            Err(error) => {
                eprintln!("{name} failed: {error:#}");
                self.failed.push(name);
            }
        }
    }
}
