//! The delivery of events to the webhooks of accounts.
use std::time::{Duration, Instant};

use http::Request;
use linepress_egress::{FetchError, HostProblem, Limits};
use tokio::sync::Notify;

use crate::delivery_tasks::{Deliverer, DeliveryTasks, Stopped};
use linepress_accounts::webhooks::{
    self, AttemptResult, ClaimedDelivery, ClaimedWebhook, DUE_LIMIT, Failure, Response, signature_header,
};
use linepress_platform::app::App;
use linepress_platform::error::{Result, chain};
use linepress_platform::maintenance;

/// The number of webhooks to which a node sends at a time.
const MAX_CONCURRENT_WEBHOOKS: usize = 8;

/// The time that a receiver has to respond.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);

/// The time for which a claim holds a webhook, which each attempt renews: twice as long as an attempt may take. After a
/// crash, no other node sends to the webhook until then.
const LEASE: Duration = Duration::from_secs(2 * RESPONSE_TIMEOUT.as_secs());

/// The largest response that is read, and the part of it that the log keeps.
const MAX_RESPONSE_BYTES: u64 = 64 * 1024;
const MAX_LOGGED_CHARS: usize = 1_000;

/// The tasks of a node that deliver events.
pub struct WebhookDelivery(DeliveryTasks);

impl WebhookDelivery {
    pub fn start(app: &App) -> Self {
        Self(DeliveryTasks::start::<Events>(app))
    }

    /// Waits for the attempts under way: an event whose sending is interrupted is sent twice.
    pub async fn stop(self) {
        self.0.stop().await;
    }
}

struct Events;

impl Deliverer for Events {
    const SUBJECT: &'static str = "events for webhooks";
    const TASKS: usize = MAX_CONCURRENT_WEBHOOKS;

    fn due(app: &App) -> &Notify {
        &app.webhooks
    }

    async fn deliver_next(app: &App, stopped: &Stopped) -> Result<bool> {
        deliver_unless_stopped(app, Some(stopped)).await
    }
}

/// Sends the due deliveries of the next webhook. Returns false when none is due or the server is read-only.
pub(crate) async fn deliver_next(app: &App) -> Result<bool> {
    deliver_unless_stopped(app, None).await
}

async fn deliver_unless_stopped(app: &App, stopped: Option<&Stopped>) -> Result<bool> {
    if maintenance::current(app).await?.is_some() {
        return Ok(false);
    }
    let Some(mut webhook) = webhooks::claim(app, LEASE).await? else {
        return Ok(false);
    };
    // Other webhooks may have due deliveries, too.
    app.webhooks.notify_one();
    let sent = send_due(app, &mut webhook, stopped).await;
    let is_resting = !matches!(sent, Ok(true));
    webhooks::release(app, &webhook, is_resting).await?;
    sent.map(|_| true)
}

