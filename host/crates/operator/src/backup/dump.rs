//! The rows of all tables in a file: a line with the name and the columns of each table, followed by a line for each
//! row.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lines::LineWriter;
use super::named::NamingColumns;
use super::{BackupError, Origin};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Cells, Column, Table};

/// Tables that are not part of a backup. The restored server has no use for the old server's history of backups, for
/// the requests that it received and for the calls of its plugins, and must be writable even if the backup was made
/// during maintenance.
const EXCLUDED_TABLES: [&str; 5] = [
    "backups",
    "backup_requests",
    "logged_requests",
    "maintenance",
    "plugin_calls",
];

const ROWS_PER_QUERY: u32 = 200;

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Line {
    Table { table: String, columns: Vec<Column> },
    Row(Cells),
}

/// The rows of a database as they were at one moment.
pub(super) struct Dump {
    pub file: LineWriter,
    pub taken_at: Timestamp,
    /// The versions of the migrations of the database.
    pub migrations: Vec<i64>,
    /// The number of rows of each table.
    pub tables: BTreeMap<String, u64>,
    /// The keys of the objects that the rows name.
    pub objects: BTreeSet<String>,
}

/// Returns true for a table that is part of a backup.
pub(super) fn is_included(table: &Table) -> bool {
    !EXCLUDED_TABLES.contains(&table.name.as_str())
}

/// Reads all tables in one transaction, into a temporary file in `scratch`.
pub(super) async fn dump(origin: Origin<'_>, scratch: &Path) -> Result<Dump, BackupError> {
    let mut file = LineWriter::new(scratch)?;
    let (mut counts, mut objects) = (BTreeMap::new(), BTreeSet::new());
    let mut tx = origin.database.begin_snapshot().await?;
    let taken_at = origin.database.shared_time(&mut tx, origin.clock).await?;
    let migrations = tx.migrations().await?;
    let tables = tx.tables(origin.database.dialect).await?;
    for table in tables.iter().filter(|table| is_included(table)) {
        let header = Line::Table {
            table: table.name.clone(),
            columns: table.columns.clone(),
        };
        file = file.write(&[header]).await?;
        let naming = NamingColumns::of(&table.name, &table.columns);
        let mut count = 0;
        let mut last = None;
        loop {
            let rows = tx.rows_after(table, last.as_ref(), ROWS_PER_QUERY).await?;
            count += rows.len() as u64;
            objects.extend(rows.iter().flat_map(|row| naming.keys(row)));
            file = file.write(&rows).await?;
            last = rows.last().cloned();
            if rows.len() < ROWS_PER_QUERY as usize {
                break;
            }
        }
        counts.insert(table.name.clone(), count);
    }
    tx.rollback().await?;
    Ok(Dump {
        file,
        taken_at,
        migrations,
        tables: counts,
        objects,
    })
}
