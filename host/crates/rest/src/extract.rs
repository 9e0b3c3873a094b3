//! Extractors for handlers, with this interface's errors.
use std::fmt::Display;

use axum::body::to_bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, Query, Request};
use axum::http::{HeaderMap, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::openapi::schema::{KnownFormat, SchemaFormat, Type};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};

use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::{self, IdempotencyKey};
use linepress_accounts::order::{AgreedPrice, Order};
use linepress_accounts::webhooks::CallbackUrl;
use linepress_core::search::{ListSort, Search};
use linepress_http::Failure;
pub(super) use linepress_http::PathId;
use linepress_http::body::{check_length, is_caused_by};
use linepress_http::json::{self, parse_value, shortened};
use linepress_model::Aspect;
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::Result;
use linepress_platform::scopes::Scopes;
use linepress_platform::text::SearchQuery;
use linepress_platform::validation;

/// The size limit of most JSON bodies, in bytes. The longest texts of a page take 30 KiB when every letter is escaped.
pub(super) const MAX_BODY_BYTES: usize = 64 * 1024;

/// The size limit of the body of a new book, in bytes. A hundred pages with the longest texts take 3 MiB when every
/// letter is escaped.
pub(super) const MAX_BOOK_BYTES: usize = 4 * 1024 * 1024;

pub(super) const NOT_JSON: &str = "Send JSON, with Content-Type: application/json.";

/// A JSON body of at most `MAX_BYTES` bytes. Unknown fields are rejected by name: a typo must not cost a credit.
pub(super) struct Body<T, const MAX_BYTES: usize = MAX_BODY_BYTES>(pub T);

impl<T: DeserializeOwned, const MAX_BYTES: usize> FromRequest<App> for Body<T, MAX_BYTES> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &App) -> Result<Self, Failure> {
        let (parts, body) = request.into_parts();
        check_length(&parts.headers, "The body", MAX_BYTES as u64)?;
        let bytes = to_bytes(body, MAX_BYTES)
            .await
            .map_err(|error| too_large_or_broken(&error, MAX_BYTES))?;
        if !is_json(&parts.headers) {
            return Err(Failure::unsupported_media_type(NOT_JSON));
        }
        Ok(Self(parse(&bytes)?))
    }
}

/// A JSON body that may be left out.
pub(super) struct OptionalBody<T>(pub T);

impl<T: DeserializeOwned + Default> FromRequest<App> for OptionalBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        let (parts, body) = request.into_parts();
        check_length(&parts.headers, "The body", MAX_BODY_BYTES as u64)?;
        let bytes = to_bytes(body, MAX_BODY_BYTES)
            .await
            .map_err(|error| too_large_or_broken(&error, MAX_BODY_BYTES))?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        let Body(value) =
            Body::<Option<T>, MAX_BODY_BYTES>::from_request(Request::from_parts(parts, bytes.into()), app).await?;
        Ok(Self(value.unwrap_or_default()))
    }
}

/// The body of a request that takes none. `null` and `{}` are accepted, because many clients send one with every POST.
pub(super) struct NoBody;

impl FromRequest<App> for NoBody {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &App) -> Result<Self, Failure> {
        let refused = || Failure::invalid_request("This operation takes no body.");
        let bytes = to_bytes(request.into_body(), MAX_BODY_BYTES).await;
        let bytes = bytes.map_err(|_| refused())?;
        match bytes.trim_ascii() {
            b"" | b"null" => Ok(Self),
            [b'{', within @ .., b'}'] if within.trim_ascii().is_empty() => Ok(Self),
            _ => Err(refused()),
        }
    }
}

fn too_large_or_broken(error: &axum::Error, max_bytes: usize) -> Failure {
    if is_caused_by::<http_body_util::LengthLimitError>(error) {
        return Failure::too_large("The body", max_bytes as u64);
    }
    Failure::invalid_request("The body ended before it was complete.")
}

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let Some(Ok(text)) = headers.get(header::CONTENT_TYPE).map(|value| value.to_str()) else {
        return false;
    };
    let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    let not_json = |error: serde_json::Error| {
        let problem = if error.is_eof() {
            format!("it ends too early, at line {} column {}", error.line(), error.column())
        } else {
            error.to_string()
        };
        Failure::invalid_request(format!("The body is not valid JSON: {problem}."))
    };
    json::check(bytes).map_err(|refusal| match refusal {
        json::Refusal::TooManyValues => Failure::too_many_values(json::MAX_BODY_VALUES),
        json::Refusal::DuplicateField(name) => Failure::invalid_request(format!(
            "The body repeats the field {:?} in one object.",
            shortened(&name)
        )),
        json::Refusal::NotJson(error) => not_json(error),
    })?;
    let value: Value = serde_json::from_slice(bytes).map_err(not_json)?;
    Ok(parse_value(value)?)
}

