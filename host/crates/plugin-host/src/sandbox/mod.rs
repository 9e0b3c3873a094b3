//! One call into a plugin: a new store, its limits and deadline, and the classification of failures.

/// The usual durations of a plugin's functions.
mod durations;
/// The runtime whose threads execute guests.
mod guests;
/// The host's side of the optional services.
mod host_services;
/// The host's side of one call: WASI and the host interfaces.
mod host_state;
/// The measurement of a call.
mod measurement;
/// Captured output of a guest.
mod stderr;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use linepress_metrics::PluginMetrics;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use tracing::field::Empty;
use tracing::{Instrument as _, Span};
use wasmtime::{CallHook, Engine, Store, Trap, UpdateDeadline, WasmBacktrace};
use wasmtime_wasi::I32Exit;

pub(crate) use self::durations::Durations;
pub(crate) use self::guests::Guests;
pub(crate) use self::host_state::{State, linker};
pub(crate) use self::measurement::Called;
use self::measurement::Measurement;
use self::stderr::Tail;
use crate::calls::{CallEnd, CallSink, PluginVersion};
use crate::error::CallError;
use crate::limits::{Limits, MemoryBudget};
use crate::log_text::one_line;
use crate::network::{Budget, Hooks, HttpLog, Policy, Secrets, Transport};
use crate::options::CallOptions;
use crate::services::Services;
use crate::world::World;

/// Deadline for a plugin's description while it is loaded.
const DESCRIBE_DEADLINE: Duration = Duration::from_secs(10);

/// Maximum number of resource handles that a guest may hold, including handles to its own resources. Language runtimes
/// use about a dozen.
const MAX_HANDLES: usize = 256;

/// Maximum memory limit of a plugin whose brief calls start on the caller's thread. One instruction may fill or copy
/// all of the guest's memory, and the thread is occupied until it ends: for this size, for about two ticks of the
/// engine. Compiled planners and layouts usually have no higher limit. Plugins that draw pictures or bring an
/// interpreter have, and start on the guests' threads.
const MAX_CALLERS_THREAD_MEMORY_MIB: u32 = 64;

/// Maximum size of a plugin's output in a refusal.
const MAX_PRINTED_BYTES: usize = 400;

/// Maximum number of bytes that a guest may pass to a host function: part of a stream, a set of headers, a log line.
/// The host may store one such value for each of the guest's handles, so each must be small.
const MAX_IMPORT_BYTES: usize = 128 << 10;

/// Prefix of wasmtime's error for a guest that passes more bytes than the host copies. The type of the error is
/// private.
const COPY_LIMIT_MESSAGE: &str = "too much data is being copied between the host and the guest";

/// Everything about a plugin that a call needs, except its code.
pub(crate) struct Sandbox {
    pub(crate) plugin: Arc<str>,
    pub(crate) engine: Engine,
    /// The runtime that executes the calls.
    pub(crate) guests: Arc<Guests>,
    pub(crate) world: World,
    pub(crate) limits: Limits,
    /// The plugin's settings, as the text of a JSON object.
    pub(crate) settings: Arc<str>,
    /// The network access and the permissions of the plugin.
    pub(crate) policy: Arc<Policy>,
    pub(crate) transport: Arc<dyn Transport>,
    /// The services of the host, of which a call has those in its policy.
    pub(crate) services: Services,
    /// Limits the plugin's concurrent DNS lookups.
    pub(crate) look_ups: Arc<Semaphore>,
    /// Limits concurrent calls to the pool's capacity for this kind of plugin, shared by all plugins of the kind. A
    /// call that waits here has not started its deadline.
    pub(crate) calls: Arc<Semaphore>,
    /// Limits concurrent descriptions, which have their own capacity in the pool.
    pub(crate) descriptions: Arc<Semaphore>,
    /// Limits concurrent questions, which have their own capacity in the pool.
    pub(crate) questions: Arc<Semaphore>,
    /// Limits the concurrent calls that describe pictures in words, which have their own capacity in the pool.
    pub(crate) picture_texts: Arc<Semaphore>,
    /// The most memory that a single call has used, in bytes.
    pub(crate) peak_memory: Arc<AtomicUsize>,
    /// The usual durations of the plugin's functions, which decide on which thread a call starts.
    pub(crate) durations: Arc<Durations>,
    pub(crate) metrics: PluginMetrics,
    pub(crate) version: Arc<PluginVersion>,
    /// Receives the calls that do work.
    pub(crate) sink: Option<Arc<dyn CallSink>>,
}

