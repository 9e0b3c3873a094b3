use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::process;

/// How a child is run.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    pub program: &'a Path,
    /// The one argument.
    pub subcommand: &'static str,
    /// How many threads rayon may have in it.
    pub threads: usize,
    /// Of what it writes to standard output, not more than this is taken.
    pub output_bytes: u64,
    /// And of what it says on standard error, not more than this.
    pub message_bytes: u64,
}

/// What became of a child.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// How many bytes it wrote to standard output: at most `output_bytes`.
    pub output_bytes: u64,
    /// What it said on standard error.
    pub message: String,
}

impl Command<'_> {
    /// Hands over the input and takes the output, all at once: whoever waits for the other first would wait for ever.
    ///
    /// The child lives no longer than this future.
    pub async fn run(
        &self,
        input: impl IntoIterator<Item = Bytes> + Send,
        output: &mut (impl AsyncWrite + Send + Unpin),
    ) -> io::Result<Ended> {
        let mut child = self.start()?;
        let mut stdin = child.stdin.take().expect("standard input is piped");
        let stdout = child.stdout.take().expect("standard output is piped");
        let stderr = child.stderr.take().expect("standard error is piped");
        let hand_over = async move {
            for part in input {
                // A child that failed early has closed its end; its exit status tells why.
                if stdin.write_all(&part).await.is_err() {
                    break;
                }
            }
        };
        let take_over = async {
            let bytes = tokio::io::copy(&mut stdout.take(self.output_bytes), output).await?;
            output.flush().await?;
            io::Result::Ok(bytes)
        };
        let ((), output_bytes, message) = tokio::join!(hand_over, take_over, read(stderr, self.message_bytes));
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
            // Nothing of the server's environment, its secrets least of all, is the child's business.
            .env_clear()
            .env("RAYON_NUM_THREADS", self.threads.to_string())
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
