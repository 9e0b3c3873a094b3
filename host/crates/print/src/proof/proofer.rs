//! The parent's side of proofs: a process that is reused until it exceeds a limit.
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use linepress_child::{Command, Session};
use tokio::time::timeout;

use super::{Pictures, Proof};
use crate::job::{self, Setup, line_of};
use crate::renderer::fonts_for;
use crate::{PrintError, RenderJob, RenderSettings, SystemFonts};

/// The longest proof. A proof of a thousand pages is shorter.
const MAX_PROOF_BYTES: u64 = 1 << 30;
/// The longest text that is read from the process's standard error.
const MAX_MESSAGE_BYTES: u64 = 64 * 1024;

/// The time within which a process that gets no more requests must end.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Makes proofs in a separate process, which it starts on demand. Dropping the proofer ends the process.
#[derive(Debug)]
pub struct Proofer {
    settings: RenderSettings,
    fonts: SystemFonts,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    session: Session,
    /// The template folder that the process may read.
    templates: PathBuf,
    /// True when the process has made a proof.
    is_proven: bool,
}

impl Proofer {
    pub fn new(settings: RenderSettings) -> Self {
        Self {
            fonts: SystemFonts::new(settings.font_folders.clone()),
            settings,
            running: None,
        }
    }

    /// Makes a proof. A template that fails is not an error: its proof has diagnostics and no pages.
    pub async fn proof(&mut self, job: RenderJob<'_>, pictures: Pictures) -> Result<Proof, PrintError> {
        // A process may have exceeded its memory because of what it cached for earlier proofs, so the job is tried once
        // more in a new one.
        let is_old = self.running.as_ref().is_some_and(|running| running.is_proven);
        match self.try_proof(&job, pictures).await {
            Err(PrintError::Crashed { .. }) if is_old => self.try_proof(&job, pictures).await,
            proof => proof,
        }
    }

    async fn try_proof(&mut self, job: &RenderJob<'_>, pictures: Pictures) -> Result<Proof, PrintError> {
        let limit = self.settings.timeout;
        let fonts = fonts_for(&self.fonts, job).await?;
        let order = [Bytes::from(line_of(&pictures)?)]
            .into_iter()
            .chain(job::parts(job, fonts)?);
        // The process goes back only after a success. In every other case it is dropped, which ends it.
        let running = self.running.take().filter(|running| running.templates == job.templates);
        let mut running = match running {
            Some(running) => running,
            None => self.start(job).await?,
        };
        match timeout(limit, exchange(&mut running.session, order.collect())).await {
            Err(_) => Err(PrintError::TimedOut(limit)),
            Ok(None) => Err(crash_error(running.session).await),
            Ok(Some(proof)) => {
                running.is_proven = true;
                self.running = Some(running);
                Ok(proof)
            }
        }
    }

    async fn start(&self, job: &RenderJob<'_>) -> Result<Running, PrintError> {
        let command = Command {
            program: &self.settings.program,
            subcommand: "proof",
            threads: self.settings.max_concurrent.max(1),
            output_bytes: 0,
            message_bytes: MAX_MESSAGE_BYTES,
        };
        let mut session = command.open().map_err(PrintError::io("start the proofing process"))?;
        let setup = Setup {
            templates: job.templates.to_owned(),
            memory_limit_bytes: self.settings.memory_limit_bytes,
            // The parent enforces the timeout of each proof, and a designer may work all day.
            processor_limit_s: u64::MAX,
        };
        // An error here is ignored: a process that ended at once reports its reason when it gets the first request.
        let _ = session.send([line_of(&setup)?.into()]).await;
        Ok(Running {
            session,
            templates: job.templates.to_owned(),
            is_proven: false,
        })
    }
}

/// Sends a request and reads the proof, or returns `None` when the process has ended.
async fn exchange(session: &mut Session, order: Vec<Bytes>) -> Option<Proof> {
    session.send(order).await.ok()?;
    let line = session.line(MAX_PROOF_BYTES).await.ok()??;
    serde_json::from_str(&line).ok()
}

async fn crash_error(session: Session) -> PrintError {
    let (status, diagnostics) = match timeout(EXIT_TIMEOUT, session.end()).await {
        Ok(Ok((status, message))) => (status.to_string(), message),
        Ok(Err(error)) => (error.to_string(), String::new()),
        Err(_) => ("no exit status".to_owned(), String::new()),
    };
    PrintError::Crashed { status, diagnostics }
}
