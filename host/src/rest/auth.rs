//! Who calls: the bearer key of each request, the plan behind it, and the credit headers of each answer.
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::reply::{Balance, Failure};
use super::request_id::brand_header;
use crate::accounts::{self, Plan};
use crate::app::App;
use crate::caller::Caller;
use crate::credits;
use crate::error::{Error, ErrorCode, Result};

pub async fn authenticate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let caller = match recognise(&app, request.headers()).await {
        Ok(caller) => caller,
        Err(error) => return Failure(error).into_response(),
    };
    let reads_only = matches!(*request.method(), Method::GET | Method::HEAD);
    let mut response = if caller.plan == Plan::Business {
        request.extensions_mut().insert(caller.clone());
        next.run(request).await
    } else {
        let message = "This needs an active Business plan. The operator of this server can change the plan.";
        Failure(Error::new(ErrorCode::PlanRequired, message)).into_response()
    };
    let balance = match response.extensions_mut().remove::<Balance>() {
        Some(balance) => balance,
        None if reads_only => Balance {
            available: caller.credits,
            consumed: 0,
        },
        // Others may have spent while this call was at work.
        None => match credits::available(&app, &caller.account_id).await {
            Ok(available) => Balance { available, consumed: 0 },
            Err(error) => return Failure(error).into_response(),
        },
    };
    let headers = response.headers_mut();
    headers.insert(
        brand_header(&app, "Credits-Available"),
        HeaderValue::from(balance.available),
    );
    headers.insert(
        brand_header(&app, "Credits-Consumed"),
        HeaderValue::from(balance.consumed),
    );
    response
}

async fn recognise(app: &App, headers: &HeaderMap) -> Result<Caller> {
    let unauthorized = |message: &str| Error::new(ErrorCode::Unauthorized, message);
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Err(unauthorized(
            "Send the account's API key: Authorization: Bearer <API_KEY>.",
        ));
    };
    let key = value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, key)| key.trim());
    let caller = match key {
        Some(key) => accounts::recognise(app, key).await?,
        None => None,
    };
    caller.ok_or_else(|| unauthorized("The API key is not valid. It may have been revoked."))
}
