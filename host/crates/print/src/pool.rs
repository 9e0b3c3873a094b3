//! Typesetting processes that are reused, so that fonts, templates and Typst's own tables are loaded once for many
//! books.
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use linepress_child::{Command, Session};

use crate::job::{Setup, line_of};
use crate::{PrintError, RenderSettings};

/// The number of books after which a process ends: Typst never frees what it interns.
const MAX_BOOKS_PER_PROCESS: u32 = 100;
/// The resident memory above which a process ends.
const MAX_RESIDENT_BYTES: u64 = 512 << 20;
/// The divisor of the memory limit that gives the share above which a process ends.
const MEMORY_LIMIT_DIVISOR: u64 = 4;
/// The time after which an unused process ends.
const MAX_IDLE_TIME: Duration = Duration::from_secs(120);

const MAX_DIAGNOSTICS_BYTES: u64 = 64 * 1024;

/// The processes that wait for a job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool(Arc<Mutex<Vec<Typesetter>>>);

/// A typesetting process, and the version of the template folder that it has read.
#[derive(Debug)]
pub(crate) struct Typesetter {
    pub(crate) session: Session,
    templates: PathBuf,
    digest: String,
    most_resident_bytes: u64,
    books: u32,
    idle_since: Instant,
}

impl Typesetter {
    /// Returns true when the process may still hold data of earlier books.
    pub(crate) fn has_printed(&self) -> bool {
        self.books > 0
    }
}

impl Pool {
    fn idle(&self) -> MutexGuard<'_, Vec<Typesetter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an idle process for these templates, or starts a new one.
    pub(crate) async fn take(
        &self,
        settings: &RenderSettings,
        templates: &Path,
        digest: &str,
    ) -> Result<Typesetter, PrintError> {
        let waiting = {
            let mut idle = self.idle();
            // A process that read an older version of the templates is of no further use.
            idle.retain(|one| one.templates != templates || one.digest == digest);
            let place = idle.iter().rposition(|one| one.templates == templates);
            place.map(|place| idle.remove(place))
        };
        match waiting {
            Some(waiting) => Ok(waiting),
            None => start(settings, templates, digest).await,
        }
    }

    /// Puts a process back into the pool after it has printed a book, unless it is old or large. The pool then shrinks
    /// to `most` idle processes, but keeps one for each of up to four layouts.
    pub(crate) fn give_back(&self, mut typesetter: Typesetter, most: usize) {
        typesetter.books += 1;
        typesetter.idle_since = Instant::now();
        let is_large = typesetter
            .session
            .process()
            .is_none_or(|process| resident_bytes(process) > typesetter.most_resident_bytes);
        if typesetter.books >= MAX_BOOKS_PER_PROCESS || is_large {
            return;
        }
        let mut idle = self.idle();
        idle.push(typesetter);
        while idle.len() > most && remove_spare(&mut idle) {}
        drop(idle);
        let idle = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            tokio::time::sleep(MAX_IDLE_TIME).await;
            if let Some(idle) = idle.upgrade() {
                let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
                idle.retain(|one| one.idle_since.elapsed() < MAX_IDLE_TIME);
            }
        });
    }
}

/// Ends the process that has been idle the longest among those whose layout has another idle process. When each layout
/// has only one, the oldest ends if there are more than four. Returns false when no process was ended.
fn remove_spare(idle: &mut Vec<Typesetter>) -> bool {
    /// The maximum number of layouts that may each have an idle process beyond the pool's limit.
    const MAX_IDLE_LAYOUTS: usize = 4;
    let others = |place: usize| {
        idle[place + 1..]
            .iter()
            .any(|one| one.templates == idle[place].templates)
    };
    let spare = (0..idle.len()).find(|&place| others(place));
    match spare {
        Some(place) => _ = idle.remove(place),
        None if idle.len() > MAX_IDLE_LAYOUTS => _ = idle.remove(0),
        None => return false,
    }
    true
}

/// Starts a new process for these templates.
pub(crate) async fn start(settings: &RenderSettings, templates: &Path, digest: &str) -> Result<Typesetter, PrintError> {
    let command = Command {
        program: &settings.program,
        subcommand: "render",
        // The permits already divide the cores among the processes.
        threads: 1,
        output_bytes: 0,
        message_bytes: MAX_DIAGNOSTICS_BYTES,
    };
    let mut session = command
        .open()
        .map_err(PrintError::io("start the typesetting process"))?;
    let setup = Setup {
        templates: templates.to_owned(),
        memory_limit_bytes: settings.memory_limit_bytes,
        // The parent enforces the timeout of each book. This limit is for a process whose parent has died.
        processor_limit_s: settings.timeout.as_secs().max(1) * u64::from(MAX_BOOKS_PER_PROCESS),
    };
    // An error here is ignored: a process that ended at once reports its reason when it gets the first book.
    let _ = session.send([line_of(&setup)?.into()]).await;
    Ok(Typesetter {
        session,
        templates: templates.to_owned(),
        digest: digest.to_owned(),
        most_resident_bytes: MAX_RESIDENT_BYTES.min(settings.memory_limit_bytes / MEMORY_LIMIT_DIVISOR),
        books: 0,
        idle_since: Instant::now(),
    })
}

/// The resident memory of a process, or 0 where the operating system does not report it.
#[cfg(target_os = "linux")]
fn resident_bytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = resident.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(not(target_os = "linux"))]
fn resident_bytes(_process: u32) -> u64 {
    0
}
