//! The ledger of an account and its summary of a month as CSV.
use std::borrow::Cow;

use axum::body::Body;
use axum::response::Response;
use futures::{StreamExt as _, stream};

use super::csv;
use linepress_accounts::caller::Caller;
use linepress_core::statement::{self, Line, UsageLine};
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::EntryId;
use linepress_platform::month::Month;

/// The number of entries that are read at a time.
const CHUNK_ENTRIES: i64 = 1_000;

const LEDGER_COLUMNS: [&str; 10] = [
    "id",
    "created_at",
    "kind",
    "amount",
    "operation_id",
    "operation_type",
    "resource_type",
    "resource_id",
    "title",
    "reason",
];

const USAGE_COLUMNS: [&str; 5] = ["month", "kind", "operation_type", "entries", "amount"];

/// The ledger, newest entry first, of the month if one is given. It is read while it is sent.
pub async fn ledger(app: &App, caller: &Caller, month: Option<Month>) -> Result<Response> {
    let first = chunk(app, caller, month, None).await?;
    let columns = LEDGER_COLUMNS.map(Cow::Borrowed).to_vec();
    let beginning = csv::lines([columns].into_iter().chain(first.items.iter().map(row)))?;
    let (app, caller) = (app.clone(), caller.clone());
    let others = stream::try_unfold(first.next_cursor, move |cursor| {
        let (app, caller) = (app.clone(), caller.clone());
        async move {
            let Some(cursor) = cursor else { return Ok(None) };
            let chunk = chunk(&app, &caller, month, Some(&cursor)).await?;
            Ok::<_, Error>(Some((csv::lines(chunk.items.iter().map(row))?, chunk.next_cursor)))
        }
    });
    let body = stream::iter([Ok(beginning)]).chain(others);
    let title = month.map_or_else(|| "ledger".into(), |month| format!("ledger {month}"));
    Ok(csv::response(&title, Body::from_stream(body)))
}

async fn chunk(app: &App, caller: &Caller, month: Option<Month>, after: Option<&str>) -> Result<PageOf<Line>> {
    let scope = app.cursors.scope(caller.account_id(), EntryId::PREFIX);
    let mut request = PageRequest::parse(None, after, scope)?;
    request.limit = CHUNK_ENTRIES;
    statement::list(app, caller, month, &request).await
}

fn row(line: &Line) -> Vec<Cow<'_, str>> {
    let purpose = line.purpose.as_ref();
    let word = |word: Option<&'static str>| Cow::Borrowed(word.unwrap_or_default());
    vec![
        line.id.as_str().into(),
        line.created_at.to_string().into(),
        line.kind.as_str().into(),
        line.amount.to_string().into(),
        purpose.map_or("", |purpose| purpose.operation_id.as_str()).into(),
        word(purpose.map(|purpose| purpose.operation.as_str())),
        word(purpose.map(|purpose| purpose.resource.as_str())),
        purpose.map_or("", |purpose| &purpose.resource_id).into(),
        csv::text(purpose.and_then(|purpose| purpose.title.as_deref()).unwrap_or_default()),
        csv::text(&line.reason),
    ]
}

/// The summary of a month.
pub async fn usage(app: &App, caller: &Caller, month: Month) -> Result<Response> {
    let lines = statement::usage(app, caller, month).await?;
    let columns = USAGE_COLUMNS.map(Cow::Borrowed).to_vec();
    let month = month.to_string();
    let rows = lines.iter().map(|line| usage_row(&month, line));
    let body = csv::lines([columns].into_iter().chain(rows))?;
    Ok(csv::response(&format!("usage {month}"), body.into()))
}

fn usage_row<'a>(month: &'a str, line: &'a UsageLine) -> Vec<Cow<'a, str>> {
    vec![
        month.into(),
        line.kind.as_str().into(),
        line.operation_type.as_deref().unwrap_or_default().into(),
        line.entries.to_string().into(),
        line.amount.to_string().into(),
    ]
}
