//! The processes that typeset books, and their limits.
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use linepress_child::Session;
use linepress_preflight::{Expected, Report, check_apart};
use tokio::io::AsyncWrite;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::excerpt::{Excerpt, picture_apart};
use crate::job::{self, Ending, Outcome};
use crate::pool::{Pool, start};
use crate::{PrintError, RenderJob, RenderSettings, SystemFonts, typesetting_digest};

/// The largest PDF. KDP accepts no file above 650 MB.
const MAX_PDF_BYTES: u64 = 650_000_000;
/// The longest line that describes the end of a job, including its diagnostics.
const MAX_ENDING_BYTES: u64 = 4 << 20;

/// Renders books in separate processes, up to a fixed number at a time.
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

    /// The system fonts that supplement the fonts of a layout.
    pub fn fonts(&self) -> &SystemFonts {
        &self.fonts
    }

    /// Renders a book as soon as a permit is free. The same job always gives the same bytes.
    pub async fn render(&self, job: RenderJob<'_>) -> Result<Vec<u8>, PrintError> {
        let mut pdf = Vec::new();
        self.permit().await.render_into(job, &mut pdf).await?;
        Ok(pdf)
    }

    /// Waits for a permit. A book takes much memory, so a caller should take the permit before loading the book.
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
            .map_err(PrintError::io("read the templates"))??;
        let mut typesetter = self.pool.take(&self.settings, job.templates, &digest).await?;
        // Dropping this future while a job runs drops the process, which kills it.
        let mut ended = timeout(limit, typeset(&mut typesetter.session, parts.clone(), sink)).await;
        if matches!(ended, Ok(Err(Broken::Process))) && typesetter.has_printed() {
            // Data left over from earlier books must not make this one fail, so the job is tried once more in a new
            // process.
            typesetter = start(&self.settings, job.templates, &digest).await?;
            ended = timeout(limit, typeset(&mut typesetter.session, parts, sink)).await;
        }
        let ending = match ended.map_err(|_| PrintError::TimedOut(limit))? {
            Ok(ending) => ending,
            Err(Broken::TooLarge) => return Err(PrintError::TooLarge { limit: MAX_PDF_BYTES }),
            Err(Broken::Sink(error)) => return Err(PrintError::Sink(error)),
            Err(Broken::Process | Broken::HalfWay) => return Err(crash_error(typesetter.session, limit).await),
        };
        let template = job.template();
        match ending.outcome {
            Outcome::Printed => {
                self.pool.give_back(typesetter, self.settings.max_concurrent.max(1));
                if !ending.message.is_empty() {
                    tracing::warn!(template, diagnostics = ending.message, "template typeset with warnings");
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

/// Reads the system fonts that a job needs.
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
        .map_err(PrintError::io("search for fonts"))?
}

/// The reason for which a job did not end properly.
enum Broken {
    TooLarge,
    /// The process ended before it sent any of the PDF.
    Process,
    /// The process ended in the middle of the PDF.
    HalfWay,
    /// The PDF cannot be written to the sink.
    Sink(io::Error),
}

async fn typeset(
    session: &mut Session,
    parts: Vec<Bytes>,
    sink: &mut (impl AsyncWrite + Send + Unpin),
) -> Result<Ending, Broken> {
    session.send(parts).await.map_err(|_| Broken::Process)?;
    let line = session.line(MAX_ENDING_BYTES).await.map_err(|_| Broken::Process)?;
    let ending: Ending = line
        .and_then(|line| serde_json::from_str(&line).ok())
        .ok_or(Broken::Process)?;
    if ending.bytes > MAX_PDF_BYTES {
        return Err(Broken::TooLarge);
    }
    match session.copy(ending.bytes, sink).await {
        Ok(()) => Ok(ending),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Broken::HalfWay),
        Err(error) => Err(Broken::Sink(error)),
    }
}

/// Describes how a process ended that broke off its job.
async fn crash_error(session: Session, limit: Duration) -> PrintError {
    match timeout(limit, session.end()).await {
        Err(_) => PrintError::TimedOut(limit),
        Ok(Err(error)) => PrintError::io("run the typesetting process")(error),
        Ok(Ok((status, diagnostics))) => PrintError::Crashed {
            status: status.to_string(),
            diagnostics,
        },
    }
}

/// The right to render or check one book.
pub struct Permit<'a> {
    renderer: &'a Renderer,
    _permit: SemaphorePermit<'a>,
}

impl Permit<'_> {
    /// Reports the problems that a printing service would have with a PDF. The check runs in a separate process.
    pub async fn check(self, pdf: Bytes, expected: &Expected) -> Result<Report, PrintError> {
        check_apart(&self.renderer.settings.program, pdf, expected)
            .await
            .map_err(PrintError::io("run the process that checks the PDF"))
    }

    /// Returns parts of a finished PDF, side by side, as one JPEG. It is made in a separate process.
    pub async fn picture(self, pdf: Bytes, excerpts: &[Excerpt]) -> Result<Vec<u8>, PrintError> {
        picture_apart(&self.renderer.settings.program, pdf, excerpts).await
    }

    /// Renders a book, writes its PDF while it arrives, and returns the number of bytes. The same job always gives the
    /// same bytes. After an error, the caller must discard what was written.
    pub async fn render_into(
        self,
        job: RenderJob<'_>,
        sink: &mut (impl AsyncWrite + Send + Unpin),
    ) -> Result<u64, PrintError> {
        self.renderer.render_now(job, sink).await
    }
}
