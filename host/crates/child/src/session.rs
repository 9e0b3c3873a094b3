//! The parent's side: a child for one job after another.
use std::io;
use std::process::ExitStatus;

use bytes::Bytes;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;

use crate::run::{Command, read};

/// A child that processes one job after another. It is killed when this value is dropped.
#[derive(Debug)]
pub struct Session {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    message: JoinHandle<io::Result<Vec<u8>>>,
}

impl Command<'_> {
    /// Starts a child that reads jobs until its standard input ends. `output_bytes` is ignored here: the caller limits
    /// the output in each call of [`Session::line`] and [`Session::copy`].
    pub fn open(&self) -> io::Result<Session> {
        let mut child = self.start()?;
        let stdin = child.stdin.take().expect("standard input is piped");
        let stdout = child.stdout.take().expect("standard output is piped");
        let stderr = child.stderr.take().expect("standard error is piped");
        Ok(Session {
            child,
            stdin,
            stdout: BufReader::new(stdout),
            message: tokio::spawn(read(stderr, self.message_bytes)),
        })
    }
}

impl Session {
    /// The process id. None once the process has ended.
    pub fn process(&self) -> Option<u32> {
        self.child.id()
    }

    /// Writes the parts of one job to the child.
    pub async fn send(&mut self, parts: impl IntoIterator<Item = Bytes> + Send) -> io::Result<()> {
        for part in parts {
            self.stdin.write_all(&part).await?;
        }
        self.stdin.flush().await
    }

    /// The next line of the child's output, without its line feed. None when the output has ended, or the line is
    /// longer than `max_bytes` bytes.
    pub async fn line(&mut self, max_bytes: u64) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        (&mut self.stdout).take(max_bytes).read_until(b'\n', &mut line).await?;
        let whole = line.pop() == Some(b'\n');
        Ok(whole.then(|| String::from_utf8_lossy(&line).into_owned()))
    }

    /// Copies exactly this number of bytes of the child's output. Fails when there are fewer.
    pub async fn copy(&mut self, bytes: u64, to: &mut (impl AsyncWrite + Send + Unpin)) -> io::Result<()> {
        let copied = tokio::io::copy(&mut (&mut self.stdout).take(bytes), to).await?;
        to.flush().await?;
        if copied == bytes {
            return Ok(());
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }

    /// Closes the child's input and waits for its end. Returns its exit status and the text of its standard error.
    pub async fn end(self) -> io::Result<(ExitStatus, String)> {
        let Self {
            mut child,
            stdin,
            stdout,
            message,
        } = self;
        // Closed so that a child that is blocked on writing its output ends, too.
        drop((stdin, stdout));
        let status = child.wait().await?;
        let message = message.await.map_err(io::Error::other)??;
        Ok((status, String::from_utf8_lossy(&message).trim_end().to_owned()))
    }
}
