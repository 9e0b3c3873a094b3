//! Compiling, in a process of its own that can be killed: what a component costs its compiler is known only afterwards.
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

/// The signal of everything that kills a process from outside; limits of the child end it by others.
const SIGKILL: i32 = 9;

/// How much of what the child says is kept.
const MAX_MESSAGE_BYTES: u64 = 4 << 10;

/// glibc reserves 128 MiB of address space for each thread, and the limit of memory is one of address space.
const THREADS: usize = 4;

/// What compiling one component may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileLimits {
    /// Address space.
    pub memory_mib: u64,
    /// Processor time, of all threads together.
    pub processor_s: u64,
    /// Time on the wall, which ends an attempt. On a busy machine it says nothing about the component.
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
    /// The component is to blame: it would fail again.
    Component(String),
    /// This machine is.
    Machine(String),
}

pub(crate) struct Compiler {
    /// Run as `linepress compile-plugin`.
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

    /// The machine code of a component, from a child that lives no longer than this future.
    pub(crate) async fn compile(&self, wasm: Bytes) -> Result<Vec<u8>, CompileError> {
        let machine = |error: std::io::Error| {
            CompileError::Machine(format!(
                "its component was not compiled: the compiler does not run: {error}"
            ))
        };
        let mut header = serde_json::to_vec(&self.limits).map_err(|error| machine(error.into()))?;
        header.push(b'\n');
        let command = Command {
            program: &self.program,
            subcommand: "compile-plugin",
            threads: std::thread::available_parallelism().map_or(1, usize::from).min(THREADS),
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
                "compiling its component took longer than {seconds} s on this machine; it is tried again"
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
                 memory; it is tried again"
                    .into(),
            ),
            // Ended by a limit, aborted for want of memory, or the compiler's own panic.
            _ => CompileError::Component(format!(
                "compiling its component failed, with at most {} MiB of memory and {} s of processor time: {status} \
                 {message}",
                self.limits.memory_mib, self.limits.processor_s
            )),
        })
    }
}
