//! The results of calls that fail: error codes as over REST, and messages in the words of the tools.
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::json;

use super::words;
use linepress_http::{ErrorCode, whole_seconds};
use linepress_platform::error::{Detail, Error, ErrorKind, FormatMismatch, InvalidPagination, Remedy, SourceMismatch};
use linepress_platform::field::Field;

/// The most pages that the error for an unready book lists.
const MAX_UNREADY: usize = 10;

/// The properties of a tool that its errors depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wording {
    /// True if the tool draws from a picture that it is given.
    pub takes_source: bool,
}

/// The structured form of an error.
#[derive(Serialize)]
struct ErrorResult<'a> {
    error: ErrorBody<'a>,
    #[serde(flatten)]
    price: Price,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<DetailBody<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details_left_out: Option<usize>,
}

#[derive(Serialize)]
struct DetailBody<'a> {
    field: String,
    message: &'a str,
}

/// The price of an order that was not placed, and the balance.
#[derive(Default, Serialize)]
pub(super) struct Price {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credits_required: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credits_available: Option<i64>,
}

/// The result of a call that was refused for a reason that only MCP has.
pub(super) fn refusal(code: &str, message: &str, price: Price) -> CallToolResult {
    let error = ErrorBody {
        code,
        message,
        retry_after_seconds: None,
        details: Vec::new(),
        details_left_out: None,
    };
    error_with(&ErrorResult { error, price })
}

fn error_with(body: &ErrorResult) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(body.error.message)]);
    result.structured_content = Some(json!(body));
    result
}

/// The JSON-RPC error for a domain error, for requests that call no tool.
pub(super) fn protocol_error(error: &Error) -> ErrorData {
    if error.is_internal() {
        tracing::error!(error = %error, cause = error.cause(), "MCP request failed");
        return ErrorData::internal_error(error.to_string(), None);
    }
    let code = ErrorCode::from(error).as_str();
    ErrorData::invalid_request(error.to_string(), Some(json!({"code": code})))
}

/// The result for a domain error, with the same code as over REST.
pub(super) fn error_result(error: &Error, wording: Wording) -> CallToolResult {
    let (details, left_out) = details_of(error, wording);
    let mut message = message_for(&error.kind, &details, left_out);
    let retry_after_seconds = error.retry_after().map(whole_seconds);
    if let Some(seconds) = retry_after_seconds {
        let problem = message.trim_end_matches(" Try again later.");
        message = format!("{problem} Try again in {seconds} seconds.");
    }
    let body = ErrorBody {
        code: ErrorCode::from(error).as_str(),
        message: &message,
        retry_after_seconds,
        details: details.iter().map(body_of).collect(),
        details_left_out: Some(left_out).filter(|left_out| *left_out > 0),
    };
    error_with(&ErrorResult {
        error: body,
        price: Price::default(),
    })
}

fn body_of(detail: &Detail) -> DetailBody<'_> {
    DetailBody {
        field: detail.field.to_string(),
        message: &detail.message,
    }
}

/// The details of an error in the words of a tool, and the number of those that are left out.
fn details_of(error: &Error, wording: Wording) -> (Vec<Detail>, usize) {
    let details = error.details();
    let shown = match error.kind {
        ErrorKind::BookNotReady(_) => details.len().min(MAX_UNREADY),
        _ => details.len(),
    };
    let left_out = details.len() - shown;
    let shown = details.into_iter().take(shown);
    let worded = shown.map(|detail| for_tools(&error.kind, wording, detail));
    (worded.collect(), left_out)
}

/// The message of an error, with the advice that only agents need. `left_out` is the number of further details.
fn message_for(kind: &ErrorKind, details: &[Detail], left_out: usize) -> String {
    match kind {
        ErrorKind::ValidationFailed(_) | ErrorKind::SourcePicture(_) => {
            let each = details.iter();
            let each = each.map(|Detail { field, message }| format!("{field}: {message}."));
            each.collect::<Vec<_>>().join(" ")
        }
        ErrorKind::BookNotReady(_) if !details.is_empty() => not_ready(details, left_out),
        ErrorKind::InvalidPagination(InvalidPagination::Cursor) => {
            "after must be the cursor that `next` of an earlier result of this list names. Leave it out to begin with the newest.".into()
        }
        ErrorKind::AccountLimitReached { .. } => format!("{kind} get_account shows every limit and its use."),
        ErrorKind::UnknownPrintFormat {
            known,
            edition: Some(edition),
        } => format!(
            "{edition} is an edition. Set edition to {edition}, and leave out format or choose one of: {}. list_print_formats shows each.",
            known.join(", ")
        ),
        ErrorKind::UnknownPrintFormat { edition: None, .. } => format!("{kind} list_print_formats shows each."),
        ErrorKind::FormatMismatch(mismatch) => format_mismatch(mismatch),
        ErrorKind::NotFound { what } => match words::listing_tool(what) {
            Some(tool) => format!("{kind} {tool} lists what exists."),
            None => kind.to_string(),
        },
        kind => kind.to_string(),
    }
}

/// The message for a book of which these parts are not ready, and this number of others.
fn not_ready(details: &[Detail], left_out: usize) -> String {
    let each = details.iter().map(|detail| {
        if detail.field == Field::cover() {
            format!("the cover {}", detail.message)
        } else {
            detail.message.clone()
        }
    });
    let mut parts: Vec<String> = each.collect();
    if left_out > 0 {
        parts.push(format!("and {left_out} more"));
    }
    format!(
        "The book is not ready. Wait for, regenerate or replace these: {}.",
        parts.join("; ")
    )
}

fn format_mismatch(mismatch: &FormatMismatch) -> String {
    match mismatch.remedy() {
        None => mismatch.to_string(),
        Some(Remedy::Editions([one, other])) => format!("{mismatch} Set edition to {one} or {other}."),
        Some(Remedy::Parts([one, other])) => {
            format!("{mismatch} Call the tool once with part: {one} and once with part: {other}.")
        }
    }
}

/// Words the error of a field as one about the arguments of a tool, and names the tool that helps.
fn for_tools(kind: &ErrorKind, wording: Wording, detail: Detail) -> Detail {
    let Detail { field, message } = detail;
    match kind {
        ErrorKind::SourcePicture(SourceMismatch::Required) if !wording.takes_source => Detail {
            field: Field::arguments(),
            message: "this server draws from pictures only, and this tool draws from text; create_artwork_upload and then create_page with source_upload_id draw from a picture".into(),
        },
        // REST accepts the file itself in this field.
        _ if field == Field::image() => Detail {
            field: Field::upload_id(),
            message: "or an https image_url is required, one of the two: create_artwork_upload returns an upload_id".into(),
        },
        _ if field == Field::image_url() => Detail {
            field,
            message: format!("{message}; for a file without a public https address use create_artwork_upload"),
        },
        ErrorKind::FormatMismatch(mismatch) if mismatch.remedy().is_some() => Detail {
            field,
            message: format_mismatch(mismatch),
        },
        _ => Detail { field, message },
    }
}