/// Sends the due deliveries of a webhook until one is not accepted; returns false in that case.
async fn send_due(app: &App, webhook: &mut ClaimedWebhook, stopped: Option<&Stopped>) -> Result<bool> {
    let is_stopped = || stopped.is_some_and(|stopped| *stopped.borrow());
    for _ in 0..DUE_LIMIT {
        if is_stopped() {
            break;
        }
        let Some(delivery) = webhooks::next_due(app, webhook).await? else {
            break;
        };
        let (result, cause) = attempt(app, webhook, &delivery).await;
        app.metrics.webhooks.attempted(outcome(&result));
        log(webhook, &delivery, &result, cause);
        if !webhooks::conclude(app, webhook, &delivery, &result).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Sends a delivery. If there was no response, the cause is returned as well, which is for the operator only.
async fn attempt(app: &App, webhook: &ClaimedWebhook, delivery: &ClaimedDelivery) -> (AttemptResult, Option<String>) {
    let begun = Instant::now();
    let mut cause = None;
    let response = match request(app, webhook, delivery) {
        Ok(request) => {
            let fetcher = app.webhook_fetcher.within(RESPONSE_TIMEOUT);
            let sent = fetcher.exchange(request, MAX_RESPONSE_BYTES);
            sent.await.map_err(|error| {
                if let FetchError::Failed(error) = &error {
                    cause = Some(chain(error));
                }
                failure(&error, fetcher.host_problem(address(webhook, delivery), &error))
            })
        }
        Err(failure) => Err(failure),
    };
    let response = response.map(|response| Response {
        status: response.status().as_u16(),
        text: String::from_utf8_lossy(response.body())
            .chars()
            .filter(|letter| *letter != '\0')
            .take(MAX_LOGGED_CHARS)
            .collect(),
    });
    let result = AttemptResult {
        response,
        duration: begun.elapsed(),
    };
    (result, cause)
}

fn address<'a>(webhook: &'a ClaimedWebhook, delivery: &'a ClaimedDelivery) -> &'a str {
    delivery.url.as_ref().unwrap_or(&webhook.url)
}

fn request(app: &App, webhook: &ClaimedWebhook, delivery: &ClaimedDelivery) -> Result<Request<Vec<u8>>, Failure> {
    let timestamp = app.clock.now().milliseconds() / 1000;
    let signature = signature_header(&webhook.secrets, &delivery.event_id, timestamp, &delivery.body);
    Request::post(address(webhook, delivery))
        .header("content-type", "application/json")
        .header("user-agent", concat!("Linepress/", env!("CARGO_PKG_VERSION")))
        .header("webhook-id", delivery.event_id.as_str())
        .header("webhook-timestamp", timestamp)
        .header("webhook-signature", signature)
        .body(delivery.body.clone().into_bytes())
        .map_err(|_| Failure("The address cannot be requested.".into()))
}

/// The failure in words for the account.
fn failure(error: &FetchError, problem: Option<HostProblem>) -> Failure {
    Failure(match error {
        FetchError::Url(problem) => format!("The address {problem}."),
        FetchError::TooLarge { .. } => "The response was too large.".into(),
        FetchError::Failed(_) => no_response(problem),
    })
}

/// The reason why there was no response, and what to do. Without a known problem, as for hosts of a private network,
/// the words do not tell a refused connection from a silent host: that would map the network behind the server.
fn no_response(problem: Option<HostProblem>) -> String {
    let (connect, respond) = (Limits::default().connect.as_secs(), RESPONSE_TIMEOUT.as_secs());
    let words = match problem {
        Some(HostProblem::NoAddress) => {
            "The name of the host has no address that this server may connect to. Check its DNS record."
        }
        Some(HostProblem::ConnectionRefused) => {
            "The host refused the connection. Check that the receiver is running, and reachable at port 443."
        }
        Some(HostProblem::TimedOut) => {
            return format!(
                "The host did not respond in time. It must accept a connection within {connect} seconds and respond \
                 within {respond}."
            );
        }
        Some(HostProblem::UntrustedCertificate) => {
            "This server does not trust the certificate of the host. Use one of a public authority, and send the \
             intermediate certificates with it."
        }
        Some(HostProblem::OutdatedCertificate) => {
            "The certificate of the host has expired or is not valid yet. Renew it, and check the clock of the host."
        }
        Some(HostProblem::CertificateOfOtherName) => {
            "The certificate of the host is for another name. Use one for the name in the address."
        }
        Some(HostProblem::Tls) => {
            "No secure connection to the host can be made. Check that it speaks TLS 1.2 or 1.3 at port 443."
        }
        Some(HostProblem::Closed) => {
            "The host closed the connection before a whole response had arrived. Check the log of the receiver."
        }
        Some(HostProblem::NotHttp) => "The response of the host is not HTTP/1.1. Check what listens at port 443.",
        None => {
            return format!(
                "There was no response within {respond} seconds, or no secure connection to a public address."
            );
        }
    };
    words.into()
}

/// The outcome of an attempt, as metrics count it.
fn outcome(result: &AttemptResult) -> &'static str {
    match &result.response {
        _ if result.is_accepted() => "accepted",
        Ok(_) => "rejected",
        Err(_) => "no_response",
    }
}

fn log(webhook: &ClaimedWebhook, delivery: &ClaimedDelivery, result: &AttemptResult, cause: Option<String>) {
    let (account, event, attempt) = (&webhook.account_id, &delivery.event_id, delivery.attempts + 1);
    let milliseconds = u64::try_from(result.duration.as_millis()).unwrap_or(u64::MAX);
    let webhook = &webhook.id;
    if result.is_accepted() {
        tracing::info!(%account, %webhook, %event, attempt, milliseconds, "event delivered to a webhook");
        return;
    }
    let status = result.response.as_ref().ok().map(|response| response.status);
    tracing::info!(%account, %webhook, %event, attempt, milliseconds, status, cause, "event not accepted by a webhook");
}
