//! `/admin/accounts/{id}`: one account, with the forms that change it.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect};
use serde::Deserialize;

use super::Tab;
use super::account_changes::{LIMITS, limit_field};
use super::audit_log::AuditLine;
use super::operator::Operator;
use super::password_link::ShownLink;
use super::words::{self, Mark};
use crate::library::form::{Complaints, Refused, Typed};
use crate::limits::{self, LimitLine};
use crate::new_key;
use crate::numbers::grouped;
use crate::when::When;
use linepress_accounts::accounts::{LimitName, OwnLimits, Plan, Role};
use linepress_accounts::credits::{EntryKind, LedgerEntry};
use linepress_http::html::{Frame, page};
use linepress_http::{PathId, Query, Reply};
use linepress_operator::administration::accounts::{self, AccountUse, ManagedAccount};
use linepress_operator::administration::audit_log;
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::Error;
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, AuditId};

#[derive(Template)]
#[template(path = "admin/account.html")]
struct AccountPage {
    frame: Frame,
    tab: Tab,
    id: AccountId,
    email: String,
    /// True for the account of the operator who looks at it, who cannot end their own access.
    is_own: bool,
    is_business: bool,
    is_operator: bool,
    is_unverified: bool,
    has_second_factor: bool,
    is_suspended: bool,
    is_closed: bool,
    marks: Vec<Mark>,
    facts: Vec<(&'static str, String)>,
    credits: String,
    limits: Vec<LimitLine>,
    limit_fields: Vec<LimitField>,
    ledger: Vec<LedgerLine>,
    log: Vec<AuditLine>,
    done: Option<&'static str>,
    /// A link that was just made.
    link: Option<ShownLink>,
    complaints: Complaints,
    /// The form to open: the rejected one, or empty.
    opened: &'static str,
    typed: TypedTexts,
    key: String,
}

impl AccountPage {
    /// The number of credits that the form with this name shows.
    fn amount(&self, form: &str) -> &str {
        if self.opened == form { &self.typed.amount } else { "" }
    }

    /// The reason that the form with this name shows.
    fn reason(&self, form: &str) -> &str {
        if self.opened == form { &self.typed.reason } else { "" }
    }

