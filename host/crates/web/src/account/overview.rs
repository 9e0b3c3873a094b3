//! `/account`: plan, credits, limits and the ledger.
use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::{Tab, statements};
use crate::limits::{self, LimitLine};
use crate::numbers::grouped;
use crate::when::When;
use linepress_accounts::credits::{EntryKind, pricing};
use linepress_accounts::sign_in;
use linepress_core::me::{self, CreditsResource};
use linepress_core::operations::{OperationType, ResourceType};
use linepress_core::statement::{self, Line, Purpose};
use linepress_http::html::{Frame, Section, internal_error_page, page};
use linepress_http::session::SignedIn;
use linepress_operator::mailing::{self, NoticeSettings};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::EntryId;
use linepress_platform::month::Month;

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
    /// The months whose entries can be downloaded.
    months: Vec<Month>,
    mail: MailState,
}

/// The mails to the owner of the account.
struct MailState {
    /// True if the address is to be confirmed with a link from a mail.
    awaits_verification: bool,
    /// True after the address was confirmed.
    is_verified: bool,
    /// True after another link was sent.
    is_sent: bool,
    /// True after the notices were saved.
    is_saved: bool,
    /// The notices that the owner receives; `None` if the server sends no mail.
    notices: Option<NoticeSettings>,
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

#[derive(Default, Deserialize)]
pub(super) struct Place {
    after: Option<String>,
    #[serde(default)]
    verified: String,
    #[serde(default)]
    sent: String,
    #[serde(default)]
    saved: String,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    place: std::result::Result<Query<Place>, QueryRejection>,
) -> Response {
    let place = place.map(|Query(place)| place).unwrap_or_default();
    match overview(&app, &signed_in, &place).await {
        Ok(overview) => page(StatusCode::OK, &overview),
        // The cursor may come from an old bookmark of a page of the ledger.
        Err(error) if matches!(error.kind, ErrorKind::InvalidPagination(_)) => Redirect::to("/account").into_response(),
        Err(error) => internal_error_page(&error),
    }
}

async fn overview(app: &App, signed_in: &SignedIn, place: &Place) -> Result<OverviewPage> {
    let caller = signed_in.caller();
    let after = place.after.as_deref();
    let account = me::me(app, &caller).await?;
    let scope = app.cursors.scope(caller.account_id(), EntryId::PREFIX);
    let request = PageRequest::parse(None, after, scope)?;
    let lines = statement::list(app, &caller, None, &request).await?;
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
        months: statements::months(signed_in.account.created_at, app.clock.now()),
        mail: MailState {
            awaits_verification: sign_in::awaits_verification(app, &caller).await?,
            is_verified: !place.verified.is_empty(),
            is_sent: !place.sent.is_empty(),
            is_saved: !place.saved.is_empty(),
            notices: mailing::notices(app, &caller).await?,
        },
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
        OperationType::PageRefine => "Picture of a page changed",
        OperationType::BookRestyle => "Pages of a book drawn in another style",
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
