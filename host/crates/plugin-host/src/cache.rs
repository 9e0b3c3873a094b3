//! Compiled components on disk, so that only the first start after a change compiles, and those that could not be
//! compiled, so that only the first start waits for them.
//!
//! A file holds the SHA-256 of the code and the code. Its name covers everything the code depends
//! on: the component, wasmtime's version, the compiler's settings and the processor.
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::compile::CompileLimits;
use crate::error::LoadError;

const DIGEST_BYTES: usize = 32;

/// The names of files: code, and failures.
pub(crate) const COMPILED: &str = "compiled";
pub(crate) const FAILED: &str = "failed";

pub(crate) struct Cache {
    pub(crate) directory: PathBuf,
    engine: Engine,
}

/// A component that could not be compiled.
#[derive(Serialize, Deserialize)]
struct Failure {
    reason: String,
    /// Those it was compiled under: other limits are a new attempt.
    limits: CompileLimits,
}

impl Cache {
    /// Makes the folder, for nobody but this user: what is in there is run.
    pub(crate) fn open(directory: PathBuf, engine: Engine) -> Result<Self, LoadError> {
        match make_private(&directory) {
            Ok(()) => Ok(Self { directory, engine }),
            Err(source) => Err(LoadError::Cache {
                path: directory,
                source,
            }),
        }
    }

    /// What this component's files are called, but for what comes after the dot.
    pub(crate) fn stem(&self, wasm: &[u8]) -> PathBuf {
        let mut key = Key(Sha256::new());
        key.write(&Sha256::digest(wasm));
        // Wasmtime's version is part of this hash.
        self.engine.precompile_compatibility_hash().hash(&mut key);
        self.directory.join(hex::encode(key.0.finalize()))
    }

    /// The compiled component, if it is there and beyond doubt.
    pub(crate) fn component(&self, plugin: &str, stem: &Path) -> Option<Component> {
        let path = &stem.with_extension(COMPILED);
        let file = match std::fs::read(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!(plugin, %error, path = %path.display(), "compiling again: the cache cannot be read");
                return None;
            }
        };
        let Some((digest, code)) = file.split_at_checked(DIGEST_BYTES) else {
            tracing::warn!(plugin, path = %path.display(), "compiling again: the cached file is cut short");
            return None;
        };
        if digest != Sha256::digest(code).as_slice() {
            tracing::warn!(plugin, path = %path.display(), "compiling again: the cached file is damaged");
            return None;
        }
        match self.deserialize(code) {
            Ok(component) => Some(component),
            Err(error) => {
                tracing::warn!(plugin, error = format!("{error:#}"), path = %path.display(), "compiling again");
                None
            }
        }
    }

    /// Why this component could not be compiled before, under the same limits, and what to do about it.
    pub(crate) fn failure(&self, stem: &Path, limits: &CompileLimits) -> Option<String> {
        let path = stem.with_extension(FAILED);
        let failure: Failure = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
        (failure.limits == *limits)
            .then(|| format!("{}; to have it tried again, delete {}", failure.reason, path.display()))
    }

    /// Keeps the code that the compiler just gave, and loads it.
    pub(crate) fn add(&self, plugin: &str, stem: &Path, code: &[u8]) -> wasmtime::Result<Component> {
        let path = stem.with_extension(COMPILED);
        // A full disk costs the next start its time, not this one its plugin.
        if let Err(error) = self.write(&path, &[Sha256::digest(code).as_slice(), code]) {
            tracing::warn!(plugin, %error, path = %path.display(), "the compiled plugin cannot be kept");
        }
        self.deserialize(code)
    }

    /// Keeps the reason why this component cannot be compiled.
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
            tracing::warn!(plugin, %error, path = %path.display(), "that it failed cannot be kept");
        }
    }

    fn write(&self, path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
        // Under another name first: a reader, or the next start after a crash, sees all or nothing.
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
        // SAFETY: the bytes come from `precompile_component`, called in a child process that runs this very program:
        // either just now, through a pipe that no other process has, or out of a file that this host wrote into a folder
        // only its own user may enter, under a name that covers the component and the compiler, and whose digest was just
        // found to be right. No path leads from a plugin's folder to here.
        unsafe { Component::deserialize(&self.engine, code) }
    }
}

/// Feeds what wasmtime hashes into SHA-256: a name in a cache must not collide by chance.
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
