//! The move of all objects to another store.
//!
//! Servers may run meanwhile. The move copies and verifies all objects. Then it removes the mark of the old store, so
//! that no server writes there, copies what was written in the meantime, and finally marks the new store. An
//! interrupted move continues when it is started again: an object counts as copied once its digests agree.
use std::collections::BTreeMap;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use linepress_platform::error::{Error, Result};
use linepress_platform::storage::{CopyError, MarkFile, Storage};

/// The number of objects that are copied at a time.
const MAX_COPIES: usize = 8;

/// A move of all objects.
pub struct Relocation<'a> {
    pub from: &'a Storage,
    pub to: &'a Storage,
    /// The mark of the database's store.
    pub mark: &'a str,
    /// The time that running servers have to end what they are writing, once the old store has lost its mark.
    pub drain: Duration,
    pub progress: &'a dyn Progress,
}

/// An observer of a move.
pub trait Progress: Send + Sync {
    /// Begins to copy or verify this number of objects.
    fn begins(&self, objects: u64);
    fn ends_one(&self);
}

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    pub objects: usize,
    pub bytes: u64,
}

/// Verified objects and their sizes, by key.
type Verified = BTreeMap<String, u64>;

impl Relocation<'_> {
    /// Moves all objects. The old store is not emptied.
    pub async fn run(&self) -> Result<Moved> {
        let is_closed = self.check_source().await?;
        self.claim_target().await?;
        let mut verified = Verified::new();
        if !is_closed {
            self.copy_all(&mut verified).await?;
            self.check_source().await?;
            self.from.set_mark(MarkFile::Leaving, self.mark).await?;
            self.from.remove_mark(MarkFile::Current).await?;
            tokio::time::sleep(self.drain).await;
        }
        self.copy_all(&mut verified).await?;
        let moved = self.compare().await?;
        self.to.set_mark(MarkFile::Current, self.mark).await?;
        self.to.remove_mark(MarkFile::Arriving).await?;
        Ok(moved)
    }

    /// Fails unless the old store is that of the database. Returns true when its mark was removed, by this or an
    /// earlier move.
    async fn check_source(&self) -> Result<bool> {
        let current = self.from.mark(MarkFile::Current).await?;
        match (current, self.from.mark(MarkFile::Leaving).await?) {
            (Some(mark), _) if mark == self.mark => Ok(false),
            (None, Some(mark)) if mark == self.mark => Ok(true),
            _ => Err(refusal(format!(
                "{} is not the object store of this database.",
                self.from.place_name()
            ))),
        }
    }

    /// The sizes of the old store's objects, by key. A share that is not mounted any more looks like an empty folder,
    /// so the list counts only if the store still has its mark afterwards.
    async fn list_source(&self) -> Result<BTreeMap<String, u64>> {
        let sizes = self.from.list().await?.sizes;
        self.check_source().await?;
        Ok(sizes)
    }

    /// Reserves the new store, which must be empty or reserved by an earlier move of the same objects.
    async fn claim_target(&self) -> Result<()> {
        let place = self.to.place_name();
        let current = self.to.mark(MarkFile::Current).await?;
        match (current, self.to.mark(MarkFile::Arriving).await?) {
            (Some(mark), _) if mark == self.mark => Err(refusal(format!(
                "{place} already is the object store of this database. Set `storage_url` to it."
            ))),
            (None, Some(mark)) if mark == self.mark => Ok(()),
            (None, None) if self.to.list().await?.sizes.is_empty() => {
                self.to.set_mark(MarkFile::Arriving, self.mark).await
            }
            _ => Err(refusal(format!(
                "{place} is in use. Choose an empty folder, or an unused prefix in a bucket."
            ))),
        }
    }

    /// Copies all objects that are not verified yet.
    async fn copy_all(&self, verified: &mut Verified) -> Result<()> {
        let mut open = self.list_source().await?;
        open.retain(|key, _| !verified.contains_key(key));
        let present = self.to.list().await?.sizes;
        self.progress.begins(open.len() as u64);
        let copies = open.into_iter().map(async |(key, size)| {
            let is_present = present.get(&key) == Some(&size);
            let is_copied = self.copy(&key, is_present).await?;
            self.progress.ends_one();
            Ok::<_, Error>((key, size, is_copied))
        });
        let mut copies = futures::stream::iter(copies).buffer_unordered(MAX_COPIES);
        while let Some((key, size, is_copied)) = copies.try_next().await? {
            if is_copied {
                verified.insert(key, size);
            }
        }
        Ok(())
    }

    /// Copies an object and verifies the copy. Returns false if the object was deleted meanwhile.
    async fn copy(&self, key: &str, is_present: bool) -> Result<bool> {
        if is_present {
            let Some(original) = self.from.digest(key).await? else {
                return Ok(false);
            };
            // An earlier move may have been interrupted after it wrote the object and before it read it again.
            if self.to.digest(key).await? == Some(original) {
                return Ok(true);
            }
        }
        let original = match self.from.copy_to(key, self.to, key, None).await {
            Ok(original) => original,
            Err(CopyError::Missing(_)) => return Ok(false),
            // A server may have deleted the object while it was read.
            Err(_) if self.from.open(key).await?.is_none() => return Ok(false),
            Err(CopyError::Storage(error)) => return Err(error),
            Err(changed @ CopyError::Changed(_)) => return Err(refusal(changed.to_string())),
        };
        if self.to.digest(key).await? != Some(original) {
            let place = self.to.place_name();
            return Err(refusal(format!(
                "the copy of {key} in {place} differs from the original. Start the move again."
            )));
        }
        Ok(true)
    }

    /// Deletes copies of objects that were deleted meanwhile, and compares the number and the sizes of all objects.
    async fn compare(&self) -> Result<Moved> {
        let originals = self.list_source().await?;
        let mut copies = self.to.list().await?.sizes;
        let surplus: Vec<String> = copies
            .keys()
            .filter(|key| !originals.contains_key(*key))
            .cloned()
            .collect();
        for key in surplus {
            self.to.delete(&key).await?;
            copies.remove(&key);
        }
        if copies != originals {
            return Err(refusal(format!(
                "{} objects are in the old store and {} in the new one. Stop all servers and start the move again.",
                originals.len(),
                copies.len()
            )));
        }
        Ok(Moved {
            objects: copies.len(),
            bytes: copies.values().sum(),
        })
    }
}

