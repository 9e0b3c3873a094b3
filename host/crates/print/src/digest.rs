//! A digest of everything besides the book that a PDF depends on, computed once per change of the templates.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use linepress_files::{Entry, FileError, TEMPLATES, list, read_all};

use crate::{ContentKey, PrintError};

/// The digests of this process.
static DIGESTS: Digests = Digests(Mutex::new(BTreeMap::new()));

/// Returns a digest of everything besides the book that the result depends on: this program, its tables of
/// printers, Typst, the templates.
///
/// Looks at every file of the template folder, and reads them when one has changed since the last time: call it where
/// blocking is allowed. Fails when the folder cannot be read, holds what is neither a file nor a folder, or too much.
pub fn typesetting_digest(templates: &Path) -> Result<String, PrintError> {
    DIGESTS.get(templates, digest).map_err(PrintError::Templates)
}

fn digest(templates: &Path) -> Result<String, FileError> {
    let mut key = ContentKey::default();
    key.add(env!("CARGO_PKG_VERSION").as_bytes());
    // Two builds of one version may know other margins.
    for table in linepress_printers::TABLES {
        key.add(table.as_bytes());
    }
    key.add(typst::utils::version().raw().as_bytes());
    for (path, bytes) in read_all(templates, TEMPLATES)? {
        key.add(path.as_bytes());
        key.add(&bytes);
    }
    Ok(key.finish())
}

/// More folders than a server prints from at a time: each version of a layout's templates has one of its own.
const MOST: usize = 64;

/// The digest of each folder, with the listing it was computed for.
struct Digests(Mutex<BTreeMap<PathBuf, (Vec<Entry>, String)>>);

impl Digests {
    /// The digest of a folder: `compute` is called only when its listing has changed.
    fn get(
        &self,
        folder: &Path,
        compute: impl FnOnce(&Path) -> Result<String, FileError>,
    ) -> Result<String, FileError> {
        // Before the files are read: what changes in between is noticed the next time.
        let listing = list(folder, TEMPLATES)?;
        let known = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(folder)
            .cloned();
        if let Some((_, digest)) = known.filter(|(known, _)| *known == listing) {
            return Ok(digest);
        }
        let digest = compute(folder)?;
        let mut digests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if digests.len() >= MOST {
            digests.clear();
        }
        digests.insert(folder.to_owned(), (listing, digest.clone()));
        Ok(digest)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;

    use super::*;

    #[test]
    fn templates_are_read_once_per_change() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.typ"), "one").unwrap();
        let digests = Digests(Mutex::default());
        let reads = Cell::new(0);
        let get = || {
            let counted = |folder: &Path| {
                reads.set(reads.get() + 1);
                digest(folder)
            };
            digests.get(folder.path(), counted).unwrap()
        };
        let first = get();
        assert_eq!(first, get());
        assert_eq!(reads.get(), 1);

        // As editors save: a new file under the old name.
        fs::write(folder.path().join("a.typ~"), "two").unwrap();
        fs::rename(folder.path().join("a.typ~"), folder.path().join("a.typ")).unwrap();
        let second = get();
        assert_ne!(first, second);
        fs::write(folder.path().join("b.typ"), "").unwrap();
        assert_ne!(second, get());
        assert_eq!(reads.get(), 3);
    }

    #[test]
    fn a_folder_with_too_much_has_no_digest() {
        let folder = tempfile::tempdir().unwrap();
        let large = fs::File::create(folder.path().join("large.png")).unwrap();
        large.set_len(20 << 30).unwrap();
        let error = typesetting_digest(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("large.png has 21474836480 bytes, and at most 67108864 are read"),
            "{error}"
        );
    }
}
