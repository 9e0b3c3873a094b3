//! The tables of a database as its own catalog describes them, so that a copy of every row needs no list of tables.
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Dialect, Tx};

/// The type of a column. The migrations use no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    Text,
    Bigint,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ColumnType,
}

/// A table with its columns in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// The positions of the primary key's columns in `columns`, in the order of the key.
    pub(super) key: Vec<usize>,
}

/// The table in which sqlx records the applied migrations.
const MIGRATIONS_TABLE: &str = "_sqlx_migrations";

/// The marker of a restore (`restoring`), which is not data.
const MARKER_TABLE: &str = "linepress_restore";

#[derive(sqlx::FromRow)]
struct CatalogRow {
    table_name: String,
    column_name: String,
    column_type: String,
    /// The position in the primary key, from 1; 0 for other columns.
    key_position: i64,
}

impl Dialect {
    /// All columns of all tables, in order.
    fn catalog_of_columns(self) -> &'static str {
        match self {
            Self::Sqlite => {
                "SELECT t.name AS table_name, c.name AS column_name, c.type AS column_type, CAST(c.pk AS BIGINT) AS key_position \
                 FROM sqlite_schema t JOIN pragma_table_info(t.name) c \
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY t.name, c.cid"
            }
            Self::Postgres => {
                "SELECT CAST(c.table_name AS TEXT) AS table_name, CAST(c.column_name AS TEXT) AS column_name, \
                   CAST(c.data_type AS TEXT) AS column_type, CAST(COALESCE(k.ordinal_position, 0) AS BIGINT) AS key_position \
                 FROM information_schema.columns c \
                 JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name \
                   AND t.table_type = 'BASE TABLE' \
                 LEFT JOIN information_schema.table_constraints p ON p.table_schema = c.table_schema \
                   AND p.table_name = c.table_name AND p.constraint_type = 'PRIMARY KEY' \
                 LEFT JOIN information_schema.key_column_usage k ON k.constraint_schema = p.constraint_schema \
                   AND k.constraint_name = p.constraint_name AND k.table_name = c.table_name AND k.column_name = c.column_name \
                 WHERE c.table_schema = current_schema() ORDER BY c.table_name, c.ordinal_position"
            }
        }
    }

    /// The number of tables, of this program or of another.
    pub(super) fn count_tables(self) -> &'static str {
        match self {
            Self::Sqlite => {
                "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
            }
            Self::Postgres => {
                "SELECT COUNT(*) FROM information_schema.tables \
                 WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
            }
        }
    }

    /// The number of tables that mark an interrupted restore: 0 or 1.
    pub(super) fn count_markers(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'linepress_restore'",
            Self::Postgres => {
                "SELECT COUNT(*) FROM information_schema.tables \
                 WHERE table_schema = current_schema() AND table_name = 'linepress_restore'"
            }
        }
    }

    /// All pairs of a table and a table that it refers to.
    fn catalog_of_references(self) -> &'static str {
        match self {
            Self::Sqlite => {
                "SELECT t.name AS table_name, f.[table] AS referred FROM sqlite_schema t \
                 JOIN pragma_foreign_key_list(t.name) f WHERE t.type = 'table'"
            }
            Self::Postgres => {
                "SELECT CAST(t.relname AS TEXT) AS table_name, CAST(f.relname AS TEXT) AS referred FROM pg_constraint k \
                 JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid \
                 JOIN pg_namespace n ON n.oid = k.connamespace WHERE k.contype = 'f' AND n.nspname = current_schema()"
            }
        }
    }
}

impl Tx {
    /// The versions of the migrations of a database that a server has used, in order.
    pub async fn migrations(&mut self) -> sqlx::Result<Vec<i64>> {
        sqlx::query_scalar("SELECT version FROM _sqlx_migrations ORDER BY version")
            .fetch_all(&mut **self)
            .await
    }

