//! `POST /books/{id}/cover/regenerate`, `PUT /books/{id}/cover_image`, and the prompt of a cover.
use std::time::Duration;

use linepress_core::artwork::Status;
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, TestApp, pictures};

#[tokio::test]
async fn a_cover_is_drawn_again_for_a_credit_and_its_old_image_stays_until_then() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    let before = ada.get(&format!("{path}/cover_image")).await;
    let body = json!({"cover": {"prompt": "All animals asleep"}});
    let accepted = ada.generate(&format!("{path}/cover/regenerate"), "k1", &body).await;
    assert_eq!(accepted.header("x-service-credits-consumed"), "1");
    let accepted = accepted.expect(202);
    assert_eq!(accepted["operation"]["type"], "book.regenerate_cover");
    assert_eq!(accepted["book"]["cover"]["status"], "generating");
    assert_eq!(ada.get(&format!("{path}/cover_image")).await.body, before.body);
    // The cover's previous prompt stays until it is drawn.
    assert_ne!(accepted["book"]["cover"]["prompt"], "All animals asleep");
    ada.get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");

    app.draw_what_is_due().await;
    let shown = ada.look(&path, "book").await;
    assert_eq!(shown["cover"]["prompt"], "All animals asleep");
    assert_eq!(
        (&shown["cover"]["image"]["revision"], &shown["status"]),
        (&json!(2), &json!("ready"))
    );
    assert_ne!(ada.get(&format!("{path}/cover_image")).await.body, before.body);
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test]
async fn a_cover_that_cannot_be_drawn_again_keeps_its_image_and_gives_the_credit_back() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "prompt": "asleep"}),
        )
        .start()
        .await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    let body = json!({"cover": {"prompt": "All animals asleep"}});
    let accepted = ada
        .generate(&format!("{path}/cover/regenerate"), "k1", &body)
        .await
        .accepted();
    app.draw_everything().await;
    let operation = ada.operation(&accepted).await;
    assert_eq!((operation.credits.charged, operation.credits.refunded), (1, 1));
    let cover = ada.book(&book).await.cover;
    assert_eq!(
        (cover.status, cover.image.map(|image| image.revision)),
        (Status::Ready, Some(1))
    );
    assert_ne!(cover.prompt, "All animals asleep");
    assert_eq!(ada.credits().await, 4);
    app.check_books().await;
}

#[tokio::test]
async fn a_cover_is_replaced_with_own_artwork_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/cover_image");
    let reply = ada.send_form("PUT", &path, Form::image(&pictures::png(600, 800))).await;
    reply.expect_free();
    let cover = reply.expect(200)["book"]["cover"].clone();
    assert_eq!(
        (&cover["status"], &cover["image"]["revision"]),
        (&json!("ready"), &json!(2))
    );
    assert_eq!(ada.get(&path).await.header("content-type"), "image/png");
    // Only a picture of the book's shape is accepted.
    let wrong = ada.send_form("PUT", &path, Form::image(&pictures::png(800, 600))).await;
    wrong.expect_error(422, "unsupported_image");

    let regenerate = format!("/books/{book}/cover/regenerate");
    app.accepted(&ada, &regenerate, &json!({})).await;
    let reply = ada.send_form("PUT", &path, Form::image(&pictures::png(600, 800))).await;
    reply.expect_error(409, "generation_active");
    app.draw_what_is_due().await;
    app.check_books().await;
}

#[tokio::test]
async fn a_cover_can_be_replaced_while_pages_of_its_book_are_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let body = json!({"page": {"title": "An owl"}});
    app.accepted(&ada, &format!("/books/{book}/pages"), &body).await;
    let path = format!("/books/{book}/cover_image");
    ada.send_form("PUT", &path, Form::image(&pictures::png(600, 800)))
        .await
        .expect(200);
    app.draw_what_is_due().await;
    app.check_books().await;
}

