//! Machine code of components, from the cache or newly compiled.

/// Compiled components on disk.
mod cache;
/// Compilation in a child process.
mod compile;
/// Removal of unused compiled components.
mod prune;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use wasmtime::component::Component;

pub(crate) use self::cache::Cache;
use self::compile::CompileError;
pub(crate) use self::compile::Compiler;
pub use self::compile::{CompileLimits, compile_child};
use self::prune::prune;
use crate::blocking::blocking;
use crate::world::World;

pub(crate) struct Components {
    cache: Arc<Cache>,
    compiler: Compiler,
    /// Paths of the installed plugins' cache files without extension, by plugin id.
    used: BTreeMap<String, PathBuf>,
}

impl Components {
    pub(crate) fn new(cache: Cache, compiler: Compiler) -> Self {
        Self {
            cache: Arc::new(cache),
            compiler,
            used: BTreeMap::new(),
        }
    }

    /// Loads the component's machine code from the cache, or compiles it.
    pub(crate) async fn get(&mut self, plugin: &str, world: World, wasm: Bytes) -> Result<Component, String> {
        let (cache, name) = (self.cache.clone(), plugin.to_owned());
        let limits = self.compiler.limits().clone();
        let (wasm, stem, found, failure) = blocking(move || {
            let stem = cache.stem(&wasm);
            let (found, failure) = (cache.component(&name, &stem), cache.failure(&stem, &limits));
            Ok((wasm, stem, found, failure))
        })
        .await?;
        self.used.insert(plugin.to_owned(), stem.clone());
        match (found, failure) {
            (Some(component), _) => return Ok(component),
            (None, Some(reason)) => return Err(reason),
            (None, None) => {}
        }
        let began = Instant::now();
        let code = self.compiler.compile(wasm.clone()).await;
        let (cache, plugin) = (self.cache.clone(), plugin.to_owned());
        let limits = self.compiler.limits().clone();
        let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        blocking(move || match code {
            Ok(code) => {
                let (wasm_bytes, code_bytes) = (wasm.len(), code.len());
                tracing::info!(plugin, %world, milliseconds, wasm_bytes, code_bytes, "plugin compiled");
                cache.add(&plugin, &stem, &code).map_err(|error| format!("{error:#}"))
            }
            Err(CompileError::Machine(reason)) => Err(reason),
            Err(CompileError::Component(reason)) => {
                cache.add_failure(&plugin, &stem, &reason, &limits);
                Err(reason)
            }
        })
        .await
    }

    /// Marks the cache files of a removed plugin as unused.
    pub(crate) fn forget(&mut self, plugin: &str) {
        self.used.remove(plugin);
    }

    /// Removes cache files that have been unused for a long time.
    pub(crate) async fn prune(&self) {
        let (cache, used) = (self.cache.clone(), self.used.values().cloned().collect());
        let pruned = blocking(move || prune(&cache.directory, &used).map_err(|error| error.to_string()));
        if let Err(error) = pruned.await {
            tracing::warn!(error, "unused compiled plugins cannot be removed");
        }
    }
}
