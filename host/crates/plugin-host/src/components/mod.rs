//! Machine code of components, from the cache or newly compiled.

/// Compiled components on disk.
mod cache;
/// Compilation in a child process.
mod compile;
/// Removal of unused compiled components.
mod prune;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use wasmtime::component::Component;

pub(crate) use self::cache::Cache;
use self::compile::CompileError;
pub(crate) use self::compile::Compiler;
pub use self::compile::{CompileLimits, compile_child};
use self::prune::prune;
use crate::blocking::blocking;
use crate::manifest::Wasm;
use crate::world::World;

pub(crate) struct Components {
    cache: Arc<Cache>,
    compiler: Compiler,
    /// Locked while a component is compiled, because compiling one already uses several cores.
    compiling: tokio::sync::Mutex<()>,
    /// Paths of the installed plugins' cache files without extension, by plugin id.
    used: Mutex<BTreeMap<String, PathBuf>>,
}

impl Components {
    pub(crate) fn new(cache: Cache, compiler: Compiler) -> Self {
        Self {
            cache: Arc::new(cache),
            compiler,
            compiling: tokio::sync::Mutex::default(),
            used: Mutex::default(),
        }
    }

    /// Loads the component's machine code from the cache, or compiles it.
    pub(crate) async fn get(&self, plugin: &str, world: World, wasm: Wasm) -> Result<Component, String> {
        let Wasm { bytes: wasm, digest } = wasm;
        let stem = self.cache.stem(&digest);
        let (found, failure) = blocking({
            let (cache, name, stem) = (self.cache.clone(), plugin.to_owned(), stem.clone());
            let limits = self.compiler.limits().clone();
            move || Ok((cache.component(&name, &stem), cache.failure(&stem, &limits)))
        })
        .await?;
        self.lock_used().insert(plugin.to_owned(), stem.clone());
        match (found, failure) {
            (Some(component), _) => return Ok(component),
            (None, Some(reason)) => return Err(reason),
            (None, None) => {}
        }
        let turn = self.compiling.lock().await;
        let began = Instant::now();
        let code = self.compiler.compile(wasm.clone()).await;
        drop(turn);
        let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (cache, plugin) = (self.cache.clone(), plugin.to_owned());
        let limits = self.compiler.limits().clone();
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
    pub(crate) fn forget(&self, plugin: &str) {
        self.lock_used().remove(plugin);
    }

    /// Removes cache files that have been unused for a long time.
    pub(crate) async fn prune(&self) {
        let (cache, used) = (self.cache.clone(), self.lock_used().values().cloned().collect());
        let pruned = blocking(move || prune(&cache.directory, &used).map_err(|error| error.to_string()));
        if let Err(error) = pruned.await {
            tracing::warn!(error, "unused compiled plugins cannot be removed");
        }
    }

    fn lock_used(&self) -> MutexGuard<'_, BTreeMap<String, PathBuf>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
