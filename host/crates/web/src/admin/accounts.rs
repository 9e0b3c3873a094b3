//! `/admin/accounts`: the accounts of the server, and the form for a new one.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;

use super::account_changes::unknown_choice;
use super::operator::{Operator, OperatorForm};
use super::password_link::ShownLink;
use super::words::{self, Mark};
use super::{Tab, listing};
use crate::library::form::{Complaints, Fields};
use crate::numbers::grouped;
use crate::when::When;
use linepress_accounts::accounts::{Plan, Role};
use linepress_accounts::credits::MAX_GRANT_CREDITS;
use linepress_http::html::{Frame, page};
use linepress_http::{Query, Reply};
use linepress_operator::administration::accounts::{self, Invitation, ManagedAccount, NewAccount};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::AccountId;

#[derive(Template)]
#[template(path = "admin/accounts.html")]
struct AccountsPage {
    frame: Frame,
    tab: Tab,
    search: String,
    accounts: Vec<AccountRow>,
    is_first: bool,
    /// The addresses of the first page and the next one.
    first: String,
    next: Option<String>,
}

/// An account in the list.
struct AccountRow {
    id: AccountId,
    email: String,
    plan: &'static str,
    credits: String,
    since: When,
    marks: Vec<Mark>,
}

impl From<ManagedAccount> for AccountRow {
    fn from(account: ManagedAccount) -> Self {
        Self {
            plan: words::plan(account.plan),
            credits: grouped(account.credits),
            since: When::new(account.created_at),
            marks: words::marks(&account),
            id: account.id,
            email: account.email,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Place {
    #[serde(default)]
    search: String,
    after: Option<String>,
}

const PATH: &str = "/admin/accounts";

pub(super) async fn show(State(app): State<App>, operator: Operator, Query(place): Query<Place>) -> Reply {
    let list = (PATH, AccountId::PREFIX);
    let request = match listing::request(&app, &operator, list, place.after.as_deref()) {
        Ok(request) => request,
        Err(elsewhere) => return Ok(*elsewhere),
    };
    let found = accounts::list(&app, &operator.actor, &place.search, &request).await?;
    let filters = [("search", place.search.as_str())];
    let accounts = AccountsPage {
        frame: operator.frame(),
        tab: Tab::Accounts,
        accounts: found.items.into_iter().map(AccountRow::from).collect(),
        is_first: place.after.is_none(),
        first: listing::address(PATH, &filters, None),
        next: found
            .next_cursor
            .map(|cursor| listing::address(PATH, &filters, Some(&cursor))),
        search: place.search,
    };
    Ok(page(StatusCode::OK, &accounts))
}

#[derive(Template)]
#[template(path = "admin/new_account.html")]
struct NewAccountPage {
    frame: Frame,
    tab: Tab,
    email: String,
    is_business: bool,
    is_operator: bool,
    credits: String,
    complaints: Complaints,
    /// The account that was just created. Its link is shown only in this response.
    made: Option<Made>,
    /// True if the server sends mail, so that the owner is mailed a link as well.
    has_mail: bool,
}

struct Made {
    id: AccountId,
    link: ShownLink,
}

impl NewAccountPage {
    fn empty(app: &App, operator: &Operator) -> Self {
        Self {
            frame: operator.frame(),
            tab: Tab::Accounts,
            email: String::new(),
            is_business: true,
            is_operator: false,
            credits: "0".into(),
            complaints: Complaints::none(),
            made: None,
            has_mail: app.config.mail.is_on(),
        }
    }
}

pub(super) async fn show_new(State(app): State<App>, operator: Operator) -> Response {
    page(StatusCode::OK, &NewAccountPage::empty(&app, &operator))
}

/// Creates an account. Shows its link in this response rather than after a redirect, because it is not stored.
pub(super) async fn invite(State(app): State<App>, OperatorForm { operator, fields }: OperatorForm) -> Reply {
    let invited = match new_account(&fields) {
        Ok(new) => accounts::invite(&app, &operator.actor, &new).await,
        Err(error) => Err(error),
    };
    let empty = NewAccountPage::empty(&app, &operator);
    match invited {
        Ok(Invitation { account, link }) => {
            let link = ShownLink::new(&app, account.email, &link);
            let made = Made { id: account.id, link };
            Ok(page(
                StatusCode::OK,
                &NewAccountPage {
                    made: Some(made),
                    ..empty
                },
            ))
        }
        Err(error) => {
            let (status, complaints) = Complaints::with_status(error)?;
            let again = NewAccountPage {
                email: fields.text("email"),
                is_business: fields.text("plan") == Plan::Business.as_str(),
                is_operator: fields.text("role") == Role::Operator.as_str(),
                credits: fields.text("credits"),
                complaints,
                ..empty
            };
            Ok(page(status, &again))
        }
    }
}

fn new_account(fields: &Fields) -> Result<NewAccount> {
    let credits = fields.text("credits").parse().ok();
    let credits = credits.filter(|credits| (0..=MAX_GRANT_CREDITS).contains(credits));
    let not_a_number = || {
        let problem = format!("must be a whole number from 0 to {MAX_GRANT_CREDITS}");
        Error::invalid_field(Field::credits(), problem)
    };
    Ok(NewAccount {
        email: fields.text("email"),
        plan: Plan::parse(&fields.text("plan")).ok_or_else(|| unknown_choice(Field::plan()))?,
        role: Role::parse(&fields.text("role")).ok_or_else(|| unknown_choice(Field::role()))?,
        credits: credits.ok_or_else(not_a_number)?,
    })
}