#[tokio::test]
async fn a_changed_prompt_applies_to_the_next_cover() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    let change = json!({"book": {"cover": {"prompt": "A fox in the snow"}}});
    let changed = ada.patch(&path, &change).await.expect(200);
    assert_eq!(changed["book"]["cover"]["prompt"], "A fox in the snow");
    assert_eq!(changed["book"]["cover"]["image"]["revision"], 1);
    for wrong in [
        json!({"cover": null}),
        json!({"cover": {"prompt": " "}}),
        json!({"cover": {}}),
    ] {
        ada.patch(&path, &json!({"book": wrong}))
            .await
            .expect_error(422, "validation_failed");
    }
    // A prompt that is set while another is drawn is not lost.
    let body = json!({"cover": {"prompt": "A fox asleep"}});
    app.accepted(&ada, &format!("{path}/cover/regenerate"), &body).await;
    let change = json!({"book": {"cover": {"prompt": "A fox awake"}}});
    ada.patch(&path, &change).await.expect(200);
    app.draw_what_is_due().await;
    assert_eq!(ada.look(&path, "book").await["cover"]["prompt"], "A fox awake");
}

#[tokio::test]
async fn a_cover_that_was_never_drawn_is_drawn_again_for_nothing() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .config(|config| config.limits.free_covers_per_day = 2)
        .start()
        .await;
    let ada = app.account(5).await;
    let book = app.book_with_refused_cover(&ada).await;
    let path = format!("/books/{book}");
    assert_eq!(ada.book(&book).await.cover.status, Status::Failed);
    let again = format!("{path}/cover/regenerate");
    // The book paid for a page, but its cover is one of the free ones nevertheless.
    for key in ["k1", "k2"] {
        let reply = ada.generate(&again, key, &json!({})).await;
        reply.expect_free();
        assert_eq!(reply.expect(202)["operation"]["credits"]["charged"], 0);
        app.draw_everything().await;
    }
    let reply = ada.generate(&again, "k3", &json!({})).await;
    reply.expect_error(422, "account_limit_reached");
    app.server.clock.advance(Duration::from_secs(24 * 3600));
    let change = json!({"cover": {"prompt": "A castle"}});
    ada.generate(&again, "k3", &change).await.expect_free();
    app.draw_everything().await;
    assert_eq!(ada.book(&book).await.cover.status, Status::Ready);
    let paid = ada.generate(&again, "k4", &json!({})).await;
    assert_eq!(paid.header("x-service-credits-consumed"), "1");
    app.draw_everything().await;
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test]
async fn an_agent_confirms_the_price_of_a_cover() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(5).await;
    let agent = app.agent("ada@example.com").await;
    let book = app.book_with_refused_cover(&ada).await;
    let order = |key: &str, price: i64| json!({"book_id": book, "prompt": "A castle", "idempotency_key": key, "confirm_credits": price});
    let answer = agent.call("regenerate_book_cover", order("k1", 1)).await;
    answer.expect_error("confirmation_required");
    assert_eq!(answer.0["structuredContent"]["credits_required"], 0);
    agent.call("regenerate_book_cover", order("k1", 0)).await.expect();
    app.draw_everything().await;
    let answer = agent.call("regenerate_book_cover", order("k2", 0)).await;
    assert_eq!(answer.0["structuredContent"]["credits_required"], 1);
    assert_eq!(ada.credits().await, 4);
}

/// The picture of a book's cover, decoded.
async fn picture(ada: &Actor, book: &str) -> image::DynamicImage {
    let reply = ada.get(&format!("/books/{book}/cover_image")).await;
    image::load_from_memory(&reply.body).unwrap()
}

