//! The middleware around the operations.
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::known_parameters::{self, KnownParameters};
use super::{maintenance, used_key};
use linepress_http::authentication::Authentication;
use linepress_http::{Failure, time_limit};
use linepress_platform::app::App;

/// The state of the middleware of one router.
pub(super) struct Admission {
    app: App,
    authentication: Authentication,
    known: KnownParameters,
}

/// Responds to a request for an operation.
pub(super) async fn admit(State(admission): State<Arc<Admission>>, request: Request, next: Next) -> Response {
    let carry_out = |request| admission.carry_out(request, next);
    admission.authentication.authenticate(request, carry_out).await
}

/// Responds to a request that needs an API key only because every address of the interface does.
pub(super) async fn authenticate(State(admission): State<Arc<Admission>>, request: Request, next: Next) -> Response {
    let respond = |request| next.run(request);
    admission.authentication.authenticate(request, respond).await
}

/// Responds to a request for an address that is a secret itself and needs no API key.
pub(super) async fn admit_without_key(
    State(admission): State<Arc<Admission>>,
    request: Request,
    next: Next,
) -> Response {
    match linepress_http::maintenance::check(&admission.app, request.method()).await {
        Ok(()) => admission.run(request, next).await,
        Err(error) => Failure::from(error).into_response(),
    }
}

impl Admission {
    pub(super) fn new(app: &App, known: KnownParameters) -> Arc<Self> {
        Arc::new(Self {
            app: app.clone(),
            authentication: Authentication::new(app),
            known,
        })
    }

    /// Carries out an operation, unless it may change something while the server is read-only.
    async fn carry_out(&self, request: Request, next: Next) -> Response {
        if let Err(error) = maintenance::check(&self.app, request.method(), request.uri()).await {
            return Failure::from(error).into_response();
        }
        let key = used_key::of_request(&request);
        let response = self.run(request, next).await;
        match key {
            Some(key) => used_key::report_conflict(&self.app, &key, response).await,
            None => response,
        }
    }

    /// Carries out a request whose parameters are known, within the time limit.
    async fn run(&self, request: Request, next: Next) -> Response {
        match known_parameters::check(&self.known, &request) {
            Ok(()) => time_limit::limited(&self.app, next.run(request)).await,
            Err(failure) => failure.into_response(),
        }
    }
}
