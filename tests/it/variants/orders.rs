//! The prices of variants of covers and characters, and orders by agents and in the browser.
use std::time::Duration;

use serde_json::json;

use super::drawn::{Drawn, idle};
use crate::test_app::TestApp;

#[tokio::test]
async fn the_first_variant_of_a_cover_that_was_never_drawn_is_one_of_the_free_covers() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .config(|config| config.limits.free_covers_per_day = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let free = async || ada.look("/me", "account").await["limits"]["free_covers_per_day"]["used"].clone();
    let cover = Drawn::cover(&app.book_with_refused_cover(&ada).await);
    assert_eq!(free().await, 0);
    // Refused like the first: one of the free covers of the day is used up, and nothing is paid.
    let accepted = cover.order(&app, &ada, 3).await;
    assert_eq!(accepted.operation.credits.charged, 2);
    app.draw_everything().await;
    assert_eq!(
        (ada.operation(&accepted).await.credits.refunded, ada.credits().await),
        (2, 8)
    );
    assert_eq!(free().await, 1);
    ada.generate(&cover.regeneration(), "k1", &cover.wish(2))
        .await
        .expect_error(422, "account_limit_reached");
    app.server.clock.advance(Duration::from_secs(24 * 3600));
    let wish = json!({"cover": {"prompt": "A castle", "variants": 3}});
    let reply = ada.generate(&cover.regeneration(), "k1", &wish).await;
    assert_eq!(reply.header("x-service-credits-consumed"), "2");
    app.draw_everything().await;
    assert_eq!(cover.state(&ada).await, idle(1));
    assert_eq!(cover.checked(&ada).await.len(), 3);
    // A paid variant was drawn.
    assert_eq!((free().await, ada.credits().await), (json!(0), 6));
    let reply = ada.generate(&cover.regeneration(), "k2", &wish).await;
    assert_eq!(reply.header("x-service-credits-consumed"), "3");
    app.draw_everything().await;
    app.check_books().await;
}

#[tokio::test]
async fn an_agent_confirms_the_price_of_all_variants() {
    let app = TestApp::start().await;
    let ada = app.account(12).await;
    let [cover, pip] = Drawn::each(&app, &ada).await;
    let (book, character) = (
        cover.path.split('/').nth(2).unwrap(),
        pip.path.split('/').nth(2).unwrap(),
    );
    let agent = app.agent("ada@example.com").await;
    for (tool, mut order, argument) in [
        ("create_character", json!({"name": "Rosa"}), "character_id"),
        (
            "regenerate_character",
            json!({"character_id": character}),
            "character_id",
        ),
        ("regenerate_book_cover", json!({"book_id": book}), "book_id"),
    ] {
        let credits = ada.credits().await;
        order["variants"] = 3.into();
        order["idempotency_key"] = tool.into();
        order["confirm_credits"] = 1.into();
        let refused = agent.call(tool, order.clone()).await;
        refused.expect_error("confirmation_required");
        assert_eq!(refused.0["structuredContent"]["credits_required"], 3, "{tool}");
        assert!(refused.text().contains("in 3 variants"), "{}", refused.text());
        assert_eq!(ada.credits().await, credits);
        order["confirm_credits"] = 3.into();
        let accepted = agent.call(tool, order).await;
        let accepted = accepted.expect();
        app.draw_everything().await;
        let operation = json!({"operation_id": accepted["operation"]["id"]});
        let ended = agent.call("get_operation", operation).await;
        let next = ended.expect()["next"].as_str().unwrap().to_owned();
        let list = format!("list_attempts with {argument}: ");
        assert!(next.starts_with(&list) && next.contains("choose_attempt"), "{next}");
        assert_eq!(ada.credits().await, credits - 3, "{tool}");
    }
    app.check_books().await;
}

#[tokio::test]
async fn a_person_orders_variants_at_the_price_on_the_button() {
    let app = TestApp::start().await;
    let ada = app.account(14).await;
    let [cover, pip] = Drawn::each(&app, &ada).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let book = format!("/library{}", cover.path.strip_suffix("/cover").unwrap());
    let character = format!("/library{}", pip.path);
    for (page, action, button) in [
        ("/library/characters/new", "/library/characters", "Draw it"),
        (&*character, &*format!("{character}/draw"), "Draw again"),
        (&*book, &*format!("{book}/cover/draw"), "Draw the cover"),
    ] {
        let credits = ada.credits().await;
        browser
            .get(page)
            .await
            .expect(200, &format!("<span>{button} for 1 credit</span>"))
            .expect(200, &format!("<span>{button} for 4 credits</span>"));
        let key = app.new_key();
        let fields = |variants: &'static str, price: &'static str| {
            [
                ("name", "Rosa"),
                ("variants", variants),
                ("idempotency_key", &*key),
                ("price", price),
            ]
        };
        browser
            .submit(page, action, &fields("5", "1"))
            .await
            .expect(422, "Variants");
        let refused = browser.submit(page, action, &fields("3", "2")).await;
        assert_eq!((refused.status.as_u16(), ada.credits().await), (409, credits), "{page}");
        let accepted = browser.submit(page, action, &fields("3", "1")).await;
        assert_eq!(accepted.status, 303, "{}", accepted.text);
        assert_eq!(ada.credits().await, credits - 3, "{page}");
        app.draw_everything().await;
    }
    for page in [&character, &book] {
        let shown = browser.get(page).await;
        shown.expect(200, "In use");
        assert_eq!(shown.text.matches("/choose\"").count(), 3, "{page}");
    }
    app.check_books().await;
}

#[tokio::test]
async fn a_person_gets_the_first_variant_of_a_failed_cover_for_free() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(5).await;
    let book = app.book_with_refused_cover(&ada).await;
    let mut browser = app.browser_of("ada@example.com").await;
    let path = format!("/library/books/{book}");
    let shown = browser.get(&path).await;
    shown
        .expect(200, "<span>Draw the cover for free</span>")
        .expect(200, "<span>Draw the cover for 2 credits</span>")
        .expect(200, "name=\"further_price\" value=\"1\"");
    let draw = format!("{path}/cover/draw");
    let fields = |price: &'static str, further: &'static str| {
        [
            ("prompt", "A castle"),
            ("variants", "3"),
            ("idempotency_key", "form-1"),
            ("price", price),
            ("further_price", further),
        ]
    };
    for (price, further) in [("1", "1"), ("0", "0"), ("0", "")] {
        let refused = browser.submit(&path, &draw, &fields(price, further)).await;
        assert_eq!(refused.status, 409, "{price} {further}");
    }
    browser
        .submit(&path, &draw, &fields("0", "1"))
        .await
        .expect_redirect(&format!("{path}?done=drawing"));
    app.draw_everything().await;
    assert_eq!(ada.credits().await, 2);
    app.check_books().await;
}
