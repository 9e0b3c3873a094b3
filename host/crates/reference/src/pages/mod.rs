//! The pages, each a template with what it shows.
use askama::Template;
use serde_json::Value;

use crate::document::{Document, Operation, Tag, object, reference, text};
use crate::html::{Field, kind};
use crate::samples::{self, Sample};
use crate::site::{Site, TYPES};
use crate::text::{escaped, inline, paragraphs};

/// What every page shows around its contents.
struct Frame<'a> {
    site: &'a Site,
    sections: Vec<Link>,
    /// The part of the addresses in front of the names of pages: the index has another folder.
    folder: &'static str,
}

struct Link {
    name: String,
    slug: String,
}

#[derive(Template)]
#[template(path = "index.html")]
struct Index<'a> {
    frame: Frame<'a>,
    introduction: String,
    sections: Vec<Section>,
}

struct Section {
    name: String,
    slug: String,
    /// As HTML.
    description: String,
    operations: Vec<Listed>,
}

struct Listed {
    id: String,
    method: String,
    path: String,
    /// As HTML.
    summary: String,
}

#[derive(Template)]
#[template(path = "tag.html")]
struct TagPage<'a> {
    frame: Frame<'a>,
    name: &'a str,
    /// As HTML.
    description: String,
    operations: Vec<Shown>,
}

struct Shown {
    id: String,
    method: String,
    path: String,
    /// As HTML.
    description: String,
    parameters: Vec<Field>,
    bodies: Vec<Body>,
    responses: Vec<Reply>,
    errors: Vec<Refusal>,
    samples: [Sample; 4],
}

struct Body {
    media_type: String,
    /// As HTML.
    kind: String,
    fields: Vec<Field>,
}

struct Reply {
    status: String,
    description: String,
    /// As HTML.
    kind: String,
    example: Option<String>,
}

struct Refusal {
    status: String,
    codes: Vec<String>,
}

#[derive(Template)]
#[template(path = "types.html")]
struct Types<'a> {
    frame: Frame<'a>,
    types: Vec<Described>,
}

struct Described {
    name: String,
    /// As HTML.
    description: String,
    /// As HTML; empty for an object.
    kind: String,
    fields: Vec<Field>,
}

pub(crate) fn index(document: &Document<'_>, site: &Site) -> Result<String, askama::Error> {
    let sections = document.tags().map(|tag| Section {
        name: tag.name.to_owned(),
        slug: tag.slug(),
        description: inline(tag.description),
        operations: document.operations_of(&tag).iter().map(listed).collect(),
    });
    let page = Index {
        frame: frame(document, site, "docs/"),
        introduction: paragraphs(document.description()),
        sections: sections.collect(),
    };
    page.render()
}

fn listed(operation: &Operation<'_>) -> Listed {
    Listed {
        id: operation.id().to_owned(),
        method: operation.method.to_uppercase(),
        path: operation.path.to_owned(),
        summary: inline(&operation.summary()),
    }
}

pub(crate) fn tag(document: &Document<'_>, tag: &Tag<'_>, site: &Site) -> Result<String, askama::Error> {
    let operations = document.operations_of(tag);
    let page = TagPage {
        frame: frame(document, site, ""),
        name: tag.name,
        description: inline(tag.description),
        operations: operations.iter().map(|operation| shown(document, operation)).collect(),
    };
    page.render()
}

fn shown(document: &Document<'_>, operation: &Operation<'_>) -> Shown {
    let (good, bad): (Vec<_>, Vec<_>) = operation.responses().partition(|(status, _)| status.starts_with('2'));
    Shown {
        id: operation.id().to_owned(),
        method: operation.method.to_uppercase(),
        path: operation.path.to_owned(),
        description: paragraphs(&operation.description()),
        parameters: operation.parameters().iter().map(Field::of_parameter).collect(),
        bodies: operation
            .bodies()
            .iter()
            .map(|(media_type, body)| self::body(document, media_type, body))
            .collect(),
        responses: good
            .into_iter()
            .map(|(status, response)| reply(status, response))
            .collect(),
        errors: bad
            .into_iter()
            .map(|(status, response)| refusal(status, response))
            .collect(),
        samples: samples::of(document, operation),
    }
}

/// A body with its fields. Most bodies have one field with the resource, whose fields are shown instead.
fn body(document: &Document<'_>, media_type: &str, body: &Value) -> Body {
    let mut schema = &body["schema"];
    if let Some(variants) = schema["oneOf"].as_array() {
        let named = variants.iter().find(|variant| reference(variant).is_some());
        schema = named.unwrap_or(schema);
    }
    let described = reference(schema).map_or(schema, |name| document.schema(name));
    Body {
        media_type: media_type.to_owned(),
        kind: kind(schema),
        fields: Field::all_of(document, described),
    }
}

