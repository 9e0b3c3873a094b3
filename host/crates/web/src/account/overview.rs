//! `/account`: plan, credits, limits and the ledger.
use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::{Tab, When};
use linepress_core::accounts::Limit;
use linepress_core::app::App;
use linepress_core::credits::{EntryKind, pricing};
use linepress_core::me::{self, CreditsResource};
use linepress_core::operations::{OperationType, ResourceType};
use linepress_core::statement::{self, Line, Purpose};
use linepress_http::html::{Frame, Section, internal_error_page, page};
use linepress_http::session::SignedIn;
use linepress_platform::error::{ErrorKind, Result};

#[derive(Template)]
#[template(path = "account/overview.html")]
struct OverviewPage {
    frame: Frame,
    tab: Tab,
    is_business: bool,
    since: When,
    credits: CreditsResource,
    page_price: String,
    character_price: String,
    limits: Vec<LimitLine>,
    /// True for pages of the ledger after the first.
    is_later: bool,
    entries: Vec<Entry>,
    next: Option<String>,
}

/// A limit of the account, and its use.
struct LimitLine {
    what: &'static str,
    used: String,
    limit: String,
    /// The values of the meter; `None` if the use of the limit is not counted.
    share: Option<Share>,
}

struct Share {
    used: i64,
    limit: i64,
}

/// An entry of the ledger.
struct Entry {
    when: When,
    kind: &'static str,
    amount: String,
    is_income: bool,
    what: String,
    /// The page of the resource that the entry is about.
    link: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Place {
    after: Option<String>,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    place: std::result::Result<Query<Place>, QueryRejection>,
) -> Response {
    let after = place.ok().and_then(|Query(place)| place.after);
    match overview(&app, &signed_in, after.as_deref()).await {
        Ok(overview) => page(StatusCode::OK, &overview),
        // The cursor may come from an old bookmark of a page of the ledger.
        Err(error) if matches!(error.kind, ErrorKind::InvalidPagination(_)) => Redirect::to("/account").into_response(),
        Err(error) => internal_error_page(&error),
    }
}

async fn overview(app: &App, signed_in: &SignedIn, after: Option<&str>) -> Result<OverviewPage> {
    let caller = signed_in.caller();
    let account = me::me(app, &caller).await?;
    let lines = statement::list(app, &caller, after).await?;
    let limits = LIMITS.iter().filter_map(|(name, what)| {
        let limit = account.limits.get(name)?;
        Some(limit_line(name, what, limit))
    });
    Ok(OverviewPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Overview,
        is_business: account.plan.active,
        since: When::new(signed_in.account.created_at),
        limits: limits.collect(),
        credits: account.credits,
        page_price: pricing::credits(pricing::PAGE),
        character_price: pricing::credits(pricing::CHARACTER),
        is_later: after.is_some(),
        entries: lines.items.into_iter().map(entry).collect(),
        next: lines.next_cursor,
    })
}

/// The limits in the order in which they are shown, by their names in the API.
const LIMITS: [(&str, &str); 11] = [
    ("books", "Books"),
    ("pages", "Pages"),
    ("characters", "Characters"),
    ("stored_bytes", "Stored artwork"),
    ("generations", "Drawings under way"),
    ("plans_per_minute", "Book plans in a minute"),
    ("changes_per_minute", "Changes by programs in a minute"),
    (
        "free_covers_per_day",
        "Free covers in a day, for books without a new page",
    ),
    ("uploads", "Files sent ahead of their import"),
    ("pages_per_book", "Pages in one book"),
    ("transfers", "Files on their way at the same time"),
];

fn limit_line(name: &str, what: &'static str, limit: &Limit) -> LimitLine {
    let shown = |number: i64| match name {
        "stored_bytes" => megabytes(number),
        _ => grouped(number),
    };
    LimitLine {
        what,
        used: limit.used.map(shown).unwrap_or_default(),
        limit: shown(limit.limit),
        share: limit.used.map(|used| Share {
            used,
            limit: limit.limit,
        }),
    }
}

fn entry(line: Line) -> Entry {
    let Line {
        id: _,
        kind,
        amount,
        purpose,
        reason,
        created_at,
    } = line;
    Entry {
        when: When::new(created_at),
        kind: match kind {
            EntryKind::Grant => "Added",
            EntryKind::Charge => "Spent",
            EntryKind::Refund => "Refunded",
            EntryKind::Debit => "Taken back",
        },
        amount: format!("{}{}", if amount < 0 { '\u{2212}' } else { '+' }, grouped(amount.abs())),
        is_income: amount > 0,
        link: purpose.as_ref().and_then(link),
        what: purpose.as_ref().map_or(reason, words),
    }
}

fn words(purpose: &Purpose) -> String {
    let done = match purpose.operation {
        OperationType::CharacterCreate => "Character drawn",
        OperationType::CharacterRegenerate => "Character drawn again",
        OperationType::PageCreate => "Page drawn",
        OperationType::PageRegenerate => "Page drawn again",
        OperationType::BookCreate => "Book drawn",
        OperationType::BookAddPage => "Page added to a book",
        OperationType::BookRegenerateCover => "Cover drawn again",
    };
    match &purpose.title {
        Some(title) => format!("{done}: {title}"),
        None => format!("{done}, deleted since"),
    }
}

fn link(purpose: &Purpose) -> Option<String> {
    purpose.title.as_ref()?;
    let id = &purpose.resource_id;
    Some(match purpose.resource {
        ResourceType::Book => format!("/library/books/{id}"),
        ResourceType::Page => format!("/library/pages/{id}"),
        ResourceType::Character => format!("/library/characters/{id}"),
    })
}

fn megabytes(bytes: i64) -> String {
    const MEGABYTE: i64 = 1_000_000;
    match bytes {
        0 => "0 MB".into(),
        bytes if bytes < MEGABYTE => "less than 1 MB".into(),
        bytes => format!("{} MB", grouped(bytes / MEGABYTE)),
    }
}

/// Formats a number with a space between thousands.
fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            // A narrow space that does not break the line.
            shown.push('\u{202f}');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1\u{202f}000");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(megabytes(999_999), "less than 1 MB");
        assert_eq!(megabytes(2_500_000_000), "2\u{202f}500 MB");
    }
}
