//! Parity of characters and pages.
use serde_json::{Value, json};

use super::{Both, order, upload, with};
use crate::test_app::id;

#[tokio::test]
async fn changes_to_pages_and_characters_have_the_same_results() {
    let both = Both::start(50).await;
    let character = character(&both).await;
    let page = page(&both, &character).await;
    own_artwork(&both).await;
    both.read("/pages?limit=1", "list_pages", json!({"limit": 1})).await;
    let found = json!({"q": "fox", "status": "ready"});
    both.read("/pages?q=fox&status=ready", "list_pages", found).await;
    let request = format!("DELETE /pages/{page}");
    both.same(&request, Value::Null, "delete_page", json!({"page_id": page}))
        .await;
    both.read("/bin", "list_bin", json!({})).await;
    let request = format!("POST /bin/{page}/restore");
    both.same(&request, Value::Null, "restore_deleted", json!({"id": page}))
        .await;
}

/// Creates a character that is changed, drawn again, archived and restored.
async fn character(both: &Both) -> String {
    let wish = json!({"name": "Pip", "description": "A small hedgehog", "public_preview": true});
    let (body, arguments) = (json!({"character": wish}), order(&wish, "k1", 1));
    let made = both.same("POST /characters", body, "create_character", arguments).await;
    both.draw().await;
    let character = id(&made, "character");
    let (path, own) = (format!("/characters/{character}"), json!({"character_id": character}));
    both.same_file(&format!("{path}/reference_image"), "get_character_image", own.clone())
        .await;
    both.read(&path, "get_character", own.clone()).await;
    both.read("/characters", "list_characters", json!({})).await;
    let archived = json!({"q": "p", "archived": true});
    both.read("/characters?q=p&archived=true", "list_characters", archived)
        .await;
    let change = json!({"name": "Pippin"});
    let (body, arguments) = (json!({"character": change}), with(&own, change));
    both.same(&format!("PATCH {path}"), body, "update_character", arguments)
        .await;
    let wish = json!({"description": "A small hedgehog in a coat", "variants": 2});
    let (body, again) = (json!({"character": wish}), order(&with(&own, wish), "k2", 2));
    both.same(&format!("POST {path}/regenerate"), body, "regenerate_character", again)
        .await;
    both.draw().await;
    let request = format!("DELETE {path}");
    both.same(&request, Value::Null, "archive_character", own.clone()).await;
    let request = format!("POST {path}/restore");
    both.same(&request, Value::Null, "restore_character", own).await;
    character
}

/// Creates a page with the character that is changed and drawn again.
async fn page(both: &Both, character: &str) -> String {
    let wish = json!({"title": "A fox", "aspect": "square", "character_ids": [character]});
    let (body, arguments) = (json!({"page": wish}), order(&wish, "k3", 1));
    let made = both.same("POST /pages", body, "create_page", arguments).await;
    let page = id(&made, "page");
    let (path, own) = (format!("/pages/{page}"), json!({"page_id": page}));
    let change = json!({"alternative_text": "A fox sits in the snow"});
    let (early, arguments) = (json!({"page": change}), with(&own, change));
    both.refused(
        "validation_failed",
        &format!("PATCH {path}"),
        early,
        "update_page",
        arguments,
    )
    .await;
    both.draw().await;
    both.same_file(&format!("{path}/image"), "get_page_image", own.clone())
        .await;
    both.read(&path, "get_page", own.clone()).await;
    let change = json!({"caption": "In the snow", "alternative_text": "A fox sits in the snow"});
    let (body, arguments) = (json!({"page": change}), with(&own, change));
    both.same(&format!("PATCH {path}"), body, "update_page", arguments)
        .await;
    let prompt = json!({"prompt": "A fox in the snow", "variants": 2});
    let (body, again) = (json!({"page": prompt}), order(&with(&own, prompt), "k4", 2));
    both.same(&format!("POST {path}/regenerate"), body, "regenerate_page", again)
        .await;
    both.draw().await;
    let wish = json!({"instruction": "Remove the hat", "title": "A fox without a hat"});
    let (body, refined) = (json!({"page": wish}), order(&with(&own, wish), "k6", 1));
    both.same(&format!("POST {path}/refine"), body, "refine_page", refined)
        .await;
    both.draw().await;
    let listed = both
        .read(&format!("{path}/attempts"), "list_attempts", own.clone())
        .await;
    let mut attempts = listed["attempts"].as_array().unwrap().iter();
    let first = attempts.find(|attempt| attempt["prompt"] == "A fox").unwrap();
    assert_eq!(first["chosen"], false);
    let attempt = with(&own, json!({"attempt_id": first["id"]}));
    let path = format!("{path}/attempts/{}", first["id"].as_str().unwrap());
    both.same_file(&format!("{path}/image"), "get_attempt_image", attempt.clone())
        .await;
    both.same(&format!("POST {path}/choose"), Value::Null, "choose_attempt", attempt)
        .await;
    page
}

/// Creates a page of uploaded artwork, and replaces its artwork.
async fn own_artwork(both: &Both) {
    let import = with(&upload(both).await, json!({"title": "My own"}));
    let imported = both
        .same("POST /pages/import", import.clone(), "import_page", import)
        .await;
    let page = id(&imported, "page");
    let source = upload(both).await["upload_id"].clone();
    let wish = json!({"title": "Our dog", "source_upload_id": source});
    let (body, arguments) = (json!({"page": wish}), order(&wish, "k5", 1));
    both.same("POST /pages", body, "create_page", arguments).await;
    both.draw().await;
    character_from(both, &source).await;
    let picture = upload(both).await;
    let arguments = with(&picture, json!({"page_id": page}));
    let request = format!("PUT /pages/{page}/image");
    both.same(&request, picture, "replace_page_image", arguments).await;
}

/// Creates a character from an uploaded picture, and draws it again from the same picture.
async fn character_from(both: &Both, source: &Value) {
    let wish = json!({"name": "Biscuit", "source_upload_id": source});
    let (body, arguments) = (json!({"character": wish}), order(&wish, "k7", 1));
    let made = both.same("POST /characters", body, "create_character", arguments).await;
    both.draw().await;
    let character = id(&made, "character");
    let wish = json!({"source_upload_id": source});
    let own = with(&wish, json!({"character_id": character}));
    let request = format!("POST /characters/{character}/regenerate");
    let (body, again) = (json!({"character": wish}), order(&own, "k8", 1));
    both.same(&request, body, "regenerate_character", again).await;
    both.draw().await;
}
