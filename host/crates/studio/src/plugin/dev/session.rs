//! The state of the page: the latest result, and the problem of the latest change.
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use serde::Serialize;
use tokio::sync::watch;

use super::outcome::{Outcome, Problem};

pub(super) struct Session {
    state: Mutex<State>,
    version: watch::Sender<u64>,
}

struct State {
    shown: Shown,
    /// The media type and the content of the file that is shown.
    file: Option<(&'static str, Bytes)>,
}

/// The JSON of the page.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Shown {
    version: u64,
    folder: String,
    /// The command that builds the plugin.
    command: String,
    /// True while the plugin is built and called.
    is_working: bool,
    /// True if the result belongs to an earlier version of the sources, because this one failed.
    is_old: bool,
    problem: Option<ShownProblem>,
    /// The id and the version of the plugin; empty before the first result.
    plugin: String,
    facts: Vec<(&'static str, String)>,
    rows: Vec<Vec<String>>,
    file: Option<ShownFile>,
}

#[derive(Clone, Debug, Serialize)]
struct ShownProblem {
    title: &'static str,
    text: String,
}

#[derive(Clone, Debug, Serialize)]
struct ShownFile {
    /// The address, which changes with the file.
    url: String,
    is_picture: bool,
}

impl Session {
    pub(super) fn new(folder: &Path, command: &str) -> Self {
        let shown = Shown {
            folder: folder.display().to_string(),
            command: command.to_owned(),
            ..Shown::default()
        };
        Self {
            state: Mutex::new(State { shown, file: None }),
            version: watch::Sender::new(0),
        }
    }

    /// A build has begun.
    pub(super) fn begin(&self) {
        self.change(|state, _| state.shown.is_working = true);
    }

    /// The result of the build and the call. The previous result remains if there is none.
    pub(super) fn end(&self, outcome: Result<Outcome, Problem>) {
        self.change(|state, version| {
            let State { shown, file } = state;
            shown.is_working = false;
            match outcome {
                Err(problem) => {
                    shown.is_old = true;
                    shown.problem = Some(ShownProblem {
                        title: problem.step.words(),
                        text: problem.text,
                    });
                }
                Ok(outcome) => {
                    shown.is_old = false;
                    shown.problem = None;
                    shown.plugin = outcome.plugin;
                    shown.facts = outcome.facts;
                    shown.rows = outcome.rows;
                    shown.file = outcome.file.as_ref().map(|file| ShownFile {
                        url: format!("/files/{version}"),
                        is_picture: file.media_type.starts_with("image/"),
                    });
                    *file = outcome.file.map(|file| (file.media_type, Bytes::from(file.bytes)));
                }
            }
        });
    }

    pub(super) fn shown(&self) -> Shown {
        self.state().shown.clone()
    }

    /// The file with this address.
    pub(super) fn file(&self, version: u64) -> Option<(&'static str, Bytes)> {
        let state = self.state();
        let shown = state.shown.file.as_ref()?;
        let is_shown = shown.url == format!("/files/{version}");
        state.file.clone().filter(|_| is_shown)
    }

    /// A receiver of the version, which is notified of each change.
    pub(super) fn versions(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    fn change(&self, change: impl FnOnce(&mut State, u64)) {
        let mut state = self.state();
        state.shown.version += 1;
        let version = state.shown.version;
        change(&mut state, version);
        drop(state);
        self.version.send_replace(version);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
