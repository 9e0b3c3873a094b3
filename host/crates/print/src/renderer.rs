//! The processes that render, and their limits.
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::child::TEMPLATE_FAILED;
use crate::{PrintError, RenderJob, job};

/// KDP takes no file above 650 MB.
const LARGEST_PDF: u64 = 650_000_000;
const LONGEST_DIAGNOSTICS: u64 = 64 * 1024;

/// How books are rendered.
#[derive(Clone, Debug)]
pub struct RenderSettings {
    /// The program that is run as `linepress render`.
    pub program: PathBuf,
    /// How long one book may take.
    pub timeout: Duration,
    /// How much address space one book may take.
    pub memory_limit_bytes: u64,
    /// How many books may be rendered at once: as many as there are cores.
    pub max_concurrent: usize,
}

/// Renders books, each in a process of its own.
#[derive(Clone, Debug)]
pub struct Renderer {
    settings: RenderSettings,
    permits: Arc<Semaphore>,
}

impl Renderer {
    pub fn new(settings: RenderSettings) -> Self {
        let permits = Arc::new(Semaphore::new(settings.max_concurrent.max(1)));
        Self { settings, permits }
    }

    /// Renders a book as soon as there is a permit: the same job gives the same bytes.
    pub async fn render(&self, job: RenderJob<'_>) -> Result<Vec<u8>, PrintError> {
        let mut pdf = Vec::new();
        self.permit().await.render_into(job, &mut pdf).await?;
        Ok(pdf)
    }

    /// Waits for a permit. A book in memory is large: whoever takes a permit before loading it waits without one.
    pub async fn permit(&self) -> Permit<'_> {
        Permit {
            renderer: self,
            _permit: self.permits.acquire().await.expect("the semaphore is never closed"),
        }
    }

    async fn render_now(
        &self,
        job: RenderJob<'_>,
        sink: &mut (impl AsyncWrite + Send + Unpin),
    ) -> Result<u64, PrintError> {
        let limit = self.settings.timeout;
        let parts = job::parts(&job, self.settings.memory_limit_bytes, limit.as_secs().max(1))?;
        let child = self.start()?;
        // When this future is dropped, so is the child, which kills it.
        let (status, size, diagnostics) = timeout(limit, converse(child, parts, sink))
            .await
            .map_err(|_| PrintError::TimedOut(limit))??;
        let template = &job.format.template;
        outcome(status, size, &diagnostics, template)?;
        if !diagnostics.is_empty() {
            tracing::warn!(template, diagnostics, "the template printed with warnings");
        }
        Ok(size)
    }

    fn start(&self) -> Result<Child, PrintError> {
        Command::new(&self.settings.program)
            .arg("render")
            // Nothing of the server's environment, its secrets least of all, is the template's business. Typst's
            // own threads are held to one: the permits already share out the cores.
            .env_clear()
            .env("RAYON_NUM_THREADS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(PrintError::io("start the typesetting process"))
    }
}

/// The right to render one book now.
pub struct Permit<'a> {
    renderer: &'a Renderer,
    _permit: SemaphorePermit<'a>,
}

impl Permit<'_> {
    /// Renders a book and writes its PDF while it comes: the same job gives the same bytes. Returns how many. After an
    /// error nothing of what was written counts.
    pub async fn render_into(
        self,
        job: RenderJob<'_>,
        sink: &mut (impl AsyncWrite + Send + Unpin),
    ) -> Result<u64, PrintError> {
        self.renderer.render_now(job, sink).await
    }
}

/// Hands the job over and takes the PDF, all at once: whoever waits for the other first would wait for ever.
async fn converse(
    mut child: Child,
    parts: Vec<bytes::Bytes>,
    sink: &mut (impl AsyncWrite + Send + Unpin),
) -> Result<(ExitStatus, u64, String), PrintError> {
    let mut input = child.stdin.take().expect("standard input is piped");
    let output = child.stdout.take().expect("standard output is piped");
    let errors = child.stderr.take().expect("standard error is piped");
    let hand_over = async move {
        for part in parts {
            // A child that failed early has closed its end; its exit status tells why.
            if input.write_all(&part).await.is_err() {
                break;
            }
        }
    };
    let take_over = async {
        let size = tokio::io::copy(&mut output.take(LARGEST_PDF + 1), sink).await?;
        sink.flush().await?;
        Ok(size)
    };
    let ((), size, diagnostics) = tokio::join!(hand_over, take_over, read(errors, LONGEST_DIAGNOSTICS));
    let status = child
        .wait()
        .await
        .map_err(PrintError::io("wait for the typesetting process"))?;
    let diagnostics = String::from_utf8_lossy(&diagnostics.unwrap_or_default())
        .trim_end()
        .to_owned();
    Ok((
        status,
        size.map_err(PrintError::io("take over the typeset PDF"))?,
        diagnostics,
    ))
}

async fn read(from: impl AsyncRead + Unpin, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

fn outcome(status: ExitStatus, size: u64, diagnostics: &str, template: &str) -> Result<(), PrintError> {
    if size > LARGEST_PDF {
        return Err(PrintError::TooLarge { limit: LARGEST_PDF });
    }
    if status.success() {
        return Ok(());
    }
    let diagnostics = diagnostics.to_owned();
    if status.code() == Some(i32::from(TEMPLATE_FAILED)) {
        return Err(PrintError::Template {
            template: template.to_owned(),
            diagnostics,
        });
    }
    Err(PrintError::Crashed {
        status: status.to_string(),
        diagnostics,
    })
}
