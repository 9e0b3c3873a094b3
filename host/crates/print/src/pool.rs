//! Typesetting processes that stay: fonts, templates and Typst's own tables are loaded once for many books.
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use linepress_child::{Command, Session};

use crate::PrintError;
use crate::job::{Setup, line_of};
use crate::renderer::RenderSettings;

/// What Typst interns it never frees: a process ends after so many books,
const BOOKS: u32 = 100;
/// or when it has grown so large,
const RESIDENT_BYTES: u64 = 512 << 20;
/// or holds such a share of what it may take,
const SHARE_OF_LIMIT: u64 = 4;
/// or when nobody needed it for so long.
const IDLE: Duration = Duration::from_secs(120);

const LONGEST_DIAGNOSTICS: u64 = 64 * 1024;

/// Processes that wait for work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool(Arc<Mutex<Vec<Typesetter>>>);

/// A process that typesets with the templates of one folder as they were when it began.
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
    /// Whether it may hold what other books left behind.
    pub(crate) fn has_printed(&self) -> bool {
        self.books > 0
    }
}

impl Pool {
    fn idle(&self) -> MutexGuard<'_, Vec<Typesetter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process for these templates: one that waits, or a new one.
    pub(crate) async fn take(
        &self,
        settings: &RenderSettings,
        templates: &Path,
        digest: &str,
    ) -> Result<Typesetter, PrintError> {
        let waiting = {
            let mut idle = self.idle();
            // Of templates that have changed since nothing is printed any more.
            idle.retain(|one| one.templates != templates || one.digest == digest);
            let place = idle.iter().rposition(|one| one.templates == templates);
            place.map(|place| idle.remove(place))
        };
        match waiting {
            Some(waiting) => Ok(waiting),
            None => start(settings, templates, digest).await,
        }
    }

    /// Keeps a process that has printed a book for the next one, unless it has served enough.
    pub(crate) fn give_back(&self, mut typesetter: Typesetter, most: usize) {
        typesetter.books += 1;
        typesetter.idle_since = Instant::now();
        let is_large = typesetter
            .session
            .process()
            .is_none_or(|process| resident_bytes(process) > typesetter.most_resident_bytes);
        if typesetter.books >= BOOKS || is_large {
            return;
        }
        let mut idle = self.idle();
        idle.push(typesetter);
        while idle.len() > most && remove_spare(&mut idle) {}
        drop(idle);
        let idle = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            tokio::time::sleep(IDLE).await;
            if let Some(idle) = idle.upgrade() {
                let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
                idle.retain(|one| one.idle_since.elapsed() < IDLE);
            }
        });
    }
}

/// Ends the process that waited longest of those whose templates have another; false when each has one, unless these are
/// too many.
fn remove_spare(idle: &mut Vec<Typesetter>) -> bool {
    /// Layouts that have a process waiting.
    const LAYOUTS: usize = 4;
    let others = |place: usize| {
        idle[place + 1..]
            .iter()
            .any(|one| one.templates == idle[place].templates)
    };
    let spare = (0..idle.len()).find(|&place| others(place));
    match spare {
        Some(place) => _ = idle.remove(place),
        None if idle.len() > LAYOUTS => _ = idle.remove(0),
        None => return false,
    }
    true
}

/// A new process for these templates.
pub(crate) async fn start(settings: &RenderSettings, templates: &Path, digest: &str) -> Result<Typesetter, PrintError> {
    let command = Command {
        program: &settings.program,
        subcommand: "render",
        // The permits already share out the cores.
        threads: 1,
        output_bytes: 0,
        message_bytes: LONGEST_DIAGNOSTICS,
    };
    let mut session = command
        .open()
        .map_err(PrintError::io("start the typesetting process"))?;
    let setup = Setup {
        templates: templates.to_owned(),
        memory_limit_bytes: settings.memory_limit_bytes,
        // Each book has its own time, which the parent keeps. This one is for a process whose parent is gone.
        processor_limit_s: settings.timeout.as_secs().max(1) * u64::from(BOOKS),
    };
    // A process that ends at once says why when it is asked for a book.
    let _ = session.send([line_of(&setup)?.into()]).await;
    Ok(Typesetter {
        session,
        templates: templates.to_owned(),
        digest: digest.to_owned(),
        most_resident_bytes: RESIDENT_BYTES.min(settings.memory_limit_bytes / SHARE_OF_LIMIT),
        books: 0,
        idle_since: Instant::now(),
    })
}

/// How much memory a process holds; nothing where the operating system does not say.
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
