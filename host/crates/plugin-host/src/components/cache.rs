//! An on-disk cache of compiled components and of compilation failures, so that each component is compiled once and not
//! at every start.
//!
//! A cached file consists of the SHA-256 of the code, followed by the code. Its name is a hash of everything that the
//! code depends on: the component, wasmtime's version, the compiler's settings and the processor.
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::compile::CompileLimits;
use crate::error::LoadError;

const DIGEST_BYTES: usize = 32;

/// Extension of files with compiled code.
pub(crate) const COMPILED: &str = "compiled";
/// Extension of files with a compilation failure.
pub(crate) const FAILED: &str = "failed";

pub(crate) struct Cache {
    pub(crate) directory: PathBuf,
    engine: Engine,
}

/// A component that could not be compiled.
#[derive(Serialize, Deserialize)]
struct Failure {
    reason: String,
    /// Limits of the failed compilation. With other limits the component is compiled again.
    limits: CompileLimits,
}

impl Cache {
    /// Creates the folder with access for this user only, because its files are executed as machine code.
    pub(crate) fn open(directory: PathBuf, engine: Engine) -> Result<Self, LoadError> {
        match make_private(&directory) {
            Ok(()) => Ok(Self { directory, engine }),
            Err(source) => Err(LoadError::Cache {
                path: directory,
                source,
            }),
        }
    }

    /// The path of the cache files of the component with this SHA-256, without an extension.
    pub(crate) fn stem(&self, digest: &str) -> PathBuf {
        let mut key = Key(Sha256::new());
        key.write(digest.as_bytes());
        // Wasmtime's version is part of this hash.
        self.engine.precompile_compatibility_hash().hash(&mut key);
        self.directory.join(hex::encode(key.0.finalize()))
    }

    /// Loads the compiled component. Returns `None` if it is not cached or its file is damaged.
    pub(crate) fn component(&self, plugin: &str, stem: &Path) -> Option<Component> {
        let path = &stem.with_extension(COMPILED);
        let file = match std::fs::read(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!(
                    plugin,
                    %error,
                    path = %path.display(),
                    "the cached plugin cannot be read and is compiled again"
                );
                return None;
            }
        };
        let Some((digest, code)) = file.split_at_checked(DIGEST_BYTES) else {
            tracing::warn!(plugin, path = %path.display(), "the cached plugin is truncated and is compiled again");
            return None;
        };
        if digest != Sha256::digest(code).as_slice() {
            tracing::warn!(plugin, path = %path.display(), "the cached plugin is damaged and is compiled again");
            return None;
        }
        match self.deserialize(code) {
            Ok(component) => Some(component),
            Err(error) => {
                tracing::warn!(
                    plugin,
                    error = format!("{error:#}"),
                    path = %path.display(),
                    "the cached plugin cannot be loaded and is compiled again"
                );
                None
            }
        }
    }

    /// The reason why an earlier compilation with the same limits failed, and how to have it tried again.
    pub(crate) fn failure(&self, stem: &Path, limits: &CompileLimits) -> Option<String> {
        let path = stem.with_extension(FAILED);
        let failure: Failure = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
        (failure.limits == *limits).then(|| format!("{}; to try again, delete {}", failure.reason, path.display()))
    }

    /// Stores newly compiled code, and loads it.
    pub(crate) fn add(&self, plugin: &str, stem: &Path, code: &[u8]) -> wasmtime::Result<Component> {
        let path = stem.with_extension(COMPILED);
        // If the file cannot be written, the plugin is loaded anyway; only the next start has to compile it again.
        if let Err(error) = self.write(&path, &[Sha256::digest(code).as_slice(), code]) {
            tracing::warn!(
                plugin,
                %error,
                path = %path.display(),
                "the compiled plugin cannot be written to the cache"
            );
        }
        self.deserialize(code)
    }

    /// Stores the reason why this component cannot be compiled.
    pub(crate) fn add_failure(&self, plugin: &str, stem: &Path, reason: &str, limits: &CompileLimits) {
        let failure = Failure {
            reason: reason.into(),
            limits: limits.clone(),
        };
        let path = stem.with_extension(FAILED);
        let written = serde_json::to_vec_pretty(&failure)
            .map_err(std::io::Error::from)
            .and_then(|json| self.write(&path, &[&json]));
        if let Err(error) = written {
            tracing::warn!(
                plugin,
                %error,
                path = %path.display(),
                "the compilation failure cannot be written to the cache"
            );
        }
    }

    fn write(&self, path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
        // Written to a temporary file and renamed, so that no reader sees a partial file, even after a crash.
        let mut file = tempfile::NamedTempFile::new_in(&self.directory)?;
        for part in parts {
            file.write_all(part)?;
        }
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }

    #[expect(
        unsafe_code,
        reason = "wasmtime runs these bytes as machine code; there is no safe way to load them"
    )]
    fn deserialize(&self, code: &[u8]) -> wasmtime::Result<Component> {
        // SAFETY: the bytes are the output of `precompile_component` in a child process that runs this same program.
        // They were either received just now through a pipe that no other process has, or read from a file that this
        // host wrote into a folder only its own user may enter, under a name that is a hash of the component and the
        // compiler, and whose digest was just verified. Files of a plugin folder are never passed to this function.
        unsafe { Component::deserialize(&self.engine, code) }
    }
}

/// A `Hasher` that feeds wasmtime's hash input into SHA-256. The 64 bits of an ordinary hasher could collide.
struct Key(Sha256);

impl Hasher for Key {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("the key is read as a whole digest")
    }
}

#[cfg(unix)]
fn make_private(directory: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)?;
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_private(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)
}
