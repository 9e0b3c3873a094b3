//! The SQL that searches share.
use sqlx::AssertSqlSafe;
use sqlx::any::AnyRow;

use super::{Beginning, ListSort, SearchPart, sort_title, text};
use linepress_platform::app::App;
use linepress_platform::database::{Reader, Tx, placeholders};
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// The number of rows that one transaction indexes.
const INDEXING_BATCH_ROWS: i64 = 50;

/// A statement with its parameters, while it is composed.
pub(crate) struct SearchStatement {
    text: String,
    parameters: Vec<Parameter>,
}

/// The value of a parameter.
enum Parameter {
    Text(String),
    Number(i64),
}

impl From<&str> for Parameter {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Parameter {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl SearchStatement {
    /// The beginning of a statement, whose parameter `$1` is the account.
    pub(crate) fn new(text: &str, account: &AccountId) -> Self {
        Self {
            text: text.to_owned(),
            parameters: vec![account.as_str().into()],
        }
    }

    /// Appends a text in which `{}` stands for a text value.
    pub(crate) fn push(&mut self, text: &str, value: &str) {
        self.push_parameter(text, value.into());
    }

    fn push_parameter(&mut self, text: &str, value: Parameter) {
        self.parameters.push(value);
        self.text += &text.replace("{}", &format!("${}", self.parameters.len()));
    }

    /// Appends the order of the search, for the rows of the table with this alias that follow the previous part: one
    /// row more than the limit if there are that many.
    pub(crate) fn push_order<S>(&mut self, part: &SearchPart<'_, S>, alias: &str) {
        let id = part.request.after_id();
        match part.search.sort {
            ListSort::Newest => {
                self.push(&format!(" AND {alias}.id < {{}}"), part.request.below());
                self.text += &format!(" ORDER BY {alias}.id DESC");
            }
            ListSort::Changed => {
                // Later than any change, for the first part.
                let changed = part.key.and_then(|key| key.parse().ok()).unwrap_or(i64::MAX);
                self.push_parameter(
                    &format!(" AND ({alias}.updated_at, {alias}.id) < ({{}}, "),
                    changed.into(),
                );
                self.push("{})", part.request.below());
                self.text += &format!(" ORDER BY {alias}.updated_at DESC, {alias}.id DESC");
            }
            ListSort::Title => {
                let title = part.key.unwrap_or_default();
                self.push(&format!(" AND ({alias}.sort_title, {alias}.id) > ({{}}, "), title);
                self.push("{})", id.unwrap_or_default());
                self.text += &format!(" ORDER BY {alias}.sort_title, {alias}.id");
            }
        }
        self.push_parameter(" LIMIT {}", (part.request.limit + 1).into());
    }

    pub(crate) async fn fetch_all<T>(self, pool: &Reader) -> sqlx::Result<Vec<T>>
    where
        T: for<'r> sqlx::FromRow<'r, AnyRow> + Send + Unpin,
    {
        let mut query = sqlx::query_as(AssertSqlSafe(self.text));
        for parameter in self.parameters {
            query = match parameter {
                Parameter::Text(text) => query.bind(text),
                Parameter::Number(number) => query.bind(number),
            };
        }
        query.fetch_all(pool).await
    }
}

/// Reads the ids and titles of rows that begin as given. The statement takes the account, the patterns of title and id,
/// and the limit.
pub(crate) async fn suggest<Id>(
    pool: &Reader,
    statement: &'static str,
    account: &AccountId,
    beginning: &Beginning,
    limit: i64,
) -> sqlx::Result<Vec<(Id, String)>>
where
    (Id, String): for<'r> sqlx::FromRow<'r, AnyRow> + Send + Unpin,
{
    sqlx::query_as(statement)
        .bind(account)
        .bind(beginning.title.as_str())
        .bind(beginning.id.as_str())
        .bind(limit)
        .fetch_all(pool)
        .await
}

/// The statements that index the rows of a table for search.
pub(crate) struct SearchIndex {
    /// Reads the id, the title and all searched texts of rows; a list of ids follows.
    pub select: &'static str,
    /// Stores the searched text (`$1`) and the title for sorting (`$2`) of the row with the id `$3`.
    pub update: &'static str,
    /// Reads the ids of up to `$1` rows that are not indexed yet.
    pub unindexed: &'static str,
}

impl SearchIndex {
    /// Updates the texts by which these rows are found and sorted.
    pub(crate) async fn update(&self, tx: &mut Tx, ids: &[&str]) -> sqlx::Result<()> {
        self.update_where(tx, ids, "").await
    }

    async fn update_where(&self, tx: &mut Tx, ids: &[&str], condition: &str) -> sqlx::Result<()> {
        for some in ids.chunks(500) {
            let statement = format!("{} ({})", self.select, placeholders(1, some.len()));
            let query = sqlx::query_as(AssertSqlSafe(statement));
            let query = some.iter().fold(query, |query, id| query.bind(*id));
            let rows: Vec<(String, String, String)> = query.fetch_all(&mut **tx).await?;
            for (id, title, texts) in rows {
                sqlx::query(AssertSqlSafe(format!("{}{condition}", self.update)))
                    .bind(text(&[&texts]))
                    .bind(sort_title(&title))
                    .bind(id)
                    .execute(&mut **tx)
                    .await?;
            }
        }
        Ok(())
    }

    /// Indexes some of the rows that are not indexed yet; returns their number.
    pub(crate) async fn update_some(&self, app: &App) -> Result<u64> {
        let ids: Vec<String> = sqlx::query_scalar(self.unindexed)
            .bind(INDEXING_BATCH_ROWS)
            .fetch_all(&app.database.read)
            .await?;
        if ids.is_empty() {
            return Ok(0);
        }
        let mut tx = app.database.begin().await?;
        let batch: Vec<&str> = ids.iter().map(String::as_str).collect();
        // A row that a request has changed meanwhile has its text already.
        self.update_where(&mut tx, &batch, " AND search_text = ''").await?;
        tx.commit().await?;
        Ok(ids.len() as u64)
    }
}