fn refusal(reason: String) -> Error {
    Error::unavailable(reason)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tempfile::TempDir;

    use super::*;

    const MARK: &str = "the database";

    /// Changes the old store each time that copies begin.
    struct Disturbance<'a> {
        /// The number of times that copies began before.
        begun: AtomicUsize,
        disturb: &'a (dyn Fn(usize) + Send + Sync),
    }

    impl Progress for Disturbance<'_> {
        fn begins(&self, _: u64) {
            (self.disturb)(self.begun.fetch_add(1, Ordering::Relaxed));
        }

        fn ends_one(&self) {}
    }

    /// An old store with two objects, and the folder of a new one.
    async fn folders() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let from = store(folder.path(), "from");
        from.put("pages/one", "1").await.unwrap();
        from.put("pages/two", "2").await.unwrap();
        from.set_mark(MarkFile::Current, MARK).await.unwrap();
        folder
    }

    fn store(folder: &Path, name: &str) -> Storage {
        Storage::folder(&folder.join(name)).unwrap()
    }

    async fn move_while(folder: &Path, disturb: &(dyn Fn(usize) + Send + Sync)) -> Result<Moved> {
        let relocation = Relocation {
            from: &store(folder, "from"),
            to: &store(folder, "to"),
            mark: MARK,
            drain: Duration::ZERO,
            progress: &Disturbance {
                begun: AtomicUsize::new(0),
                disturb,
            },
        };
        relocation.run().await
    }

    async fn keys(folder: &Path, name: &str) -> Vec<String> {
        store(folder, name).list().await.unwrap().sizes.into_keys().collect()
    }

    #[tokio::test]
    async fn writes_and_deletions_during_a_move_reach_the_new_store() {
        let folder = folders().await;
        let from = folder.path().join("from");
        let disturb = |begun| match begun {
            0 => {
                fs::remove_file(from.join("pages/one")).unwrap();
                fs::write(from.join("pages/three"), "3").unwrap();
            }
            // The mark is removed, and a server ends what it had begun.
            _ => fs::write(from.join("pages/four"), "4").unwrap(),
        };
        // The last one came after the list of objects that remained to be copied.
        let error = move_while(folder.path(), &disturb).await.unwrap_err();
        assert!(error.for_operator().contains("start the move again"), "{error:?}");
        let moved = move_while(folder.path(), &|_| {}).await.unwrap();
        assert_eq!(moved, Moved { objects: 3, bytes: 3 });
        assert_eq!(
            keys(folder.path(), "to").await,
            ["pages/four", "pages/three", "pages/two"]
        );
        let to = store(folder.path(), "to");
        assert_eq!(to.mark(MarkFile::Current).await.unwrap().as_deref(), Some(MARK));
    }

    #[tokio::test]
    async fn a_server_neither_writes_nor_deletes_objects_that_were_moved_away() {
        let folder = folders().await;
        let server = store(folder.path(), "from").marked(MARK);
        move_while(folder.path(), &|_| {}).await.unwrap();
        let error = server.put("pages/three", "3").await.unwrap_err();
        assert!(error.for_operator().contains("its objects were moved"), "{error:?}");
        server.delete("pages/one").await.unwrap_err();
        assert_eq!(keys(folder.path(), "from").await, ["pages/one", "pages/two"]);
    }

    #[tokio::test]
    async fn a_move_stops_when_the_old_store_is_unmounted() {
        for unmounted_at in [0, 1] {
            let folder = folders().await;
            let (from, away) = (folder.path().join("from"), folder.path().join("away"));
            let unmount = |begun| {
                if begun == unmounted_at {
                    fs::rename(&from, &away).unwrap();
                    fs::create_dir(&from).unwrap();
                }
            };
            let error = move_while(folder.path(), &unmount).await.unwrap_err();
            assert!(error.for_operator().contains("is not the object store"), "{error:?}");
            let to = store(folder.path(), "to");
            assert_eq!(to.mark(MarkFile::Current).await.unwrap(), None);
            // It continues once the share is mounted again.
            fs::remove_dir_all(&from).unwrap();
            fs::rename(&away, &from).unwrap();
            let moved = move_while(folder.path(), &|_| {}).await.unwrap();
            assert_eq!(moved, Moved { objects: 2, bytes: 2 }, "{unmounted_at}");
        }
    }

    #[tokio::test]
    async fn a_half_filled_store_is_not_the_source_of_another_move() {
        let folder = folders().await;
        let to = store(folder.path(), "to");
        to.set_mark(MarkFile::Arriving, MARK).await.unwrap();
        let onward = Relocation {
            from: &to,
            to: &store(folder.path(), "third"),
            mark: MARK,
            drain: Duration::ZERO,
            progress: &Disturbance {
                begun: AtomicUsize::new(0),
                disturb: &|_| {},
            },
        };
        let error = onward.run().await.unwrap_err();
        assert!(error.for_operator().contains("is not the object store"), "{error:?}");
    }
}
