//! Messages about wrong values in a body, for clients of the API. Serde's own messages are for the author of the types.

/// Translates one of serde's error messages into a message for the client.
pub(super) fn message_for(error: &str) -> String {
    let wrong_value = error
        .strip_prefix("invalid type: ")
        .or(error.strip_prefix("invalid value: "));
    if let Some(rest) = wrong_value {
        return message_for_wrong_value(rest);
    }
    if let Some(rest) = error.strip_prefix("unknown variant `") {
        return match rest.split_once("`, expected ") {
            Some((_, known)) => format!("must be one of {}", joined_names(known)),
            None => "is not a known value".into(),
        };
    }
    if let Some(rest) = error.strip_prefix("unknown field `") {
        return match rest.split_once("`, expected ") {
            Some((_, known)) => format!("is not known here; the fields are {}", joined_names(known)),
            None => "is not known here; no fields are expected".into(),
        };
    }
    error.into()
}

/// Translates `X, expected Y`, serde's message for a wrong type or value.
fn message_for_wrong_value(rest: &str) -> String {
    // The value that the client sent may contain any text; the expectation never contains `, expected `.
    let Some((given, expected)) = rest.rsplit_once(", expected ") else {
        return "has the wrong type".into();
    };
    if expected.starts_with('u') && is_too_large(given) {
        return "is too large".into();
    }
    format!("must be {}, not {}", expected_kind(expected), given_kind(given))
}

/// Returns true for a whole number above the range of every field.
fn is_too_large(given: &str) -> bool {
    let number = given.split('`').nth(1).and_then(|number| number.parse::<f64>().ok());
    number.is_some_and(|number| number.fract() == 0.0 && number > f64::from(u32::MAX))
}

/// Translates serde's name for an expected type.
fn expected_kind(expected: &str) -> &str {
    match expected {
        // Requests hold no other unsigned numbers than positions and counts, which begin at 1.
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 1",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        expected if expected.starts_with("struct ") => "an object",
        expected if expected.starts_with("tuple struct ") || expected.starts_with("a string") => "a string",
        expected => expected,
    }
}

/// Translates serde's name for the value that the client sent. Leaves out the value itself: the client knows it, and it
/// may be long.
fn given_kind(given: &str) -> &'static str {
    match given.split([' ', '`']).next().unwrap_or_default() {
        "null" | "unit" => "null",
        "boolean" => "true or false",
        "integer" => "this number",
        "floating" => "a fraction",
        "string" => "a string",
        "sequence" => "a list",
        "map" => "an object",
        _ if given.ends_with("a number") => "a number",
        _ if given.ends_with("a string") => "a string",
        _ if given.ends_with("an array") => "a list",
        _ => "this value",
    }
}

/// Joins the names that serde lists as ``one of `a`, `b` ``, `` `a` or `b` `` or `` `a` ``.
fn joined_names(known: &str) -> String {
    let names: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::message_for;

    #[test]
    fn serde_errors_become_messages_for_clients() {
        for (serde_error, message) in [
            (
                "invalid type: string \"two, expected one\", expected u32",
                "must be a whole number from 1, not a string",
            ),
            (
                "invalid value: integer `-1`, expected u32",
                "must be a whole number from 1, not this number",
            ),
            (
                "invalid type: floating point `2.5`, expected u32",
                "must be a whole number from 1, not a fraction",
            ),
            ("invalid value: integer `5000000000`, expected u32", "is too large"),
            ("invalid type: floating point `1e300`, expected u32", "is too large"),
            ("invalid type: null, expected a string", "must be a string, not null"),
            (
                "invalid type: sequence, expected struct NewPage",
                "must be an object, not a list",
            ),
            (
                "unknown variant `diagonal`, expected one of `square`, `portrait`, `landscape`",
                "must be one of square, portrait, landscape",
            ),
            ("unknown variant `x`, expected `a` or `b`", "must be one of a, b"),
            (
                "unknown field `promt`, expected one of `title`, `prompt`",
                "is not known here; the fields are title, prompt",
            ),
            (
                "unknown field `x`, expected `page`",
                "is not known here; the fields are page",
            ),
            (
                "unknown field `x`, there are no fields",
                "is not known here; no fields are expected",
            ),
            ("must be 1 to 100", "must be 1 to 100"),
        ] {
            assert_eq!(message_for(serde_error), message, "{serde_error}");
        }
    }
}
