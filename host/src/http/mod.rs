//! What every interface shares that speaks HTTP: failures and their envelope, request ids, authentication, time limits,
//! health. It knows no interface.

pub mod authentication;
pub mod error_code;
pub mod failure;
pub mod health;
pub mod listener;
pub mod request_id;
pub mod time_limit;

pub use error_code::ErrorCode;
pub use failure::{Failure, Reply};

use axum::http::HeaderName;

use crate::app::App;

/// `X-<brand>-<name>`.
pub fn brand_header(app: &App, name: &str) -> HeaderName {
    let name = format!("x-{}-{name}", app.config.brand).to_ascii_lowercase();
    HeaderName::try_from(name).expect("the configuration checked the brand")
}
