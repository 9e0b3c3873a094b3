//! What is deleted or archived while something waits to be drawn, or is being drawn, for it.
mod books;
mod characters;
mod pages;

use futures::future::join;
use linepress::drawing;
use serde_json::{Value, json};

use crate::house::{Actor, House};

/// The operation of an accepted generation, as it is now.
async fn operation(actor: &Actor, accepted: &Value) -> Value {
    actor
        .look(accepted["operation"]["url"].as_str().unwrap(), "operation")
        .await
}

/// Fails unless the operation ended without anything drawn, and was paid back whole.
#[track_caller]
fn check_canceled(operation: &Value, credits: i64) {
    assert_eq!(operation["status"], "failed", "{operation}");
    assert_eq!(operation["credits"], json!({"charged": credits, "refunded": credits}));
    assert_eq!(operation["error"]["code"], "generation_canceled");
    assert_eq!(operation["items"][0]["error"]["code"], "generation_canceled");
    assert_ne!(operation["finished_at"], json!(null));
}

/// Whose provider draws for `milliseconds`.
async fn slow_house(milliseconds: u64) -> House {
    House::open_with(|config| {
        config.image_provider = "testbed.slow".into();
        config
            .plugins
            .insert("testbed.slow".into(), json!({"milliseconds": milliseconds}));
    })
    .await
}

/// Attempts the next drawing, and deletes `path` while the provider draws it.
async fn delete_while_it_is_drawn(house: &House, actor: &Actor, path: &str) {
    let claimed = drawing::claim(&house.app).await.unwrap().unwrap();
    let deletion = async {
        // Meanwhile the attempt looks at its target, and begins to draw.
        for _ in 0..20 {
            actor.get("/me").await;
        }
        actor.delete(path).await.expect_gone();
    };
    join(drawing::attempt(&house.app, &claimed), deletion).await;
}