/// The parameters of every list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListParameters {
    /// The maximum number of items.
    #[param(value_type = Option<Limit>, inline)]
    pub limit: Option<String>,
    /// `meta.next_cursor` of the previous page.
    pub after: Option<String>,
}

/// The schema of a list's `limit`.
struct Limit;

impl utoipa::PartialSchema for Limit {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .minimum(Some(1))
            .maximum(Some(PageRequest::MAX_LIMIT))
            .default(Some(PageRequest::DEFAULT_LIMIT.into()))
            .into()
    }
}

impl ListParameters {
    /// Parses the request for a part of the caller's list; `prefix` is the prefix of its items' ids.
    pub(super) fn page_request(&self, app: &App, caller: &Caller, prefix: &'static str) -> Result<PageRequest> {
        let scope = app.cursors.scope(caller.account_id(), prefix);
        PageRequest::parse(self.limit.as_deref(), self.after.as_deref(), scope)
    }
}

/// The parameters of lists that can be searched.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SearchParameters {
    /// Only items that contain, for each of the first 6 words, a word that begins with it, regardless of case and
    /// accents. Of books, titles, subtitles, authors, ISBNs and cover prompts are searched, with the texts of their
    /// pages; of pages, titles, prompts and captions; of characters, names and descriptions. Books and pages are also
    /// found by the names of their characters.
    #[param(value_type = Option<SearchQuery>, inline)]
    pub q: Option<SearchQuery>,
    /// The order of the list; `newest` by default. A cursor continues only a list of the same order.
    #[param(value_type = Option<ListSort>, inline)]
    pub sort: Option<String>,
}

impl SearchParameters {
    /// The search of a request, for items of this status and aspect.
    pub(super) fn search<S>(self, status: Option<S>, aspect: Option<Aspect>) -> Result<Search<S>, Failure> {
        let query = self.q.unwrap_or_default();
        if let Err(error) = validation::check(&query) {
            let problems: Vec<String> = error.details().into_iter().map(|detail| detail.message).collect();
            return Err(Failure::invalid_request(format!("q {}.", problems.join(" and "))));
        }
        let sort = one_of("sort", self.sort, ListSort::ALL)?.unwrap_or_default();
        Ok(Search::new(&query, status, aspect, sort))
    }
}

/// Parses a query string, or returns 400 `invalid_request`.
pub(super) fn query<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Failure> {
    parse_query(query).map_err(Failure::invalid_request)
}

/// Parses the query string of a list, or returns 400 `invalid_pagination`.
pub(super) fn list_query<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Failure> {
    parse_query(query).map_err(Failure::invalid_pagination)
}

/// Parses a parameter as one of a list of words, or returns a 400 that lists them.
pub(super) fn one_of<T: Copy + Display>(name: &str, given: Option<String>, all: &[T]) -> Result<Option<T>, Failure> {
    let Some(given) = given else { return Ok(None) };
    let words: Vec<String> = all.iter().map(T::to_string).collect();
    match words.iter().position(|word| *word == given) {
        Some(index) => Ok(Some(all[index])),
        None => Err(Failure::invalid_request(format!(
            "{name} must be one of: {}.",
            words.join(", ")
        ))),
    }
}

fn parse_query<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, String> {
    match query {
        Ok(Query(parameters)) => Ok(parameters),
        Err(_) => Err("The query cannot be read.".into()),
    }
}

/// The optional `Idempotency-Key` header.
pub(super) fn optional_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Failure> {
    let given = headers.contains_key(IDEMPOTENCY_KEY);
    given.then(|| idempotency_key(headers)).transpose()
}

const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The terms of an order: the required `Idempotency-Key` header, the address that the body names for the event of its
/// end, and the listed price, because a request names none.
pub(super) async fn order(
    app: &App,
    caller: &Caller,
    headers: &HeaderMap,
    callback: Option<CallbackUrl>,
) -> Result<Order, Failure> {
    let order = Order::new(idempotency_key(headers)?, AgreedPrice::Listed);
    if let Some(url) = &callback {
        caller.require(Scopes::SPENDING)?;
        idempotency::or_conflict(app, caller, Some(order.key()), url.check(app)).await?;
    }
    Ok(order.with_callback(callback))
}

fn idempotency_key(headers: &HeaderMap) -> Result<IdempotencyKey, Failure> {
    let mut keys = headers.get_all(IDEMPOTENCY_KEY).iter();
    // A value that is not ASCII is treated as empty, which `parse` rejects with the right message.
    let key = keys.next().map(|key| key.to_str().unwrap_or_default());
    if keys.next().is_some() {
        return Err(Failure::several_keys());
    }
    Ok(IdempotencyKey::parse(key)?)
}
