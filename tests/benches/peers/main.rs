//! Measures the server beside bare peers, in one run: `cargo xtask bench`.
//!
//! Each number is a ratio between our side and a peer that does the same work with nothing around
//! it. The two take turns, so that whatever else the machine does meanwhile falls on both. Nothing
//! here passes or fails: the report names the target beside each number.

/// `POST /pages` beside the bare transaction.
mod accept;
/// A server to measure, with its plugins and an account.
mod app;
/// The peer of the whole server, as a process.
mod bare_server;
/// A client that keeps its connection.
mod client;
/// Instantiate and call a component, beside the same function called natively.
mod component;
/// Requests and memory while a provider misbehaves.
mod hostile;
/// A large account beside a small one.
mod large;
/// How many times a second something can be done.
mod load;
/// `tools/call` beside the same on the TypeScript SDK.
mod mcp;
/// A photograph made into a page's picture, beside libvips.
mod normalise;
/// What the sandbox costs, beside Extism.
mod plugins;
/// A drawing made ready to be stored, beside OpenCV and libtiff.
mod prepare;
/// A book made into a PDF, beside other tools.
mod print;
/// A server in a process of its own.
mod process;
/// A peer in Python.
mod python;
/// `GET /pages/{id}` beside a bare handler with the same query.
mod read;
/// Rounds, ratios and their table.
mod report;
/// A book that a provider draws which takes its time.
mod routing;
/// A photograph that is made up.
mod scene;
/// Start and idle memory of the program, beside a bare server.
mod server;
/// Books in all formats, a thousand of them, and ten at once.
mod soak;

use anyhow::bail;

const NAMES: [&str; 13] = [
    "component",
    "plugins",
    "hostile",
    "read",
    "accept",
    "mcp",
    "large",
    "normalise",
    "print",
    "prepare",
    "routing",
    "server",
    "soak",
];

fn main() -> anyhow::Result<()> {
    // The harness adds flags of its own, such as --bench.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if let [word, folder] = &wanted[..]
        && word == bare_server::WORD
    {
        return bare_server::run(folder.as_ref());
    }
    if let Some(unknown) = wanted.iter().find(|name| !NAMES.contains(&name.as_str())) {
        bail!("there is no benchmark {unknown}; there are {}", NAMES.join(", "));
    }
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|one| one == name);
    app::start_log();
    // As `linepress serve` builds its own.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut comparisons = Vec::new();
    if runs("component") {
        comparisons.push(runtime.block_on(component::measure())?);
    }
    if runs("plugins") {
        comparisons.extend(runtime.block_on(plugins::measure())?);
    }
    if runs("hostile") {
        comparisons.extend(runtime.block_on(hostile::measure())?);
    }
    if runs("read") {
        comparisons.push(runtime.block_on(read::measure())?);
    }
    if runs("accept") {
        comparisons.push(runtime.block_on(accept::measure())?);
    }
    if runs("mcp") {
        comparisons.extend(runtime.block_on(mcp::measure())?);
    }
    if runs("large") {
        comparisons.extend(runtime.block_on(large::measure())?);
    }
    if runs("normalise") {
        comparisons.extend(runtime.block_on(normalise::measure())?);
    }
    if runs("print") {
        comparisons.extend(runtime.block_on(print::measure())?);
    }
    if runs("prepare") {
        comparisons.extend(runtime.block_on(prepare::measure())?);
    }
    if runs("routing") {
        comparisons.extend(runtime.block_on(routing::measure())?);
    }
    if runs("server") {
        comparisons.extend(runtime.block_on(server::measure())?);
    }
    // It takes as long as all others together, so that it runs when it is named.
    if wanted.iter().any(|name| name == "soak") {
        comparisons.extend(runtime.block_on(soak::measure())?);
    }
    report::print(&comparisons);
    Ok(())
}
