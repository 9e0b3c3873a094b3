//! The page on which a person decides what an app may do, and `POST /oauth/authorize`, which its form is sent to.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;

use super::{authorize, redirect};
use crate::accounts::Plan;
use crate::app::App;
use crate::error::ErrorKind;
use crate::grants::clients::{self, Client};
use crate::grants::consent::{self, Approval, AuthorizationRequest};
use crate::grants::{Scope, Scopes};
use crate::http::html::{self, failed, page_with_form_targets, refused};
use crate::http::session::{CsrfForm, SignedIn};

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentPage<'a> {
    client_name: &'a str,
    client_host: Option<String>,
    /// Where the browser goes afterwards.
    place: String,
    email: &'a str,
    credits: i64,
    csrf_token: &'a str,
    request: &'a str,
    offers: Vec<Offer>,
    asks_for_credits: bool,
    credit_cap: &'a str,
    has_no_limit: bool,
    /// A client with a document whose redirects all lead to the person's own device: any program there can pass for it.
    is_only_local: bool,
    problem: Option<&'a str>,
    /// Where whoever signs in to another account decides.
    here: String,
}

/// A scope that a person may grant.
struct Offer {
    /// Of the form.
    field: &'static str,
    title: &'static str,
    text: &'static str,
    is_checked: bool,
    /// Nothing works without it.
    is_fixed: bool,
}

impl Offer {
    fn of(scope: Scope, is_checked: bool) -> Self {
        let (field, title, text) = match scope {
            Scope::BooksRead => (
                "books_read",
                "See your books",
                "Your e-mail address, books, pages, characters and how many credits you have; download pictures and PDFs; plan \
                 new books.",
            ),
            Scope::BooksWrite => (
                "books_write",
                "Change your books",
                "Make, edit, arrange and delete books, pages and characters, bring in artwork, and make previews of characters \
                 public.",
            ),
            Scope::CreditsSpend => (
                "credits_spend",
                "Spend your credits",
                "Have pages and characters drawn. The app has to name the exact price each time.",
            ),
        };
        let is_fixed = scope == Scope::BooksRead;
        Self {
            field,
            title,
            text,
            is_checked: is_checked || is_fixed,
            is_fixed,
        }
    }
}

/// Asks the person who is signed in.
pub(super) async fn show(app: &App, signed_in: &SignedIn, client: &Client, request: &AuthorizationRequest) -> Response {
    if signed_in.account.plan != Plan::Business {
        return plan_required(app, request);
    }
    let token = match consent::store_request(app, &signed_in.account.id, request).await {
        Ok(token) => token,
        Err(error) if matches!(error.kind, ErrorKind::RateLimited { .. }) => {
            let advice = "Apps asked a lot of you in a short time. Wait a few minutes and try again.";
            return refused(StatusCode::TOO_MANY_REQUESTS, "A little too fast", advice);
        }
        Err(error) => return failed(&error),
    };
    // Spending is offered, and left to the person, where the app did not ask for it by name.
    let scopes = match request.names_scopes {
        true => request.scopes(),
        false => request
            .scopes()
            .common(Scopes::of(&[Scope::BooksRead, Scope::BooksWrite])),
    };
    let filled = Filled {
        scopes,
        credit_cap: OFFERED_CAP,
        has_no_limit: false,
        problem: None,
    };
    page(signed_in, client, request, token.expose(), &filled)
}

/// The limit that the form proposes, in credits.
const OFFERED_CAP: &str = "50";

/// The contents of the form's fields.
struct Filled<'a> {
    scopes: Scopes,
    credit_cap: &'a str,
    has_no_limit: bool,
    problem: Option<&'a str>,
}

