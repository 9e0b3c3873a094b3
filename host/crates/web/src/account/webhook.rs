//! `/account/webhooks/{id}`: one webhook, what was sent to it, and the forms that change it.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::Tab;
use super::webhooks::{WebhookForm, WebhookState, address, require_events, words};
use crate::library::accepted;
use crate::library::form::{Change, Complaints, may_change};
use crate::when::When;
use linepress_accounts::webhooks::{self, Delivery, DeliveryStatus, SigningSecret, Webhook, WebhookChange};
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{DeliveryId, WebhookId};

/// The number of deliveries that the page shows: the last ones.
const MAX_DELIVERIES: &str = "20";

/// The hours for which both secrets sign after the secret was replaced on the page.
const OVERLAP_HOURS: u64 = 24;

#[derive(Template)]
#[template(path = "account/webhook.html")]
struct WebhookPage {
    frame: Frame,
    tab: Tab,
    id: WebhookId,
    name: String,
    address: String,
    /// True for the callbacks of orders, each of which names its own address.
    is_for_callbacks: bool,
    state: WebhookState,
    is_paused: bool,
    is_business: bool,
    form: WebhookForm,
    deliveries: Vec<DeliveryLine>,
    previous_secret_until: Option<When>,
    overlap_hours: u64,
    /// A secret that was just made.
    secret: Option<String>,
    done: Option<&'static str>,
}

/// A delivery in the list.
struct DeliveryLine {
    id: DeliveryId,
    what: &'static str,
    /// The address of a callback.
    url: Option<String>,
    when: When,
    class: &'static str,
    state: String,
    response: String,
    body: String,
    is_over: bool,
}

impl From<Delivery> for DeliveryLine {
    fn from(delivery: Delivery) -> Self {
        let (class, state) = match delivery.status {
            DeliveryStatus::Delivered => ("ready", "Delivered".to_owned()),
            DeliveryStatus::Failed => ("incomplete", "Not delivered".to_owned()),
            DeliveryStatus::Waiting => ("drawing", waiting(&delivery)),
        };
        let response = match (delivery.response_status, delivery.error) {
            (Some(status), _) => format!("{status} {}", delivery.response.unwrap_or_default()),
            (None, error) => error.unwrap_or_default(),
        };
        let took = delivery.duration_ms.map(|milliseconds| format!(" ({milliseconds} ms)"));
        Self {
            what: words(delivery.event_type),
            url: delivery.url,
            when: When::new(delivery.created_at),
            class,
            state,
            response: format!("{}{}", response.trim(), took.unwrap_or_default()),
            body: delivery.body,
            is_over: delivery.status != DeliveryStatus::Waiting,
            id: delivery.id,
        }
    }
}

fn waiting(delivery: &Delivery) -> String {
    match delivery.due_at {
        Some(due_at) if delivery.attempts > 0 => format!("Tried again at {} UTC", When::new(due_at).shown),
        _ => "Waiting".into(),
    }
}

/// The word in the address that names what a form did.
pub(super) type DoneQuery = Query<Done>;

#[derive(Deserialize)]
pub(super) struct Done {
    done: Option<String>,
}

/// The message about what a form did.
pub(super) fn done(Query(query): DoneQuery) -> Option<&'static str> {
    Some(match query.done.as_deref()? {
        "saved" => "Saved.",
        "tested" => "A test is on its way. Reload this page to see the response.",
        "paused" => "The webhook is paused. It gets no events.",
        "resumed" => "The webhook gets events again.",
        "replayed" => "The event is sent again.",
        "deleted" => "The webhook is deleted.",
        _ => return None,
    })
}

/// The reports of the page in addition to the webhook.
pub(super) enum Outcome {
    /// The message about what a form did.
    Shown(Option<&'static str>),
    /// The secret that was just made.
    Secret(SigningSecret),
    /// The rejected form.
    Refused(StatusCode, WebhookForm),
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<WebhookId>,
    query: DoneQuery,
) -> Reply {
    respond(&app, &signed_in, &id, Outcome::Shown(done(query))).await
}

pub(super) async fn respond(app: &App, signed_in: &SignedIn, id: &WebhookId, outcome: Outcome) -> Reply<Response> {
    let caller = signed_in.caller();
    let webhook = webhooks::get(app, &caller, id).await?.ok_or_else(missing)?;
    let scope = app.cursors.scope(caller.account_id(), DeliveryId::PREFIX);
    let request = PageRequest::parse(Some(MAX_DELIVERIES), None, scope)?;
    let deliveries = webhooks::deliveries(app, &caller, id, &request).await?;
    let deliveries = deliveries.ok_or_else(missing)?.items;
    let (mut status, mut done, mut secret) = (StatusCode::OK, None, None);
    let mut form = WebhookForm::new(&webhook.url, &webhook.description, &webhook.events);
    match outcome {
        Outcome::Shown(words) => done = words,
        Outcome::Secret(made) => secret = Some(made.expose()),
        Outcome::Refused(refused, typed) => (status, form) = (refused, typed),
    }
    let address = address(&webhook).to_owned();
    let name = if webhook.description.is_empty() {
        &address
    } else {
        &webhook.description
    };
    let shown = WebhookPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Webhooks,
        name: name.clone(),
        state: WebhookState::of(&webhook),
        is_paused: webhook.paused_at.is_some(),
        is_business: may_change(signed_in),
        form,
        deliveries: deliveries.into_iter().map(DeliveryLine::from).collect(),
        previous_secret_until: webhook.previous_secret_expires_at.map(When::new),
        overlap_hours: OVERLAP_HOURS,
        secret,
        done,
        is_for_callbacks: webhook.callbacks_since.is_some(),
        id: webhook.id,
        address,
    };
    Ok(page(status, &shown))
}

