use super::{file_name, takes_bytes, takes_form};
use crate::document::Operation;

pub(super) fn sample(operation: &Operation<'_>) -> String {
    let mut lines = vec![format!(
        "curl -sS --fail-with-body \"$LINEPRESS_URL{}\"",
        operation.filled_path()
    )];
    if !operation.is_open() {
        lines.push(r#"-H "Authorization: Bearer $LINEPRESS_KEY""#.to_owned());
    }
    if operation.needs_key() {
        // Minimal images of Debian lack `uuidgen`, and `sh` may lack `$RANDOM`.
        lines.push(r#"-H "Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')""#.to_owned());
    }
    let body = operation.json_example();
    let usual = match (operation.method, body) {
        ("get", _) | ("put", None) => true,
        ("post", body) => body.is_some() || takes_form(operation),
        _ => false,
    };
    if !usual {
        lines.insert(1, format!("-X {}", operation.method.to_uppercase()));
    }
    if takes_form(operation) {
        lines.push("-F image=@picture.png".to_owned());
        if operation.method == "post" {
            lines.push(r#"-F title="A fox in the woods""#.to_owned());
        }
    } else if takes_bytes(operation) {
        lines.push("-T picture.png".to_owned());
    } else if let Some(body) = body {
        // The quotes of the shell end at an apostrophe.
        let body = format!("{body:#}").replace('\'', r"'\''");
        lines.push(format!("--json '{body}'"));
    }
    match operation.reply_type() {
        Some("text/event-stream") => lines.push("--no-buffer".to_owned()),
        _ => lines.extend(file_name(operation).map(|name| format!("-o {name}"))),
    }
    lines.join(" \\\n  ")
}
