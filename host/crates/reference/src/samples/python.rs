use serde_json::Value;

use super::{file_name, indented};
use crate::document::{Document, Operation, items, object, reference};

pub(super) fn sample(document: &Document<'_>, operation: &Operation<'_>) -> String {
    if let Some(call) = by_hand(operation) {
        return format!("from linepress import Linepress\n\nwith Linepress() as linepress:\n    {call}\n");
    }
    let id = operation.id();
    let mut imports = vec!["from linepress import Linepress".to_owned()];
    imports.push(format!(
        "from linepress.rest.api.{} import {id}",
        module(operation.tag())
    ));
    let mut arguments: Vec<_> = operation
        .path_values()
        .into_iter()
        .map(|(_, value)| format!("\"{value}\""))
        .collect();
    arguments.push("client=linepress.rest".to_owned());
    let mut lines = String::new();
    if let Some(example) = operation.json_example() {
        let name = body_type(document, operation, example);
        imports.push(format!("from linepress.rest.models import {name}"));
        lines = format!("    body = {name}.from_dict({})\n", indented(&literal(example, 0), 4));
        arguments.push("body=body".to_owned());
    }
    let call = format!("{id}.sync({})", arguments.join(", "));
    lines += &match (operation.reply_type(), file_name(operation)) {
        (_, Some(name)) => {
            imports.insert(0, "from pathlib import Path\n".to_owned());
            format!("    file = {call}\n    Path(\"{name}\").write_bytes(file.payload.read())\n")
        }
        (None, _) => format!("    {call}\n"),
        _ => format!("    print({call})\n"),
    };
    format!("{}\n\nwith Linepress() as linepress:\n{lines}", imports.join("\n"))
}

/// The call of the layer above the generated client, where it is simpler.
fn by_hand(operation: &Operation<'_>) -> Option<String> {
    let id = operation.path_values().first().map_or("", |(_, value)| *value);
    Some(match operation.id() {
        "import_page" => r#"print(linepress.import_page("picture.png", "A fox in the woods"))"#.to_owned(),
        "replace_page_image" => format!(r#"print(linepress.replace_page_image("{id}", "picture.png"))"#),
        "replace_book_cover_image" => format!(r#"print(linepress.replace_cover_image("{id}", "picture.png"))"#),
        "send_artwork" => r#"print(linepress.upload("picture.png"))"#.to_owned(),
        "get_book_pdf" => format!(r#"linepress.download_pdf("{id}", "book.pdf")"#),
        "get_book_package" => format!(r#"linepress.download_package("{id}", "package.zip")"#),
        "follow_operation" => {
            format!(r#"linepress.wait("{id}", progress=lambda operation: print(operation.progress))"#)
        }
        _ => return None,
    })
}

/// The module of a group of operations, as the generator names it.
fn module(tag: &str) -> String {
    match tag {
        // The name of a function of Python.
        "Print" | "Bin" => format!("{}_", tag.to_lowercase()),
        _ => tag.to_lowercase().replace(' ', "_"),
    }
}

/// The name of the type of a body: that of its schema, or of the variant that the example is of.
fn body_type<'a>(document: &Document<'a>, operation: &Operation<'a>, example: &Value) -> &'a str {
    let schema = &operation.bodies()["application/json"]["schema"];
    variant(document, schema, example).unwrap_or_default()
}

fn variant<'a>(document: &Document<'a>, schema: &'a Value, example: &Value) -> Option<&'a str> {
    let Some(name) = reference(schema) else {
        let variants = items(&schema["oneOf"]).iter();
        return variants.filter_map(|schema| variant(document, schema, example)).next();
    };
    let described = document.schema(name);
    if described["oneOf"].is_array() {
        return variant(document, described, example);
    }
    let fields = object(&described["properties"]);
    let is_known = object(example).keys().all(|field| fields.contains_key(field));
    is_known.then_some(name)
}

/// A value in the syntax of Python.
fn literal(value: &Value, depth: usize) -> String {
    let (inner, outer) = ("    ".repeat(depth + 1), "    ".repeat(depth));
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(values) if values.iter().all(|value| !value.is_object()) => {
            let values: Vec<_> = values.iter().map(|value| literal(value, depth)).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Array(values) => {
            let lines = values
                .iter()
                .map(|value| format!("{inner}{},\n", literal(value, depth + 1)));
            format!("[\n{}{outer}]", lines.collect::<String>())
        }
        Value::Object(fields) => {
            let line = |(name, value)| format!("{inner}\"{name}\": {},\n", literal(value, depth + 1));
            format!("{{\n{}{outer}}}", fields.iter().map(line).collect::<String>())
        }
        Value::Number(_) | Value::String(_) => value.to_string(),
    }
}
