//! `/webhooks`: the addresses to which the server sends the events of the account.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use serde::{Deserialize, Serialize};

use super::addresses::webhook_location;
use super::document::{
    ActionErrors, ChangeErrors, CommonErrors, CreationErrors, DeletionErrors, DeliveryParameter, ResourceErrors,
    ResourceListErrors, WebhookParameter,
};
use super::extract::{Body, ListParameters, NoBody, OptionalBody, PathId, list_query};
use super::response::{Meta, no_content};
use linepress_accounts::caller::Caller;
use linepress_accounts::webhooks::{self, Delivery, NewWebhook, Webhook, WebhookChange, WithSecret};
use linepress_http::Reply;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{DeliveryId, WebhookId};

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct WebhooksReply {
    webhooks: Vec<Webhook>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct WebhookReply {
    webhook: Webhook,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct WebhookSecretReply {
    webhook: Webhook,
    /// The secret with which the receiver verifies the header `webhook-signature`. It is not shown again.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=")]
    secret: String,
}

impl From<WithSecret> for WebhookSecretReply {
    fn from(made: WithSecret) -> Self {
        Self {
            secret: made.secret.expose(),
            webhook: made.webhook,
        }
    }
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WebhookBody {
    webhook: NewWebhook,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WebhookChangeBody {
    webhook: WebhookChange,
}

#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SecretRotation {
    /// The hours for which the secret before the new one signs, too: at most a week.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 168)]
    overlap_hours: u64,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct DeliveryReply {
    delivery: Delivery,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct DeliveriesReply {
    deliveries: Vec<Delivery>,
    meta: Meta,
}

fn missing() -> Error {
    Error::not_found("webhook")
}

fn in_body(error: Error) -> Error {
    error.within(&Field::named("webhook"))
}

/// The account's webhooks, newest first.
#[utoipa::path(get, path = "/webhooks", tag = "Webhooks", operation_id = "list_webhooks",
    responses((status = 200, description = "All webhooks", body = WebhooksReply), CommonErrors))]
pub(super) async fn list(State(app): State<App>, Extension(caller): Extension<Caller>) -> Reply<Json<WebhooksReply>> {
    let webhooks = webhooks::list(&app, &caller).await?;
    Ok(Json(WebhooksReply { webhooks }))
}

/// Creates a webhook. From now on it gets each event of its types as a POST request, at least once, signed as Standard
/// Webhooks (https://www.standardwebhooks.com) describes. A response with a status from 200 to 299 accepts an event;
/// otherwise it is sent again for a day.
#[utoipa::path(post, path = "/webhooks", tag = "Webhooks", operation_id = "create_webhook", request_body = WebhookBody,
    responses((status = 201, description = "The webhook and its secret", body = WebhookSecretReply), CreationErrors))]
pub(super) async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Body(body): Body<WebhookBody>,
) -> Reply {
    let made = webhooks::create(&app, &caller, &body.webhook).await.map_err(in_body)?;
    let location = webhook_location(&app, &made.webhook.id)?;
    let reply = Json(WebhookSecretReply::from(made));
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], reply).into_response())
}

/// One webhook.
#[utoipa::path(get, path = "/webhooks/{id}", tag = "Webhooks", operation_id = "get_webhook", params(WebhookParameter),
    responses((status = 200, description = "The webhook", body = WebhookReply), ResourceErrors))]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<WebhookId>,
) -> Reply<Json<WebhookReply>> {
    let webhook = webhooks::get(&app, &caller, &id).await?.ok_or_else(missing)?;
    Ok(Json(WebhookReply { webhook }))
}

/// Changes a webhook, pauses it or ends a pause. Fields that are left out do not change. Events that occur during a
/// pause are not sent later.
#[utoipa::path(patch, path = "/webhooks/{id}", tag = "Webhooks", operation_id = "update_webhook", params(WebhookParameter),
    request_body = WebhookChangeBody,
    responses((status = 200, description = "The webhook", body = WebhookReply), ChangeErrors))]
pub(super) async fn update(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<WebhookId>,
    Body(body): Body<WebhookChangeBody>,
) -> Reply<Json<WebhookReply>> {
    let webhook = webhooks::update(&app, &caller, &id, &body.webhook).await;
    let webhook = webhook.map_err(in_body)?.ok_or_else(missing)?;
    Ok(Json(WebhookReply { webhook }))
}