fn missing() -> Error {
    Error::not_found("webhook")
}

fn path_of(id: &WebhookId) -> String {
    format!("/account/webhooks/{id}")
}

/// Redirects to the webhook, or shows it with the complaints about the form.
async fn finish<T>(app: &App, change: &Change, id: &WebhookId, word: &str, outcome: Result<Option<T>>) -> Reply {
    match outcome {
        Ok(Some(_)) => Ok(accepted::to(&path_of(id), word)),
        Ok(None) => Err(missing().into()),
        Err(error) => {
            let (status, complaints) = Complaints::with_status(error)?;
            let form = WebhookForm::of_fields(&change.fields, complaints);
            respond(app, &change.signed_in, id, Outcome::Refused(status, form)).await
        }
    }
}

pub(super) async fn update(State(app): State<App>, PathId(id): PathId<WebhookId>, change: Change) -> Reply {
    let updated = updated(&app, &id, &change).await;
    finish(&app, &change, &id, "saved", updated).await
}

async fn updated(app: &App, id: &WebhookId, change: &Change) -> Result<Option<Webhook>> {
    let changed = WebhookChange {
        url: Some(change.fields.text("url")),
        description: Some(change.fields.text("description")),
        events: Some(require_events(&change.fields)?),
        paused: None,
    };
    webhooks::update(app, &change.caller, id, &changed).await
}

/// Pauses the webhook, or ends a pause.
pub(super) async fn pause(State(app): State<App>, PathId(id): PathId<WebhookId>, change: Change) -> Reply {
    let is_paused = change.fields.text("paused") == "yes";
    let paused = WebhookChange {
        paused: Some(is_paused),
        ..WebhookChange::default()
    };
    let updated = webhooks::update(&app, &change.caller, &id, &paused).await?;
    updated.ok_or_else(missing)?;
    Ok(accepted::to(
        &path_of(&id),
        if is_paused { "paused" } else { "resumed" },
    ))
}

pub(super) async fn test(State(app): State<App>, PathId(id): PathId<WebhookId>, change: Change) -> Reply {
    webhooks::send_test(&app, &change.caller, &id)
        .await?
        .ok_or_else(missing)?;
    Ok(accepted::to(&path_of(&id), "tested"))
}

/// Replaces the secret. Shows it in this response rather than after a redirect, because it is not shown again.
pub(super) async fn rotate(State(app): State<App>, PathId(id): PathId<WebhookId>, change: Change) -> Reply {
    let made = webhooks::rotate_secret(&app, &change.caller, &id, OVERLAP_HOURS).await?;
    let made = made.ok_or_else(missing)?;
    respond(&app, &change.signed_in, &id, Outcome::Secret(made.secret)).await
}

pub(super) async fn delete(State(app): State<App>, PathId(id): PathId<WebhookId>, change: Change) -> Reply {
    match webhooks::delete(&app, &change.caller, &id).await? {
        true => Ok(accepted::to("/account/webhooks", "deleted")),
        false => Err(missing().into()),
    }
}

pub(super) async fn replay(
    State(app): State<App>,
    PathId((id, delivery)): PathId<(WebhookId, DeliveryId)>,
    change: Change,
) -> Reply {
    let replayed = webhooks::replay(&app, &change.caller, &id, &delivery).await?;
    replayed.ok_or_else(missing)?;
    Ok(accepted::to(&path_of(&id), "replayed"))
}

/// Redirects from the address of a form to the webhook.
pub(super) async fn to_webhook(_: SignedIn, PathId(id): PathId<WebhookId>) -> Redirect {
    Redirect::to(&path_of(&id))
}

/// Redirects from the address of a delivery's form to the webhook.
pub(super) async fn to_webhook_of_delivery(_: SignedIn, PathId((id, _)): PathId<(WebhookId, DeliveryId)>) -> Response {
    Redirect::to(&path_of(&id)).into_response()
}
