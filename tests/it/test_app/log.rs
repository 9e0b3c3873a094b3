//! The log that an operator reads.
use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};

use tracing::Dispatch;
use tracing::subscriber::NoSubscriber;

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
        self.lines().iter().any(|line| line.contains(text))
    }

    pub(crate) fn capture(&self) -> impl Drop {
        // With a single subscriber in the process, tracing asks the thread that reaches a log statement first whether
        // any subscriber wants it, and caches the answer (`Rebuilder::JustOne` in tracing-core 0.1). That thread may
        // belong to another test, which captures no log.
        static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::default()));
        LazyLock::force(&ANOTHER);
        let log = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .without_time()
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