/// Deletes a webhook, its deliveries, and what waits to be sent.
#[utoipa::path(delete, path = "/webhooks/{id}", tag = "Webhooks", operation_id = "delete_webhook", params(WebhookParameter),
    responses((status = 204, description = "Deleted"), DeletionErrors))]
pub(super) async fn delete(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<WebhookId>,
) -> Reply<StatusCode> {
    no_content(webhooks::delete(&app, &caller, &id).await?, missing)
}

/// Replaces the secret of a webhook. With an overlap, each event has the signatures of both secrets for some hours.
#[utoipa::path(post, path = "/webhooks/{id}/rotate_secret", tag = "Webhooks", operation_id = "rotate_webhook_secret",
    params(WebhookParameter), request_body = Option<SecretRotation>,
    responses((status = 200, description = "The webhook and its new secret", body = WebhookSecretReply), ChangeErrors))]
pub(super) async fn rotate_secret(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<WebhookId>,
    OptionalBody(body): OptionalBody<SecretRotation>,
) -> Reply<Json<WebhookSecretReply>> {
    let made = webhooks::rotate_secret(&app, &caller, &id, body.overlap_hours).await?;
    Ok(Json(made.ok_or_else(missing)?.into()))
}

/// Makes the secret with which the account's callbacks are signed, or replaces it: the POST requests to the
/// `callback_url` of an order when its operation has ended. With an overlap, each callback has the signatures of both
/// secrets for some hours. The webhook in the reply is that of all callbacks: its deliveries are their log.
#[utoipa::path(post, path = "/callback_secret", tag = "Webhooks", operation_id = "renew_callback_secret",
    request_body = Option<SecretRotation>,
    responses((status = 200, description = "The webhook of the callbacks and its secret", body = WebhookSecretReply), CreationErrors))]
pub(super) async fn renew_callback_secret(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    OptionalBody(body): OptionalBody<SecretRotation>,
) -> Reply<Json<WebhookSecretReply>> {
    let made = webhooks::renew_callback_secret(&app, &caller, body.overlap_hours).await?;
    Ok(Json(made.into()))
}

/// Sends a test event to a webhook, whichever types it takes. The delivery shows the response when it has been sent.
#[utoipa::path(post, path = "/webhooks/{id}/test", tag = "Webhooks", operation_id = "test_webhook", params(WebhookParameter),
    responses((status = 200, description = "The delivery of the test", body = DeliveryReply), ActionErrors))]
pub(super) async fn test(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<WebhookId>,
    _: NoBody,
) -> Reply<Json<DeliveryReply>> {
    let delivery = webhooks::send_test(&app, &caller, &id).await?.ok_or_else(missing)?;
    Ok(Json(DeliveryReply { delivery }))
}

/// The deliveries of the last 30 days to a webhook, newest first, each with its last attempt.
#[utoipa::path(get, path = "/webhooks/{id}/deliveries", tag = "Webhooks", operation_id = "list_webhook_deliveries",
    params(WebhookParameter, ListParameters),
    responses((status = 200, description = "One page of the list", body = DeliveriesReply), ResourceListErrors))]
pub(super) async fn deliveries(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<WebhookId>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
) -> Reply<Json<DeliveriesReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, DeliveryId::PREFIX)?;
    let page = webhooks::deliveries(&app, &caller, &id, &request)
        .await?
        .ok_or_else(missing)?;
    Ok(Json(DeliveriesReply {
        meta: Meta::from(&page),
        deliveries: page.items,
    }))
}

/// Sends a delivery again, with the id and the body that it had.
#[utoipa::path(post, path = "/webhooks/{id}/deliveries/{delivery_id}/replay", tag = "Webhooks",
    operation_id = "replay_webhook_delivery", params(WebhookParameter, DeliveryParameter),
    responses((status = 200, description = "The delivery", body = DeliveryReply), ActionErrors))]
pub(super) async fn replay(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId((id, delivery)): PathId<(WebhookId, DeliveryId)>,
    _: NoBody,
) -> Reply<Json<DeliveryReply>> {
    let delivery = webhooks::replay(&app, &caller, &id, &delivery).await?;
    let delivery = delivery.ok_or_else(|| Error::not_found("delivery of this webhook"))?;
    Ok(Json(DeliveryReply { delivery }))
}
