//! An Extism host that repeats the work of Linepress's plugin host for comparison. It reads one command per line from
//! standard input:
//!
//! - `calls N`: instantiate the compiled plugin and call it, N times;
//! - `cold`: load the plugin without a cache;
//! - `warm`: load the plugin from the cache.
//!
//! It answers each command with its duration in microseconds, per call for `calls`.
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use extism::{CompiledPlugin, Manifest, Plugin, PluginBuilder, Wasm};

/// The request that the Linepress side of the comparison sends.
const REQUEST: &str = r#"{"theme":"woods","page_count":1,"title":null}"#;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [wasm, folder] = &arguments[..] else {
        bail!("usage: extism-peer PLUGIN.wasm FOLDER");
    };
    let cache = cache_settings(folder, "cache")?;
    let compiled = load(wasm, &cache)?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let microseconds = match line.split_once(' ').unwrap_or((&line, "")) {
            ("calls", times) => calls(&compiled, times.parse().context("how many calls?")?)?,
            ("cold", _) => {
                let empty = folder.join("empty");
                // The folder does not exist the first time.
                let _ = std::fs::remove_dir_all(&empty);
                let settings = cache_settings(folder, "empty")?;
                once(|| load(wasm, &settings))?
            }
            ("warm", _) => once(|| load(wasm, &cache))?,
            (other, _) => bail!("{other} is unknown"),
        };
        println!("{microseconds}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

/// Writes the settings of a cache in the folder `name`.
fn cache_settings(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let directory = folder.join(name);
    std::fs::create_dir_all(&directory)?;
    let settings = folder.join(format!("{name}.toml"));
    std::fs::write(&settings, format!("[cache]\ndirectory = {:?}\n", directory.canonicalize()?))?;
    Ok(settings)
}

/// Reads the plugin, compiles it or takes it from the cache, and makes it ready to be instantiated and called once.
fn load(wasm: &Path, cache: &Path) -> anyhow::Result<CompiledPlugin> {
    // Reading the file is part of loading the plugin.
    let manifest = Manifest::new([Wasm::data(std::fs::read(wasm)?)]);
    let compiled = PluginBuilder::new(manifest)
        .with_wasi(false)
        .with_cache_config(cache)
        .compile()?;
    call(&compiled)?;
    Ok(compiled)
}

fn call(compiled: &CompiledPlugin) -> anyhow::Result<()> {
    let mut plugin = Plugin::new_from_compiled(compiled)?;
    let plan: String = plugin.call("plan", REQUEST)?;
    ensure!(plan.contains("woods 1"), "the plan is {plan}");
    Ok(())
}

fn calls(compiled: &CompiledPlugin, times: u32) -> anyhow::Result<f64> {
    let began = Instant::now();
    for _ in 0..times {
        call(compiled)?;
    }
    Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(times))
}

fn once<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<f64> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed().as_secs_f64() * 1e6)
}
