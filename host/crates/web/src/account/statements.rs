//! `/account/ledger.csv` and `/account/usage.csv`: the credits of a month, for spreadsheets.
use axum::extract::State;
use serde::Deserialize;

use linepress_http::session::SignedIn;
use linepress_http::{Query, Reply, csv, statement_tables};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::Error;
use linepress_platform::month::Month;

/// The number of months that the page of the account lists.
const MAX_MONTHS: usize = 24;

#[derive(Deserialize)]
pub(super) struct Chosen {
    month: String,
}

impl Chosen {
    fn month(&self) -> Result<Month, Error> {
        Month::parse(&self.month).ok_or_else(|| Error::not_found("month"))
    }
}

pub(super) async fn ledger(State(app): State<App>, signed_in: SignedIn, Query(chosen): Query<Chosen>) -> Reply {
    let month = chosen.month()?;
    let table = statement_tables::ledger(&app, &signed_in.caller(), Some(month)).await?;
    Ok(csv::for_spreadsheet(table))
}

pub(super) async fn usage(State(app): State<App>, signed_in: SignedIn, Query(chosen): Query<Chosen>) -> Reply {
    let month = chosen.month()?;
    let table = statement_tables::usage(&app, &signed_in.caller(), month).await?;
    Ok(csv::for_spreadsheet(table))
}

/// The last months since the account was created, newest first.
pub(super) fn months(created_at: Timestamp, now: Timestamp) -> Vec<Month> {
    let first = Month::containing(created_at);
    let months = std::iter::successors(Some(Month::containing(now)), |month| Some(month.previous()));
    months.take_while(|month| *month >= first).take(MAX_MONTHS).collect()
}
