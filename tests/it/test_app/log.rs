//! The log that an operator reads.
use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};

use linepress_platform::config::log_filter;
use tracing::subscriber::NoSubscriber;
use tracing::{Dispatch, Level};

/// The log of a test's thread, on which its runtime runs everything.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// Reports whether a line contains the text.
    pub(crate) fn holds(&self, text: &str) -> bool {
        self.count(text) > 0
    }

    /// Returns the number of lines that contain the text.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.lines().iter().filter(|line| line.contains(text)).count()
    }

    /// Captures the lines that an operator sees by default.
    pub(crate) fn capture(&self) -> impl Drop {
        self.capture_up_to(Level::INFO)
    }

    /// Captures the lines of this level and of all that are more severe.
    pub(crate) fn capture_up_to(&self, level: Level) -> impl Drop {
        // With a single subscriber in the process, tracing asks the thread that reaches a log statement first whether
        // any subscriber wants it, and caches the answer (`Rebuilder::JustOne` in tracing-core 0.1). That thread may
        // belong to another test, which captures no log.
        static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::default()));
        LazyLock::force(&ANOTHER);
        let log = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .without_time()
            .with_env_filter(log_filter(level.as_str()))
            .with_writer(move || log.clone())
            .finish();
        tracing_subscriber::util::SubscriberInitExt::set_default(subscriber)
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
