//! A digest of everything but the book that a PDF depends on, computed once per change of the templates.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use linepress_files::{Entry, FileError, TEMPLATES, list, read_all};

use crate::{ContentKey, PrintError};

/// The digests that this process has computed.
static DIGESTS: Digests = Digests(Mutex::new(BTreeMap::new()));

/// Returns a digest of everything but the book that a PDF depends on: this program's version, its tables of printers,
/// Typst's version and the template folder.
///
/// It stats every file of the template folder and reads the files again only when one has changed, so call it where
/// blocking is allowed. Fails when the folder cannot be read, exceeds the limits on files and bytes, or contains an
/// entry that is neither a file nor a folder.
pub fn typesetting_digest(templates: &Path) -> Result<String, PrintError> {
    DIGESTS.get(templates, digest).map_err(PrintError::Templates)
}

fn digest(templates: &Path) -> Result<String, FileError> {
    let mut key = ContentKey::default();
    key.add(env!("CARGO_PKG_VERSION").as_bytes());
    // Two builds of the same version may contain different margin tables or barcode sources.
    for table in linepress_printers::TABLES.iter().chain(&crate::barcode::SOURCES) {
        key.add(table.as_bytes());
    }
    key.add(typst::utils::version().raw().as_bytes());
    for (path, bytes) in read_all(templates, TEMPLATES)? {
        key.add(path.as_bytes());
        key.add(&bytes);
    }
    Ok(key.finish())
}

/// The maximum number of digests in memory. A server prints from fewer folders at a time; each version of a layout's
/// templates has its folder.
const MAX_DIGESTS: usize = 64;

/// The digest of each folder, with the listing it was computed from.
struct Digests(Mutex<BTreeMap<PathBuf, (Vec<Entry>, String)>>);

impl Digests {
    /// Returns the digest of a folder. `compute` is called only when the folder's listing has changed.
    fn get(
        &self,
        folder: &Path,
        compute: impl FnOnce(&Path) -> Result<String, FileError>,
    ) -> Result<String, FileError> {
        // Listed before the files are read, so that a change in between is noticed on the next call.
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
        if digests.len() >= MAX_DIGESTS {
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

        // Editors save like this: they write a new file and rename it to the old name.
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
