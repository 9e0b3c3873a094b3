//! The rows of any table, in a form that both databases read and write alike.
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};

use super::catalog::{ColumnType, Table};
use super::{Tx, placeholders, value_rows};

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    Null,
    Integer(i64),
    Text(String),
}

/// The values of a row, in the order of the table's columns.
pub type Cells = Vec<Cell>;

/// Fewer than the parameters that SQLite accepts in a statement (32,766).
const MAX_PARAMETERS: usize = 8_000;

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Table {
    fn column_names(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|column| quoted(&column.name)).collect();
        names.join(", ")
    }

    fn key_names(&self) -> String {
        let names = self.key.iter().map(|index| quoted(&self.columns[*index].name));
        names.collect::<Vec<_>>().join(", ")
    }

    fn read(&self, row: &AnyRow) -> sqlx::Result<Cells> {
        let cell = |(index, kind)| -> sqlx::Result<Cell> {
            match kind {
                ColumnType::Text => {
                    let text: Option<String> = row.try_get(index)?;
                    Ok(text.map_or(Cell::Null, Cell::Text))
                }
                ColumnType::Bigint => {
                    let number: Option<i64> = row.try_get(index)?;
                    Ok(number.map_or(Cell::Null, Cell::Integer))
                }
            }
        };
        let kinds = self.columns.iter().map(|column| column.kind).enumerate();
        kinds.map(cell).collect()
    }
}

impl Tx {
    /// Up to `limit` rows in the order of the primary key, after this row.
    pub async fn rows_after(&mut self, table: &Table, after: Option<&Cells>, limit: u32) -> sqlx::Result<Vec<Cells>> {
        let (columns, key, name) = (table.column_names(), table.key_names(), quoted(&table.name));
        let beyond = match after {
            Some(_) => format!("WHERE ({key}) > ({})", placeholders(1, table.key.len())),
            None => String::new(),
        };
        let statement = format!("SELECT {columns} FROM {name} {beyond} ORDER BY {key} LIMIT {limit}");
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for index in table.key.iter().filter(|_| after.is_some()) {
            query = match after.and_then(|row| row.get(*index)) {
                Some(Cell::Text(text)) => query.bind(text.clone()),
                Some(Cell::Integer(number)) => query.bind(*number),
                // No column of a primary key is NULL.
                Some(Cell::Null) | None => query.bind(None::<String>),
            };
        }
        let rows = query.fetch_all(&mut **self).await?;
        rows.iter().map(|row| table.read(row)).collect()
    }

    /// Inserts rows whose values are in the order of the table's columns.
    pub async fn insert_rows(&mut self, table: &Table, rows: &[Cells]) -> sqlx::Result<()> {
        let width = table.columns.len();
        for some in rows.chunks((MAX_PARAMETERS / width).max(1)) {
            let statement = format!(
                "INSERT INTO {} ({}) VALUES {}",
                quoted(&table.name),
                table.column_names(),
                value_rows(1, width, some.len(), "")
            );
            let mut query = sqlx::query(AssertSqlSafe(statement));
            for (column, cell) in some.iter().flat_map(|row| table.columns.iter().zip(row)) {
                // PostgreSQL rejects a NULL of another type than the column's.
                query = match (cell, column.kind) {
                    (Cell::Null, ColumnType::Text) => query.bind(None::<String>),
                    (Cell::Null, ColumnType::Bigint) => query.bind(None::<i64>),
                    (Cell::Integer(number), _) => query.bind(*number),
                    (Cell::Text(text), _) => query.bind(text.clone()),
                };
            }
            query.execute(&mut **self).await?;
        }
        Ok(())
    }

    /// Deletes all rows, which migrations may have inserted.
    pub async fn delete_rows(&mut self, table: &Table) -> sqlx::Result<()> {
        let statement = format!("DELETE FROM {}", quoted(&table.name));
        sqlx::query(AssertSqlSafe(statement)).execute(&mut **self).await?;
        Ok(())
    }
}
