//! `/print_formats`.
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::document::CommonErrors;
use super::response::Meta;
use linepress_core::print::{self, PrintFormatResource};
use linepress_platform::app::App;

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct PrintFormatsReply {
    print_formats: Vec<PrintFormatResource>,
    meta: Meta,
}

/// The sizes in which books can be printed. Do not hard-code them: plugins provide them.
#[utoipa::path(get, path = "/print_formats", tag = "Print", operation_id = "list_print_formats",
    responses((status = 200, description = "All print formats, on one page", body = PrintFormatsReply), CommonErrors))]
pub(super) async fn list(State(app): State<App>) -> Json<PrintFormatsReply> {
    let print_formats = print::formats(&app).iter().map(PrintFormatResource::new).collect();
    Json(PrintFormatsReply {
        print_formats,
        meta: Meta { next_cursor: None },
    })
}
