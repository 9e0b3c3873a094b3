//! The parent's side: a child for one job.
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::process;

/// The settings under which a child process is started.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    pub program: &'a Path,
    /// The child's only argument.
    pub subcommand: &'static str,
    /// The number of threads that rayon may use in the child.
    pub threads: usize,
    /// Maximum number of bytes that are read from its standard output.
    pub output_bytes: u64,
    /// Maximum number of bytes that are read from its standard error.
    pub message_bytes: u64,
}

/// The result of a child that has ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// The number of bytes that were read from its standard output, at most [`Command::output_bytes`].
    pub output_bytes: u64,
    /// The text of its standard error.
    pub message: String,
}

impl Command<'_> {
    /// Writes the input and reads the output at the same time: if either side waited for the other to finish, both
    /// could block for ever.
    ///
    /// The child is killed when the future is dropped.
    pub async fn run(
        &self,
        input: impl IntoIterator<Item = Bytes> + Send,
        output: &mut (impl AsyncWrite + Send + Unpin),
    ) -> io::Result<Ended> {
        let mut child = self.start()?;
        let mut stdin = child.stdin.take().expect("standard input is piped");
        let stdout = child.stdout.take().expect("standard output is piped");
        let stderr = child.stderr.take().expect("standard error is piped");
        let write_input = async move {
            for part in input {
                // A child that failed early has closed its standard input; its exit status shows why.
                if stdin.write_all(&part).await.is_err() {
                    break;
                }
            }
        };
        let read_output = async {
            let bytes = tokio::io::copy(&mut stdout.take(self.output_bytes), output).await?;
            output.flush().await?;
            io::Result::Ok(bytes)
        };
        let ((), output_bytes, message) = tokio::join!(write_input, read_output, read(stderr, self.message_bytes));
        let status = child.wait().await?;
        Ok(Ended {
            status,
            output_bytes: output_bytes?,
            message: String::from_utf8_lossy(&message?).trim_end().to_owned(),
        })
    }

    pub(crate) fn start(&self) -> io::Result<process::Child> {
        process::Command::new(self.program)
            .arg(self.subcommand)
            // The server's environment, above all its secrets, is not passed to the child.
            .env_clear()
            .env("RAYON_NUM_THREADS", self.threads.to_string())
            // The allocator of static builds otherwise reserves 1 GiB of address space at once, which counts as memory.
            .env("MIMALLOC_ARENA_RESERVE", "32MiB")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
    }
}

pub(crate) async fn read(from: impl AsyncRead + Unpin, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit).read_to_end(&mut bytes).await?;
    Ok(bytes)
}
