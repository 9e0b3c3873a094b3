//! A peer in Python: one process that answers line by line, so that only its work is timed.
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::Context as _;

/// A Python process that waits for commands; it ends when its input is closed.
pub(crate) struct Python {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Python {
    pub(crate) fn start(interpreter: &OsStr, program: &str, environment: &[(&str, &str)]) -> anyhow::Result<Self> {
        let mut command = Command::new(interpreter);
        command.args(["-c", program]).envs(environment.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Ok(Self {
            child,
            input: input.context("no input")?,
            output: BufReader::new(output.context("no output")?),
        })
    }

    pub(crate) fn ask(&mut self, line: &str) -> anyhow::Result<String> {
        writeln!(self.input, "{line}")?;
        let mut response = String::new();
        self.output.read_line(&mut response)?;
        Ok(response.trim().to_owned())
    }

    /// Returns the milliseconds per picture, measured over this number of pictures.
    pub(crate) fn time(&mut self, pictures: u32) -> anyhow::Result<f64> {
        let response = self.ask(&format!("time {pictures}"))?;
        response
            .parse()
            .with_context(|| format!("the peer returns {response:?}"))
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
