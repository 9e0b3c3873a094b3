//! `/admin/operations/{id}`: one operation with its drawings.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Redirect;
use serde::Deserialize;

use super::operator::{Operator, OperatorForm};
use super::{Tab, operation_words, words};
use crate::library::accepted;
use crate::numbers::{dollars, grouped};
use crate::when::When;
use linepress_http::html::{Frame, page};
use linepress_http::{PathId, Query, Reply};
use linepress_operator::administration::operations::{self, ManagedDrawing, ManagedOperation, WaitReason};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::ids::{AccountId, OperationId};

#[derive(Template)]
#[template(path = "admin/operation.html")]
struct OperationPage {
    frame: Frame,
    tab: Tab,
    id: OperationId,
    kind: &'static str,
    email: String,
    account_id: AccountId,
    status: &'static str,
    class: &'static str,
    facts: Vec<(&'static str, String)>,
    drawings: Vec<DrawingRow>,
    /// True while drawings can be canceled.
    is_open: bool,
    /// True if a drawing waits for its next attempt.
    is_delayed: bool,
    done: Option<&'static str>,
}

struct DrawingRow {
    title: String,
    target: &'static str,
    status: &'static str,
    class: &'static str,
    waiting: Option<String>,
    error: Option<String>,
    facts: String,
}

impl From<ManagedDrawing> for DrawingRow {
    fn from(drawing: ManagedDrawing) -> Self {
        let (status, class) = operation_words::drawing_status(&drawing);
        Self {
            target: operation_words::target(drawing.target_type),
            status,
            class,
            waiting: drawing.waiting.as_ref().map(operation_words::waiting),
            facts: drawing_facts(&drawing),
            error: drawing.error.map(|error| error.message.into_owned()),
            title: drawing.title,
        }
    }
}

fn drawing_facts(drawing: &ManagedDrawing) -> String {
    let attempts = linepress_model::counted(drawing.attempts, "attempt");
    let provider = drawing.provider.as_ref().map(|provider| format!("by {provider}"));
    let model = drawing.model.as_ref().map(|model| format!("with {model}"));
    let cost = (drawing.cost_microdollars > 0).then(|| format!("for {}", dollars(drawing.cost_microdollars)));
    let parts = [Some(attempts), provider, model, cost];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn facts(operation: &ManagedOperation) -> Vec<(&'static str, String)> {
    let shown = |time| When::new(time).shown + " UTC";
    let facts = [
        ("Drawings", Some(operation_words::progress(operation))),
        ("Credits charged", Some(grouped(operation.credits.charged))),
        ("Refunded of that", Some(grouped(operation.credits.refunded))),
        ("Ordered", Some(shown(operation.created_at))),
        ("Begun", operation.started_at.map(shown)),
        ("Ended", operation.finished_at.map(shown)),
    ];
    facts
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

#[derive(Deserialize)]
pub(super) struct Done {
    done: Option<String>,
}

pub(super) async fn show(
    State(app): State<App>,
    operator: Operator,
    PathId(id): PathId<OperationId>,
    Query(done): Query<Done>,
) -> Reply {
    let operation = operations::get(&app, &operator.actor, &id).await?;
    let operation = operation.ok_or_else(|| Error::not_found("operation"))?;
    let drawings = operations::drawings(&app, &operator.actor, &id).await?;
    let is_delayed = |drawing: &ManagedDrawing| {
        let waiting = drawing.waiting.as_ref();
        waiting.is_some_and(|waiting| waiting.reason == WaitReason::NextAttempt)
    };
    let (status, class) = operation_words::status(operation.status);
    let view = OperationPage {
        frame: operator.frame(),
        tab: Tab::Operations,
        kind: operation_words::kind(operation.kind),
        status,
        class,
        facts: facts(&operation),
        is_open: !operation.status.is_terminal(),
        is_delayed: drawings.iter().any(is_delayed),
        drawings: drawings.into_iter().map(DrawingRow::from).collect(),
        done: words::done(done.done.as_deref()),
        email: operation.account_email,
        account_id: operation.account_id,
        id: operation.id,
    };
    Ok(page(StatusCode::OK, &view))
}

/// Redirects from the address of a form to the operation.
pub(super) async fn to_operation(_: Operator, PathId(id): PathId<OperationId>) -> Redirect {
    Redirect::to(&format!("/admin/operations/{id}"))
}

pub(super) async fn cancel(State(app): State<App>, PathId(id): PathId<OperationId>, form: OperatorForm) -> Reply {
    let canceled = operations::cancel(&app, &form.operator.actor, &id).await?;
    canceled.ok_or_else(|| Error::not_found("operation"))?;
    Ok(accepted::to(&format!("/admin/operations/{id}"), "canceled"))
}

pub(super) async fn retry(State(app): State<App>, PathId(id): PathId<OperationId>, form: OperatorForm) -> Reply {
    let retried = operations::retry_now(&app, &form.operator.actor, &id).await?;
    retried.ok_or_else(|| Error::not_found("operation"))?;
    Ok(accepted::to(&format!("/admin/operations/{id}"), "retried"))
}