#[tokio::test]
async fn a_cover_is_drawn_in_color_if_its_style_asks_for_it() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"seeds": "all", "prompt": "storm", "color": true}),
        )
        .start()
        .await;
    let ada = app.account(9).await;
    let new = json!({"book": {"title": "A", "pages": [{"title": "A fox"}], "cover": {"style": "color"}}});
    let accepted = app.accepted(&ada, "/books", &new).await;
    app.draw_everything().await;
    let operation = ada.operation(&accepted).await;
    assert!(operation.items.iter().all(|item| item.note.is_none()), "{operation:?}");
    let book = operation.resource.id.clone();
    let shown = ada.look(&format!("/books/{book}"), "book").await;
    assert_eq!(
        (
            &shown["cover"]["prompt"],
            &shown["cover"]["style"],
            &shown["cover"]["image"]["width"]
        ),
        (&json!("A"), &json!("color"), &json!(1152))
    );
    let cover = picture(&ada, &book).await.into_rgb8();
    let is = |wanted: [u8; 3]| cover.pixels().any(|pixel| pixel.0 == wanted);
    assert!(is([20, 80, 220]) && is([250, 210, 30]));
    // A page is line art.
    let page = shown["pages"][0]["id"].as_str().unwrap().to_owned();
    let page = ada.get(&format!("/pages/{page}/image")).await;
    assert_eq!(
        image::load_from_memory(&page.body).unwrap().color(),
        image::ColorType::L8
    );

    // The next cover may have another style, which is stored once it is drawn.
    let regenerate = format!("/books/{book}/cover/regenerate");
    let accepted = app
        .accepted(&ada, &regenerate, &json!({"cover": {"style": "line_art"}}))
        .await;
    assert_eq!(
        ada.look(&format!("/books/{book}"), "book").await["cover"]["style"],
        "color"
    );
    app.draw_everything().await;
    assert_eq!(ada.operation(&accepted).await.credits.charged, 1);
    assert_eq!(
        ada.look(&format!("/books/{book}"), "book").await["cover"]["style"],
        "line_art"
    );
    assert_eq!(picture(&ada, &book).await.color(), image::ColorType::L8);
    app.check_books().await;
}

#[tokio::test]
async fn a_cover_in_color_is_line_art_and_says_so_if_no_provider_draws_in_color() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let new = json!({"book": {"title": "A", "pages": [{"title": "A fox"}], "cover": {"style": "color"}}});
    let accepted = app.accepted(&ada, "/books", &new).await;
    app.draw_everything().await;
    let operation = ada.operation(&accepted).await;
    let notes: Vec<_> = operation.items.iter().filter_map(|item| item.note.as_deref()).collect();
    assert_eq!(
        notes,
        ["No image provider of this server draws covers in color, so the cover is line art."]
    );
    let cover = picture(&ada, &operation.resource.id).await;
    assert_eq!(cover.color(), image::ColorType::L8);
    app.check_books().await;
}

/// Fails unless a cover is as red as the picture that it shows.
fn expect_red(cover: &image::DynamicImage) {
    let cover = cover.to_rgb8();
    assert_eq!(cover.dimensions(), (1152, 1536));
    let is_red = |pixel: [u8; 3]| {
        pixel
            .iter()
            .zip([200, 30, 40])
            .all(|(value, red)| value.abs_diff(red) < 3)
    };
    assert!(cover.pixels().all(|pixel| is_red(pixel.0)));
}

/// Makes the cover show its newest attempt of this origin again. Returns the style of the cover.
async fn choose(ada: &Actor, book: &str, origin: &str) -> Value {
    let path = format!("/books/{book}/cover/attempts");
    let listed = ada.get(&path).await.expect(200);
    let mut attempts = listed["attempts"].as_array().unwrap().iter();
    let attempt = attempts.find(|attempt| attempt["origin"] == origin).unwrap();
    let path = format!("{path}/{}/choose", attempt["id"].as_str().unwrap());
    ada.post_nothing(&path).await.expect(200)["book"]["cover"]["style"].clone()
}

#[tokio::test]
async fn own_artwork_brings_the_style_that_its_request_names() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/cover_image");
    let red = pictures::red(620, 800);
    let form = Form::image(&red).text("style", "color");
    let replaced = ada.send_form("PUT", &path, form).await.expect(200);
    assert_eq!(replaced["book"]["cover"]["style"], "color");
    assert!(ada.book(&book).await.cover.style.is_color());
    expect_red(&picture(&ada, &book).await);

    // Each picture has its style when it is chosen again.
    assert_eq!(choose(&ada, &book, "generated").await, "line_art");
    assert_eq!(picture(&ada, &book).await.color(), image::ColorType::L8);
    assert_eq!(choose(&ada, &book, "imported").await, "color");
    expect_red(&picture(&ada, &book).await);
    // The next drawing follows it; no provider of this server draws in color.
    let regenerate = format!("/books/{book}/cover/regenerate");
    let accepted = app.accepted(&ada, &regenerate, &json!({})).await;
    app.draw_everything().await;
    assert!(ada.operation(&accepted).await.items[0].note.is_some());

    let upload = ada.new_upload().await;
    ada.send_to(&upload.url, red).await.expect_no_content_at_all();
    let body = json!({"upload_id": upload.id, "style": "line_art"});
    let replaced = ada.put(&path, &body).await.expect(200);
    assert_eq!(replaced["book"]["cover"]["style"], "line_art");
    assert_eq!(picture(&ada, &book).await.color(), image::ColorType::L8);
    app.check_books().await;
}

