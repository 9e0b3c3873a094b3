//! The process that checks one file. The resources that a file needs are not known in advance, and a process can be
//! killed.
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use bytes::Bytes;
use linepress_child::{Command, Ended, Limits, confine, limit};
use linepress_printers::Edition;
use serde::{Deserialize, Serialize};

use crate::budget::TooComplex;
use crate::check::{check, report_too_complex};
use crate::expected::Expected;
use crate::report::{Findings, Report};

/// The processor time that a check may use, in seconds.
const PROCESSOR_SECONDS: u64 = 60;
/// The time after which a check is stopped.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The address space of the process for an empty file.
const MEMORY_LIMIT_BYTES: u64 = 1 << 30;
/// The additional address space for each byte of the file, which is in memory twice, and its objects once more.
const MEMORY_PER_FILE_BYTE: u64 = 4;
/// The longest report. A report has a few lines, and lists the pages of each finding as ranges.
const MAX_REPORT_BYTES: u64 = 4 << 20;
/// The longest text that is read from the process's standard error.
const MAX_MESSAGE_BYTES: u64 = 64 * 1024;

/// The line before the file.
#[derive(Serialize, Deserialize)]
struct Header {
    expected: Expected,
    bytes: usize,
}

/// Checks a PDF in a separate process, `linepress check-pdf`, which has limits on time and memory. A file that exceeds
/// them gets a report that says so.
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
        output_bytes: MAX_REPORT_BYTES,
        message_bytes: MAX_MESSAGE_BYTES,
    };
    let mut output = Vec::new();
    let run = command.run([line.into(), pdf], &mut output);
    let Ok(ended) = tokio::time::timeout(TIMEOUT, run).await else {
        return Ok(resource_limit_report(expected));
    };
    let Ended { status, message, .. } = ended?;
    match status.code() {
        Some(0) => Ok(serde_json::from_slice(&output)?),
        Some(_) => Err(io::Error::other(format!("the check ended with {status}: {message}"))),
        // The process was stopped by its limits, so the file is too complex, whatever else is wrong with it.
        None => Ok(resource_limit_report(expected)),
    }
}

fn resource_limit_report(expected: &Expected) -> Report {
    let edition: Edition = expected.edition;
    let mut findings = Findings::new(edition);
    report_too_complex(TooComplex("it takes too much time or memory"), &mut findings);
    Report {
        edition,
        part: expected.part.unwrap_or(edition.usual_part()),
        page_count: 0,
        findings: findings.finish(),
    }
}

/// Runs `linepress check-pdf`: reads a file from standard input and writes the report to standard output.
pub fn check_child() -> ExitCode {
    match check_input() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // When standard error is closed as well, the exit code still reports the failure.
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
        memory_bytes: MEMORY_LIMIT_BYTES + MEMORY_PER_FILE_BYTE * bytes as u64,
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
