//! The OpenAPI document: made from the handlers, completed with what all of them have in common.
use std::collections::BTreeMap;

use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, InfoBuilder, LicenseBuilder, ObjectBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder, Schema,
    SecurityRequirement, ServerBuilder, Type,
};
use utoipa::{IntoResponses, PartialSchema, ToSchema};

use super::reply::ErrorEnvelope;
use crate::app::App;

type Responses = BTreeMap<String, RefOr<Response>>;

/// The bytes of a file: by OpenAPI 3.1 a schema without a word, beside the content type.
pub struct Binary;

impl PartialSchema for Binary {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::AnyValue).build().into()
    }
}

impl ToSchema for Binary {}

/// A set of error responses that several operations share.
macro_rules! error_responses {
    ($($(#[$doc:meta])* $name:ident { $($status:literal: $description:literal,)* })*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl IntoResponses for $name {
            fn responses() -> Responses {
                BTreeMap::from([$((String::from($status), error($description)),)*])
            }
        }
    )*};
}

error_responses! {
    /// What every operation may answer.
    Refusals {
        "401": "`unauthorized`: the bearer token is missing or invalid",
        "403": "`plan_required`: the account has no active Business plan",
        "500": "`internal_error`",
    }
    /// Operations on one resource.
    Missing {
        "404": "`not_found`: there is no such resource, or it is not the account's",
    }
    /// Lists.
    PaginationErrors {
        "400": "`invalid_pagination`, `invalid_request`",
    }
    /// Operations with a JSON body.
    BodyErrors {
        "400": "`invalid_request`: the body is not JSON",
        "413": "`payload_too_large`",
        "415": "`unsupported_media_type`",
        "422": "`validation_failed`: `details` names the fields",
    }
    /// Imports.
    ImportErrors {
        "400": "`invalid_request`: the body is not JSON, or not multipart/form-data",
        "413": "`payload_too_large`",
        "415": "`unsupported_media_type`",
        "422": "`validation_failed`, `unsupported_image`, `account_limit_reached`",
    }
    /// Replacing a page's image.
    ReplaceErrors {
        "400": "`invalid_request`: the body is not JSON, or not multipart/form-data",
        "409": "`generation_active`: something is being drawn for the page",
        "413": "`payload_too_large`",
        "415": "`unsupported_media_type`",
        "422": "`validation_failed`, `unsupported_image`",
    }
    /// Operations that may meet an account limit.
    LimitErrors {
        "422": "`account_limit_reached`",
    }
    /// Generations.
    Generation {
        "400": "`invalid_request`, `idempotency_key_required`",
        "402": "`insufficient_credits`: nothing is created and nothing charged",
        "409": "`idempotency_conflict`, `generation_active`",
        "413": "`payload_too_large`",
        "415": "`unsupported_media_type`",
        "422": "`validation_failed`, `account_limit_reached`: `details` names the fields",
    }
    /// Planning.
    PlanningErrors {
        "429": "`rate_limited`",
        "503": "`planning_unavailable`",
    }
    /// Printing.
    PdfErrors {
        "400": "`invalid_request`: there is no such format",
        "422": "`format_mismatch`, `book_not_ready`: `details` names the pages",
    }
}

fn error(description: &str) -> RefOr<Response> {
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Error")))
        .build();
    ResponseBuilder::new()
        .description(description)
        .content("application/json", content)
        .build()
        .into()
}

/// The whole document.
pub fn document(app: &App) -> OpenApi {
    let mut document = super::operations().into_openapi();
    document.info = InfoBuilder::new()
        .title("Linepress")
        .version("v1")
        .description(Some("Plan, draw and print coloring books."))
        .license(Some(
            LicenseBuilder::new()
                .name("Apache-2.0")
                .identifier(Some("Apache-2.0"))
                .build(),
        ))
        .build();
    document.servers = Some(vec![ServerBuilder::new().url(app.config.base_url()).build()]);
    document.security = Some(vec![SecurityRequirement::new::<_, _, String>("api_key", [])]);
    let components = document.components.get_or_insert_default();
    components.schemas.insert("Error".into(), ErrorEnvelope::schema());
    let mut schemas = Vec::new();
    ErrorEnvelope::schemas(&mut schemas);
    components.schemas.extend(schemas);
    let scheme = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("The account's API key."))
        .build();
    components.add_security_scheme("api_key", SecurityScheme::Http(scheme));
    add_common_headers(&mut document, &app.config.brand);
    document
}

/// The headers of every response, and those of every authenticated one.
fn add_common_headers(document: &mut OpenApi, brand: &str) {
    let header = |kind: Type, description: &str| -> RefOr<Header> {
        let schema = ObjectBuilder::new().schema_type(kind).build();
        HeaderBuilder::new()
            .schema(Some(schema))
            .description(Some(description))
            .build()
            .into()
    };
    for item in document.paths.paths.values_mut() {
        let operations = [
            &mut item.get,
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ];
        for operation in operations.into_iter().flatten() {
            for (status, response) in &mut operation.responses.responses {
                let RefOr::T(response) = response else { continue };
                let headers = &mut response.headers;
                headers.insert("X-Request-Id".into(), header(Type::String, "Leads to the server's log"));
                headers.insert(format!("X-{brand}-Api-Version"), header(Type::String, "`v1`"));
                if status != "401" {
                    headers.insert(
                        format!("X-{brand}-Credits-Available"),
                        header(Type::Integer, "The balance after the request"),
                    );
                    headers.insert(
                        format!("X-{brand}-Credits-Consumed"),
                        header(Type::Integer, "Charged by this very call; 0 on a replay"),
                    );
                }
                if status == "202" {
                    headers.insert("Location".into(), header(Type::String, "The operation to poll"));
                    headers.insert(
                        "Idempotency-Replayed".into(),
                        header(Type::String, "`true` when the key was used before"),
                    );
                }
                if status == "429" || status == "503" {
                    headers.insert("Retry-After".into(), header(Type::Integer, "Seconds"));
                }
            }
        }
    }
}
