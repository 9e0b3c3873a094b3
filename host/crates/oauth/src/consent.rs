//! The consent page, on which the user decides what an app may do, and `POST /oauth/authorize`, which receives the
//! decision.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use url::form_urlencoded;

use super::redirect;
use linepress_accounts::grants::clients::{self, Client};
use linepress_accounts::grants::consent::{self, Approval, AuthorizationRequest};
use linepress_accounts::grants::{MAX_CAP_DIGITS, cap_from_text};
use linepress_http::form::CsrfForm;
use linepress_http::html::{self, error_page, internal_error_page, page_with_form_targets};
use linepress_http::session::SignedIn;
use linepress_platform::app::App;
use linepress_platform::error::ErrorKind;
use linepress_platform::scopes::{Scope, Scopes};

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentPage<'a> {
    client_name: &'a str,
    client_host: Option<String>,
    /// The place to which the browser returns afterwards, described for the user.
    place: String,
    email: &'a str,
    credits: i64,
    csrf_token: &'a str,
    request: &'a str,
    offers: Vec<Offer>,
    asks_for_credits: bool,
    credit_cap: &'a str,
    has_no_limit: bool,
    /// True for a client with a metadata document whose redirect URIs all lead to the user's own device, where any
    /// program could impersonate it.
    is_only_local: bool,
    problem: Option<&'a str>,
    /// The address of this page, to which the user returns after signing in to another account.
    here: String,
}

/// A scope that the user may grant.
struct Offer {
    /// The name of the form field.
    field: &'static str,
    title: &'static str,
    text: &'static str,
    is_checked: bool,
    /// True if the scope cannot be deselected, because the app can do nothing without it.
    is_fixed: bool,
}

impl Offer {
    fn for_scope(scope: Scope, is_checked: bool) -> Self {
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

/// Shows the consent page to the signed-in user.
pub(super) async fn show(app: &App, signed_in: &SignedIn, client: &Client, request: &AuthorizationRequest) -> Response {
    if signed_in.caller().require_plan().is_err() {
        return plan_required(app, request);
    }
    let token = match consent::store_request(app, &signed_in.account.id, request).await {
        Ok(token) => token,
        Err(error) if matches!(error.kind, ErrorKind::RateLimited { .. }) => {
            let advice = "Apps asked a lot of you in a short time. Wait a few minutes and try again.";
            return error_page(StatusCode::TOO_MANY_REQUESTS, "A little too fast", advice);
        }
        Err(error) => return internal_error_page(&error),
    };
    // If the app did not request spending by name, the page offers it unchecked.
    let scopes = match request.names_scopes {
        true => request.scopes(),
        false => request
            .scopes()
            .common(Scopes::of(&[Scope::BooksRead, Scope::BooksWrite])),
    };
    let filled = Filled {
        scopes,
        credit_cap: DEFAULT_CAP_CREDITS,
        has_no_limit: false,
        problem: None,
    };
    page(signed_in, client, request, token.expose(), &filled)
}

/// The limit that the form proposes, in credits.
const DEFAULT_CAP_CREDITS: &str = "50";

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
        .map(|scope| Offer::for_scope(scope, filled.scopes.contains(scope)));
    let template = ConsentPage {
        client_name: &client.name,
        client_host: client.host(),
        place: redirect::describe_destination(&request.redirect_uri),
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
        here: address_of(request),
    };
    let status = match filled.problem {
        None => StatusCode::OK,
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    page_with_form_targets(status, &template, &redirect::form_targets(&request.redirect_uri))
}

/// The fields of the form. They do not repeat the app's request, which is stored in the database.
#[derive(Deserialize)]
pub(super) struct Form {
    request: String,
    decision: Decision,
    books_write: Option<String>,
    credits_spend: Option<String>,
    #[serde(default = "default_cap")]
    credit_cap: String,
    /// Present if the user checked "No limit".
    no_limit: Option<String>,
}

fn default_cap() -> String {
    DEFAULT_CAP_CREDITS.into()
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Approve,
    Deny,
}

impl Form {
    fn ticked(&self) -> Scopes {
        // The basic scope cannot be deselected.
        let mut ticked = vec![Scope::BooksRead];
        ticked.extend(self.books_write.is_some().then_some(Scope::BooksWrite));
        ticked.extend(self.credits_spend.is_some().then_some(Scope::CreditsSpend));
        Scopes::of(&ticked)
    }

    /// The credit limit in whole credits; `None` if the user chose no limit.
    fn cap(&self) -> Result<Option<i64>, &'static str> {
        if self.no_limit.is_some() {
            return Ok(None);
        }
        cap_from_text(&self.credit_cap)
            .map(Some)
            .ok_or("Enter the limit as a whole number of credits, or tick \u{201c}No limit\u{201d}.")
    }
}

pub(super) async fn decide(State(app): State<App>, CsrfForm { signed_in, form }: CsrfForm<Form>) -> Response {
    let account = &signed_in.account;
    let request = match consent::find_request(&app, &account.id, &form.request).await {
        Ok(Some(request)) => request,
        Ok(None) => return already_decided(),
        Err(error) => return internal_error_page(&error),
    };
    let client = match clients::find(&app, &request.client_id).await {
        // The client may have changed its redirect URIs since.
        Ok(Some(client)) if client.allows_redirect_to(&request.redirect_uri) => client,
        Ok(_) => return already_decided(),
        Err(error) => return internal_error_page(&error),
    };
    let back = |parameters: &[(&str, &str)]| {
        redirect::to_app(&app, &request.redirect_uri, request.state.as_deref(), parameters)
    };
    let denied_by_user = || {
        back(&[
            ("error", "access_denied"),
            ("error_description", "The user denied the request."),
        ])
    };
    let scopes = request.scopes().common(form.ticked());
    if form.decision == Decision::Deny || scopes.is_empty() {
        return match consent::deny(&app, &account.id, &form.request).await {
            Ok(true) => denied_by_user(),
            Ok(false) => already_decided(),
            Err(error) => internal_error_page(&error),
        };
    }
    if signed_in.caller().require_plan().is_err() {
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
    match consent::approve(&app, &signed_in.caller(), &form.request, &client, approval).await {
        Ok(Some(code)) => back(&[("code", code.expose())]),
        Ok(None) => already_decided(),
        Err(error) => internal_error_page(&error),
    }
}

fn already_decided() -> Response {
    let advice = "You have already decided, or the request has expired. Go back to the app and connect it again.";
    error_page(StatusCode::BAD_REQUEST, "There is nothing to decide here", advice)
}

/// The page for an account whose plan does not allow apps, with a link that reports this to the waiting app.
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
        place: redirect::describe_destination(&request.redirect_uri),
        back: &redirect::app_address(app, &request.redirect_uri, request.state.as_deref(), &parameters),
    };
    html::page(StatusCode::FORBIDDEN, &template)
}

/// The address on this server that repeats the request.
fn address_of(request: &AuthorizationRequest) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query
        .append_pair("response_type", "code")
        .append_pair("client_id", &request.client_id)
        .append_pair("redirect_uri", &request.redirect_uri)
        .append_pair("code_challenge", &request.code_challenge)
        .append_pair("code_challenge_method", "S256")
        .append_pair("resource", &request.resource)
        .extend_pairs(request.names_scopes.then_some(("scope", &request.scopes)))
        .extend_pairs(request.state.as_deref().map(|state| ("state", state)));
    format!("/oauth/authorize?{}", query.finish())
}
