//! Compiled components on disk, so that only the first start after a change compiles.
//!
//! A file holds the SHA-256 of the code and the code. Its name covers everything the code depends
//! on: the component, wasmtime's version, the compiler's settings and the processor.
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::error::LoadError;

const DIGEST_BYTES: usize = 32;

pub(crate) struct Cache {
    directory: PathBuf,
    engine: Engine,
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

    /// The compiled component, from disk if it is there and beyond doubt. Slow otherwise: not for
    /// the threads of the runtime.
    pub(crate) fn component(&self, plugin: &str, wasm: &[u8]) -> wasmtime::Result<Component> {
        let path = self.path(wasm);
        if let Some(component) = self.read(plugin, &path) {
            return Ok(component);
        }
        let began = Instant::now();
        let code = self.engine.precompile_component(wasm)?;
        tracing::info!(
            plugin,
            milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            wasm_bytes = wasm.len(),
            code_bytes = code.len(),
            "compiled"
        );
        // A full disk costs the next start its time, not this one its plugin.
        if let Err(error) = self.write(&path, &code) {
            tracing::warn!(plugin, %error, path = %path.display(), "the compiled plugin cannot be kept");
        }
        self.deserialize(&code)
    }

    fn path(&self, wasm: &[u8]) -> PathBuf {
        let mut key = Key(Sha256::new());
        key.write(&Sha256::digest(wasm));
        // Wasmtime's version is part of this hash.
        self.engine.precompile_compatibility_hash().hash(&mut key);
        self.directory
            .join(hex::encode(key.0.finalize()))
            .with_extension("compiled")
    }

    fn read(&self, plugin: &str, path: &Path) -> Option<Component> {
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

    fn write(&self, path: &Path, code: &[u8]) -> std::io::Result<()> {
        // Under another name first: a reader, or the next start after a crash, sees all or nothing.
        let mut file = tempfile::NamedTempFile::new_in(&self.directory)?;
        file.write_all(&Sha256::digest(code))?;
        file.write_all(code)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }

    #[expect(
        unsafe_code,
        reason = "wasmtime runs these bytes as machine code; there is no safe way to load them"
    )]
    fn deserialize(&self, code: &[u8]) -> wasmtime::Result<Component> {
        // SAFETY: the bytes come from `precompile_component`: either just now, or out of a file
        // that this host wrote into a folder only its own user may enter, under a name that covers
        // the component and the compiler, and whose digest was just found to be right. No path
        // leads from a plugin's folder to here.
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
