//! The WebAssembly engine: how components are compiled, pooled and interrupted.
use std::time::Duration;
use wasmtime::{Config, Engine, EngineWeak, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::limits::MEMORY_CAP_MIB;

/// How often a computing guest lets others run, and how late a deadline can be noticed.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Rust guests have three core instances (code, and two shims that tie the imports in); Python
/// builds link dozens of shared libraries.
const CORE_INSTANCES_PER_COMPONENT: u32 = 64;
const TABLES_PER_COMPONENT: u32 = 16;
const MEMORIES_PER_COMPONENT: u32 = 2;

/// An engine whose pool holds `calls` components at once, and the ticker that interrupts them.
pub(crate) fn start(calls: u32) -> wasmtime::Result<Engine> {
    let engine = Engine::new(&configuration(calls))?;
    let ticking = engine.weak();
    std::thread::Builder::new()
        .name("plugin-ticker".into())
        .spawn(move || tick(&ticking))?;
    Ok(engine)
}

/// A thread rather than a task: when every worker of the runtime computes inside a guest, no timer
/// of the runtime fires, and this is what brings the guest back to the runtime. It holds the
/// engine weakly, so that it ends with it.
fn tick(engine: &EngineWeak) {
    loop {
        std::thread::sleep(TICK);
        match engine.upgrade() {
            Some(engine) => engine.increment_epoch(),
            None => return,
        }
    }
}

/// A configuration that is enough to compile with, in a process that has no address space for a pool. All that changes
/// machine code stands in here: what was compiled with it runs in the pool.
pub(crate) fn compiler_settings() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        // The same seed must give the same drawing on every processor.
        .relaxed_simd_deterministic(true)
        // The worlds have no asynchronous functions: the bookkeeping for them would cost every call.
        .concurrency_support(false);
    config
}

fn configuration(calls: u32) -> Config {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(calls)
        .total_core_instances(calls.saturating_mul(CORE_INSTANCES_PER_COMPONENT))
        .max_core_instances_per_component(CORE_INSTANCES_PER_COMPONENT)
        .total_memories(calls.saturating_mul(MEMORIES_PER_COMPONENT))
        .max_memories_per_component(MEMORIES_PER_COMPONENT)
        .total_tables(calls.saturating_mul(TABLES_PER_COMPONENT))
        .max_tables_per_component(TABLES_PER_COMPONENT)
        .max_tables_per_module(4)
        // JavaScript engines have tens of thousands of function pointers. This is address space.
        .table_elements(50_000)
        .total_stacks(calls)
        .max_memory_size((MEMORY_CAP_MIB as usize) << 20)
        // What an idle slot may keep: enough to save small guests their page faults, too little
        // to show in the server's idle memory. The rest goes back to the system after each call.
        .max_unused_warm_slots(calls)
        .linear_memory_keep_resident(128 << 10)
        .table_keep_resident(16 << 10);

    let mut config = compiler_settings();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        // Deep recursion (parsers, vector graphics) within the 2 MiB stack of an async call.
        .max_wasm_stack(1 << 20);
    config
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};

    use super::*;

    #[test]
    fn the_pool_runs_what_was_compiled_without_it() {
        let hash = |config: &Config| {
            let mut hasher = DefaultHasher::new();
            let engine = Engine::new(config).unwrap();
            engine.precompile_compatibility_hash().hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(hash(&compiler_settings()), hash(&configuration(1)));
    }
}
