//! Errors of registries and of installed versions. Each says what is wrong, then what to do.
use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};

use linepress_egress::FetchError;
use linepress_files::FileError;
use url::Url;

/// The reason why a registry was not used, or why an installed version was not changed.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// Something from a registry, or a request of the operator, that is not acceptable.
    #[error("{0}")]
    Refused(String),
    #[error("{} cannot be {what}", path.display())]
    File {
        path: PathBuf,
        what: &'static str,
        source: io::Error,
    },
    #[error(transparent)]
    Unreadable(#[from] FileError),
    #[error("{url} {problem}")]
    Fetch { url: String, problem: String },
}

pub(crate) type Result<T> = std::result::Result<T, RegistryError>;

/// An error of fetching a URL. The operator reads its causes as well, which a client of the server must not learn.
pub(crate) fn not_fetched(url: &Url, error: &FetchError) -> RegistryError {
    let mut problem = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        problem = format!("{problem}: {cause}");
        next = cause.source();
    }
    if let Some(host) = error.private_host(url) {
        problem = format!(
            "{problem}. If it is in your private network, add {host:?} to `private_hosts` below [plugin_index] in the settings file"
        );
    }
    RegistryError::Fetch {
        url: url.to_string(),
        problem,
    }
}

/// An error with a sentence for the operator.
pub(crate) fn refused<T>(problem: impl Into<String>) -> Result<T> {
    Err(RegistryError::Refused(problem.into()))
}

/// Returns a function that adds the path, and what was done with it, to an error.
pub(crate) fn failed(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> RegistryError {
    let path = path.to_owned();
    move |source| RegistryError::File { path, what, source }
}
