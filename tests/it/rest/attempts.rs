//! `/pages/{id}/attempts`, `/books/{id}/cover/attempts` and `/characters/{id}/attempts`.
use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, TestApp, pictures};

/// Draws what has this address again, after a minute.
async fn redraw(app: &TestApp, ada: &Actor, path: &str, body: &Value) {
    app.server.clock.advance(std::time::Duration::from_secs(60));
    app.accepted(ada, &format!("{path}/regenerate"), body).await;
    app.draw_what_is_due().await;
}

/// Returns the attempts of what has this address.
async fn attempts(ada: &Actor, path: &str) -> Vec<Value> {
    let listed = ada.get(&format!("{path}/attempts")).await;
    listed.expect_free();
    listed.expect(200)["attempts"].as_array().unwrap().clone()
}

fn address(path: &str, attempt: &Value) -> String {
    format!("{path}/attempts/{}", attempt["id"].as_str().unwrap())
}

#[tokio::test]
async fn an_earlier_picture_of_a_page_is_listed_and_chosen_again_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let path = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    let before = ada.look(&path, "page").await;
    let drawn = ada.get(&format!("{path}/image")).await.body;
    let prompt = json!({"page": {"prompt": "A fox in the snow", "title": "Snow"}});
    redraw(&app, &ada, &path, &prompt).await;
    app.server.clock.advance(std::time::Duration::from_secs(60));
    let form = Form::image(&pictures::png(576, 768));
    ada.send_form("PUT", &format!("{path}/image"), form).await.expect(200);

    let listed = attempts(&ada, &path).await;
    let seen: Vec<_> = listed
        .iter()
        .map(|attempt| (&attempt["origin"], &attempt["prompt"], &attempt["chosen"]))
        .collect();
    assert_eq!(
        seen,
        [
            (&json!("imported"), &json!("A fox in the snow"), &json!(true)),
            (&json!("generated"), &json!("A fox in the snow"), &json!(false)),
            (&json!("generated"), &json!("A fox"), &json!(false)),
        ]
    );
    let first = address(&path, &listed[2]);
    let url = listed[2]["image"]["url"].as_str().unwrap();
    assert!(url.ends_with(&format!("/api/v1{first}/image")), "{url}");
    assert_eq!(listed[2]["image"]["quality"], before["image"]["quality"]);
    assert_eq!(ada.get(&format!("{first}/image")).await.body, drawn);

    let reply = ada.post_nothing(&format!("{first}/choose")).await;
    reply.expect_free();
    let page = reply.expect(200)["page"].clone();
    assert_eq!(page, ada.look(&path, "page").await);
    let shown = (
        &page["origin"],
        &page["prompt"],
        &page["title"],
        &page["image"]["revision"],
    );
    assert_eq!(shown, (&json!("generated"), &json!("A fox"), &json!("Snow"), &json!(4)));
    assert_eq!(ada.get(&format!("{path}/image")).await.body, drawn);
    assert_eq!(attempts(&ada, &path).await[2]["chosen"], json!(true));
    app.check_books().await;
}

#[tokio::test]
async fn choosing_the_chosen_attempt_changes_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let path = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    let before = ada.look(&path, "page").await;
    app.server.clock.advance(std::time::Duration::from_secs(60));
    let chosen = address(&path, &attempts(&ada, &path).await[0]);
    let reply = ada.post_nothing(&format!("{chosen}/choose")).await.expect(200);
    assert_eq!(reply["page"], before);
    assert_eq!(ada.look(&path, "page").await, before);
}

#[tokio::test]
async fn a_prompt_that_was_edited_since_remains() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let path = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    redraw(&app, &ada, &path, &json!({"page": {"prompt": "A hare"}})).await;
    ada.patch(&path, &json!({"page": {"prompt": "A heron"}}))
        .await
        .expect(200);
    let first = address(&path, &attempts(&ada, &path).await[1]);
    let reply = ada.post_nothing(&format!("{first}/choose")).await.expect(200);
    assert_eq!(reply["page"]["prompt"], "A heron");
}

#[tokio::test]
async fn nothing_is_chosen_while_another_picture_is_drawn_and_a_failed_redraw_changes_nothing() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(4).await;
    let path = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    redraw(&app, &ada, &path, &json!({"page": {"prompt": "A hare"}})).await;
    let before = (
        ada.look(&path, "page").await["image"].clone(),
        attempts(&ada, &path).await,
    );
    let first = address(&path, &before.1[1]);
    app.accepted(
        &ada,
        &format!("{path}/regenerate"),
        &json!({"page": {"prompt": "refused"}}),
    )
    .await;
    ada.post_nothing(&format!("{first}/choose"))
        .await
        .expect_error(409, "generation_active");
    app.draw_everything().await;
    let after = (
        ada.look(&path, "page").await["image"].clone(),
        attempts(&ada, &path).await,
    );
    assert_eq!(after, before);
    ada.post_nothing(&format!("{first}/choose")).await.expect(200);
    app.check_books().await;
}

