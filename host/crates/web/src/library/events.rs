//! `/library/operations/{id}/events`: the progress of an operation, for a page that follows it.
use axum::extract::State;
use axum::http::HeaderMap;
use futures::future::BoxFuture;
use serde_json::json;

use linepress_core::operations::Operation;
use linepress_http::following::{self, EventWords};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Reply};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::OperationId;

/// Without ids: a page that reconnects shows the whole state again.
const WORDS: EventWords = EventWords {
    data: state,
    has_ids: false,
};

pub(super) async fn follow(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<OperationId>,
    headers: HeaderMap,
) -> Reply {
    let caller = signed_in.caller();
    let (server, request) = (app.clone(), headers.clone());
    let is_signed_in = Box::new(move || -> BoxFuture<'static, bool> {
        let (app, headers) = (server.clone(), request.clone());
        Box::pin(async move { matches!(SignedIn::from_headers(&app, &headers).await, Ok(Some(_))) })
    });
    following::events(app, caller, &id, &headers, WORDS, is_signed_in).await
}

fn state(_: &App, operation: Operation) -> Result<String> {
    let progress = operation.progress;
    let state = json!({
        "status": operation.status,
        "completed": progress.completed,
        "failed": progress.failed,
        "total": progress.total,
    });
    Ok(state.to_string())
}
