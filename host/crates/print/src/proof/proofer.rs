//! The parent's side of proofs: a process that stays until it breaks a limit.
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use linepress_child::{Command, Session};
use tokio::time::timeout;

use super::{Pictures, Proof};
use crate::job::{self, Setup, line_of};
use crate::renderer::fonts_for;
use crate::{PrintError, RenderJob, RenderSettings, SystemFonts};

/// A proof of a thousand pages has less.
const LONGEST_PROOF: u64 = 1 << 30;
const LONGEST_MESSAGE: u64 = 64 * 1024;

/// How long a process that gets no more work may take to end.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Makes proofs in a process of its own, which it starts when there is none. Dropped, it takes the process with it.
#[derive(Debug)]
pub struct Proofer {
    settings: RenderSettings,
    fonts: SystemFonts,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    session: Session,
    /// What it may read.
    templates: PathBuf,
    /// Whether it has made a proof.
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

    /// Makes a proof. A template that fails is no error: its proof has diagnostics and no pages.
    pub async fn proof(&mut self, job: RenderJob<'_>, pictures: Pictures) -> Result<Proof, PrintError> {
        // What a process remembers of many proofs may be what it broke its limit with.
        let is_old = self.running.as_ref().is_some_and(|running| running.is_proven);
        match self.once(&job, pictures).await {
            Err(PrintError::Crashed { .. }) if is_old => self.once(&job, pictures).await,
            proof => proof,
        }
    }

    async fn once(&mut self, job: &RenderJob<'_>, pictures: Pictures) -> Result<Proof, PrintError> {
        let limit = self.settings.timeout;
        let fonts = fonts_for(&self.fonts, job).await?;
        let order = [Bytes::from(line_of(&pictures)?)]
            .into_iter()
            .chain(job::parts(job, fonts)?);
        // Taken, and put back only where all went well: whatever else happens ends it.
        let running = self.running.take().filter(|running| running.templates == job.templates);
        let mut running = match running {
            Some(running) => running,
            None => self.start(job).await?,
        };
        match timeout(limit, exchange(&mut running.session, order.collect())).await {
            Err(_) => Err(PrintError::TimedOut(limit)),
            Ok(None) => Err(crashed(running.session).await),
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
            message_bytes: LONGEST_MESSAGE,
        };
        let mut session = command.open().map_err(PrintError::io("start the proofing process"))?;
        let setup = Setup {
            templates: job.templates.to_owned(),
            memory_limit_bytes: self.settings.memory_limit_bytes,
            // The parent has a clock, and a designer works all day.
            processor_limit_s: u64::MAX,
        };
        // A process that ends at once says why when it is asked for a proof.
        let _ = session.send([line_of(&setup)?.into()]).await;
        Ok(Running {
            session,
            templates: job.templates.to_owned(),
            is_proven: false,
        })
    }
}

/// Nothing when the process has ended.
async fn exchange(session: &mut Session, order: Vec<Bytes>) -> Option<Proof> {
    session.send(order).await.ok()?;
    let line = session.line(LONGEST_PROOF).await.ok()??;
    serde_json::from_str(&line).ok()
}

async fn crashed(session: Session) -> PrintError {
    let (status, diagnostics) = match timeout(LAST_WORDS, session.end()).await {
        Ok(Ok((status, message))) => (status.to_string(), message),
        Ok(Err(error)) => (error.to_string(), String::new()),
        Err(_) => ("no exit status".to_owned(), String::new()),
    };
    PrintError::Crashed { status, diagnostics }
}
