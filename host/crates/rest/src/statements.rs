//! `/ledger` and `/usage`: the credits of the account, entry by entry and summed up by month.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::IntoResponse as _;
use serde::{Deserialize, Serialize};

use super::document::{CommonErrors, ListErrors};
use super::extract::{ListParameters, list_query, query};
use super::response::Meta;
use linepress_accounts::caller::Caller;
use linepress_accounts::credits::EntryKind;
use linepress_core::operations::{OperationType, ResourceType};
use linepress_core::statement::{self, Line, UsageLine};
use linepress_http::{Failure, Reply, csv, statement_tables};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::ids::{EntryId, OperationId};
use linepress_platform::month::Month;

/// An entry of the ledger.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct LedgerLine {
    id: EntryId,
    kind: EntryKind,
    /// The change of the balance, in credits: negative for a charge and for what an operator withdrew.
    amount: i64,
    /// The operation that was charged or refunded; null for changes by an operator.
    #[schema(required)]
    operation: Option<LedgerPurpose>,
    /// The reason that an operator gave; empty for charges and refunds.
    reason: String,
    /// The time of the entry.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// The operation that credits were spent on.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct LedgerPurpose {
    id: OperationId,
    #[serde(rename = "type")]
    operation_type: OperationType,
    resource_type: ResourceType,
    /// The id of the book, page or character.
    resource_id: String,
    /// Its present title or name; null if it was deleted.
    #[schema(required)]
    title: Option<String>,
}

impl From<Line> for LedgerLine {
    fn from(line: Line) -> Self {
        Self {
            id: line.id,
            kind: line.kind,
            amount: line.amount,
            operation: line.purpose.map(|purpose| LedgerPurpose {
                id: purpose.operation_id,
                operation_type: purpose.operation,
                resource_type: purpose.resource,
                resource_id: purpose.resource_id,
                title: purpose.title,
            }),
            reason: line.reason,
            created_at: line.created_at,
        }
    }
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct LedgerReply {
    ledger: Vec<LedgerLine>,
    meta: Meta,
}

/// The credits of a month.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct Usage {
    /// The month in UTC.
    #[schema(example = "2026-11")]
    month: String,
    /// The sums for each kind of entry and type of operation.
    lines: Vec<UsageLine>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct UsageReply {
    usage: Usage,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LedgerMonth {
    /// Only entries of this month in UTC.
    #[param(pattern = "^20[0-9]{2}-(0[1-9]|1[0-2])$", example = "2026-11")]
    month: Option<String>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct UsageMonth {
    /// The month in UTC; by default the present one.
    #[param(pattern = "^20[0-9]{2}-(0[1-9]|1[0-2])$", example = "2026-11")]
    month: Option<String>,
}

fn parsed(month: Option<String>) -> Result<Option<Month>, Failure> {
    let parsed = |month: String| {
        Month::parse(&month)
            .ok_or_else(|| Failure::invalid_request("month must be a year and a month, such as 2026-11."))
    };
    month.map(parsed).transpose()
}

/// The account's ledger, newest entry first: each change of the balance and what it was for. With `Accept: text/csv`,
/// the response is a table of all entries, of the month if one is named, and `limit` and `after` have no effect.
#[utoipa::path(get, path = "/ledger", tag = "Account", operation_id = "list_ledger",
    params(ListParameters, LedgerMonth),
    responses((status = 200, description = "One page of the list, or the table",
        content((LedgerReply = "application/json"), (String = "text/csv"))), ListErrors))]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
    month: Result<Query<LedgerMonth>, QueryRejection>,
    headers: HeaderMap,
) -> Reply {
    let request = list_query(parameters)?.page_request(&app, &caller, EntryId::PREFIX)?;
    let month = parsed(query(month)?.month)?;
    if csv::is_preferred(&headers) {
        return Ok(statement_tables::ledger(&app, &caller, month).await?);
    }
    let page = statement::list(&app, &caller, month, &request).await?;
    let reply = LedgerReply {
        meta: Meta::from(&page),
        ledger: page.items.into_iter().map(LedgerLine::from).collect(),
    };
    Ok(Json(reply).into_response())
}

/// The credits of a month, summed up for each kind of entry and type of operation. With `Accept: text/csv`, the
/// response is a table.
#[utoipa::path(get, path = "/usage", tag = "Account", operation_id = "get_usage", params(UsageMonth),
    responses((status = 200, description = "The usage, or the table",
        content((UsageReply = "application/json"), (String = "text/csv"))), CommonErrors))]
pub(super) async fn usage(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    month: Result<Query<UsageMonth>, QueryRejection>,
    headers: HeaderMap,
) -> Reply {
    let month = parsed(query(month)?.month)?.unwrap_or_else(|| Month::containing(app.clock.now()));
    if csv::is_preferred(&headers) {
        return Ok(statement_tables::usage(&app, &caller, month).await?);
    }
    let usage = Usage {
        month: month.to_string(),
        lines: statement::usage(&app, &caller, month).await?,
    };
    Ok(Json(UsageReply { usage }).into_response())
}