/// Information about a call that is available after its store was dropped.
#[derive(Clone, Default)]
struct Traces {
    printed: Tail,
    memory_denied: Arc<AtomicBool>,
    /// The most bytes that were in use at a time.
    peak_memory: Arc<AtomicUsize>,
    exchanges: HttpLog,
}

/// The limits of a plugin's calls, and the most memory that one used.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub limits: Limits,
    /// The most memory that a single call has used.
    pub peak_memory_bytes: usize,
}

/// The kind of a call, which determines its capacity in the pool, its network access and its services.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CallKind {
    /// A call that does work, with the granted network access and services.
    Work,
    /// A short question without network access and services. It has separate capacity in the pool, so that it does not
    /// wait for calls that do work.
    Question,
    /// The description of a picture in words, with the granted network access and services. It has separate capacity in
    /// the pool and waits for none: it is not made if as many others are running, so that no drawing waits for one.
    PictureText,
}

impl CallKind {
    /// Takes a permit for a call; `None` if none is free and a call of this kind does not wait for one.
    async fn permit(self, permits: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
        let permits = permits.clone();
        match self {
            Self::Work | Self::Question => Some(permits.acquire_owned().await.expect("the semaphore is never closed")),
            Self::PictureText => permits.try_acquire_owned().ok(),
        }
    }
}

impl Sandbox {
    pub(crate) fn usage(&self) -> Usage {
        Usage {
            limits: self.limits,
            peak_memory_bytes: self.peak_memory.load(Ordering::Relaxed),
        }
    }

    /// The description of a request, for the log of calls; `None` without a log.
    pub(crate) fn described(&self, request: impl FnOnce() -> Value) -> Option<Value> {
        self.sink.as_ref().map(|_| request())
    }

    /// Calls the plugin. `max_copied_bytes` limits the size of the result. A failure is logged once, here, together
    /// with the plugin's output.
    pub(crate) async fn call<Returned, Work>(
        &self,
        called: Called<Returned>,
        options: &CallOptions,
        max_copied_bytes: usize,
        work: impl FnOnce(Store<State>) -> Work,
    ) -> Result<Returned, CallError>
    where
        Returned: Send + 'static,
        Work: Future<Output = wasmtime::Result<Result<Returned, CallError>>> + Send + 'static,
    {
        let name = called.function;
        let (permits, policy) = match called.kind {
            CallKind::Work => (&self.calls, &self.policy),
            CallKind::Question => (&self.questions, &Arc::default()),
            CallKind::PictureText => (&self.picture_texts, &self.policy),
        };
        let (returned, printed) = self
            .attempt(Some(called), permits, options, max_copied_bytes, policy, work)
            .await;
        self.log(name, &returned, printed.as_deref());
        returned
    }

    fn log<Returned>(&self, name: &'static str, returned: &Result<Returned, CallError>, printed: Option<&str>) {
        let plugin = &*self.plugin;
        match (returned, printed) {
            // The caller decides what it means that no call was made.
            (Ok(_), None) | (Err(CallError::Busy), _) => {}
            (Ok(_), Some(stderr)) => {
                tracing::debug!(
                    plugin,
                    call = name,
                    stderr,
                    "the plugin printed output during a successful call"
                );
            }
            // A refused request is part of normal operation, so it is not logged as a warning.
            (Err(error), stderr) if error.is_final() => {
                tracing::info!(plugin, call = name, %error, stderr, "the plugin refused the request");
            }
            (Err(error), stderr) => {
                tracing::warn!(plugin, call = name, %error, stderr, "a plugin call failed");
            }
        }
    }

