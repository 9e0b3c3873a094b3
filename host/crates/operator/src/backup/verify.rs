//! The check of a snapshot: every file and every object is read and compared with its digest.
use std::collections::{BTreeMap, BTreeSet, HashSet};

use futures::{StreamExt as _, TryStreamExt as _};

use super::BackupError;
use super::copying::{MAX_CONCURRENT_COPIES, entries_of};
use super::dump::Line;
use super::lines::LineReader;
use super::named::NamingColumns;
use super::snapshot::{Entry, Snapshot};
use super::target::{Target, content_key, database_file};
use linepress_platform::storage::Digest;

/// The result of a check.
#[derive(Debug, Default)]
pub struct Verification {
    /// Files of the snapshot that differ from its description, with the difference.
    pub files: Vec<String>,
    /// The contents that are missing or damaged, with the keys of their objects.
    pub contents: Vec<String>,
    /// The keys that the database names and that the list of objects lacks.
    pub unlisted: Vec<String>,
}

impl Verification {
    pub fn is_good(&self) -> bool {
        self.files.is_empty() && self.contents.is_empty() && self.unlisted.is_empty()
    }
}

/// Checks a snapshot.
pub async fn verify(target: &Target, snapshot: &Snapshot) -> Result<Verification, BackupError> {
    let mut found = Verification::default();
    let mut listed = BTreeMap::new();
    let entries = async {
        let mut entries = entries_of(target, snapshot).await?;
        while let Some(Entry { key, digest }) = entries.next().await? {
            listed.insert(key, digest);
        }
        Ok::<_, BackupError>(())
    };
    let entries = note(&mut found, entries.await)?;
    if entries && listed.len() as u64 != snapshot.objects.count {
        let count = snapshot.objects.count;
        let problem = format!("the list of objects has {} entries instead of {count}", listed.len());
        found.files.push(problem);
    }
    let mut named = BTreeSet::new();
    let rows = read_rows(target, snapshot, &mut named).await;
    let differences = match rows {
        Ok(counts) => count_differences(&counts, &snapshot.tables),
        Err(error) => {
            note(&mut found, Err(error))?;
            Vec::new()
        }
    };
    found.files.extend(differences);
    let missing: HashSet<&String> = snapshot.objects.missing.iter().collect();
    let unlisted = named
        .into_iter()
        .filter(|key| !listed.contains_key(key) && !missing.contains(key));
    found.unlisted = if entries { unlisted.collect() } else { Vec::new() };
    found.contents = damaged_contents(target, listed).await?;
    Ok(found)
}

/// Adds a damaged file to the findings; returns false for one. Other errors are passed on.
fn note(found: &mut Verification, read: Result<(), BackupError>) -> Result<bool, BackupError> {
    match read {
        Ok(()) => Ok(true),
        Err(BackupError::Damaged(file)) => {
            found.files.push(format!("{file} is damaged"));
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Reads all rows; returns the number of rows of each table and gathers the keys that they name.
async fn read_rows(
    target: &Target,
    snapshot: &Snapshot,
    named: &mut BTreeSet<String>,
) -> Result<BTreeMap<String, u64>, BackupError> {
    let file = database_file(&snapshot.name);
    let mut lines = LineReader::open(&target.storage, &file, snapshot.database).await?;
    let mut counts = BTreeMap::new();
    let (mut current, mut naming) = (String::new(), NamingColumns::default());
    while let Some(line) = lines.next().await? {
        match line {
            Line::Table { table, columns } => {
                naming = NamingColumns::of(&table, &columns);
                counts.insert(table.clone(), 0);
                current = table;
            }
            Line::Row(row) => {
                *counts.entry(current.clone()).or_default() += 1;
                named.extend(naming.keys(&row));
            }
        }
    }
    Ok(counts)
}

fn count_differences(counts: &BTreeMap<String, u64>, expected: &BTreeMap<String, u64>) -> Vec<String> {
    let tables: BTreeSet<&String> = counts.keys().chain(expected.keys()).collect();
    let differs = |table: &&String| counts.get(*table) != expected.get(*table);
    let difference = |table: &String| {
        let of = |counts: &BTreeMap<String, u64>| counts.get(table).copied().unwrap_or_default();
        format!("the table {table} has {} rows instead of {}", of(counts), of(expected))
    };
    tables.into_iter().filter(differs).map(difference).collect()
}

async fn damaged_contents(target: &Target, listed: BTreeMap<String, Digest>) -> Result<Vec<String>, BackupError> {
    let mut by_content: BTreeMap<Digest, Vec<String>> = BTreeMap::new();
    for (key, digest) in listed {
        by_content.entry(digest).or_default().push(key);
    }
    let check = |(digest, keys): (Digest, Vec<String>)| async move {
        let content = content_key(&digest);
        let state = match target.storage.digest(&content).await? {
            Some(actual) if actual == digest => return Ok(None),
            Some(_) => "damaged",
            None => "missing",
        };
        Ok::<_, BackupError>(Some(format!("{content} is {state}: {}", keys.join(", "))))
    };
    let mut checks = futures::stream::iter(by_content)
        .map(check)
        .buffer_unordered(MAX_CONCURRENT_COPIES);
    let mut damaged = Vec::new();
    while let Some(problem) = checks.try_next().await? {
        damaged.extend(problem);
    }
    damaged.sort_unstable();
    Ok(damaged)
}
