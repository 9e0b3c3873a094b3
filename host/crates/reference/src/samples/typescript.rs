use serde_json::Value;

use super::{file_name, indented};
use crate::document::Operation;

pub(super) fn sample(operation: &Operation<'_>) -> String {
    let start = "import { Linepress } from \"linepress-client\";\n\nconst linepress = new Linepress();\n";
    if let Some(call) = by_hand(operation) {
        return format!("{start}{call}\n");
    }
    let mut options = Vec::new();
    let path = operation.path_values();
    if !path.is_empty() {
        let values: Vec<_> = path
            .iter()
            .map(|(name, value)| format!("{name}: \"{value}\""))
            .collect();
        options.push(format!("params: {{ path: {{ {} }} }},", values.join(", ")));
    }
    if let Some(example) = operation.json_example() {
        options.push(format!("body: {},", indented(&literal(example, 0), 2)));
    }
    let file = file_name(operation);
    if file.is_some() {
        options.push("parseAs: \"blob\",".to_owned());
    }
    let options = match &options[..] {
        [] => String::new(),
        options => format!(", {{\n  {}\n}}", options.join("\n  ")),
    };
    let call = format!(
        "await linepress.rest.{}(\"{}\"{options})",
        operation.method, operation.path
    );
    match (operation.reply_type(), file) {
        (_, Some(name)) => format!(
            "import {{ writeFile }} from \"node:fs/promises\";\n\n{start}const file = {call};\nawait writeFile(\"{name}\", \
             new Uint8Array(await file.arrayBuffer()));\n"
        ),
        (None, _) => format!("{start}{call};\n"),
        _ => format!("{start}const reply = {call};\nconsole.log(reply);\n"),
    }
}

/// The call of the layer above the generated types, where it is simpler.
fn by_hand(operation: &Operation<'_>) -> Option<String> {
    let id = operation.path_values().first().map_or("", |(_, value)| *value);
    Some(match operation.id() {
        "import_page" => r#"const page = await linepress.importPage("picture.png", { title: "A fox in the woods" });
console.log(page);"#
            .to_owned(),
        "replace_page_image" => format!(r#"console.log(await linepress.replacePageImage("{id}", "picture.png"));"#),
        "replace_book_cover_image" => {
            format!(r#"console.log(await linepress.replaceCoverImage("{id}", "picture.png"));"#)
        }
        "send_artwork" => r#"console.log(await linepress.upload("picture.png"));"#.to_owned(),
        "get_book_pdf" => format!(r#"await linepress.downloadPdf("{id}", "book.pdf");"#),
        "get_book_package" => format!(r#"await linepress.downloadPackage("{id}", "package.zip");"#),
        "follow_operation" => {
            format!(r#"await linepress.wait("{id}", {{ onProgress: ({{ progress }}) => console.log(progress) }});"#)
        }
        _ => return None,
    })
}

/// A value in the syntax of TypeScript. The names of all fields are words.
fn literal(value: &Value, depth: usize) -> String {
    let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    match value {
        Value::Array(values) if values.iter().any(Value::is_object) => {
            let lines = values
                .iter()
                .map(|value| format!("{inner}{},\n", literal(value, depth + 1)));
            format!("[\n{}{outer}]", lines.collect::<String>())
        }
        Value::Object(fields) => {
            let line = |(name, value)| format!("{inner}{name}: {},\n", literal(value, depth + 1));
            format!("{{\n{}{outer}}}", fields.iter().map(line).collect::<String>())
        }
        _ => value.to_string(),
    }
}
