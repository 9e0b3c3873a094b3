//! One call into a plugin: a fresh store, its limits, its deadline, and what to make of a failure.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use wasmtime::{CallHook, Engine, Store, Trap, UpdateDeadline, WasmBacktrace};
use wasmtime_wasi::I32Exit;

use crate::error::CallError;
use crate::guests::Guests;
use crate::host_state::State;
use crate::limits::{Limits, MemoryBudget};
use crate::log_text::one_line;
use crate::network::{Budget, Hooks, Policy, Secrets, Transport};
use crate::options::CallOptions;
use crate::stderr::Tail;
use crate::world::World;

/// How long a plugin may take to describe itself while it is loaded.
const DESCRIBE_DEADLINE: Duration = Duration::from_secs(10);

/// Handles to resources that a guest may hold, its own included. Language runtimes have a dozen.
const MAX_HANDLES: usize = 256;

/// How much of what a plugin printed goes into a refusal.
const PRINTED_BYTES: usize = 400;

/// How much the host copies of what a guest hands to one of its functions: a piece of a stream, a set of headers, a line. What
/// it keeps of these is bounded by the handles alone, so that each must be small.
const COPIED_BY_IMPORTS: usize = 128 << 10;

/// How wasmtime's error begins when a guest hands over more than the host copies. Its type is private.
const TOO_MUCH_COPIED: &str = "too much data is being copied between the host and the guest";

/// Everything about a plugin that a call needs, but its code.
pub(crate) struct Sandbox {
    pub(crate) plugin: Arc<str>,
    pub(crate) engine: Engine,
    /// Where its calls run.
    pub(crate) guests: Arc<Guests>,
    pub(crate) world: World,
    pub(crate) limits: Limits,
    /// A JSON object.
    pub(crate) settings: Arc<str>,
    /// What it may reach, and how its requests travel.
    pub(crate) policy: Arc<Policy>,
    pub(crate) transport: Arc<dyn Transport>,
    /// Names that it may have looked up at a time.
    pub(crate) look_ups: Arc<Semaphore>,
    /// As many as the pool has room for, shared by all plugins of the world: who comes later waits here, before
    /// its deadline begins.
    pub(crate) calls: Arc<Semaphore>,
    /// The place in the pool for plugins that describe themselves while they are loaded.
    pub(crate) descriptions: Arc<Semaphore>,
    /// The places in the pool for short questions that must not wait for the work of others.
    pub(crate) questions: Arc<Semaphore>,
    /// The most memory that a call has used.
    pub(crate) peak_memory: Arc<AtomicUsize>,
}

/// What a call leaves behind when its store is gone.
#[derive(Clone, Default)]
struct Traces {
    printed: Tail,
    memory_denied: Arc<AtomicBool>,
}

/// What a plugin may use, and has used.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub limits: Limits,
    /// The most that a call has used.
    pub peak_memory_bytes: usize,
}

/// The places in the pool that a call takes, and its access to the network.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CallKind {
    /// Work, with the network that is granted.
    Work,
    /// A short question, without the network and in a place of its own: its answer depends on nothing else, and does not wait
    /// for the calls that work.
    Question,
}

impl Sandbox {
    pub(crate) fn usage(&self) -> Usage {
        Usage {
            limits: self.limits,
            peak_memory_bytes: self.peak_memory.load(Ordering::Relaxed),
        }
    }

    /// Calls the plugin, and copies at most `copied` bytes of a value that it hands over. A failure is logged here, once, with
    /// the plugin's standard error.
    pub(crate) async fn call<Returned, Work>(
        &self,
        name: &'static str,
        kind: CallKind,
        options: &CallOptions,
        copied: usize,
        work: impl FnOnce(Store<State>) -> Work,
    ) -> Result<Returned, CallError>
    where
        Returned: Send + 'static,
        Work: Future<Output = wasmtime::Result<Result<Returned, CallError>>> + Send + 'static,
    {
        let (places, policy) = match kind {
            CallKind::Work => (&self.calls, &self.policy),
            CallKind::Question => (&self.questions, &Arc::default()),
        };
        let (returned, printed) = self.attempt(places, options, copied, policy, work).await;
        self.log(name, &returned, printed.as_deref());
        returned
    }

    fn log<Returned>(&self, name: &'static str, returned: &Result<Returned, CallError>, printed: Option<&str>) {
        let plugin = &*self.plugin;
        match (returned, printed) {
            (Ok(_), None) => {}
            (Ok(_), Some(stderr)) => {
                tracing::debug!(plugin, call = name, stderr, "the plugin printed");
            }
            // A refusal is the plugin at work, not the plugin at fault.
            (Err(error), stderr) if error.is_final() => {
                tracing::info!(plugin, call = name, %error, stderr, "the plugin declined");
            }
            (Err(error), stderr) => {
                tracing::warn!(plugin, call = name, %error, stderr, "the plugin failed");
            }
        }
    }

