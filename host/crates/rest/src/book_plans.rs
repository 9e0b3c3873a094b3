//! `/book_plans`.
use axum::Extension;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::document::PlanningErrors;
use super::extract::Body;
use linepress_accounts::caller::Caller;
use linepress_http::Reply;
use linepress_planning::plans::{self, BookPlan, NewPlan};
use linepress_platform::app::App;
use linepress_platform::field::Field;

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BookPlanBody {
    book_plan: NewPlan,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct BookPlanReply {
    book_plan: BookPlan,
}

/// Plans a book. Nothing is stored: send `generation_request`, edited or unchanged, to `POST /books`.
#[utoipa::path(post, path = "/book_plans", tag = "Books", operation_id = "plan_book", request_body = BookPlanBody,
    responses((status = 200, description = "The plan", body = BookPlanReply), PlanningErrors))]
pub(super) async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Body(body): Body<BookPlanBody>,
) -> Reply<Json<BookPlanReply>> {
    let planned = plans::plan(&app, &caller, &body.book_plan).await;
    Ok(Json(BookPlanReply {
        book_plan: planned.map_err(|error| error.within(&Field::book_plan()))?,
    }))
}
