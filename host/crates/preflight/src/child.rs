//! The process that checks one file: what a file takes to be read is known only afterwards, and a process can be killed.
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use bytes::Bytes;
use linepress_child::{Command, Ended, Limits, confine, limit};
use linepress_printers::Edition;
use serde::{Deserialize, Serialize};

use crate::budget::TooComplex;
use crate::check::{Expected, check, stop};
use crate::report::{Findings, Report};

/// The processor time and the time that a check may take, in seconds.
const PROCESSOR_SECONDS: u64 = 60;
const LONGEST: Duration = Duration::from_secs(120);
/// Address space: the file is there twice, and its objects once more.
const MEMORY: u64 = 1 << 30;
const MEMORY_FOR_EACH_BYTE: u64 = 4;
/// A report is a few lines; the pages of each finding are ranges.
const LONGEST_REPORT: u64 = 4 << 20;
const LONGEST_MESSAGE: u64 = 64 * 1024;

/// What is said before the file.
#[derive(Serialize, Deserialize)]
struct Header {
    expected: Expected,
    bytes: usize,
}

/// Checks a PDF in a process of its own, `linepress check-pdf`, which may take so much and no more.
pub async fn check_apart(program: &Path, pdf: Bytes, expected: &Expected) -> io::Result<Report> {
    let header = Header {
        expected: *expected,
        bytes: pdf.len(),
    };
    let mut line = serde_json::to_vec(&header)?;
    line.push(b'\n');
    let command = Command {
        program,
        subcommand: "check-pdf",
        threads: 1,
        output_bytes: LONGEST_REPORT,
        message_bytes: LONGEST_MESSAGE,
    };
    let mut output = Vec::new();
    let run = command.run([line.into(), pdf], &mut output);
    let Ok(ended) = tokio::time::timeout(LONGEST, run).await else {
        return Ok(too_much(expected));
    };
    let Ended { status, message, .. } = ended?;
    match status.code() {
        Some(0) => Ok(serde_json::from_slice(&output)?),
        Some(_) => Err(io::Error::other(format!("the check ended with {status}: {message}"))),
        // Stopped by its limits: whatever else is wrong with it, the file is too much.
        None => Ok(too_much(expected)),
    }
}

fn too_much(expected: &Expected) -> Report {
    let edition: Edition = expected.edition;
    let mut findings = Findings::new(edition);
    stop(TooComplex("it takes too much time or memory"), &mut findings);
    Report {
        edition,
        part: expected.part.unwrap_or(edition.usual_part()),
        page_count: 0,
        findings: findings.finish(),
    }
}

/// Reads a file from standard input and writes what was found to standard output: `linepress check-pdf`.
pub fn check_child() -> ExitCode {
    match check_input() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // When standard error is gone too, the exit code still tells.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn check_input() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    let Header { expected, bytes } = serde_json::from_slice(&line)?;
    limit(Limits {
        memory_bytes: MEMORY + MEMORY_FOR_EACH_BYTE * bytes as u64,
        processor_s: PROCESSOR_SECONDS,
    })?;
    confine(None)?;
    let mut pdf = vec![0; bytes];
    input.read_exact(&mut pdf)?;
    let report = serde_json::to_vec(&check(&pdf, &expected))?;
    let mut output = io::stdout().lock();
    output.write_all(&report)?;
    output.flush()
}
