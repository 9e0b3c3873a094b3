//! The headers of responses: those of every response, and those of certain statuses.

use serde_json::{Map, Value, json};

use super::{operations_of, parameters_of};

/// Describes each header once, and refers to it from the responses.
pub(super) fn describe(document: &mut Value, brand: &str) {
    let available = format!("X-{brand}-Credits-Available");
    let consumed = format!("X-{brand}-Credits-Consumed");
    let version = format!("X-{brand}-Api-Version");
    for (_, _, operation) in operations_of(document) {
        let authenticated = operation.get("security").is_none();
        let repeatable = parameters_of(operation).any(|parameter| parameter["name"] == "Idempotency-Key");
        for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
            let mut headers = Map::new();
            let mut send = |name: &str, header: &str| {
                headers.insert(name.into(), json!({"$ref": format!("#/components/headers/{header}")}));
            };
            send("X-Request-Id", "RequestId");
            send(&version, "ApiVersion");
            send("Cache-Control", "CacheControl");
            match status.as_str() {
                "401" => send("WWW-Authenticate", "WwwAuthenticate"),
                // A response to a database failure may lack the balance.
                "500" | "503" => {}
                _ if !authenticated => {}
                _ => {
                    send(&available, "CreditsAvailable");
                    send(&consumed, "CreditsConsumed");
                }
            }
            match status.as_str() {
                "201" => send("Location", "ResourceLocation"),
                "202" => {
                    send("Location", "OperationLocation");
                    send("Retry-After", "RetryAfter");
                }
                "429" | "503" => send("Retry-After", "RetryAfter"),
                _ => {}
            }
            if repeatable && status.starts_with('2') {
                send("Idempotency-Replayed", "IdempotencyReplayed");
            }
            let is_file = |kind: &str| response.pointer(&format!("/content/{kind}")).is_some();
            if is_file("application~1pdf") || is_file("image~1png") {
                send("Content-Disposition", "FileName");
            }
            if response.get("headers").is_none() {
                response["headers"] = json!({});
            }
            response["headers"]
                .as_object_mut()
                .into_iter()
                .for_each(|own| own.extend(headers.clone()));
        }
    }
    document["components"]["headers"] = components();
}

fn components() -> Value {
    let always =
        |description: &str, schema: Value| json!({"description": description, "required": true, "schema": schema});
    json!({
        "RequestId": always(
            "The id of the request in the server's log. A client's own `X-Request-Id` is used if it is safe to log.",
            json!({"type": "string", "pattern": "^[A-Za-z0-9._-]{1,128}$", "examples": ["req_01KAFMYG00000000000000000A"]}),
        ),
        "ApiVersion": always("The version of this interface.", json!({"type": "string", "const": "v1"})),
        "CacheControl": always("No response may be cached.", json!({"type": "string", "const": "private, no-store"})),
        "CreditsAvailable": always("The account's balance after the request, in credits.", json!({"type": "integer", "minimum": 0})),
        "CreditsConsumed": always(
            "The credits that this call charged; 0 when it replays an earlier response.",
            json!({"type": "integer", "minimum": 0}),
        ),
        "WwwAuthenticate": always("How to authenticate.", json!({"type": "string", "const": "Bearer"})),
        "ResourceLocation": always("The address of the resource.", json!({"type": "string", "format": "uri"})),
        "OperationLocation": always("The address of the operation to poll.", json!({"type": "string", "format": "uri"})),
        "IdempotencyReplayed": {
            "description": "Present when the key was used before: this is the original response.",
            "schema": {"type": "string", "const": "true"},
        },
        "RetryAfter": always("The number of seconds after which to try again.", json!({"type": "integer", "minimum": 1})),
        "FileName": always("The name of the file; also as `filename*` if the title has characters that are not ASCII.", json!({
            "type": "string", "examples": ["attachment; filename=\"woodland-friends-us_letter.pdf\""],
        })),
    })
}
