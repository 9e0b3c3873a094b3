//! `/account/webhooks`: the addresses to which the server sends the events of the account.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::Tab;
use super::webhook::{self, Outcome};
use crate::library::form::{Change, Complaints, Fields, may_change};
use linepress_accounts::webhooks::{
    self, EventType, Events, MAX_WEBHOOKS, NewWebhook, PauseReason, Webhook, WithSecret,
};
use linepress_http::Reply;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::WebhookId;

#[derive(Template)]
#[template(path = "account/webhooks.html")]
struct WebhooksPage {
    frame: Frame,
    tab: Tab,
    is_business: bool,
    webhooks: Vec<WebhookLine>,
    /// True if the account has as many webhooks as it may have.
    is_full: bool,
    form: WebhookForm,
    done: Option<&'static str>,
}

/// A webhook in the list.
struct WebhookLine {
    id: WebhookId,
    /// The address, or the words for the webhook of callbacks.
    address: String,
    description: String,
    events: String,
    state: WebhookState,
}

/// The fields of a webhook, as a form shows them.
pub(super) struct WebhookForm {
    pub url: String,
    pub description: String,
    pub events: Vec<EventChoice>,
    pub complaints: Complaints,
}

/// The checkbox of a type of events.
pub(super) struct EventChoice {
    pub value: &'static str,
    pub label: &'static str,
    pub is_checked: bool,
}

impl WebhookForm {
    pub(super) fn new(url: &str, description: &str, events: &Events) -> Self {
        let choice = |kind: &EventType| EventChoice {
            value: kind.as_str(),
            label: words(*kind),
            is_checked: events.has(*kind),
        };
        Self {
            url: url.into(),
            description: description.into(),
            events: EventType::ALL
                .iter()
                .filter(|kind| **kind != EventType::Test)
                .map(choice)
                .collect(),
            complaints: Complaints::none(),
        }
    }

    pub(super) fn of_fields(fields: &Fields, complaints: Complaints) -> Self {
        let form = Self::new(&fields.text("url"), &fields.text("description"), &chosen_events(fields));
        Self { complaints, ..form }
    }
}

/// The chosen types of events, of which there must be one. All of them together stand for later types, too.
pub(super) fn require_events(fields: &Fields) -> Result<Events> {
    if fields.all("events").next().is_none() {
        let field = Field::named("events");
        return Err(Error::invalid_field(
            field,
            "must name at least one; to receive none, pause the webhook",
        ));
    }
    Ok(chosen_events(fields))
}

fn chosen_events(fields: &Fields) -> Events {
    let chosen: Vec<EventType> = fields
        .all("events")
        .filter_map(|word| EventType::parse(&word))
        .collect();
    let is_all = EventType::ALL
        .iter()
        .all(|kind| *kind == EventType::Test || chosen.contains(kind));
    Events(if is_all { Vec::new() } else { chosen })
}

pub(super) fn words(kind: EventType) -> &'static str {
    match kind {
        EventType::OperationSucceeded => "A drawing order succeeded",
        EventType::OperationPartiallySucceeded => "A drawing order succeeded in part",
        EventType::OperationFailed => "A drawing order failed",
        EventType::PageReady => "A page was drawn",
        EventType::CreditsLow => "Few credits are left",
        EventType::PlanChanged => "The plan changed",
        EventType::Test => "A test",
    }
}

/// Whether events are sent, in words and as the class of a badge.
pub(super) struct WebhookState {
    pub class: &'static str,
    pub label: &'static str,
}

impl WebhookState {
    pub(super) fn of(webhook: &Webhook) -> Self {
        let (class, label) = match (webhook.pause_reason.0, webhook.failing_since) {
            (Some(PauseReason::Requested), _) => ("incomplete", "Paused"),
            (Some(PauseReason::Failures), _) => ("incomplete", "Paused after a day of failures"),
            (Some(PauseReason::Gone), _) => ("incomplete", "Paused, because it is gone"),
            (None, Some(_)) => ("incomplete", "Failing"),
            (None, None) => ("ready", "Active"),
        };
        Self { class, label }
    }
}

impl From<Webhook> for WebhookLine {
    fn from(webhook: Webhook) -> Self {
        let kinds: Vec<_> = webhook.events.0.iter().map(|kind| words(*kind)).collect();
        Self {
            state: WebhookState::of(&webhook),
            events: if webhook.callbacks_since.is_some() {
                "The ends of the orders that name a callback_url".into()
            } else if kinds.is_empty() {
                "Every event".into()
            } else {
                kinds.join(", ")
            },
            address: address(&webhook).into(),
            id: webhook.id,
            description: webhook.description,
        }
    }
}

/// The address of a webhook in words.
pub(super) fn address(webhook: &Webhook) -> &str {
    match webhook.callbacks_since {
        Some(_) => "Callbacks of single orders",
        None => &webhook.url,
    }
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn, query: webhook::DoneQuery) -> Reply {
    let form = WebhookForm::new("", "", &Events::default());
    respond(&app, &signed_in, StatusCode::OK, form, webhook::done(query)).await
}

async fn made(app: &App, change: &Change) -> Result<WithSecret> {
    let new = NewWebhook {
        url: change.fields.text("url"),
        description: change.fields.text("description"),
        events: require_events(&change.fields)?,
    };
    webhooks::create(app, &change.caller, &new).await
}

/// Shows the new webhook in this response rather than after a redirect, because its secret is not shown again.
pub(super) async fn create(State(app): State<App>, change: Change) -> Reply {
    match made(&app, &change).await {
        Ok(made) => webhook::respond(&app, &change.signed_in, &made.webhook.id, Outcome::Secret(made.secret)).await,
        Err(error) => {
            let (status, complaints) = Complaints::with_status(error)?;
            let form = WebhookForm::of_fields(&change.fields, complaints);
            respond(&app, &change.signed_in, status, form, None).await
        }
    }
}

async fn respond(
    app: &App,
    signed_in: &SignedIn,
    status: StatusCode,
    form: WebhookForm,
    done: Option<&'static str>,
) -> Reply<Response> {
    let webhooks = webhooks::list(app, &signed_in.caller()).await?;
    let number = webhooks
        .iter()
        .filter(|webhook| webhook.callbacks_since.is_none())
        .count();
    let shown = WebhooksPage {
        frame: signed_in.frame(Section::Account),
        tab: Tab::Webhooks,
        is_business: may_change(signed_in),
        is_full: i64::try_from(number).is_ok_and(|number| number >= MAX_WEBHOOKS),
        webhooks: webhooks.into_iter().map(WebhookLine::from).collect(),
        form,
        done,
    };
    Ok(page(status, &shown))
}
