//! Authentication of API requests: the bearer key of each request, the plan of its account, and the credit headers of
//! each response.
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{Failure, brand_header};
use linepress_core::accounts;
use linepress_core::app::App;
use linepress_core::caller::Caller;
use linepress_core::credits;

/// The credits that a call consumed and those that are left, for the credit headers.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    pub available: i64,
    pub consumed: i64,
}

/// Admits requests with an API key of an account on the Business plan, and adds the credit headers to every response.
/// Handlers receive the caller as an `Extension`.
pub async fn authenticate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let caller = match caller_of_key(&app, request.headers()).await {
        Ok(caller) => caller,
        Err(failure) => return failure.into_response(),
    };
    let account = caller.account_id().clone();
    let mut response = match caller.require_plan() {
        Ok(()) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(error) => Failure::from(error).into_response(),
    };
    let balance = match response.extensions_mut().remove::<Balance>() {
        Some(balance) => Ok(balance),
        // Other calls may have spent credits while this one ran: a PDF takes minutes.
        None => credits::available(&app, &account)
            .await
            .map(|available| Balance { available, consumed: 0 }),
    };
    match balance {
        Ok(balance) => insert_credit_headers(&app, balance, &mut response),
        Err(error) => response = Failure::from(error).into_response(),
    }
    // The request log reads the account from here.
    response.extensions_mut().insert(account);
    response
}

fn insert_credit_headers(app: &App, balance: Balance, response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(
        brand_header(app, "Credits-Available"),
        HeaderValue::from(balance.available),
    );
    headers.insert(
        brand_header(app, "Credits-Consumed"),
        HeaderValue::from(balance.consumed),
    );
}

async fn caller_of_key(app: &App, headers: &HeaderMap) -> Result<Caller, Failure> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next();
    if values.next().is_some() {
        return Err(Failure::unauthorized("Send one Authorization header, not several."));
    }
    let Some(value) = value else {
        return Err(Failure::unauthorized(
            "Send the account's API key: Authorization: Bearer <API_KEY>.",
        ));
    };
    let scheme_and_key = value.to_str().ok().and_then(|text| text.split_once(' '));
    let bearer = scheme_and_key.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let Some((_, key)) = bearer else {
        return Err(Failure::unauthorized(
            "The Authorization header is malformed. Send the API key as: Authorization: Bearer <API_KEY>.",
        ));
    };
    let caller = accounts::caller_of_key(app, key.trim()).await?;
    caller.ok_or_else(Failure::invalid_key)
}
