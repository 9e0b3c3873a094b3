use super::{file_name, indented, takes_bytes};
use crate::document::Operation;

/// The maximum width of a line. Source: the default of rustfmt, by which `cargo xtask clients` checks the samples.
const MAX_WIDTH: usize = 100;

/// The statement that puts the address of the operation together.
fn address(path: &str) -> String {
    let value = format!("format!(\"{{server}}{path}\");");
    [
        format!("    let url = {value}"),
        format!("    let url =\n        {value}"),
    ]
    .into_iter()
    .find(|statement| statement.lines().all(|line| line.len() <= MAX_WIDTH))
    .unwrap_or_else(|| format!("    let url = format!(\n        \"{{server}}{path}\"\n    );"))
}

/// A program with the crates ureq (with its feature `json`) and serde_json.
pub(super) fn sample(operation: &Operation<'_>) -> String {
    let path = operation.filled_path();
    let mut lines = Vec::new();
    if !operation.is_open() {
        lines.push(r#"    let key = std::env::var("LINEPRESS_KEY")?;"#.to_owned());
    }
    let reply = operation.reply_type();
    let start = if reply.is_some() { "let mut response = " } else { "" };
    lines.push(address(&path));
    lines.push(format!("    {start}ureq::{}(&url)", operation.method));
    if !operation.is_open() {
        lines.push(r#"        .header("Authorization", format!("Bearer {key}"))"#.to_owned());
    }
    if operation.needs_key() {
        lines.push(r#"        .header("Idempotency-Key", "a-new-value-for-each-order")"#.to_owned());
    }
    let send = match operation.json_example() {
        Some(body) => {
            let body = indented(&format!("{body:#}"), 8);
            format!("        .send_json(serde_json::json!({body}))?;")
        }
        None if takes_bytes(operation) => r#"        .send(std::fs::File::open("picture.png")?)?;"#.to_owned(),
        None if matches!(operation.method, "get" | "delete") => "        .call()?;".to_owned(),
        None => "        .send_empty()?;".to_owned(),
    };
    if operation.is_open() {
        // A short chain remains on one line.
        let request = lines.pop().unwrap_or_default();
        lines.push(format!("{request}{}", send.trim_start()));
    } else {
        lines.push(send);
    }
    lines.extend(match (reply, file_name(operation)) {
        (_, Some(name)) => Some(format!(
            "    let mut file = std::fs::File::create(\"{name}\")?;\n    std::io::copy(&mut response.body_mut().as_reader(), &mut file)?;"
        )),
        (None, _) => None,
        (Some("text/event-stream"), _) => {
            Some("    std::io::copy(&mut response.body_mut().as_reader(), &mut std::io::stdout())?;".to_owned())
        }
        _ => Some(
            "    let reply: serde_json::Value = response.body_mut().read_json()?;\n    println!(\"{reply:#}\");".to_owned(),
        ),
    });
    format!(
        "fn main() -> Result<(), Box<dyn std::error::Error>> {{\n    let server = std::env::var(\"LINEPRESS_URL\")?;\n{}\n    \
         Ok(())\n}}\n",
        lines.join("\n")
    )
}
