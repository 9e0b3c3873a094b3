//! The settings for rendering books.
use std::path::PathBuf;
use std::time::Duration;

/// The settings for rendering books.
#[derive(Clone, Debug)]
pub struct RenderSettings {
    /// The program that is run as `linepress render`.
    pub program: PathBuf,
    /// The time within which one book must be rendered.
    pub timeout: Duration,
    /// The address space that one process may use.
    pub memory_limit_bytes: u64,
    /// The number of books that may be rendered at a time: the number of cores.
    pub max_concurrent: usize,
    /// The folders that are searched for fonts with characters that a layout's fonts lack.
    pub font_folders: Vec<PathBuf>,
}
