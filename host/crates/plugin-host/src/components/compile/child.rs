//! The child process that compiles one component: it limits its own resources, reads the component, writes the machine
//! code and exits.
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::ExitCode;

use linepress_child::{Limits, confine, limit};
use wasmtime::Engine;

use super::CompileLimits;
use crate::engine;
use crate::manifest::MAX_COMPONENT_BYTES;

/// Exit code for a failure that is caused by the component and not by the machine.
pub(super) const COMPONENT_FAILED: u8 = 3;

/// Exit code after a failed allocation that was reported as an error. Most failed allocations abort the process
/// instead.
const OUT_OF_MEMORY: u8 = 4;

/// Upper bound of a component's machine code, which stays in memory for as long as the server runs.
pub(super) const MAX_CODE_BYTES: u64 = 512 << 20;

enum Failure {
    Component(String),
    Machine(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Machine(error)
    }
}

/// The entry point of `linepress compile-plugin`, which reads limits and a component from standard input, and writes
/// the component's machine code to standard output.
pub fn compile_child() -> ExitCode {
    let written = compile().and_then(|code| {
        let mut output = io::stdout();
        output.write_all(&code)?;
        Ok(output.flush()?)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Component(reason)) => fail(&reason, COMPONENT_FAILED),
        Err(Failure::Machine(error)) if error.kind() == io::ErrorKind::OutOfMemory => {
            fail(&error.to_string(), OUT_OF_MEMORY)
        }
        Err(Failure::Machine(error)) => fail(&error.to_string(), 1),
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    // If standard error is closed as well, the exit code still reports the failure.
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(code)
}

fn compile() -> Result<Vec<u8>, Failure> {
    let mut input = BufReader::new(io::stdin().lock());
    let mut header = Vec::new();
    input.read_until(b'\n', &mut header)?;
    let limits: CompileLimits = serde_json::from_slice(&header).map_err(io::Error::from)?;
    limit(Limits {
        memory_bytes: limits.memory_mib << 20,
        processor_s: limits.processor_s,
    })?;
    confine(None)?;
    let mut wasm = Vec::new();
    input.take(MAX_COMPONENT_BYTES).read_to_end(&mut wasm)?;
    let engine = Engine::new(&engine::compiler_settings()).map_err(|error| io::Error::other(format!("{error:#}")))?;
    let code = engine
        .precompile_component(&wasm)
        .map_err(|error| Failure::Component(format!("{error:#}")))?;
    match code.len() as u64 {
        bytes if bytes >= MAX_CODE_BYTES => Err(Failure::Component(format!(
            "its machine code has {bytes} bytes, and must have less than {MAX_CODE_BYTES}: make the component smaller"
        ))),
        _ => Ok(code),
    }
}
