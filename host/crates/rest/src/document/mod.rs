//! The OpenAPI document, generated from the handlers and completed with what all of them share.
mod errors;
mod examples;
mod forms;
mod headers;
mod installation;
mod kinds;
mod links;
mod parameters;
mod prices;
mod schema;

use std::sync::{Arc, OnceLock};

use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use linepress_printers::{Backs, Edition, Part};
use serde_json::{Value, json};
use utoipa::openapi::info::{InfoBuilder, LicenseBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{KnownFormat, SchemaFormat, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::tag::{Tag, TagBuilder};
use utoipa::openapi::{
    Components, Info, ObjectBuilder, OpenApi, OpenApiBuilder, Paths, RefOr, Response, Schema, Server, ServerBuilder,
};
use utoipa::{PartialSchema, ToSchema};

use linepress_accounts::idempotency::{IdempotencyKey, KEY_RETENTION};
use linepress_accounts::requests::StatusClass;
use linepress_core::artwork::ImageSize;
use linepress_http::failure::ErrorEnvelope;
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;

pub(super) use errors::{
    ActionErrors, AdminActionErrors, AdminApprovalErrors, AdminChangeErrors, AdminCreditErrors, AdminDisapprovalErrors,
    AdminDisuseErrors, AdminErrors, AdminListErrors, AdminResourceErrors, AdminStateChangeErrors, AdminStateErrors,
    AttemptErrors, ChangeErrors, CommonErrors, CopyErrors, CreationErrors, DeletionErrors, DownloadErrors, FileErrors,
    GenerationErrors, ImportErrors, KeyErrors, KeyRotationErrors, ListErrors, PageAttemptErrors,
    PageRegenerationErrors, PageReplaceErrors, PdfErrors, PlanningErrors, RefinementErrors, RegenerationErrors,
    ReplaceErrors, ResourceCreationErrors, ResourceErrors, ResourceListErrors, RestoreErrors, SourceRegenerationErrors,
    StateChangeErrors, UploadErrors,
};
pub(super) use forms::{CoverImageForm, ImageForm, ImportForm};
pub(super) use parameters::{
    AccountParameter, AttemptParameter, BookPageParameter, BookParameter, CharacterParameter, CommentParameter,
    DeletedParameter, DeliveryParameter, KeyParameter, OperationParameter, OptionalKey, PageParameter, PluginParameter,
    ProviderParameter, RequiredKey, ReviewLinkParameter, WebhookParameter,
};

use installation::{Installation, restrict_plan_languages};
use schema::Schemas;

/// The bytes of a file. Since OpenAPI 3.1 the content type is sufficient, but client generators look for the format.
pub(super) struct Binary;

impl PartialSchema for Binary {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
            .build()
            .into()
    }
}

impl ToSchema for Binary {}

/// The route of the document. It is generated at the first request and then cached: the settings and plugins that it
/// depends on change only with a restart.
pub(super) fn route(document: fn(&App) -> Value) -> MethodRouter<App> {
    const JSON: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];
    let written: Arc<OnceLock<Bytes>> = Arc::default();
    get(async move |State(app): State<App>| {
        let write = || Bytes::from(document(&app).to_string());
        (JSON, written.get_or_init(write).clone())
    })
}

/// Completes the descriptions that were generated from the handlers; `uploads` are those outside of the base URL.
pub(super) fn complete(operations: OpenApi, uploads: OpenApi, app: &App) -> Value {
    let mut document = json!(completed(operations, uploads, &Installation::of(app)));
    prices::fill_in(&mut document);
    document
}

fn completed(operations: OpenApi, uploads: OpenApi, installation: &Installation) -> OpenApi {
    let uploads = outside_of_the_base_url(uploads, installation);
    let OpenApi {
        mut paths, components, ..
    } = operations.merge_from(uploads);
    let mut components = components.unwrap_or_default();
    complete_components(&mut components, installation);
    complete_operations(&mut paths, &components, installation);
    OpenApiBuilder::new()
        .info(info(&installation.brand))
        .servers(Some([server(&installation.base_url, "This server")]))
        .tags(Some(tags()))
        .security(Some([SecurityRequirement::new(API_KEY, [""; 0])]))
        .paths(paths)
        .components(Some(components))
        .build()
}

/// The text with the server's limits in place of their names in braces.
fn with_limits(text: &str) -> String {
    text.replace("{max_key_chars}", &IdempotencyKey::MAX_KEY_CHARS.to_string())
        .replace("{key_days}", &(KEY_RETENTION.as_secs() / SECONDS_PER_DAY).to_string())
        .replace("{max_limit}", &PageRequest::MAX_LIMIT.to_string())
        .replace("{default_limit}", &PageRequest::DEFAULT_LIMIT.to_string())
}