fn reply(status: &str, response: &Value) -> Reply {
    let content = object(&response["content"]);
    let json = content.get("application/json");
    let kinds = content.iter().map(|(media_type, body)| match media_type.as_str() {
        "application/json" => kind(&body["schema"]),
        file => format!("<code>{}</code>", escaped(file)),
    });
    Reply {
        status: status.to_owned(),
        description: text(response, "description").to_owned(),
        kind: kinds.collect::<Vec<_>>().join(" or "),
        example: json
            .and_then(|body| body.get("example"))
            .map(|example| format!("{example:#}")),
    }
}

fn refusal(status: &str, response: &Value) -> Refusal {
    let examples = object(&response["content"]["application/json"]["examples"]);
    Refusal {
        status: status.to_owned(),
        codes: examples.keys().cloned().collect(),
    }
}

pub(crate) fn types(document: &Document<'_>, site: &Site) -> Result<String, askama::Error> {
    let described = document.schemas().iter().map(|(name, schema)| {
        let is_object = schema["properties"].is_object();
        Described {
            name: name.clone(),
            description: paragraphs(text(schema, "description")),
            kind: if is_object {
                String::new()
            } else {
                kind(schema) + &bounds(schema)
            },
            fields: Field::all_of(document, schema),
        }
    });
    let page = Types {
        frame: frame(document, site, ""),
        types: described.collect(),
    };
    page.render()
}

/// The bounds of a text, a number or a list.
fn bounds(schema: &Value) -> String {
    const BOUNDS: [(&str, &str); 6] = [
        ("minLength", "at least {} characters"),
        ("maxLength", "at most {} characters"),
        ("minimum", "at least {}"),
        ("maximum", "at most {}"),
        ("minItems", "at least {} items"),
        ("maxItems", "at most {} items"),
    ];
    let stated = BOUNDS.iter().filter_map(|(keyword, words)| {
        let bound = schema.get(keyword).filter(|bound| bound.is_number())?;
        Some(format!(", {}", words.replace("{}", &bound.to_string())))
    });
    stated.collect()
}

fn frame<'a>(document: &Document<'_>, site: &'a Site, folder: &'static str) -> Frame<'a> {
    let tags = document.tags().map(|tag| Link {
        name: tag.name.to_owned(),
        slug: tag.slug(),
    });
    let types = Link {
        name: "Types".to_owned(),
        slug: TYPES.to_owned(),
    };
    Frame {
        site,
        sections: tags.chain([types]).collect(),
        folder,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Reference;

    fn site() -> Site {
        Site {
            name: "Linepress".into(),
            styles: vec!["/style.css".into()],
            script: "/reference.js".into(),
            icon: "/icon.svg".into(),
            url: "https://books.example.com".into(),
            guides: vec![("make-a-book.md", "Make a book")],
        }
    }

    fn document() -> Value {
        serde_json::from_str(include_str!("../../../../../docs/openapi.json")).unwrap()
    }

    /// The values of an attribute in a page.
    fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
        let parts = page.split(&format!(" {name}=\"")).skip(1).collect::<Vec<_>>();
        parts.into_iter().filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn every_operation_has_its_place_and_an_example_in_each_language() {
        let document = document();
        let reference = Reference::of(&document, &site()).unwrap();
        for operation in Document::new(&document).operations() {
            let slug = operation.tag().to_lowercase().replace(' ', "-");
            let id = operation.id();
            assert!(reference.index().contains(&format!("docs/{slug}#{id}\"")), "{id}");
            let page = reference.page(&slug).unwrap();
            for language in ["sh", "py", "ts", "rs"] {
                let sample = format!("data-operation=\"{id}\" data-language=\"{language}\"");
                assert_eq!(page.matches(&sample).count(), 1, "{id} {language}");
            }
        }
    }

    #[test]
    fn every_link_leads_to_a_place_that_exists() {
        let reference = Reference::of(&document(), &site()).unwrap();
        let places = |page: &str| {
            attributes(page, "id")
                .into_iter()
                .map(str::to_owned)
                .collect::<BTreeSet<_>>()
        };
        for name in reference.names() {
            let page = reference.page(name).unwrap();
            let ids = attributes(page, "id");
            assert_eq!(ids.len(), places(page).len(), "{name} has an id twice");
            for link in attributes(page, "href").iter().filter(|link| link.contains('#')) {
                let (target, id) = link.split_once('#').unwrap();
                let target = if target.is_empty() {
                    page
                } else {
                    reference.page(target).unwrap()
                };
                assert!(places(target).contains(id), "{name}: {link}");
            }
        }
    }

    #[test]
    fn the_overview_for_models_names_every_operation_of_customers() {
        let reference = Reference::of(&document(), &site()).unwrap();
        let llms = reference.llms();
        assert!(llms.starts_with("# Linepress\n\n> "), "{llms}");
        assert!(llms.contains("(https://books.example.com/api/v1/docs/make-a-book.md)"));
        assert!(llms.contains("- `POST /books`: Creates a book"), "{llms}");
        assert!(!llms.contains("/admin/"));
    }
}
