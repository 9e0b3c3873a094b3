//! `/admin/operations`: the operations of all accounts, and the queue.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Redirect;
use serde::Deserialize;

use super::operator::{Operator, OperatorForm};
use super::{Tab, listing, operation_words, words};
use crate::library::accepted;
use crate::library::form::Complaints;
use crate::numbers::grouped;
use crate::problem;
use crate::when::When;
use linepress_http::html::{Frame, page};
use linepress_http::{Query, Reply};
use linepress_operator::administration::GivenReason;
use linepress_operator::administration::operations::{self, ManagedOperation, OperationFilter, QueueState};
use linepress_platform::app::App;
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, OperationId};

#[derive(Template)]
#[template(path = "admin/operations.html")]
struct OperationsPage {
    frame: Frame,
    tab: Tab,
    queue: Queue,
    is_open_only: bool,
    account: String,
    operations: Vec<OperationRow>,
    is_first: bool,
    first: String,
    next: Option<String>,
    done: Option<&'static str>,
    complaints: Complaints,
    /// The reason of the rejected form.
    reason: String,
}

/// The state of the queue in words.
struct Queue {
    queued: String,
    running: String,
    oldest: String,
    pause: Option<Pause>,
}

struct Pause {
    reason: String,
    since: When,
}

impl From<QueueState> for Queue {
    fn from(state: QueueState) -> Self {
        let number = |number: u64| grouped(i64::try_from(number).unwrap_or(i64::MAX));
        Self {
            queued: number(state.queued),
            running: number(state.running),
            oldest: match state.queued {
                0 => "none waits".into(),
                _ => problem::wait(std::time::Duration::from_secs(state.oldest_age_seconds)),
            },
            pause: state.pause.map(|pause| Pause {
                reason: pause.reason,
                since: When::new(pause.since),
            }),
        }
    }
}

/// An operation in the list.
struct OperationRow {
    id: OperationId,
    kind: &'static str,
    email: String,
    account_id: AccountId,
    status: &'static str,
    class: &'static str,
    progress: String,
    created: When,
}

impl From<ManagedOperation> for OperationRow {
    fn from(operation: ManagedOperation) -> Self {
        let (status, class) = operation_words::status(operation.status);
        Self {
            kind: operation_words::kind(operation.kind),
            status,
            class,
            progress: operation_words::progress(&operation),
            created: When::new(operation.created_at),
            email: operation.account_email,
            account_id: operation.account_id,
            id: operation.id,
        }
    }
}

#[derive(Default, Deserialize)]
pub(super) struct Place {
    /// `open` for operations that have not ended.
    #[serde(default)]
    only: String,
    #[serde(default)]
    account: String,
    after: Option<String>,
    done: Option<String>,
}

const PATH: &str = "/admin/operations";

pub(super) async fn show(State(app): State<App>, operator: Operator, Query(place): Query<Place>) -> Reply {
    respond(&app, &operator, place, StatusCode::OK, |_| {}).await
}

async fn respond(
    app: &App,
    operator: &Operator,
    place: Place,
    status: StatusCode,
    change: impl FnOnce(&mut OperationsPage),
) -> Reply {
    let list = (PATH, OperationId::PREFIX);
    let request = match listing::request(app, operator, list, place.after.as_deref()) {
        Ok(request) => request,
        Err(elsewhere) => return Ok(*elsewhere),
    };
    let account = place.account.trim();
    let is_open_only = place.only == "open";
    let filter = OperationFilter {
        account: (!account.is_empty()).then(|| AccountId::from_client(account)),
        open: is_open_only,
    };
    let found = operations::list(app, &operator.actor, &filter, &request).await?;
    let filters = [("only", place.only.as_str()), ("account", account)];
    let mut view = OperationsPage {
        frame: operator.frame(),
        tab: Tab::Operations,
        queue: operations::queue_state(app, &operator.actor).await?.into(),
        is_open_only,
        account: account.to_owned(),
        operations: found.items.into_iter().map(OperationRow::from).collect(),
        is_first: place.after.is_none(),
        first: listing::address(PATH, &filters, None),
        next: found
            .next_cursor
            .map(|cursor| listing::address(PATH, &filters, Some(&cursor))),
        done: words::done(place.done.as_deref()),
        complaints: Complaints::none(),
        reason: String::new(),
    };
    change(&mut view);
    Ok(page(status, &view))
}

/// Redirects from the address of a form to the list.
pub(super) async fn to_list(_: Operator) -> Redirect {
    Redirect::to(PATH)
}

pub(super) async fn pause(State(app): State<App>, OperatorForm { operator, fields }: OperatorForm) -> Reply {
    let given = GivenReason {
        reason: fields.text("reason").into(),
    };
    match operations::pause_queue(&app, &operator.actor, &given).await {
        Ok(_) => Ok(accepted::to(PATH, "queue-paused")),
        Err(error) => {
            let (status, complaints) = Complaints::with_status(error)?;
            respond(&app, &operator, Place::default(), status, |page| {
                page.complaints = complaints;
                page.reason = fields.text("reason");
            })
            .await
        }
    }
}

pub(super) async fn resume(State(app): State<App>, OperatorForm { operator, .. }: OperatorForm) -> Reply {
    operations::resume_queue(&app, &operator.actor).await?;
    Ok(accepted::to(PATH, "queue-resumed"))
}
