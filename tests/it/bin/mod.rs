//! The bin: nothing in it is found or lost, it ends by age, by lack of room and with its account, and whatever happens
//! at once leaves whole books and pages.
mod drawings;
mod items;

use serde_json::Value;

use crate::test_app::Actor;

async fn deleted(ada: &Actor) -> Vec<String> {
    let listed = ada.get("/bin").await.expect(200);
    let items = listed["deleted_items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .collect()
}

async fn delete(ada: &Actor, kind: &str, id: &str) {
    ada.delete(&format!("/{kind}s/{id}")).await.expect_no_content();
}

async fn restore(ada: &Actor, id: &str) -> Value {
    ada.post_nothing(&format!("/bin/{id}/restore")).await.expect(200)
}
