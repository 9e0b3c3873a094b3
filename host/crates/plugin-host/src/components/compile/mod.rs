//! Compilation in a child process with limits. The cost of compiling a component is not known in advance, and a process
//! can be killed when it takes too much.
mod child;

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use linepress_child::{Command, Ended};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

pub use self::child::compile_child;
use self::child::{COMPONENT_FAILED, MAX_CODE_BYTES};
use crate::log_text::one_line;

/// The signal with which the kernel's out-of-memory killer, or an operator, ends a process. The child's own resource
/// limits end it with other signals.
const SIGKILL: i32 = 9;

/// Maximum size of the child's error message.
const MAX_MESSAGE_BYTES: u64 = 4 << 10;

/// Maximum number of compiler threads. The memory limit is one of address space, of which glibc reserves 128 MiB per
/// thread.
const MAX_THREADS: usize = 4;

/// Resource limits for compiling one component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileLimits {
    /// Address space in MiB.
    pub memory_mib: u64,
    /// Processor time in seconds, summed over all threads.
    pub processor_s: u64,
    /// Wall-clock time in seconds. Exceeding it is not blamed on the component, because the machine may be busy.
    pub deadline_s: u64,
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self {
            memory_mib: 3072,
            processor_s: 300,
            deadline_s: 600,
        }
    }
}

/// Why a component was not compiled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CompileError {
    /// Caused by the component: compiling it again would fail again.
    Component(String),
    /// Caused by the machine: another attempt may succeed.
    Machine(String),
}

pub(crate) struct Compiler {
    /// The executable, started as `linepress compile-plugin`.
    program: PathBuf,
    limits: CompileLimits,
}

impl Compiler {
    pub(crate) fn new(program: PathBuf, limits: CompileLimits) -> Self {
        Self { program, limits }
    }

    pub(crate) fn limits(&self) -> &CompileLimits {
        &self.limits
    }

    /// Compiles a component to machine code in a child process, which is killed if this future is dropped.
    pub(crate) async fn compile(&self, wasm: Bytes) -> Result<Vec<u8>, CompileError> {
        let machine = |error: std::io::Error| {
            CompileError::Machine(format!(
                "its component was not compiled: the compiler process failed: {error}"
            ))
        };
        let mut header = serde_json::to_vec(&self.limits).map_err(|error| machine(error.into()))?;
        header.push(b'\n');
        let command = Command {
            program: &self.program,
            subcommand: "compile-plugin",
            threads: std::thread::available_parallelism()
                .map_or(1, usize::from)
                .min(MAX_THREADS),
            output_bytes: MAX_CODE_BYTES,
            message_bytes: MAX_MESSAGE_BYTES,
        };
        let seconds = self.limits.deadline_s;
        let mut code = Vec::new();
        let run = command.run([header.into(), wasm], &mut code);
        match timeout(Duration::from_secs(seconds), run).await {
            Ok(Ok(ended)) => self.outcome(&ended).map(|()| code),
            Ok(Err(error)) => Err(machine(error)),
            Err(_) => Err(CompileError::Machine(format!(
                "compiling its component took longer than {seconds} s on this machine; it will be tried again"
            ))),
        }
    }

    fn outcome(&self, ended: &Ended) -> Result<(), CompileError> {
        let status = ended.status;
        if status.success() {
            return Ok(());
        }
        let message = one_line(ended.message.trim().to_owned(), 400);
        Err(match status.code() {
            Some(code) if code == i32::from(COMPONENT_FAILED) => {
                CompileError::Component(format!("its component cannot be compiled: {message}"))
            }
            Some(1) => CompileError::Machine(format!("its component was not compiled: {message}")),
            None if status.signal() == Some(SIGKILL) => CompileError::Machine(
                "its component was not compiled: the compiler was killed, perhaps because this machine has too little \
                 memory; it will be tried again"
                    .into(),
            ),
            // Killed by a resource limit, aborted for lack of memory, or a panic of the compiler.
            _ => CompileError::Component(format!(
                "compiling its component failed, with at most {} MiB of memory and {} s of processor time: {status} \
                 {message}",
                self.limits.memory_mib, self.limits.processor_s
            )),
        })
    }
}
