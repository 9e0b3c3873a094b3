//! The OpenAPI document, as clients get it.
use serde_json::Value;

use super::TestApp;

impl TestApp {
    pub(crate) async fn openapi_document(&self) -> Value {
        self.anonymous().get("/openapi.json").await.expect(200)
    }
}

/// Returns the method, path and description of every operation below the base address.
pub(crate) fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths
        .flat_map(|(path, item)| {
            let item = item.as_object().unwrap().iter();
            item.filter(|(_, operation)| operation.get("servers").is_none())
                .map(|(method, operation)| (method.as_str(), path.as_str(), operation))
        })
        .collect()
}