    /// Asks the plugin for its description while it is being loaded. The call has no network access and no services, so
    /// that the description cannot depend on them. A failure is not logged, because its reason becomes the reason of
    /// the refusal.
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
                None,
                &self.descriptions,
                &options,
                Limits::max_copied_description_bytes(),
                &Arc::default(),
                |store| {
                    let work = work(store);
                    async { work.await.map(Ok) }
                },
            )
            .await;
        returned.map_err(|error| match printed {
            Some(printed) => {
                // The last lines of an exception's output contain its message.
                let start = printed.ceil_char_boundary(printed.len().saturating_sub(MAX_PRINTED_BYTES));
                let printed = one_line(printed[start..].to_owned(), MAX_PRINTED_BYTES);
                format!("it cannot describe itself: {error}; it printed: {printed}")
            }
            None => format!("it cannot describe itself: {error}"),
        })
    }

    async fn attempt<Returned, Work>(
        &self,
        called: Option<Called<Returned>>,
        permits: &Arc<Semaphore>,
        options: &CallOptions,
        max_copied_bytes: usize,
        policy: &Arc<Policy>,
        work: impl FnOnce(Store<State>) -> Work,
    ) -> (Result<Returned, CallError>, Option<String>)
    where
        Returned: Send + 'static,
        Work: Future<Output = wasmtime::Result<Result<Returned, CallError>>> + Send + 'static,
    {
        let function = called.as_ref().map(|called| called.function);
        let step = self.step(function);
        let kind = called.as_ref().map_or(CallKind::Work, |called| called.kind);
        let Some(permit) = kind.permit(permits).instrument(step.clone()).await else {
            return (Err(CallError::Busy), None);
        };
        let traces = Traces::default();
        let deadline = options.deadline.unwrap_or_else(|| self.limits.deadline());
        let began = Instant::now();
        let end = began + deadline;
        let secrets = policy.secrets();
        let (request, result) = called.map(|called| (called.request, called.result)).unzip();
        let measurement = Measurement {
            sandbox: self,
            function,
            request: request.flatten(),
            end: CallEnd::Abandoned,
            began,
            took: None,
            deadline,
            peak_memory: traces.peak_memory.clone(),
            exchanges: traces.exchanges.clone(),
            secrets: secrets.clone(),
            step: step.clone(),
        };
        let store = self.store(&traces, end, max_copied_bytes, policy.clone(), secrets.clone(), options);
        let work = work(store);
        let is_brief = self.limits.memory_mib() <= MAX_CALLERS_THREAD_MEMORY_MIB
            && function.is_some_and(|function| self.durations.is_brief(function));
        let durations = self.durations.clone();
        let work = self.guests.run(is_brief, async move {
            // Held until the store is dropped, which happens a little later if the caller stops waiting.
            let _permit = permit;
            let _timing = function.map(|function| durations.timing(function));
            work.await
        });
        let returned = match timeout_at(end, work).instrument(step).await {
            Ok(Ok(returned)) => returned,
            Ok(Err(error)) => Err(self.classify_error(&error, &traces, deadline, max_copied_bytes)),
            Err(_) => Err(CallError::Deadline(deadline)),
        };
        let returned = returned.map_err(|error| error.for_the_log(&secrets));
        measurement.finish(&returned, result);
        let printed = traces.printed.text().map(|text| secrets.removed_from_end_of(text));
        (returned, printed)
    }

    /// The step of a call in its trace. A description is not traced.
    fn step(&self, call: Option<&'static str>) -> Span {
        let Some(call) = call else {
            return Span::none();
        };
        tracing::info_span!(
            target: linepress_traces::TARGET,
            "call of a plugin",
            otel.name = %format_args!("{call} by {}", self.plugin),
            otel.status_code = Empty,
            plugin = &*self.plugin,
            call,
            outcome = Empty,
            memory_bytes = Empty,
        )
    }

    fn store(
        &self,
        traces: &Traces,
        end: Instant,
        max_copied_bytes: usize,
        policy: Arc<Policy>,
        secrets: Secrets,
        options: &CallOptions,
    ) -> Store<State> {
        let memory = MemoryBudget::new(
            self.limits.memory_bytes(),
            traces.memory_denied.clone(),
            traces.peak_memory.clone(),
        );
        let services = self.services.for_call(self.plugin.clone(), &policy.permissions);
        let hooks = Hooks {
            plugin: self.plugin.clone(),
            policy,
            secrets,
            transport: self.transport.clone(),
            budget: Budget::new(self.limits.requests(), self.limits.response_bytes()),
            look_ups: self.look_ups.clone(),
            end,
            metrics: self.metrics.clone(),
            log: traces.exchanges.clone(),
        };
        let (settings, printed) = (self.settings.clone(), traces.printed.clone());
        let progress = options.progress.clone();
        let state = State::new(settings, self.world, memory, printed, hooks, progress, services);
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.memory);
        // A guest computes on a worker thread of the guests' runtime, so it yields at every tick: other guests can run,
        // and a guest whose caller stopped waiting ends. `yield_now` is used and not wasmtime's own yield, because it
        // also lets the runtime process timers and sockets while only guests are ready to run. `epoch_deadline_trap`
        // could stop a guest but never make it yield, and `epoch_deadline_async_yield_and_update` would never stop it.
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            Ok(if Instant::now() >= end {
                UpdateDeadline::Interrupt
            } else {
                UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now()))
            })
        });
        // A guest may return a large value, but may only pass small values to host functions.
        store.set_hostcall_fuel(max_copied_bytes);
        store.call_hook(move |mut store, hook| {
            match hook {
                CallHook::CallingHost => store.set_hostcall_fuel(MAX_IMPORT_BYTES),
                CallHook::ReturningFromHost => store.set_hostcall_fuel(max_copied_bytes),
                CallHook::CallingWasm | CallHook::ReturningFromWasm => {}
            }
            Ok(())
        });
        store.set_max_component_handles(MAX_HANDLES);
        store
    }

    fn classify_error(
        &self,
        error: &wasmtime::Error,
        traces: &Traces,
        deadline: Duration,
        max_copied_bytes: usize,
    ) -> CallError {
        if error.downcast_ref::<Trap>() == Some(&Trap::Interrupt) {
            return CallError::Deadline(deadline);
        }
        // Most guests abort after a failed allocation, so the trap itself does not name the cause.
        if traces.memory_denied.load(Ordering::Relaxed) {
            return CallError::OutOfMemory {
                limit_mib: self.limits.memory_mib(),
            };
        }
        match error.downcast_ref::<I32Exit>() {
            Some(I32Exit(code)) => CallError::Trapped(format!("the plugin exited with code {code}")),
            // Only the root cause: the rest of the chain is mostly a backtrace of functions without names.
            None => match error.root_cause().to_string() {
                cause if cause.starts_with(COPY_LIMIT_MESSAGE) => match error.downcast_ref::<WasmBacktrace>() {
                    Some(_) => CallError::Trapped(format!(
                        "it passed more than {MAX_IMPORT_BYTES} bytes to a host function"
                    )),
                    // Without a backtrace the component had already returned.
                    None => CallError::ResponseTooLarge {
                        limit: max_copied_bytes as u64,
                    },
                },
                cause => CallError::Trapped(cause),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_description_of_a_picture_waits_for_no_permit() {
        let permits = Arc::new(Semaphore::new(1));
        let held = CallKind::PictureText.permit(&permits).await;
        assert!(held.is_some());
        assert!(CallKind::PictureText.permit(&permits).await.is_none());
        let waiting = tokio::spawn({
            let permits = permits.clone();
            async move { CallKind::Work.permit(&permits).await.is_some() }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(held);
        assert!(waiting.await.unwrap());
    }
}
