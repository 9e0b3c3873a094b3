//! `/keys`: the API keys of the account. Only a key without limits manages them.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse as _;
use serde::{Deserialize, Serialize};

use super::addresses::key_location;
use super::document::{
    DeletionErrors, KeyErrors, KeyParameter, KeyRotationErrors, ListErrors, OptionalKey, ResourceErrors,
};
use super::extract::{Body, ListParameters, NoBody, OptionalBody, PathId, list_query, optional_key};
use super::response::{self, Meta};
use linepress_accounts::accounts::{self, ApiKey, KeyRotation, NewApiKey, NewKey, SecretKey};
use linepress_accounts::caller::Caller;
use linepress_http::Reply;
use linepress_platform::app::App;
use linepress_platform::database::PageOf;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::KeyId;

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ApiKeyBody {
    key: NewApiKey,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ApiKeyReply {
    key: ApiKey,
}

/// An API key with its secret, which no other response contains.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ApiKeySecretReply {
    key: ApiKey,
    /// The key itself, to send as `Authorization: Bearer <API_KEY>`. It cannot be shown again.
    #[schema(example = "lp_3fK9aQp5rVd2nXyZcW8uHbTmJ0sLgE7iQoRkNfAvUxY")]
    secret: String,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ApiKeysReply {
    keys: Vec<ApiKey>,
    meta: Meta,
}

impl From<PageOf<ApiKey>> for ApiKeysReply {
    fn from(page: PageOf<ApiKey>) -> Self {
        Self {
            meta: Meta::from(&page),
            keys: page.items,
        }
    }
}

impl ApiKeySecretReply {
    fn new(key: ApiKey, secret: &SecretKey) -> Self {
        Self {
            key,
            secret: secret.expose().into(),
        }
    }
}

/// The account's API keys, newest first, including those that have expired or were revoked.
#[utoipa::path(get, path = "/keys", tag = "API keys", operation_id = "list_keys", params(ListParameters),
    responses((status = 200, description = "One page of the list", body = ApiKeysReply), ListErrors))]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
) -> Reply<Json<ApiKeysReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, KeyId::PREFIX)?;
    Ok(Json(accounts::list_own_keys(&app, &caller, &request).await?.into()))
}

/// Creates an API key, or with `test` a test key: its requests have the replies and prices of live ones, but cost
/// nothing, act in a sandbox, and are drawn as samples with a watermark. Prompts that begin with `test:refused`,
/// `test:unavailable` or `test:slow` end as a refusal, as a failure with a refund, and after a minute. The response
/// contains the key's secret, which is not shown again: a repeated request with the same `Idempotency-Key` is a 409
/// that names the key.
#[utoipa::path(post, path = "/keys", tag = "API keys", operation_id = "create_key", params(OptionalKey),
    request_body = ApiKeyBody,
    responses((status = 201, description = "The key and its secret", body = ApiKeySecretReply), KeyErrors))]
pub(super) async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body(body): Body<ApiKeyBody>,
) -> Reply {
    let request = optional_key(&headers)?;
    let made = accounts::create_own_key(&app, &caller, request.as_ref(), &body.key).await;
    let reply = shown(made.map_err(|error| error.within(&Field::named("key")))?)?;
    let location = [(header::LOCATION, key_location(&app, &reply.key.id)?)];
    Ok((StatusCode::CREATED, location, Json(reply)).into_response())
}

/// One API key, without its secret.
#[utoipa::path(get, path = "/keys/{id}", tag = "API keys", operation_id = "get_key", params(KeyParameter),
    responses((status = 200, description = "The key", body = ApiKeyReply), ResourceErrors))]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<KeyId>,
) -> Reply<Json<ApiKeyReply>> {
    let key = accounts::own_key(&app, &caller, &id).await?.ok_or_else(missing)?;
    Ok(Json(ApiKeyReply { key }))
}

/// Replaces the secret of an API key. The key keeps its id, its terms, and the credits that were spent with it. The old
/// secret remains valid for `overlap_hours`, and one from an earlier rotation ends at once. A repeated request with the
/// same `Idempotency-Key` is a 409.
#[utoipa::path(post, path = "/keys/{id}/rotate", tag = "API keys", operation_id = "rotate_key",
    params(KeyParameter, OptionalKey), request_body = Option<KeyRotation>,
    responses((status = 200, description = "The key and its new secret", body = ApiKeySecretReply), KeyRotationErrors))]
pub(super) async fn rotate(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<KeyId>,
    headers: HeaderMap,
    OptionalBody(rotation): OptionalBody<KeyRotation>,
) -> Reply<Json<ApiKeySecretReply>> {
    let request = optional_key(&headers)?;
    let made = accounts::rotate_own_key(&app, &caller, request.as_ref(), &id, rotation).await?;
    Ok(Json(shown(made.ok_or_else(missing)?)?))
}

/// Revokes an API key at once. Nothing changes if it was revoked before.
#[utoipa::path(delete, path = "/keys/{id}", tag = "API keys", operation_id = "revoke_key", params(KeyParameter),
    responses((status = 204, description = "Revoked"), DeletionErrors))]
pub(super) async fn revoke(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<KeyId>,
    _: NoBody,
) -> Reply<StatusCode> {
    response::no_content(accounts::revoke_own_key(&app, &caller, &id).await?, missing)
}

/// The key with its secret, unless an earlier response had it.
fn shown(made: NewKey) -> Result<ApiKeySecretReply> {
    match made {
        NewKey::Made(key, secret) => Ok(ApiKeySecretReply::new(*key, &secret)),
        NewKey::MadeBefore(key) => Err(ErrorKind::KeyShownBefore { key }.into()),
    }
}

fn missing() -> Error {
    Error::not_found("API key")
}