fn page(
    signed_in: &SignedIn,
    client: &Client,
    request: &AuthorizationRequest,
    token: &str,
    filled: &Filled<'_>,
) -> Response {
    let asked = request.scopes();
    let offers = asked
        .iter()
        .map(|scope| Offer::of(scope, filled.scopes.contains(scope)));
    let template = ConsentPage {
        client_name: &client.name,
        client_host: client.host(),
        place: redirect::place(&request.redirect_uri),
        email: &signed_in.account.email,
        credits: signed_in.account.credits,
        csrf_token: &signed_in.csrf_token,
        request: token,
        offers: offers.collect(),
        asks_for_credits: asked.contains(Scope::CreditsSpend),
        credit_cap: filled.credit_cap,
        has_no_limit: filled.has_no_limit,
        is_only_local: client.is_only_local(),
        problem: filled.problem,
        here: authorize::address_of(request),
    };
    let status = match filled.problem {
        None => StatusCode::OK,
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    page_with_form_targets(status, &template, &redirect::form_targets(&request.redirect_uri))
}

/// What the form sends. What the app asked for is not among it: it waits in the database.
#[derive(Deserialize)]
pub(super) struct Form {
    request: String,
    decision: Decision,
    books_write: Option<String>,
    credits_spend: Option<String>,
    #[serde(default = "offered_cap")]
    credit_cap: String,
    /// The person ticked that there is no limit.
    no_limit: Option<String>,
}

fn offered_cap() -> String {
    OFFERED_CAP.into()
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Approve,
    Deny,
}

impl Form {
    fn ticked(&self) -> Scopes {
        // What nothing works without cannot be unticked.
        let mut ticked = vec![Scope::BooksRead];
        ticked.extend(self.books_write.is_some().then_some(Scope::BooksWrite));
        ticked.extend(self.credits_spend.is_some().then_some(Scope::CreditsSpend));
        Scopes::of(&ticked)
    }

    /// The limit in whole credits; `None` where the person wants no limit.
    fn cap(&self) -> Result<Option<i64>, &'static str> {
        const MAX_CAP_CREDITS: i64 = 1_000_000_000;
        if self.no_limit.is_some() {
            return Ok(None);
        }
        match self.credit_cap.trim().parse() {
            Ok(cap) if (0..=MAX_CAP_CREDITS).contains(&cap) => Ok(Some(cap)),
            _ => Err("Enter the limit as a whole number of credits, or tick \u{201c}No limit\u{201d}."),
        }
    }
}

pub(super) async fn decide(State(app): State<App>, CsrfForm { signed_in, form }: CsrfForm<Form>) -> Response {
    let account = &signed_in.account;
    let request = match consent::find_request(&app, &account.id, &form.request).await {
        Ok(Some(request)) => request,
        Ok(None) => return decided(),
        Err(error) => return failed(&error),
    };
    let client = match clients::find(&app, &request.client_id).await {
        // It may say something else of itself by now.
        Ok(Some(client)) if client.allows_redirect_to(&request.redirect_uri) => client,
        Ok(_) => return decided(),
        Err(error) => return failed(&error),
    };
    let back =
        |parameters: &[(&str, &str)]| redirect::back(&app, &request.redirect_uri, request.state.as_deref(), parameters);
    let refused_by_person = || back(&[("error", "access_denied"), ("error_description", "The person said no.")]);
    let scopes = request.scopes().common(form.ticked());
    if form.decision == Decision::Deny || scopes.is_empty() {
        return match consent::deny(&app, &account.id, &form.request).await {
            Ok(true) => refused_by_person(),
            Ok(false) => decided(),
            Err(error) => failed(&error),
        };
    }
    if account.plan != Plan::Business {
        return plan_required(&app, &request);
    }
    let credit_cap = match form.cap() {
        _ if !scopes.contains(Scope::CreditsSpend) => None,
        Ok(cap) => cap,
        Err(problem) => {
            let filled = Filled {
                scopes,
                credit_cap: &form.credit_cap,
                has_no_limit: false,
                problem: Some(problem),
            };
            return page(&signed_in, &client, &request, &form.request, &filled);
        }
    };
    let approval = Approval { scopes, credit_cap };
    match consent::approve(&app, &account.id, &form.request, &client, approval).await {
        Ok(Some(code)) => back(&[("code", code.expose())]),
        Ok(None) => decided(),
        Err(error) => failed(&error),
    }
}

fn decided() -> Response {
    let advice = "You have decided already, or it was too long ago. Go back to the app and connect it again.";
    refused(StatusCode::BAD_REQUEST, "There is nothing to decide here", advice)
}

/// The page for an account whose plan connects no apps, with a link that gives the waiting app its answer.
#[derive(Template)]
#[template(path = "plan_required.html")]
struct PlanRequiredPage<'a> {
    place: String,
    back: &'a str,
}

fn plan_required(app: &App, request: &AuthorizationRequest) -> Response {
    let parameters = [
        ("error", "access_denied"),
        ("error_description", "The account has no active Business plan."),
    ];
    let template = PlanRequiredPage {
        place: redirect::place(&request.redirect_uri),
        back: &redirect::address_back(app, &request.redirect_uri, request.state.as_deref(), &parameters),
    };
    html::page(StatusCode::FORBIDDEN, &template)
}
