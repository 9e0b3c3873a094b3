//! The headers of responses: those of every response, and those of certain statuses.
use std::collections::BTreeMap;

use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::schema::{SchemaFormat, Type};
use utoipa::openapi::{Header, HeaderBuilder, Object, ObjectBuilder, Ref, RefOr};

use super::responses_of;
use super::schema::keyword;

/// A header that the document describes once, and that responses refer to.
struct SharedHeader {
    /// Its name in responses. `{brand}` stands for the brand of the server.
    name: &'static str,
    component: &'static str,
    description: &'static str,
    schema: fn() -> Object,
    /// True if every response that lists the header has it.
    always: bool,
    listed: fn(&Place) -> bool,
}

/// A response that may list a header.
struct Place<'a> {
    status: &'a str,
    authenticated: bool,
    takes_key: bool,
    is_plan: bool,
    is_file: bool,
}

const HEADERS: [SharedHeader; 13] = [
    SharedHeader {
        name: "X-Request-Id",
        component: "RequestId",
        description: "The id of the request in the server's log. A client's own `X-Request-Id` is used if it is safe to log.",
        schema: || {
            text()
                .pattern(Some("^[A-Za-z0-9._-]{1,128}$"))
                .examples(["req_01KAFMYG00000000000000000A"])
                .build()
        },
        always: true,
        listed: |_| true,
    },
    SharedHeader {
        name: "X-{brand}-Api-Version",
        component: "ApiVersion",
        description: "The version of this interface.",
        schema: || constant("v1"),
        always: true,
        listed: |_| true,
    },
    SharedHeader {
        name: "Cache-Control",
        component: "CacheControl",
        description: "No response may be cached.",
        schema: || constant("private, no-store"),
        always: true,
        listed: |_| true,
    },
    SharedHeader {
        name: "X-{brand}-Credits-Available",
        component: "CreditsAvailable",
        description: "The account's balance after the request, in credits.",
        schema: || integer_from(0),
        always: true,
        listed: |place| place.has_balance(),
    },
    SharedHeader {
        name: "X-{brand}-Credits-Consumed",
        component: "CreditsConsumed",
        description: "The credits that this call charged; 0 when it replays an earlier response.",
        schema: || integer_from(0),
        always: true,
        listed: |place| place.has_balance(),
    },
    SharedHeader {
        name: "WWW-Authenticate",
        component: "WwwAuthenticate",
        description: "How to authenticate.",
        schema: || constant("Bearer"),
        always: true,
        listed: |place| place.status == "401",
    },
    SharedHeader {
        name: "Location",
        component: "ResourceLocation",
        description: "The address of the resource.",
        schema: address,
        always: true,
        listed: |place| place.status == "201",
    },
    SharedHeader {
        name: "Location",
        component: "OperationLocation",
        description: "The address of the operation to poll.",
        schema: address,
        always: true,
        listed: |place| place.status == "202",
    },
    SharedHeader {
        name: "Idempotency-Replayed",
        component: "IdempotencyReplayed",
        description: "Present when the key was used before: this is the original response.",
        schema: || constant("true"),
        always: false,
        listed: |place| place.takes_key && place.status.starts_with('2'),
    },
    SharedHeader {
        name: "Retry-After",
        component: "RetryAfter",
        description: "The number of seconds after which to try again.",
        schema: || integer_from(1),
        always: true,
        listed: |place| matches!(place.status, "202" | "429" | "503"),
    },
    SharedHeader {
        name: "RateLimit-Policy",
        component: "RateLimitPolicy",
        description: "The rate limits that the request counted toward: `q` requests in each window of `w` seconds. Absent when it counted toward none. Structured fields of draft-ietf-httpapi-ratelimit-headers-10.",
        schema: || text().examples(["\"changes_per_minute\";q=600;w=60"]).build(),
        always: false,
        listed: |place| place.has_rate_limit(),
    },
    SharedHeader {
        name: "RateLimit",
        component: "RateLimit",
        description: "What is left of these rate limits: `r` requests at this moment, and all of them after `t` seconds without a request. `Retry-After` is the shorter wait for the next one.",
        schema: || text().examples(["\"changes_per_minute\";r=599;t=1"]).build(),
        always: false,
        listed: |place| place.has_rate_limit(),
    },
    SharedHeader {
        name: "Content-Disposition",
        component: "FileName",
        description: "The name of the file; also as `filename*` if the title has characters that are not ASCII.",
        schema: || {
            text()
                .examples(["attachment; filename=\"woodland-friends-us_letter.pdf\""])
                .build()
        },
        always: true,
        listed: |place| place.is_file,
    },
];

/// The operation that makes a book plan.
const PLANNING: &str = "plan_book";

impl Place<'_> {
    fn has_balance(&self) -> bool {
        // A response to a database failure may lack the balance.
        self.authenticated && !matches!(self.status, "401" | "500" | "503")
    }

    /// True for the operations that may count toward a rate limit of the account: those whose replies are stored under
    /// a key, and planning.
    fn has_rate_limit(&self) -> bool {
        (self.takes_key || self.is_plan) && self.status != "401"
    }
}

/// Adds references to the shared headers to every response of the operation.
pub(super) fn add(operation: &mut Operation, brand: &str) {
    let authenticated = operation.security.is_none();
    let takes_key = operation.parameters.iter().flatten().any(is_idempotency_key);
    let is_plan = operation.operation_id.as_deref() == Some(PLANNING);
    for (status, response) in responses_of(operation) {
        let place = Place {
            status,
            authenticated,
            takes_key,
            is_plan,
            is_file: ["application/pdf", "application/zip", "image/png"]
                .iter()
                .any(|kind| response.content.contains_key(*kind)),
        };
        for shared in HEADERS.iter().filter(|shared| (shared.listed)(&place)) {
            let reference = Ref::new(format!("#/components/headers/{}", shared.component));
            let name = shared.name.replace("{brand}", brand);
            response.headers.insert(name, RefOr::Ref(reference));
        }
    }
}

fn is_idempotency_key(parameter: &RefOr<Parameter>) -> bool {
    matches!(parameter, RefOr::T(parameter) if parameter.name == "Idempotency-Key")
}

/// The descriptions that the references lead to.
pub(super) fn components() -> BTreeMap<String, RefOr<Header>> {
    let components = HEADERS.iter().map(|shared| {
        let described = header(shared.description, (shared.schema)(), shared.always);
        (shared.component.to_owned(), described.into())
    });
    components.collect()
}

/// The description of a header.
pub(super) fn header(description: &str, schema: Object, always: bool) -> Header {
    HeaderBuilder::new()
        .description(Some(description))
        .schema(Some(schema))
        .extensions(if always { keyword("required", true) } else { None })
        .build()
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn constant(value: &str) -> Object {
    text().extensions(keyword("const", value)).build()
}

fn address() -> Object {
    text().format(Some(SchemaFormat::Custom("uri".into()))).build()
}

fn integer_from(minimum: i64) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(minimum))
        .build()
}
