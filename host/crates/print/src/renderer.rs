//! The processes that render, and their limits.
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use linepress_child::{Command, Ended};
use tokio::io::AsyncWrite;
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
        let command = Command {
            program: &self.settings.program,
            subcommand: "render",
            // The permits already share out the cores.
            threads: 1,
            output_bytes: LARGEST_PDF + 1,
            message_bytes: LONGEST_DIAGNOSTICS,
        };
        let ended = timeout(limit, command.run(parts, sink))
            .await
            .map_err(|_| PrintError::TimedOut(limit))?;
        let Ended {
            status,
            output_bytes: size,
            message: diagnostics,
        } = ended.map_err(PrintError::io("run the typesetting process"))?;
        let template = &job.format.template;
        outcome(status, size, &diagnostics, template)?;
        if !diagnostics.is_empty() {
            tracing::warn!(template, diagnostics, "the template printed with warnings");
        }
        Ok(size)
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
