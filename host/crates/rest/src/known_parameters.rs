//! Rejection of unknown and repeated query parameters, by name, like unknown fields of a body. The parameters of each
//! operation come from its description in the OpenAPI document.
use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use url::form_urlencoded;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{OpenApi, PathItem, RefOr};

use linepress_http::Failure;

/// The query parameters of each operation, by method and path.
pub(super) type KnownParameters = Arc<HashMap<(Method, String), Vec<String>>>;

/// Collects the parameters of all operations. Their paths in requests begin with `base`.
pub(super) fn from_document(api: &OpenApi, base: &str) -> KnownParameters {
    let operations = api.paths.paths.iter().flat_map(|(path, item)| {
        let operations = methods(item).into_iter();
        operations.filter_map(move |(method, operation)| Some((method, format!("{base}{path}"), operation.as_ref()?)))
    });
    let known = operations.map(|(method, path, operation)| ((method, path), query_parameters_of(operation)));
    Arc::new(known.collect())
}

fn methods(item: &PathItem) -> [(Method, &Option<Operation>); 5] {
    [
        (Method::GET, &item.get),
        (Method::POST, &item.post),
        (Method::PUT, &item.put),
        (Method::PATCH, &item.patch),
        (Method::DELETE, &item.delete),
    ]
}

fn query_parameters_of(operation: &Operation) -> Vec<String> {
    let parameters = operation.parameters.iter().flatten();
    let query = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) if matches!(parameter.parameter_in, ParameterIn::Query) => Some(parameter.name.clone()),
        _ => None,
    });
    query.collect()
}

/// Fails for a request with an unknown or a repeated parameter.
pub(super) fn check(known: &KnownParameters, request: &Request) -> Result<(), Failure> {
    match request.uri().query() {
        None => Ok(()),
        Some(query) => known_to(known, request).map_or(Ok(()), |known| check_query(query, known)),
    }
}

/// The parameters of the called operation; `None` if no operation matches.
fn known_to<'a>(known: &'a KnownParameters, request: &Request) -> Option<&'a Vec<String>> {
    let path = request.extensions().get::<MatchedPath>()?;
    let method = match *request.method() {
        Method::HEAD => Method::GET,
        ref method => method.clone(),
    };
    known.get(&(method, path.as_str().to_owned()))
}

fn check_query(query: &str, known: &[String]) -> Result<(), Failure> {
    let mut seen: Vec<&String> = Vec::new();
    for (name, _) in form_urlencoded::parse(query.as_bytes()) {
        let Some(name) = known.iter().find(|known| **known == name) else {
            let name: String = name.chars().take(50).collect();
            let takes = if known.is_empty() {
                "none".into()
            } else {
                known.join(", ")
            };
            let message = format!("The parameter {name:?} is unknown. This operation takes {takes}.");
            return Err(Failure::invalid_request(message));
        };
        if seen.contains(&name) {
            let message = format!("The parameter {name} must not be repeated.");
            return Err(match name.as_str() {
                "limit" | "after" => Failure::invalid_pagination(message),
                _ => Failure::invalid_request(message),
            });
        }
        seen.push(name);
    }
    Ok(())
}