const SECONDS_PER_DAY: u64 = 24 * 3600;

/// Adds what operations refer to, and the schemas that differ from the types of the handlers.
fn complete_components(components: &mut Components, installation: &Installation) {
    add_schemas(&mut components.schemas);
    kinds::split(&mut components.schemas);
    restrict_plan_languages(&mut components.schemas, &installation.plan_languages);
    components.headers = headers::components();
    components.examples = errors::examples();
    let refusal = errors::method_not_allowed();
    components.responses.insert("MethodNotAllowed".into(), refusal.into());
    components.add_security_scheme(API_KEY, api_key());
}

/// Adds what depends on the responses and bodies of each operation.
fn complete_operations(paths: &mut Paths, components: &Components, installation: &Installation) {
    let bodies = examples::bodies(installation);
    for operation in operations_of(paths) {
        headers::add(operation, &installation.brand);
        links::add(operation, &components.schemas);
        examples::add(operation, &bodies);
    }
}

fn operations_of(paths: &mut Paths) -> impl Iterator<Item = &mut Operation> {
    let items = paths.paths.values_mut();
    let operations = items.flat_map(|item| {
        [
            &mut item.get,
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ]
    });
    operations.flatten()
}

/// The responses of an operation, with their statuses.
fn responses_of(operation: &mut Operation) -> impl Iterator<Item = (&str, &mut Response)> {
    let responses = operation.responses.responses.iter_mut();
    responses.filter_map(|(status, response)| match response {
        RefOr::T(response) => Some((status.as_str(), response)),
        RefOr::Ref(_) => None,
    })
}

/// Names the server of operations outside of the base URL.
fn outside_of_the_base_url(mut described: OpenApi, installation: &Installation) -> OpenApi {
    for operation in operations_of(&mut described.paths) {
        let server = server(&installation.public_url, "This server, without the base address");
        operation.servers = Some(vec![server]);
    }
    described
}

/// Adds the schemas that no handler collects: those of parameters and errors.
fn add_schemas(schemas: &mut Schemas) {
    schemas.extend([
        named::<Edition>(),
        named::<Backs>(),
        named::<Part>(),
        named::<ImageSize>(),
        named::<StatusClass>(),
        named::<ErrorEnvelope<'_>>(),
    ]);
    let mut of_errors = Vec::new();
    ErrorEnvelope::schemas(&mut of_errors);
    schemas.extend(of_errors);
}

fn named<T: ToSchema>() -> (String, RefOr<Schema>) {
    (T::name().into(), T::schema())
}

fn info(brand: &str) -> Info {
    let license = LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0"));
    InfoBuilder::new()
        .title("Linepress")
        .version("v1")
        .description(Some(with_limits(DESCRIPTION).replace("{brand}", brand)))
        .license(Some(license.build()))
        .extensions(schema::keyword("summary", "Plan, draw and print coloring books."))
        .build()
}

fn server(url: &str, description: &str) -> Server {
    ServerBuilder::new().url(url).description(Some(description)).build()
}

fn api_key() -> SecurityScheme {
    let description = "The account's API key: `Authorization: Bearer <API_KEY>`. Cookies are ignored.";
    let scheme = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(description));
    SecurityScheme::Http(scheme.build())
}

fn tags() -> [Tag; 11] {
    let tag = |name, description| TagBuilder::new().name(name).description(Some(description)).build();
    [
        tag(
            "Account",
            "The calling account: plan, credits, capabilities, limits and requests.",
        ),
        tag(
            "API keys",
            "The account's API keys. Only a key with all scopes and without an expiry, a spending limit or networks manages them.",
        ),
        tag(
            "Books",
            "Plan a book, have its cover and pages drawn, and download it as a PDF.",
        ),
        tag(
            "Review links",
            "Links with which people without an account see a book for some days, and their comments on it.",
        ),
        tag("Pages", "Drawings, by themselves or in books."),
        tag("Characters", "Figures that look the same on every page they appear on."),
        tag("Bin", "Deleted books and pages, which can be restored for some days."),
        tag(
            "Operations",
            "Generations, in progress or ended. Poll them until they are terminal.",
        ),
        tag(
            "Webhooks",
            "Addresses to which the server sends the events of the account.",
        ),
        tag("Print", "The sizes in which this server prints."),
        tag(
            "Administration",
            "The functions of operators. Any other account gets a 403 `operator_required`.",
        ),
    ]
}

/// The name of the security scheme.
const API_KEY: &str = "api_key";

const DESCRIPTION: &str = include_str!("description.md");
