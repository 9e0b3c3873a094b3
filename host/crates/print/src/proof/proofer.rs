//! The parent's side of proofs: a process that stays until it breaks a limit.
use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::{Pictures, Proof};
use crate::{PrintError, RenderJob, RenderSettings, job};

/// A proof of a thousand pages has less.
const LONGEST_PROOF: u64 = 1 << 30;
const LONGEST_MESSAGE: u64 = 64 * 1024;

/// How long a process that was told to end may take to say why.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Makes proofs in a process of its own, which it starts when there is none. Dropped, it takes the process with it.
#[derive(Debug)]
pub struct Proofer {
    settings: RenderSettings,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// How many proofs it has made.
    proofs: usize,
}

impl Proofer {
    pub fn new(settings: RenderSettings) -> Self {
        Self {
            settings,
            running: None,
        }
    }

    /// Makes a proof. A template that fails is no error: its proof has diagnostics and no pages.
    pub async fn proof(&mut self, job: RenderJob<'_>, pictures: Pictures) -> Result<Proof, PrintError> {
        // What a process remembers of many proofs may be what it broke its limit with.
        let is_fresh = self.running.as_ref().is_none_or(|running| running.proofs == 0);
        match self.once(&job, pictures).await {
            Err(PrintError::Crashed { .. }) if !is_fresh => self.once(&job, pictures).await,
            proof => proof,
        }
    }

    async fn once(&mut self, job: &RenderJob<'_>, pictures: Pictures) -> Result<Proof, PrintError> {
        let limit = self.settings.timeout;
        let parts = job::parts(job, self.settings.memory_limit_bytes, limit.as_secs().max(1))?;
        // Taken, and put back only where all went well: whatever else happens ends it.
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.settings).map_err(PrintError::io("start the proofing process"))?,
        };
        let mut order = serde_json::to_vec(&pictures)
            .map_err(io::Error::from)
            .map_err(PrintError::io("describe the proof"))?;
        order.push(b'\n');
        let exchange = running.exchange(order, parts);
        match timeout(limit, exchange).await {
            Err(_) => Err(PrintError::TimedOut(limit)),
            Ok(Err(_)) => Err(running.crashed().await),
            Ok(Ok(proof)) => {
                running.proofs += 1;
                self.running = Some(running);
                Ok(proof)
            }
        }
    }
}

impl Running {
    fn start(settings: &RenderSettings) -> io::Result<Self> {
        let mut child = Command::new(&settings.program)
            .arg("proof")
            // Nothing of the parent's environment, its secrets least of all, is the child's business.
            .env_clear()
            .env("RAYON_NUM_THREADS", settings.max_concurrent.max(1).to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self {
            stdin: child.stdin.take().expect("standard input is piped"),
            stdout: BufReader::new(child.stdout.take().expect("standard output is piped")),
            child,
            proofs: 0,
        })
    }

    async fn exchange(&mut self, order: Vec<u8>, parts: Vec<bytes::Bytes>) -> io::Result<Proof> {
        self.stdin.write_all(&order).await?;
        for part in parts {
            self.stdin.write_all(&part).await?;
        }
        self.stdin.flush().await?;
        let mut line = Vec::new();
        (&mut self.stdout)
            .take(LONGEST_PROOF)
            .read_until(b'\n', &mut line)
            .await?;
        serde_json::from_slice(&line).map_err(io::Error::from)
    }

    /// Why it ended.
    async fn crashed(self) -> PrintError {
        let Self {
            mut child,
            stdin,
            stdout,
            ..
        } = self;
        drop((stdin, stdout));
        let mut message = Vec::new();
        let last_words = async {
            if let Some(stderr) = child.stderr.take() {
                let _ = stderr.take(LONGEST_MESSAGE).read_to_end(&mut message).await;
            }
            child.wait().await
        };
        let status = match timeout(LAST_WORDS, last_words).await {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no exit status".into(),
        };
        PrintError::Crashed {
            status,
            diagnostics: String::from_utf8_lossy(&message).trim_end().to_owned(),
        }
    }
}