#[tokio::test]
async fn the_style_in_a_replacement_is_checked_and_belongs_to_its_key() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/cover_image");
    let red = pictures::red(620, 800);
    let form = Form::image(&red).text("style", "blue");
    let reply = ada.send_form("PUT", &path, form).await;
    reply.expect_error(422, "validation_failed");
    let page = ada.page_ids(&book).await.remove(0);
    let form = Form::image(&red).text("style", "color");
    let reply = ada.send_form("PUT", &format!("/pages/{page}/image"), form).await;
    reply.expect_error(422, "validation_failed");

    let kind = Form::media_type();
    let headers = [("content-type", kind.as_str()), ("idempotency-key", "k1")];
    let send = async |style: &str| {
        let form = Form::image(&red).text("style", style);
        ada.send("PUT", &path, &headers, form.finish().into()).await
    };
    let first = send("color").await.expect(200);
    assert_eq!(first["book"]["cover"]["image"]["revision"], 2);
    let again = send("color").await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.expect(200), first);
    send("line_art").await.expect_error(409, "idempotency_conflict");
    expect_red(&picture(&ada, &book).await);
}

#[tokio::test]
async fn a_style_that_was_set_before_a_replacement_outlives_it() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let set = async |style: &str| {
        let change = json!({"book": {"cover": {"style": style}}});
        ada.patch(&format!("/books/{book}"), &change).await.expect(200);
    };
    set("color").await;
    let path = format!("/books/{book}/cover_image");
    let form = Form::image(&pictures::red(620, 800));
    ada.send_form("PUT", &path, form).await.expect(200);
    assert_eq!(choose(&ada, &book, "generated").await, "color");
    // A style that was edited since the present picture came remains, too.
    set("line_art").await;
    assert_eq!(choose(&ada, &book, "imported").await, "line_art");
}

#[tokio::test]
async fn an_agent_keeps_the_colors_of_own_artwork() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let agent = app.agent("ada@example.com").await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let upload = ada.new_upload().await;
    ada.send_to(&upload.url, pictures::red(620, 800))
        .await
        .expect_no_content_at_all();
    let arguments = json!({"book_id": book, "upload_id": upload.id, "style": "color"});
    agent.call("replace_book_cover_image", arguments).await.expect();
    assert!(ada.book(&book).await.cover.style.is_color());
    expect_red(&picture(&ada, &book).await);
}

#[tokio::test]
async fn own_artwork_keeps_its_colors_if_the_style_of_the_cover_is_color() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/cover_image");
    let red = pictures::red(620, 800);
    ada.send_form("PUT", &path, Form::image(&red)).await.expect(200);
    assert_eq!(picture(&ada, &book).await.color(), image::ColorType::L8);

    let change = json!({"book": {"cover": {"style": "color"}}});
    let changed = ada.patch(&format!("/books/{book}"), &change).await.expect(200);
    assert_eq!(changed["book"]["cover"]["style"], "color");
    assert_ne!(changed["book"]["cover"]["prompt"], "");
    ada.send_form("PUT", &path, Form::image(&red)).await.expect(200);
    // The picture is narrower than the cover, whose sides have the color of its edge.
    expect_red(&picture(&ada, &book).await);
    for style in [json!("blue"), json!(null)] {
        let change = json!({"book": {"cover": {"style": style}}});
        let refused = ada.patch(&format!("/books/{book}"), &change).await;
        refused.expect_error(422, "validation_failed");
    }
    app.check_books().await;
}