    /// The tables with the server's data, each after those that it refers to.
    pub async fn tables(&mut self, dialect: Dialect) -> sqlx::Result<Vec<Table>> {
        let columns: Vec<CatalogRow> = sqlx::query_as(dialect.catalog_of_columns())
            .fetch_all(&mut **self)
            .await?;
        let references: Vec<(String, String)> = sqlx::query_as(dialect.catalog_of_references())
            .fetch_all(&mut **self)
            .await?;
        let tables = gather(columns)?;
        Ok(in_order(tables, &references))
    }
}

fn gather(columns: Vec<CatalogRow>) -> sqlx::Result<BTreeMap<String, Table>> {
    let mut tables: BTreeMap<String, (Table, BTreeMap<i64, usize>)> = BTreeMap::new();
    for row in columns {
        if [MIGRATIONS_TABLE, MARKER_TABLE].contains(&row.table_name.as_str()) {
            continue;
        }
        let (table, key) = tables.entry(row.table_name.clone()).or_insert_with(|| {
            let table = Table {
                name: row.table_name.clone(),
                columns: Vec::new(),
                key: Vec::new(),
            };
            (table, BTreeMap::new())
        });
        if row.key_position > 0 {
            key.insert(row.key_position, table.columns.len());
        }
        let kind = match row.column_type.to_ascii_lowercase().as_str() {
            "text" => ColumnType::Text,
            "bigint" => ColumnType::Bigint,
            other => {
                let problem = format!("{}.{} has the type {other}", row.table_name, row.column_name);
                return Err(sqlx::Error::Protocol(problem));
            }
        };
        table.columns.push(Column {
            name: row.column_name,
            kind,
        });
    }
    let with_key = |(name, (table, key)): (String, (Table, BTreeMap<i64, usize>))| {
        if key.is_empty() {
            return Err(sqlx::Error::Protocol(format!("{name} has no primary key")));
        }
        let key = key.into_values().collect();
        Ok((name, Table { key, ..table }))
    };
    tables.into_iter().map(with_key).collect()
}

/// Sorts tables by their references. Tables that refer to each other would come last, in the order of their names.
fn in_order(mut tables: BTreeMap<String, Table>, references: &[(String, String)]) -> Vec<Table> {
    let mut sorted = Vec::with_capacity(tables.len());
    while !tables.is_empty() {
        let waits = |name: &str| {
            let mut referred = references
                .iter()
                .filter(|(table, other)| table == name && other != name);
            referred.any(|(_, other)| tables.contains_key(other))
        };
        let mut ready: BTreeSet<String> = tables.keys().filter(|name| !waits(name)).cloned().collect();
        if ready.is_empty() {
            ready = tables.keys().cloned().collect();
        }
        sorted.extend(ready.iter().filter_map(|name| tables.remove(name)));
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(table: &str, name: &str, column_type: &str, key_position: i64) -> CatalogRow {
        CatalogRow {
            table_name: table.into(),
            column_name: name.into(),
            column_type: column_type.into(),
            key_position,
        }
    }

    #[test]
    fn a_table_follows_those_that_it_refers_to() {
        let columns = vec![
            column("books", "id", "TEXT", 1),
            column("books", "cover", "TEXT", 0),
            column("drawings", "b", "TEXT", 2),
            column("drawings", "a", "bigint", 1),
            column("zebras", "id", "text", 1),
            column("_sqlx_migrations", "version", "BLOB", 1),
        ];
        let references = [("books", "zebras"), ("drawings", "books"), ("zebras", "zebras")];
        let references = references.map(|(table, referred)| (table.to_owned(), referred.to_owned()));
        let sorted = in_order(gather(columns).unwrap(), &references);
        let names: Vec<&str> = sorted.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["zebras", "books", "drawings"]);
        assert_eq!(sorted[2].key, [1, 0]);
        assert_eq!(sorted[2].columns[1].kind, ColumnType::Bigint);
    }

    #[test]
    fn a_column_of_another_type_is_not_copied_silently() {
        let real = vec![column("books", "id", "TEXT", 1), column("books", "weight", "REAL", 0)];
        assert!(gather(real).unwrap_err().to_string().contains("books.weight"));
        let keyless = vec![column("books", "id", "TEXT", 0)];
        assert!(gather(keyless).unwrap_err().to_string().contains("no primary key"));
    }
}