#[tokio::test]
async fn an_earlier_cover_is_chosen_again_and_printed() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/cover");
    let image = format!("/books/{book}/cover_image");
    let (drawn, printed) = (
        ada.get(&image).await.body,
        ada.get(&format!("/books/{book}/pdf")).await.body,
    );
    redraw(&app, &ada, &path, &json!({"cover": {"prompt": "An old oak"}})).await;
    assert_ne!(ada.get(&image).await.body, drawn);
    assert_ne!(ada.get(&format!("/books/{book}/pdf")).await.body, printed);
    let listed = attempts(&ada, &path).await;
    assert_eq!((listed.len(), &listed[0]["prompt"]), (2, &json!("An old oak")));
    let first = address(&path, &listed[1]);
    assert_eq!(ada.get(&format!("{first}/image")).await.body, drawn);
    let reply = ada.post_nothing(&format!("{first}/choose")).await.expect(200);
    assert_eq!(reply["book"]["cover"]["prompt"], listed[1]["prompt"]);
    assert_eq!(reply["book"]["cover"]["image"]["revision"], 3);
    assert_eq!(ada.get(&image).await.body, drawn);
    assert_eq!(ada.get(&format!("/books/{book}/pdf")).await.body, printed);
    app.check_attempts().await;
}

#[tokio::test]
async fn a_character_gets_an_earlier_look_back() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let body = json!({"character": {"name": "Pip", "description": "A small hedgehog"}});
    let accepted = app.accepted(&ada, "/characters", &body).await;
    app.draw_what_is_due().await;
    let path = format!("/characters/{}", accepted.character_id());
    let drawn = ada.get(&format!("{path}/reference_image")).await.body;
    redraw(
        &app,
        &ada,
        &path,
        &json!({"character": {"description": "A tall heron"}}),
    )
    .await;
    assert_ne!(ada.get(&format!("{path}/reference_image")).await.body, drawn);
    let listed = attempts(&ada, &path).await;
    let prompts: Vec<_> = listed.iter().map(|attempt| &attempt["prompt"]).collect();
    assert_eq!(prompts, ["A tall heron", "A small hedgehog"]);
    let first = address(&path, &listed[1]);
    let reply = ada.post_nothing(&format!("{first}/choose")).await.expect(200);
    assert_eq!(reply["character"]["description"], "A small hedgehog");
    assert_eq!(ada.get(&format!("{path}/reference_image")).await.body, drawn);
    ada.delete(&path).await.expect_no_content();
    ada.get(&format!("{path}/attempts"))
        .await
        .expect_error(404, "not_found");
    app.check_books().await;
}

#[tokio::test]
async fn an_attempt_belongs_to_one_resource_of_one_account() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let own = app.ready_resources(&ada).await;
    let other = app.imported_page(&ada, "An owl").await;
    let ben = app.account_named("ben@example.com", Plan::Business, 4).await;
    let his = app.imported_page(&ben, "A hen").await;
    for (actor, path) in [
        // Another page's attempt, over the own page and over that of another account.
        (&ada, format!("/pages/{other}/attempts/{}", own.attempts.page)),
        (&ben, format!("/pages/{his}/attempts/{}", own.attempts.page)),
        (&ben, format!("/pages/{}/attempts/{}", own.page, own.attempts.page)),
        (
            &ada,
            format!("/books/{}/cover/attempts/{}", own.book, own.attempts.page),
        ),
        (&ada, format!("/pages/{other}/attempts/att_none")),
    ] {
        let chosen = actor.post_nothing(&format!("{path}/choose")).await;
        chosen.expect_error(404, "not_found");
        let image = actor.get(&format!("{path}/image")).await;
        image.expect_error(404, "not_found");
    }
    app.check_books().await;
}

#[tokio::test]
async fn attempts_are_listed_in_parts() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let path = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    redraw(&app, &ada, &path, &json!({})).await;
    let all = attempts(&ada, &path).await;
    let first = ada.get(&format!("{path}/attempts?limit=1")).await.expect(200);
    assert_eq!(first["attempts"], json!([all[0]]));
    let cursor = first["meta"]["next_cursor"].as_str().unwrap();
    let second = ada
        .get(&format!("{path}/attempts?limit=1&after={cursor}"))
        .await
        .expect(200);
    assert_eq!(second, json!({"attempts": [all[1]], "meta": {"next_cursor": null}}));
    ada.get(&format!("{path}/attempts?limit=0"))
        .await
        .expect_error(400, "invalid_pagination");
}
