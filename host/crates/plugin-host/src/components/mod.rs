//! Machine code of components, from the cache or newly compiled.

/// Compiled components on disk.
mod cache;
/// A lock on the compilation of a component.
mod compilation_lock;
/// Compilation in a child process.
mod compile;
/// Removal of unused compiled components.
mod prune;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::time::sleep;
use wasmtime::component::Component;

pub(crate) use self::cache::Cache;
use self::cache::Written;
use self::compilation_lock::CompilationLock;
use self::compile::CompileError;
pub(crate) use self::compile::Compiler;
pub use self::compile::{CompileLimits, compile_child};
use self::prune::prune;
use crate::blocking::blocking;
use crate::manifest::Wasm;
use crate::world::World;

/// The pause before a process that waits for another one tries to lock a component again.
const LOCK_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The time for which a process waits for the compilation of another one. Most components are compiled within seconds,
/// and a process that does not end must not delay a start by the whole time that a compilation may take.
const LOCK_TIMEOUT: Duration = Duration::from_secs(120);

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

    /// Loads the component's machine code from the cache, or compiles it. If another process with the same cache is
    /// compiling it, waits for the code of that process.
    pub(crate) async fn get(&self, plugin: &str, world: World, wasm: Wasm) -> Result<Component, String> {
        let Wasm { bytes: wasm, digest } = wasm;
        let stem = self.cache.stem(&digest);
        self.lock_used().insert(plugin.to_owned(), stem.clone());
        let (found, before) = self.cached(plugin, &stem).await?;
        if let Some(component) = found {
            return Ok(component);
        }
        // Before the turn, so that other components are compiled while this one waits for another process.
        let _lock = self.lock_compilation(plugin, &stem).await;
        let turn = self.compiling.lock().await;
        if self.is_written_after(before, &stem).await?
            && let (Some(component), _) = self.cached(plugin, &stem).await?
        {
            return Ok(component);
        }
        let began = Instant::now();
        let code = self.compiler.compile(wasm.clone()).await;
        drop(turn);
        let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        if let Ok(code) = &code {
            let (wasm_bytes, code_bytes) = (wasm.len(), code.len());
            tracing::info!(plugin, %world, milliseconds, wasm_bytes, code_bytes, "plugin compiled");
        }
        let (cache, plugin) = (self.cache.clone(), plugin.to_owned());
        let limits = self.compiler.limits().clone();
        blocking(move || match code {
            Ok(code) => cache.add(&plugin, &stem, &code).map_err(|error| format!("{error:#}")),
            Err(CompileError::Machine(reason)) => Err(reason),
            Err(CompileError::Component(reason)) => {
                cache.add_failure(&plugin, &stem, &reason, &limits);
                Err(reason)
            }
        })
        .await
    }

    /// The component in the cache, with the times of its files before they were read. Fails if it could not be compiled
    /// before.
    async fn cached(&self, plugin: &str, stem: &Path) -> Result<(Option<Component>, Written), String> {
        let (cache, plugin, stem) = (self.cache.clone(), plugin.to_owned(), stem.to_owned());
        let limits = self.compiler.limits().clone();
        blocking(move || {
            let written = cache.written(&stem);
            if let Some(component) = cache.component(&plugin, &stem) {
                return Ok((Some(component), written));
            }
            match cache.failure(&stem, &limits) {
                Some(reason) => Err(reason),
                None => Ok((None, written)),
            }
        })
        .await
    }

    /// Returns true if any process has written the files of the component since these times.
    async fn is_written_after(&self, before: Written, stem: &Path) -> Result<bool, String> {
        let (cache, stem) = (self.cache.clone(), stem.to_owned());
        blocking(move || Ok(cache.written(&stem) != before)).await
    }

    /// Locks the compilation of a component, and waits while another process compiles it. `None` if it cannot be
    /// locked, or if the other process takes too long: then it is compiled here all the same.
    async fn lock_compilation(&self, plugin: &str, stem: &Path) -> Option<CompilationLock> {
        let began = Instant::now();
        let mut is_waiting = false;
        loop {
            let stem = stem.to_owned();
            let tried = blocking(move || CompilationLock::try_new(&stem).map_err(|error| error.to_string()));
            match tried.await {
                Ok(Some(lock)) => return Some(lock),
                Ok(None) if began.elapsed() >= LOCK_TIMEOUT => {
                    let seconds = LOCK_TIMEOUT.as_secs();
                    tracing::warn!(
                        plugin,
                        seconds,
                        "another process has not compiled this plugin in time: it is compiled here as well"
                    );
                    return None;
                }
                Ok(None) if is_waiting => {}
                Ok(None) => {
                    tracing::info!(plugin, "another process compiles this plugin: waiting for it");
                    is_waiting = true;
                }
                Err(error) => {
                    tracing::debug!(plugin, error, "the compilation of a plugin cannot be locked");
                    return None;
                }
            }
            sleep(LOCK_RETRY_DELAY).await;
        }
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