    /// The complaint about a field of the form with this name.
    fn wrong(&self, form: &str, field: &Field) -> Option<String> {
        self.complaints.at(field).filter(|_| self.opened == form)
    }
}

/// The fields of the rejected form.
struct TypedTexts {
    amount: String,
    reason: String,
}

/// The field of a limit that the account can have of its own.
struct LimitField {
    field: Field,
    label: &'static str,
    value: String,
    /// The value that is stored; empty if the limit of the settings applies.
    stored: String,
    most: i64,
    /// The limit of the settings.
    usual: String,
}

/// An entry of the ledger.
struct LedgerLine {
    kind: &'static str,
    amount: String,
    is_income: bool,
    reason: String,
    when: When,
}

impl From<LedgerEntry> for LedgerLine {
    fn from(entry: LedgerEntry) -> Self {
        let operation = entry.operation_id.map(|id| id.to_string());
        Self {
            kind: words::entry_kind(entry.kind),
            amount: words::signed(entry.amount),
            is_income: matches!(entry.kind, EntryKind::Grant | EntryKind::Refund),
            reason: operation.unwrap_or(entry.reason),
            when: When::new(entry.created_at),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Done {
    done: Option<String>,
}

pub(super) async fn show(
    State(app): State<App>,
    operator: Operator,
    PathId(id): PathId<AccountId>,
    Query(done): Query<Done>,
) -> Reply {
    let found = accounts::get(&app, &operator.actor, &id).await?;
    // A sandbox changes only with the account of its owner.
    if let Some(owner) = found.and_then(|account| account.sandbox_of) {
        return Ok(to_account_page(&owner).into_response());
    }
    let done = words::done(done.done.as_deref());
    respond(&app, &operator, &id, Outcome::Shown(done)).await
}

fn to_account_page(id: &AccountId) -> Redirect {
    Redirect::to(&format!("/admin/accounts/{id}"))
}

/// Redirects from the address of a form to the account.
pub(super) async fn to_account(_: Operator, PathId(id): PathId<AccountId>) -> Redirect {
    to_account_page(&id)
}

/// The reports of the page in addition to the account.
pub(super) enum Outcome<'a> {
    /// The message about what a form did.
    Shown(Option<&'static str>),
    Linked(ShownLink),
    Refused(Refused<'a>),
}

pub(super) async fn respond(app: &App, operator: &Operator, id: &AccountId, outcome: Outcome<'_>) -> Reply {
    let actor = &operator.actor;
    let account = accounts::get(app, actor, id).await?;
    let account = account.ok_or_else(|| Error::not_found("account"))?;
    let usage = accounts::use_of(app, actor, &account).await?;
    let (mut done, mut link, mut refused) = (None, None, None);
    match outcome {
        Outcome::Shown(words) => done = words,
        Outcome::Linked(made) => link = Some(made),
        Outcome::Refused(form) => refused = Some(form),
    }
    let status = refused.as_ref().map_or(StatusCode::OK, |refused| refused.status);
    let typed = Typed(refused.as_ref());
    let opened = typed.form();
    let view = AccountPage {
        frame: operator.frame(),
        tab: Tab::Accounts,
        is_own: account.id == *operator.account_id(),
        is_business: account.plan == Plan::Business,
        is_operator: account.role == Role::Operator,
        is_unverified: account.unverified_since.is_some(),
        has_second_factor: account.second_factor_since.is_some(),
        is_suspended: account.suspended_at.is_some(),
        is_closed: account.closed_at.is_some(),
        marks: words::marks(&account),
        facts: facts(&account, &usage),
        credits: grouped(account.credits),
        limits: limits::lines(&usage.limits),
        limit_fields: limit_fields(app, &account.limits, &typed),
        ledger: ledger(app, operator, id).await?,
        log: log(app, operator, id).await?,
        done,
        link,
        opened,
        typed: TypedTexts {
            amount: typed.text(opened, "amount", ""),
            reason: typed.text(opened, "reason", ""),
        },
        key: new_key(app),
        id: account.id,
        email: account.email,
        complaints: refused.map_or_else(Complaints::none, |refused| refused.complaints),
    };
    Ok(page(status, &view))
}

fn facts(account: &ManagedAccount, usage: &AccountUse) -> Vec<(&'static str, String)> {
    vec![
        ("Plan", words::plan(account.plan).into()),
        ("Role", words::role(account.role).into()),
        ("Spent so far", grouped(usage.spent)),
        ("Refunded of that", grouped(usage.refunded)),
        ("API keys", grouped(usage.active_keys)),
        ("Since", When::new(account.created_at).day),
    ]
}

fn limit_fields(app: &App, own: &OwnLimits, typed: &Typed<'_>) -> Vec<LimitField> {
    let field = |name: &LimitName| {
        let field = limit_field(*name);
        let stored = own.get(*name).map(|limit| limit.to_string()).unwrap_or_default();
        LimitField {
            label: limits::label(*name),
            value: typed.text(LIMITS, &field.to_string(), &stored),
            stored,
            most: name.max_number(),
            usual: grouped(app.config.limits.get(*name)),
            field,
        }
    };
    LimitName::ALL.iter().map(field).collect()
}

async fn ledger(app: &App, operator: &Operator, id: &AccountId) -> linepress_platform::error::Result<Vec<LedgerLine>> {
    const MAX_ENTRIES: i64 = 10;
    let entries = accounts::ledger(app, &operator.actor, id, MAX_ENTRIES).await?;
    Ok(entries.into_iter().map(LedgerLine::from).collect())
}

async fn log(app: &App, operator: &Operator, id: &AccountId) -> linepress_platform::error::Result<Vec<AuditLine>> {
    const LIMIT: &str = "5";
    let scope = app.cursors.scope(operator.account_id(), AuditId::PREFIX);
    let request = PageRequest::parse(Some(LIMIT), None, scope)?;
    let entries = audit_log::list(app, &operator.actor, Some(id.as_str()), &request).await?;
    Ok(entries.items.into_iter().map(AuditLine::from).collect())
}