    /// Asks for the plugin's description, while it is being loaded: without the network, so that what a plugin says of itself
    /// depends on nothing else. Logs nothing: the reason of a failure becomes the reason of the refusal.
    pub(crate) async fn describe<Returned, Work>(
        &self,
        work: impl FnOnce(Store<State>) -> Work,
    ) -> Result<Returned, String>
    where
        Returned: Send + 'static,
        Work: Future<Output = wasmtime::Result<Returned>> + Send + 'static,
    {
        let options = CallOptions {
            deadline: Some(self.limits.deadline().min(DESCRIBE_DEADLINE)),
            ..CallOptions::default()
        };
        let (returned, printed) = self
            .attempt(
                &self.descriptions,
                &options,
                Limits::copied_of_description(),
                &Arc::default(),
                |store| {
                    let work = work(store);
                    async { work.await.map(Ok) }
                },
            )
            .await;
        returned.map_err(|error| match printed {
            Some(printed) => {
                // An exception's last lines say what it is.
                let start = printed.ceil_char_boundary(printed.len().saturating_sub(PRINTED_BYTES));
                let printed = one_line(printed[start..].to_owned(), PRINTED_BYTES);
                format!("it cannot describe itself: {error}; it printed: {printed}")
            }
            None => format!("it cannot describe itself: {error}"),
        })
    }

    async fn attempt<Returned, Work>(
        &self,
        places: &Arc<Semaphore>,
        options: &CallOptions,
        copied: usize,
        policy: &Arc<Policy>,
        work: impl FnOnce(Store<State>) -> Work,
    ) -> (Result<Returned, CallError>, Option<String>)
    where
        Returned: Send + 'static,
        Work: Future<Output = wasmtime::Result<Result<Returned, CallError>>> + Send + 'static,
    {
        let place = places.clone().acquire_owned().await;
        let place = place.expect("the semaphore is never closed");
        let traces = Traces::default();
        let deadline = options.deadline.unwrap_or_else(|| self.limits.deadline());
        let end = Instant::now() + deadline;
        let secrets = policy.secrets();
        let work = work(self.store(&traces, end, copied, policy.clone(), secrets.clone(), options));
        let work = self.guests.run(async move {
            // Held until the store is gone: who is not waited for any more ends a little later.
            let _place = place;
            work.await
        });
        let returned = match timeout_at(end, work).await {
            Ok(Ok(returned)) => returned,
            Ok(Err(error)) => Err(self.classify_error(&error, &traces, deadline, copied)),
            Err(_) => Err(CallError::Deadline(deadline)),
        };
        let printed = traces.printed.text().map(|text| secrets.removed_from_end_of(text));
        (returned.map_err(|error| error.for_the_log(&secrets)), printed)
    }

    fn store(
        &self,
        traces: &Traces,
        end: Instant,
        copied: usize,
        policy: Arc<Policy>,
        secrets: Secrets,
        options: &CallOptions,
    ) -> Store<State> {
        let memory = MemoryBudget::new(
            self.limits.memory_bytes(),
            traces.memory_denied.clone(),
            self.peak_memory.clone(),
        );
        let hooks = Hooks {
            plugin: self.plugin.clone(),
            policy,
            secrets,
            transport: self.transport.clone(),
            budget: Budget::new(self.limits.requests(), self.limits.response_bytes()),
            look_ups: self.look_ups.clone(),
            end,
        };
        let (settings, printed) = (self.settings.clone(), traces.printed.clone());
        let progress = options.progress.clone();
        let state = State::new(settings, self.world, memory, printed, hooks, progress);
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.memory);
        // A guest computes on a worker of the guests' runtime, so it hands the worker back at every tick:
        // other guests run, and one whose caller has gone ends. `yield_now` and not wasmtime's own
        // yield, because it also lets the runtime look at its timers and sockets while nothing but
        // guests is ready to run. `epoch_deadline_trap` could stop a
        // guest but never share with it, and `epoch_deadline_async_yield_and_update` never stops.
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            Ok(if Instant::now() >= end {
                UpdateDeadline::Interrupt
            } else {
                UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now()))
            })
        });
        // What a guest returns may be large, what it hands to a function of the host may not.
        store.set_hostcall_fuel(copied);
        store.call_hook(move |mut store, hook| {
            match hook {
                CallHook::CallingHost => store.set_hostcall_fuel(COPIED_BY_IMPORTS),
                CallHook::ReturningFromHost => store.set_hostcall_fuel(copied),
                CallHook::CallingWasm | CallHook::ReturningFromWasm => {}
            }
            Ok(())
        });
        store.set_max_component_handles(MAX_HANDLES);
        store
    }

    fn classify_error(&self, error: &wasmtime::Error, traces: &Traces, deadline: Duration, copied: usize) -> CallError {
        if error.downcast_ref::<Trap>() == Some(&Trap::Interrupt) {
            return CallError::Deadline(deadline);
        }
        // Few guests look at what an allocation says: most abort, some print, and either way the
        // trap itself speaks of something else.
        if traces.memory_denied.load(Ordering::Relaxed) {
            return CallError::OutOfMemory {
                limit_mib: self.limits.memory_mib(),
            };
        }
        match error.downcast_ref::<I32Exit>() {
            Some(I32Exit(code)) => CallError::Trapped(format!("the plugin ended itself with exit code {code}")),
            // Not the whole chain: most of it is a backtrace of functions whose names are stripped.
            None => match error.root_cause().to_string() {
                cause if cause.starts_with(TOO_MUCH_COPIED) => match error.downcast_ref::<WasmBacktrace>() {
                    Some(_) => CallError::Trapped(format!(
                        "it handed more than {COPIED_BY_IMPORTS} bytes to a function of the host"
                    )),
                    // The component had returned.
                    None => CallError::ResponseTooLarge { limit: copied as u64 },
                },
                cause => CallError::Trapped(cause),
            },
        }
    }
}
