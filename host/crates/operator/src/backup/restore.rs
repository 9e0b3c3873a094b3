//! The restore of a snapshot into an empty database and an empty object store.
//!
//! The database is marked first. Then come the tables, the objects and, in one transaction with the removal of the
//! mark, the rows. No other command opens a marked database, and the same restore can be repeated until it is complete.
use std::collections::{BTreeMap, HashMap};

use futures::{StreamExt as _, TryStreamExt as _};

use super::BackupError;
use super::copying::{MAX_CONCURRENT_COPIES, entries_of};
use super::dump::{Line, is_included};
use super::lines::LineReader;
use super::snapshot::{Entry, Snapshot};
use super::target::{Target, content_key, database_file};
use linepress_platform::database::{Cells, Contents, Database, Table, Tx};
use linepress_platform::storage::{CopyError, MarkFile, Storage};

/// The numbers of restored rows and objects.
#[derive(Debug, Default)]
pub struct Restored {
    pub rows: u64,
    pub objects: u64,
    /// The objects that are missing or damaged in the backup, with the problem of each.
    pub skipped: Vec<String>,
}

/// The server into which a snapshot is restored.
pub struct Destination<'a> {
    pub database: &'a Database,
    /// The contents of the database before the restore.
    pub contents: Contents,
    pub storage: &'a Storage,
}

/// Restores a snapshot. With `skips_damaged`, objects that are missing or damaged in the backup are left out.
pub async fn restore(
    target: &Target,
    snapshot: &Snapshot,
    destination: Destination<'_>,
    skips_damaged: bool,
) -> Result<Restored, BackupError> {
    let Destination { database, storage, .. } = destination;
    if snapshot
        .migrations
        .iter()
        .any(|version| !Database::knows_migration(*version))
    {
        return Err(BackupError::Newer(snapshot.name.clone()));
    }
    begin(snapshot, &destination).await?;
    let last = snapshot.migrations.iter().max().copied().unwrap_or_default();
    database.migrate_to(last).await?;
    let mut restored = copy_objects(target, snapshot, &destination, skips_damaged).await?;
    if let Some(mark) = &snapshot.object_store {
        storage.set_mark(MarkFile::Current, mark).await?;
    }
    restored.rows = insert_rows(target, snapshot, database).await?;
    database.migrate().await?;
    Ok(restored)
}

/// Checks that nothing would be replaced, and marks the database.
async fn begin(snapshot: &Snapshot, destination: &Destination<'_>) -> Result<(), BackupError> {
    match &destination.contents {
        Contents::Tables => Err(BackupError::DatabaseInUse(destination.database.place.clone())),
        Contents::HalfRestored(begun) if *begun == snapshot.name => refuse_other_objects(snapshot, destination).await,
        Contents::HalfRestored(begun) => Err(BackupError::AnotherBegun { begun: begun.clone() }),
        Contents::Nothing => {
            refuse_other_objects(snapshot, destination).await?;
            let storage = destination.storage;
            if !storage.list().await?.sizes.is_empty() {
                return Err(BackupError::ObjectsInUse(storage.place_name()));
            }
            Ok(destination.database.begin_restore(&snapshot.name).await?)
        }
    }
}

/// Fails when the object store belongs to another database.
async fn refuse_other_objects(snapshot: &Snapshot, destination: &Destination<'_>) -> Result<(), BackupError> {
    let storage = destination.storage;
    match storage.mark(MarkFile::Current).await? {
        Some(mark) if snapshot.object_store.as_ref() != Some(&mark) => {
            Err(BackupError::ObjectsInUse(storage.place_name()))
        }
        _ => Ok(()),
    }
}

