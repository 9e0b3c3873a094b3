//! An on-disk cache of compiled components and of compilation failures, so that each component is compiled once and not
//! at every start.
//!
//! A cached file consists of the code, followed by its SHA-256. The code is mapped into memory from the file, so that it
//! is not copied and shares its pages with the file system's cache. The name is a hash of everything that the
//! code depends on: the component, wasmtime's version, the compiler's settings and the processor.
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::compile::CompileLimits;
use crate::error::LoadError;

const DIGEST_BYTES: usize = 32;

/// The size of the parts in which a file is read to verify it.
const BUFFER_BYTES: usize = 256 << 10;

/// Extension of files with compiled code.
pub(crate) const COMPILED: &str = "compiled";
/// Extension of files with a compilation failure.
pub(crate) const FAILED: &str = "failed";

pub(crate) struct Cache {
    pub(crate) directory: PathBuf,
    engine: Engine,
}

/// The times at which the files of a component were written.
#[derive(PartialEq, Eq)]
pub(crate) struct Written {
    compiled: Option<SystemTime>,
    failed: Option<SystemTime>,
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

    /// The times of a component's files, which change when any process has compiled it.
    pub(crate) fn written(&self, stem: &Path) -> Written {
        let time = |extension: &str| {
            let metadata = std::fs::metadata(stem.with_extension(extension));
            metadata.and_then(|metadata| metadata.modified()).ok()
        };
        Written {
            compiled: time(COMPILED),
            failed: time(FAILED),
        }
    }

    /// Loads the compiled component. Returns `None` if it is not cached or its file is damaged.
    pub(crate) fn component(&self, plugin: &str, stem: &Path) -> Option<Component> {
        let path = &stem.with_extension(COMPILED);
        let is_intact = match is_intact(path) {
            Ok(is_intact) => is_intact,
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
        if !is_intact {
            tracing::warn!(plugin, path = %path.display(), "the cached plugin is damaged and is compiled again");
            return None;
        }
        // Code cannot be mapped from a file system that is mounted with `noexec`.
        match self.map(path).or_else(|error| self.copy(path).ok_or(error)) {
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
        if let Err(error) = self.write(&path, &[code, Sha256::digest(code).as_slice()]) {
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

    /// Loads the code from a copy of the file in memory.
    fn copy(&self, path: &Path) -> Option<Component> {
        let file = std::fs::read(path).ok()?;
        let (code, digest) = file.split_last_chunk::<DIGEST_BYTES>()?;
        if *digest != <[u8; DIGEST_BYTES]>::from(Sha256::digest(code)) {
            return None;
        }
        self.deserialize(code).ok()
    }

    #[expect(
        unsafe_code,
        reason = "wasmtime runs these bytes as machine code; there is no safe way to load them"
    )]
    fn deserialize(&self, code: &[u8]) -> wasmtime::Result<Component> {
        // SAFETY: the bytes are the output of `precompile_component` in a child process that runs this same program. They
        // were either received just now through a pipe that no other process has, or read from a file as in `map`.
        unsafe { Component::deserialize(&self.engine, code) }
    }

    #[expect(
        unsafe_code,
        reason = "wasmtime runs the contents of this file as machine code; there is no safe way to load them"
    )]
    fn map(&self, path: &Path) -> wasmtime::Result<Component> {
        // SAFETY: the file has the output of `precompile_component`, and its digest was just verified. This host wrote it
        // into a folder only its own user may enter, under a name that is a hash of the component and the compiler. Such
        // files are replaced and removed as a whole, never changed in place. Files of a plugin folder are never passed to
        // this function.
        unsafe { Component::deserialize_file(&self.engine, path) }
    }
}

/// Returns true if a cached file ends with the digest of its code.
fn is_intact(path: &Path) -> std::io::Result<bool> {
    let file = &File::open(path)?;
    let Some(code_bytes) = file.metadata()?.len().checked_sub(DIGEST_BYTES as u64) else {
        return Ok(false);
    };
    let mut hash = Sha256::new();
    let mut code = file.take(code_bytes);
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match code.read(&mut buffer)? {
            0 => break,
            bytes => hash.update(&buffer[..bytes]),
        }
    }
    let mut stored = [0; DIGEST_BYTES];
    let mut file = file;
    file.read_exact(&mut stored)?;
    Ok(stored == <[u8; DIGEST_BYTES]>::from(hash.finalize()))
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
