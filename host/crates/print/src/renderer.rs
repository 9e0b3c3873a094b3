//! The processes that render, and their limits.
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use linepress_child::Session;
use linepress_preflight::{Expected, Report, check_apart};
use tokio::io::AsyncWrite;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::job::{self, Ending, Outcome};
use crate::pool::{Pool, start};
use crate::{PrintError, RenderJob, SystemFonts, typesetting_digest};

/// KDP takes no file above 650 MB.
const LARGEST_PDF: u64 = 650_000_000;
/// Diagnostics among it.
const LONGEST_ENDING: u64 = 4 << 20;

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
    /// Where fonts are looked for that have what the fonts of a layout lack.
    pub font_folders: Vec<PathBuf>,
}

/// Renders books, in processes apart: as many as may be at once.
#[derive(Clone, Debug)]
pub struct Renderer {
    settings: RenderSettings,
    permits: Arc<Semaphore>,
    pool: Pool,
    fonts: SystemFonts,
}

impl Renderer {
    pub fn new(settings: RenderSettings) -> Self {
        let permits = Arc::new(Semaphore::new(settings.max_concurrent.max(1)));
        Self {
            fonts: SystemFonts::new(settings.font_folders.clone()),
            settings,
            permits,
            pool: Pool::default(),
        }
    }

    /// The fonts of the system that books are printed with where those of their layout do not do.
    pub fn fonts(&self) -> &SystemFonts {
        &self.fonts
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
        let parts = job::parts(&job, fonts_for(&self.fonts, &job).await?)?;
        let folder = job.templates.to_owned();
        let digest = tokio::task::spawn_blocking(move || typesetting_digest(&folder)).await;
        let digest = digest
            .map_err(io::Error::other)
            .map_err(PrintError::io("look at the templates"))??;
        let mut typesetter = self.pool.take(&self.settings, job.templates, &digest).await?;
        // A process whose job is given up half way is killed: it is dropped.
        let mut ended = timeout(limit, typeset(&mut typesetter.session, parts.clone(), sink)).await;
        if matches!(ended, Ok(Err(Broken::Process))) && typesetter.has_printed() {
            // Whatever the books before left behind is not this one's fault.
            typesetter = start(&self.settings, job.templates, &digest).await?;
            ended = timeout(limit, typeset(&mut typesetter.session, parts, sink)).await;
        }
        let ending = match ended.map_err(|_| PrintError::TimedOut(limit))? {
            Ok(ending) => ending,
            Err(Broken::TooLarge) => return Err(PrintError::TooLarge { limit: LARGEST_PDF }),
            Err(Broken::Sink(error)) => return Err(PrintError::io("hand on the PDF")(error)),
            Err(Broken::Process | Broken::HalfWay) => return Err(crashed(typesetter.session, limit).await),
        };
        let template = job.template();
        match ending.outcome {
            Outcome::Printed => {
                self.pool.give_back(typesetter, self.settings.max_concurrent.max(1));
                if !ending.message.is_empty() {
                    tracing::warn!(
                        template,
                        diagnostics = ending.message,
                        "the template printed with warnings"
                    );
                }
                Ok(ending.bytes)
            }
            Outcome::Glyphs => {
                self.pool.give_back(typesetter, self.settings.max_concurrent.max(1));
                Err(PrintError::MissingGlyphs {
                    characters: ending.message.chars().collect(),
                })
            }
            Outcome::Template => Err(PrintError::Template {
                template: template.to_owned(),
                diagnostics: ending.message,
            }),
            Outcome::Machine => Err(PrintError::Crashed {
                status: "a failure".to_owned(),
                diagnostics: ending.message,
            }),
        }
    }
}

/// The fonts of the system that a job needs, read.
pub(crate) async fn fonts_for(fonts: &SystemFonts, job: &RenderJob<'_>) -> Result<Vec<(u32, Bytes)>, PrintError> {
    let (fonts, templates) = (fonts.clone(), job.templates.to_owned());
    let texts: Vec<String> = job.book.texts().map(str::to_owned).collect();
    let read = move || {
        let texts = texts.iter().map(String::as_str);
        fonts.supplement(&templates, texts)?.read()
    };
    tokio::task::spawn_blocking(read)
        .await
        .map_err(io::Error::other)
        .map_err(PrintError::io("look for fonts"))?
}

/// Why a job has no ending.
enum Broken {
    TooLarge,
    /// The process has ended, and nothing of the PDF has come.
    Process,
    /// It has ended within the PDF.
    HalfWay,
    /// The PDF cannot be handed on.
    Sink(io::Error),
}

async fn typeset(
    session: &mut Session,
    parts: Vec<Bytes>,
    sink: &mut (impl AsyncWrite + Send + Unpin),
) -> Result<Ending, Broken> {
    session.send(parts).await.map_err(|_| Broken::Process)?;
    let line = session.line(LONGEST_ENDING).await.map_err(|_| Broken::Process)?;
    let ending: Ending = line
        .and_then(|line| serde_json::from_str(&line).ok())
        .ok_or(Broken::Process)?;
    if ending.bytes > LARGEST_PDF {
        return Err(Broken::TooLarge);
    }
    match session.copy(ending.bytes, sink).await {
        Ok(()) => Ok(ending),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Broken::HalfWay),
        Err(error) => Err(Broken::Sink(error)),
    }
}

/// What became of a process that broke off.
async fn crashed(session: Session, limit: Duration) -> PrintError {
    match timeout(limit, session.end()).await {
        Err(_) => PrintError::TimedOut(limit),
        Ok(Err(error)) => PrintError::io("run the typesetting process")(error),
        Ok(Ok((status, diagnostics))) => PrintError::Crashed {
            status: status.to_string(),
            diagnostics,
        },
    }
}

/// The right to render one book now, or to check one.
pub struct Permit<'a> {
    renderer: &'a Renderer,
    _permit: SemaphorePermit<'a>,
}

impl Permit<'_> {
    /// Says what a printer would find wrong with a PDF, in a process apart.
    pub async fn check(self, pdf: Bytes, expected: &Expected) -> Result<Report, PrintError> {
        check_apart(&self.renderer.settings.program, pdf, expected)
            .await
            .map_err(PrintError::io("run the process that checks the PDF"))
    }

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
