//! The host's side of one call: the host's own interfaces, and a WASI without access to anything.
//!
//! Ordinary builds of every language import files, sockets and the environment even when they do not use them, so these
//! imports are linked. They offer no folders, no sockets and no environment variables.
use std::collections::BTreeSet;
use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::sync::watch;
use wasmtime::Engine;
use wasmtime::component::{HasSelf, Linker};
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, ResourceTable, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::stderr::Tail;
use crate::limits::MemoryBudget;
use crate::log_text::one_line;
use crate::network::Hooks;
use crate::options::Progress;
use crate::services::{CallServices, Permission};
use crate::v0::host::linepress::{host, types};
use crate::v0::services::{cache, store};
use crate::world::World;

/// Maximum number of log lines of one call that are written to the operator's log.
const MAX_LOG_LINES: u32 = 100;
const MAX_LOG_LINE_BYTES: usize = 2 << 10;

/// Upper bound of one request for random bytes, because the host allocates the requested size.
const MAX_RANDOM_BYTES: u64 = 1 << 20;

/// Maximum number of streams, clocks and errors that the host holds for a guest. Language runtimes use about a dozen.
const MAX_RESOURCES: usize = 1000;

/// Maximum size of one set of headers in the host's memory. A guest can have one set for each of its handles.
const MAX_HEADER_BYTES: usize = 32 << 10;

/// The host's side of one call.
pub(crate) struct State {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    hooks: Hooks,
    table: ResourceTable,
    pub(crate) memory: MemoryBudget,
    plugin: Arc<str>,
    settings: Arc<str>,
    lines: u32,
    progress: Option<watch::Sender<Option<Progress>>>,
    pub(super) services: CallServices,
}

impl State {
    pub(crate) fn new(
        settings: Arc<str>,
        world: World,
        memory: MemoryBudget,
        printed: Tail,
        hooks: Hooks,
        progress: Option<watch::Sender<Option<Progress>>>,
        services: CallServices,
    ) -> Self {
        let mut wasi = WasiCtx::builder();
        // The builder's defaults provide no arguments, environment variables, folders or standard input.
        wasi.stdout(printed.clone())
            .stderr(printed)
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .max_random_size(MAX_RANDOM_BYTES);
        if world.is_pure() {
            wasi.wall_clock(StoppedClock)
                .monotonic_clock(StoppedClock)
                .secure_random(StdRng::seed_from_u64(0))
                .insecure_random(StdRng::seed_from_u64(0))
                .insecure_random_seed(0);
        }
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_RESOURCES);
        let mut http = WasiHttpCtx::new();
        http.set_field_size_limit(MAX_HEADER_BYTES);
        Self {
            wasi: wasi.build(),
            http,
            plugin: hooks.plugin.clone(),
            hooks,
            table,
            memory,
            settings,
            lines: 0,
            progress,
            services,
        }
    }

    /// Counts a log line. Returns false when this call has exceeded its number of lines.
    fn may_log(&mut self) -> bool {
        self.lines = self.lines.saturating_add(1);
        if self.lines == MAX_LOG_LINES + 1 {
            tracing::warn!(
                plugin = &*self.plugin,
                "the plugin logs too much; further lines of this call are dropped"
            );
        }
        self.lines <= MAX_LOG_LINES
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView {
            hooks: &mut self.hooks,
            table: &mut self.table,
            ctx: &mut self.http,
        }
    }
}

impl host::log::Host for State {
    fn write(&mut self, level: host::log::Level, message: String) {
        if !self.may_log() {
            return;
        }
        let message = one_line(self.hooks.secrets.removed_from(message), MAX_LOG_LINE_BYTES);
        let plugin = &*self.plugin;
        match level {
            host::log::Level::Debug => tracing::debug!(plugin, "{message}"),
            host::log::Level::Info => tracing::info!(plugin, "{message}"),
            host::log::Level::Warn => tracing::warn!(plugin, "{message}"),
            host::log::Level::Error => tracing::error!(plugin, "{message}"),
        }
    }
}

impl host::config::Host for State {
    fn get(&mut self) -> String {
        self.settings.to_string()
    }
}

impl host::progress::Host for State {
    fn report(&mut self, done: u32, total: u32) {
        // Progress is not logged, so it does not count towards the log limit. Each report replaces the previous one.
        if let Some(progress) = &self.progress {
            progress.send_replace(Some(Progress { done, total }));
        }
    }
}

impl types::types::Host for State {}

/// Creates the linker with everything that a guest of this world may import. HTTP is included only if `network` is
/// true, and a service of the host only if it is among the permissions.
pub(crate) fn linker(
    engine: &Engine,
    world: World,
    network: bool,
    permissions: &BTreeSet<Permission>,
) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    if network {
        wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    }
    types::types::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut State| state)?;
    host::log::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut State| state)?;
    if !world.is_pure() {
        host::config::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut State| state)?;
        host::progress::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut State| state)?;
    }
    if permissions.contains(&Permission::Store) {
        store::linepress::host::store::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut State| state)?;
    }
    if permissions.contains(&Permission::Cache) {
        cache::linepress::host::cache::add_to_linker::<_, HasSelf<_>>(&mut linker, |state: &mut State| state)?;
    }
    Ok(linker)
}

/// A clock that always shows zero, for pure worlds.
struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> std::time::Duration {
        std::time::Duration::from_secs(1)
    }

    fn now(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

impl HostMonotonicClock for StoppedClock {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}
