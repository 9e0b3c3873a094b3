//! Authentication of API requests: the bearer key of each request, the plan of its account, and the headers of each
//! response about credits and rate limits.
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};

use super::client_address::ClientAddress;
use super::request_log::Sender;
use super::{Failure, brand_header, rate_limit};
use linepress_accounts::accounts;
use linepress_accounts::caller::Caller;
use linepress_accounts::credits;
use linepress_platform::app::App;

/// The credits that a call consumed and those that are left, for the credit headers.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    pub available: i64,
    pub consumed: i64,
}

/// The authentication, with the names of the credit headers.
pub struct Authentication {
    app: App,
    available: HeaderName,
    consumed: HeaderName,
}

impl Authentication {
    pub fn new(app: &App) -> Self {
        Self {
            app: app.clone(),
            available: brand_header(app, "Credits-Available"),
            consumed: brand_header(app, "Credits-Consumed"),
        }
    }

    /// Admits a request with an API key of an account on the Business plan, and adds the credit headers to the
    /// response, and those of rate limits if the request counted toward one. Handlers receive the caller as an
    /// `Extension`.
    pub async fn authenticate<F: Future<Output = Response>>(
        &self,
        mut request: Request,
        respond: impl FnOnce(Request) -> F,
    ) -> Response {
        let app = &self.app;
        let client = ClientAddress::from_headers(app, request.extensions(), request.headers());
        let caller = match caller_of_key(app, request.headers(), client).await {
            Ok(caller) => caller,
            Err(failure) => return failure.into_response(),
        };
        let mut response = match caller.require_plan() {
            Ok(()) => {
                request.extensions_mut().insert(caller.clone());
                respond(request).await
            }
            Err(error) => Failure::from(error).into_response(),
        };
        let balance = match response.extensions_mut().remove::<Balance>() {
            Some(balance) => Ok(balance),
            // Other calls may have spent credits while this one ran: a PDF takes minutes.
            None => credits::available(app, caller.account_id())
                .await
                .map(|available| Balance { available, consumed: 0 }),
        };
        match balance {
            Ok(balance) => self.insert_credit_headers(balance, response.headers_mut()),
            Err(error) => response = Failure::from(error).into_response(),
        }
        rate_limit::insert_headers(&caller.quotas().recorded(), response.headers_mut());
        response.extensions_mut().insert(Sender::over_rest(caller));
        response
    }

    fn insert_credit_headers(&self, balance: Balance, headers: &mut HeaderMap) {
        headers.insert(self.available.clone(), HeaderValue::from(balance.available));
        headers.insert(self.consumed.clone(), HeaderValue::from(balance.consumed));
    }
}

/// Returns true while the API key of a request that was admitted is valid.
pub async fn is_still_admitted(app: &App, headers: &HeaderMap, client: ClientAddress) -> bool {
    let caller = caller_of_key(app, headers, client).await;
    caller.is_ok_and(|caller| caller.require_plan().is_ok())
}

async fn caller_of_key(app: &App, headers: &HeaderMap, client: ClientAddress) -> Result<Caller, Failure> {
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
    let caller = accounts::caller_of_key(app, key.trim(), client.0).await?;
    caller.ok_or_else(Failure::invalid_key)
}
