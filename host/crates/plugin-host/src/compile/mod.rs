//! Compiling, in a process of its own that can be killed: what a component costs its compiler is known only afterwards.
mod child;

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::time::timeout;

pub use self::child::compile_child;
use self::child::{COMPONENT_FAILED, MAX_CODE_BYTES};
use crate::log_text::one_line;

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
    /// Time on the wall.
    pub deadline_s: u64,
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self {
            memory_mib: 3072,
            processor_s: 300,
            deadline_s: 180,
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
    pub(crate) async fn compile(&self, wasm: &[u8]) -> Result<Vec<u8>, CompileError> {
        let machine = |what: &str, error: &dyn std::fmt::Display| {
            CompileError::Machine(format!("its component was not compiled: cannot {what}: {error}"))
        };
        let mut header = serde_json::to_vec(&self.limits).map_err(|error| machine("say the limits", &error))?;
        header.push(b'\n');
        let child = self.start().map_err(|error| machine("start the compiler", &error))?;
        let seconds = self.limits.deadline_s;
        match timeout(Duration::from_secs(seconds), converse(child, &header, wasm)).await {
            Ok(Ok((status, code, message))) => self.outcome(status, code, message),
            Ok(Err(error)) => Err(machine("talk to the compiler", &error)),
            Err(_) => Err(CompileError::Component(format!(
                "compiling its component took longer than {seconds} s"
            ))),
        }
    }

    fn start(&self) -> std::io::Result<Child> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        Command::new(&self.program)
            .arg("compile-plugin")
            // Nothing of the server's environment is the compiler's business.
            .env_clear()
            .env("RAYON_NUM_THREADS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
    }

    fn outcome(&self, status: ExitStatus, code: Vec<u8>, message: Vec<u8>) -> Result<Vec<u8>, CompileError> {
        if status.success() {
            return Ok(code);
        }
        let message = one_line(String::from_utf8_lossy(&message).trim().to_owned(), 400);
        Err(match status.code() {
            Some(code) if code == i32::from(COMPONENT_FAILED) => {
                CompileError::Component(format!("its component cannot be compiled: {message}"))
            }
            Some(1) => CompileError::Machine(format!("its component was not compiled: {message}")),
            // Killed by a limit, aborted for want of memory, or the compiler's own panic.
            _ => CompileError::Component(format!(
                "compiling its component failed, with at most {} MiB of memory and {} s of processor time: {status} \
                 {message}",
                self.limits.memory_mib, self.limits.processor_s
            )),
        })
    }
}

/// Hands the component over and takes the code, all at once: whoever waits for the other first would wait for ever.
async fn converse(mut child: Child, header: &[u8], wasm: &[u8]) -> std::io::Result<(ExitStatus, Vec<u8>, Vec<u8>)> {
    let mut input = child.stdin.take().expect("standard input is piped");
    let output = child.stdout.take().expect("standard output is piped");
    let errors = child.stderr.take().expect("standard error is piped");
    let hand_over = async move {
        // A child that failed early has closed its end; its exit status tells why.
        if input.write_all(header).await.is_ok() {
            let _ = input.write_all(wasm).await;
        }
    };
    let ((), code, message) = tokio::join!(hand_over, read(output, MAX_CODE_BYTES), read(errors, MAX_MESSAGE_BYTES));
    Ok((child.wait().await?, code?, message?))
}

async fn read(from: impl AsyncRead + Unpin, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit).read_to_end(&mut bytes).await?;
    Ok(bytes)
}
