//! `server.json`, the entry of a server in the MCP registry, which an operator completes with the server's own address.
//! Its rules are those of <https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json>.
use std::path::Path;

use serde_json::Value;
use url::Url;

/// The fields that are used of those in the schema.
const FIELDS: [&str; 7] = [
    "$schema",
    "name",
    "title",
    "description",
    "version",
    "websiteUrl",
    "remotes",
];

#[test]
fn the_entry_for_the_registry_follows_its_schema_and_names_this_version() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server.json");
    let entry: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for field in entry.as_object().unwrap().keys() {
        assert!(FIELDS.contains(&field.as_str()), "{field}");
    }
    assert_eq!(
        entry["$schema"],
        "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
    );
    let text = |field: &str| entry[field].as_str().unwrap().to_owned();
    assert_eq!(text("version"), env!("CARGO_PKG_VERSION"));
    for field in ["title", "description"] {
        assert!((1..=100).contains(&text(field).chars().count()), "{field}");
    }
    // A namespace in reversed DNS form, one slash, and a name.
    let name = text("name");
    let (namespace, own) = name.split_once('/').unwrap();
    let is_of = |text: &str, more: &str| {
        let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || more.contains(letter);
        !text.is_empty() && text.chars().all(is_allowed)
    };
    assert!(is_of(namespace, ".-") && is_of(own, "._-"), "{name}");
    let [remote] = &entry["remotes"].as_array().unwrap()[..] else {
        panic!("{entry}");
    };
    assert_eq!(remote["type"], "streamable-http");
    let address = Url::parse(remote["url"].as_str().unwrap()).unwrap();
    assert_eq!((address.scheme(), address.path()), ("https", "/mcp"));
    assert_eq!(Url::parse(&text("websiteUrl")).unwrap().host_str(), address.host_str());
    // The registry grants the owner of a domain the names that begin with it.
    let host = address.host_str().unwrap();
    let reversed: Vec<&str> = host.split('.').rev().collect();
    assert_eq!(namespace, reversed.join("."));
}

#[test]
fn the_instructions_for_the_registry_name_what_must_be_replaced() {
    let page = include_str!("../../../docs/agents.md");
    let entry = include_str!("../../../server.json");
    for placeholder in ["books.example.com", "com.example.books"] {
        assert!(
            entry.contains(placeholder) && page.contains(placeholder),
            "{placeholder}"
        );
    }
}
