//! The OpenAPI document, generated from the handlers and completed with what all of them share.
mod errors;
mod examples;
mod forms;
mod headers;
mod installed;
mod kinds;
mod links;
mod parameters;
mod prices;
mod uploads;

use std::sync::{Arc, OnceLock};

use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use linepress_printers::{Backs, Edition, Part};
use serde_json::{Value, json};
use utoipa::openapi::schema::{KnownFormat, SchemaFormat, Type};
use utoipa::openapi::{ObjectBuilder, OpenApi, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use linepress_core::app::App;
use linepress_core::artwork::ImageSize;
use linepress_http::failure::ErrorEnvelope;

pub(super) use errors::{
    BodyErrors, BookPageErrors, CommonErrors, DownloadErrors, GenerationErrors, ImportErrors, LimitErrors,
    NotFoundErrors, PaginationErrors, PdfErrors, PlanningErrors, RegenerationErrors, ReplaceErrors, SourceErrors,
    UploadErrors,
};

pub(super) use forms::{ImageForm, ImportForm};

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

/// Completes the descriptions that were generated from the handlers.
pub(super) fn complete(mut described: OpenApi, app: &App) -> Value {
    add_schemas(&mut described);
    let mut document = serde_json::to_value(described).expect("an OpenAPI document is JSON");
    document["info"] = json!({
        "title": "Linepress",
        "version": "v1",
        "summary": "Plan, draw and print coloring books.",
        "description": DESCRIPTION.replace("{brand}", &app.config.brand),
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    });
    document["servers"] = json!([{"url": app.config.base_url(), "description": "This server"}]);
    document["tags"] = tags();
    document["security"] = json!([{"api_key": []}]);
    document["components"]["securitySchemes"] = json!({"api_key": {
        "type": "http",
        "scheme": "bearer",
        "description": "The account's API key: `Authorization: Bearer <API_KEY>`. Cookies are ignored.",
    }});
    forms::describe(&mut document);
    kinds::split(&mut document);
    parameters::describe(&mut document);
    uploads::describe(&mut document, &app.config.public_url);
    errors::describe(&mut document);
    installed::describe(&mut document, app);
    headers::describe(&mut document, &app.config.brand);
    links::add(&mut document);
    prices::fill_in(&mut document);
    examples::add(&mut document, app);
    document
}

/// All operations of the document, with their paths and methods.
fn operations_of(document: &mut Value) -> impl Iterator<Item = (&str, &str, &mut Value)> {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        let operations = item.as_object_mut().into_iter().flatten();
        operations.map(|(method, operation)| (path.as_str(), method.as_str(), operation))
    })
}

fn parameters_of(operation: &mut Value) -> impl Iterator<Item = &mut Value> {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    parameters.into_iter().flatten()
}

/// The schema name in a reference.
fn schema_name(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

/// Adds schemas that no handler collects.
fn add_schemas(api: &mut OpenApi) {
    let components = api.components.get_or_insert_default();
    // Schemas of parameters are not collected.
    components.schemas.insert("Edition".into(), Edition::schema());
    components.schemas.insert("Backs".into(), Backs::schema());
    components.schemas.insert("Part".into(), Part::schema());
    components.schemas.insert("ImageSize".into(), ImageSize::schema());
    components.schemas.insert("Error".into(), ErrorEnvelope::schema());
    let mut schemas = Vec::new();
    ErrorEnvelope::schemas(&mut schemas);
    components.schemas.extend(schemas);
}

fn tags() -> Value {
    json!([
        {"name": "Account", "description": "The calling account: plan, credits, capabilities and limits."},
        {"name": "Books", "description": "Plan a book, have its cover and pages drawn, and download it as a PDF."},
        {"name": "Pages", "description": "Drawings, by themselves or in books."},
        {"name": "Characters", "description": "Figures that look the same on every page they appear on."},
        {"name": "Operations", "description": "Generations, in progress or ended. Poll them until they are terminal."},
        {"name": "Print", "description": "The sizes in which this server prints."},
    ])
}

const DESCRIPTION: &str = include_str!("description.md");