async fn copy_objects(
    target: &Target,
    snapshot: &Snapshot,
    destination: &Destination<'_>,
    skips_damaged: bool,
) -> Result<Restored, BackupError> {
    let storage = destination.storage;
    let is_repeated = destination.contents != Contents::Nothing;
    let mut entries = Vec::new();
    let mut list = entries_of(target, snapshot).await?;
    while let Some(entry) = list.next().await? {
        entries.push(entry);
    }
    let copy = |Entry { key, digest }: Entry| async move {
        if is_repeated && storage.digest(&key).await? == Some(digest) {
            return Ok(None);
        }
        match target
            .storage
            .copy_to(&content_key(&digest), storage, &key, Some(digest))
            .await
        {
            Ok(_) => Ok(None),
            Err(error @ (CopyError::Missing(_) | CopyError::Changed(_))) if skips_damaged => {
                Ok(Some(format!("{key}: {error}")))
            }
            Err(error @ (CopyError::Missing(_) | CopyError::Changed(_))) => Err(BackupError::Object(error)),
            Err(error) => Err(error.into()),
        }
    };
    let mut restored = Restored::default();
    let mut copies = futures::stream::iter(entries)
        .map(copy)
        .buffer_unordered(MAX_CONCURRENT_COPIES);
    while let Some(skipped) = copies.try_next().await? {
        match skipped {
            Some(problem) => restored.skipped.push(problem),
            None => restored.objects += 1,
        }
    }
    restored.skipped.sort_unstable();
    Ok(restored)
}

const ROWS_PER_STATEMENT: usize = 200;

/// Inserts all rows and removes the mark of the half restored database, in one transaction; returns their number.
async fn insert_rows(target: &Target, snapshot: &Snapshot, database: &Database) -> Result<u64, BackupError> {
    let file = database_file(&snapshot.name);
    let mut lines = LineReader::open(&target.storage, &file, snapshot.database).await?;
    let mut tx = database.begin_restored_rows().await?;
    let tables = tx.tables(database.dialect).await?;
    for table in tables.iter().rev() {
        tx.delete_rows(table).await?;
    }
    let tables = tables
        .into_iter()
        .filter(is_included)
        .map(|table| (table.name.clone(), table));
    let mut inserting = Inserting {
        snapshot,
        tables: tables.collect(),
        current: None,
        rows: Vec::new(),
        counts: BTreeMap::new(),
    };
    while let Some(line) = lines.next().await? {
        inserting.add(&mut tx, line).await?;
    }
    inserting.flush(&mut tx).await?;
    if inserting.counts != snapshot.tables {
        return Err(BackupError::Damaged(file));
    }
    tx.end_restore().await?;
    tx.commit().await?;
    Ok(snapshot.rows())
}

/// The rows that are being inserted.
struct Inserting<'a> {
    snapshot: &'a Snapshot,
    tables: HashMap<String, Table>,
    current: Option<Table>,
    rows: Vec<Cells>,
    counts: BTreeMap<String, u64>,
}

impl Inserting<'_> {
    async fn add(&mut self, tx: &mut Tx, line: Line) -> Result<(), BackupError> {
        match line {
            Line::Table { table, columns } => {
                self.flush(tx).await?;
                let known = self.tables.get(&table).filter(|known| known.columns == columns);
                let known = known.ok_or_else(|| self.unfit(format!("its table {table} has other columns")))?;
                self.current = Some(known.clone());
                self.counts.insert(table, 0);
            }
            Line::Row(row) => {
                let table = self.current.as_ref().filter(|table| table.columns.len() == row.len());
                if table.is_none() {
                    return Err(self.unfit("a row has another number of columns than its table".into()));
                }
                self.rows.push(row);
                if self.rows.len() == ROWS_PER_STATEMENT {
                    self.flush(tx).await?;
                }
            }
        }
        Ok(())
    }

    fn unfit(&self, problem: String) -> BackupError {
        BackupError::Unfit {
            snapshot: self.snapshot.name.clone(),
            problem,
        }
    }

    async fn flush(&mut self, tx: &mut Tx) -> Result<(), BackupError> {
        if let Some(table) = &self.current {
            tx.insert_rows(table, &self.rows).await?;
            *self.counts.entry(table.name.clone()).or_default() += self.rows.len() as u64;
            self.rows.clear();
        }
        Ok(())
    }
}
