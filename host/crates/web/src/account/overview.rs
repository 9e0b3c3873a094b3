//! `/account`: plan, credits, limits and the ledger.
use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::Tab;
use crate::limits::{self, LimitLine};
use crate::numbers::grouped;
use crate::when::When;
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
    Ok(OverviewPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Overview,
        is_business: account.plan.active,
        since: When::new(signed_in.account.created_at),
        limits: limits::lines(&account.limits),
        credits: account.credits,
        page_price: pricing::credits(pricing::PAGE),
        character_price: pricing::credits(pricing::CHARACTER),
        is_later: after.is_some(),
        entries: lines.items.into_iter().map(entry).collect(),
        next: lines.next_cursor,
    })
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
