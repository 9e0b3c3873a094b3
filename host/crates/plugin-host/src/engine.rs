//! The WebAssembly engine: how components are compiled, pooled and interrupted.
use std::time::Duration;
use wasmtime::{Config, Enabled, Engine, EngineWeak, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::limits::MEMORY_CAP_MIB;

/// Interval at which a computing guest yields to other guests. A deadline is noticed up to this much late.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Rust guests have three core instances (the code, and two shims that connect the imports); Python builds link dozens
/// of shared libraries.
const CORE_INSTANCES_PER_COMPONENT: u32 = 64;
const TABLES_PER_COMPONENT: u32 = 16;
const MEMORIES_PER_COMPONENT: u32 = 2;

/// Creates an engine whose pool holds up to `calls` component instances, and starts the thread that interrupts them.
pub(crate) fn start(calls: u32) -> wasmtime::Result<Engine> {
    let engine = Engine::new(&configuration(calls))?;
    let ticking = engine.weak();
    std::thread::Builder::new()
        .name("plugin-ticker".into())
        .spawn(move || tick(&ticking))?;
    Ok(engine)
}

/// Increments the engine's epoch at every tick. This runs on a thread and not as a task: while every worker thread of
/// the runtime is computing inside a guest, no timer of the runtime fires, and only this tick returns control to the
/// runtime. The reference to the engine is weak, so that the thread ends when the engine is dropped.
fn tick(engine: &EngineWeak) {
    loop {
        std::thread::sleep(TICK);
        match engine.upgrade() {
            Some(engine) => engine.increment_epoch(),
            None => return,
        }
    }
}

/// The part of the configuration that is sufficient for compiling, in a process without address space for a pool. It
/// contains every setting that affects machine code, so that an engine with a pool can run the compiled code.
pub(crate) fn compiler_settings() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        // The same seed must give the same drawing on every processor.
        .relaxed_simd_deterministic(true)
        // The worlds have no asynchronous functions, and support for them would slow down every call.
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
        // JavaScript engines have tens of thousands of function pointers. The table reserves only address space.
        .table_elements(50_000)
        .total_stacks(calls)
        .max_memory_size((MEMORY_CAP_MIB as usize) << 20)
        // Memory that an idle slot keeps resident: enough to spare small guests their page faults, and little enough
        // not to matter in the server's idle memory. The rest is returned to the system after each call.
        .max_unused_warm_slots(calls)
        .linear_memory_keep_resident(128 << 10)
        .table_keep_resident(16 << 10)
        // Asks Linux which pages a call has written, and resets only these. It needs Linux 6.7 or newer; older kernels
        // clear the pages as before.
        .pagemap_scan(Enabled::Auto);

    let mut config = compiler_settings();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        // Allows deep recursion (parsers, vector graphics), and fits into the 2 MiB stack of an async call.
        .max_wasm_stack(1 << 20);
    config
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};

    use super::*;

    #[test]
    fn an_engine_with_a_pool_runs_code_compiled_without_one() {
        let hash = |config: &Config| {
            let mut hasher = DefaultHasher::new();
            let engine = Engine::new(config).unwrap();
            engine.precompile_compatibility_hash().hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(hash(&compiler_settings()), hash(&configuration(1)));
    }
}
