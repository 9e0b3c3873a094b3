//! The wording of problems that the parsers of settings report. It never contains the value of a setting that may hold
//! a secret.
use serde_path_to_error::{Path, Segment};

/// The settings whose values may contain secrets, and the form that each must have.
const SECRET_SETTINGS: [(&str, &str); 4] = [
    (
        "credentials",
        "must name the source of the secret and not contain the secret itself: write `{ env = \"NAME\" }` or `{ file = \"PATH\" }`, \
         such as api_key = { env = \"ACME_KEY\" } in the table [credentials.\"acme.flux\"]",
    ),
    ("database_url", "must be a text in quotes"),
    (
        "oci_registries",
        "must contain one table per registry, such as [oci_registries.\"ghcr.io\"], with `username`, `password`, `private` and \
         `plain_http`. The password is its source and not the secret itself: write `{ env = \"NAME\" }` or `{ file = \"PATH\" }`",
    ),
    (
        "plugins",
        "must contain one table per plugin, such as [plugins.\"acme.flux\"]",
    ),
];

/// The name of the setting at a path, such as `limits.pages`.
pub(super) fn setting_at(path: &Path) -> String {
    let names = path.iter().filter_map(|segment| match segment {
        Segment::Map { key } => Some(key.as_str()),
        // A position in a list, or what was written in the place of a word.
        Segment::Seq { .. } | Segment::Enum { .. } | Segment::Unknown => None,
    });
    names.collect::<Vec<_>>().join(".")
}

/// The problem of a setting for the operator, from the message of a parser.
pub(super) fn problem_of(setting: &str, message: &str) -> String {
    let table = setting.split('.').next().unwrap_or_default();
    if let Some((_, form)) = SECRET_SETTINGS.iter().find(|(name, _)| *name == table) {
        return (*form).to_owned();
    }
    let is_of_type = message.starts_with("invalid type: ") || message.starts_with("invalid value: ");
    match message.rsplit_once(", expected ") {
        // Without the value: a secret may have been written into the wrong setting.
        Some((_, expected)) if is_of_type => format!("must be {}", form_of(expected)),
        _ => message.to_owned(),
    }
}

/// The expected form in the words of an operator, from those of serde and of the crate `config`.
fn form_of(expected: &str) -> &str {
    match expected {
        "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i64" | "an integer" => "a whole number",
        "a boolean" => "true or false",
        "a string" | "path string" => "a text in quotes",
        "a sequence" | "an array" => "a list, such as [\"a\", \"b\"]",
        "a map" => "a table",
        number if number.starts_with("an unsigned") => "a whole number, 0 or more",
        number if number.starts_with("an signed") => "a whole number",
        table if table.starts_with("struct ") => "a table",
        other => other,
    }
}

/// True for a line such as `listen = 127.0.0.1`, whose text lacks its quotes.
pub(super) fn lacks_quotes(line: &str) -> bool {
    let value = line.split_once('=').map_or("", |(_, value)| value.trim_start());
    value.starts_with(|first: char| first.is_alphanumeric() || "./~-_".contains(first))
}
