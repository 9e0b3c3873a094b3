//! Drawings of test keys: samples, errors on demand, and no need of the providers of the settings.
use std::time::Duration;

use linepress_core::operations::{FailureCode, OperationStatus};
use serde_json::json;

use super::{SKETCHBOOK, TEST_CREDITS, builder, make, opened, tester};
use crate::test_app::{TestApp, book_of};
use crate::testing;

#[tokio::test]
async fn a_test_drawing_is_a_sample_with_a_watermark_in_the_picture_and_in_print() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let accepted = app.accepted(&test, "/books", &book_of(1)).await;
    app.draw_everything().await;
    let operation = test.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Succeeded);
    let page = test.book(&accepted.book_id()).await.pages[0].id.to_string();
    let shown = test.get(&format!("/pages/{page}/attempts")).await.expect(200);
    assert!(
        shown["attempts"][0]["note"].as_str().unwrap().contains("test drawing"),
        "{shown}"
    );
    let cover = format!("/books/{}/cover_image", accepted.book_id());
    for path in [
        format!("/pages/{page}/image"),
        format!("/pages/{page}/image?size=print"),
        cover,
    ] {
        let reply = test.get(&path).await;
        let picture = image::load_from_memory(&reply.body).unwrap().into_luma8();
        // The bar of the first letter: white, with a black line above it.
        let scale = picture.width() / 36;
        let (left, top) = (picture.width() / 2 - 13 * scale, picture.height() / 2 - 7 * scale / 2);
        let tone = |x: u32, y: u32| picture.get_pixel(x, y).0[0];
        for across in 1..4 {
            assert!(tone(left + across * scale, top + scale / 2) > 200, "{path} {across}");
            assert!(tone(left + across * scale, top - scale / 12) < 60, "{path} {across}");
        }
    }
    let pdf = test.get(&format!("/books/{}/pdf", accepted.book_id())).await;
    assert_eq!(pdf.status, 200);
}

#[tokio::test]
async fn errors_come_on_demand_and_are_refunded() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let page = |prompt: &str| json!({"page": {"title": "A fox", "prompt": prompt}});
    for (prompt, code) in [
        ("test:refused", FailureCode::Refused),
        ("test:refused, please", FailureCode::Refused),
        ("test:unavailable", FailureCode::Failed),
    ] {
        let accepted = app.accepted(&test, "/pages", &page(prompt)).await;
        assert_eq!(test.credits().await, TEST_CREDITS - 1);
        app.draw_what_is_due().await;
        let operation = test.operation(&accepted).await;
        assert_eq!(operation.status, OperationStatus::Failed, "{prompt}");
        assert_eq!(operation.items[0].error.as_ref().unwrap().code, code, "{prompt}");
        assert_eq!(test.credits().await, TEST_CREDITS);
    }
    // A live key has them drawn.
    let live = app.accepted(&ada, "/pages", &page("test:refused")).await;
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&live).await, OperationStatus::Succeeded);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_refinement_fails_on_demand_and_the_picture_remains() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let drawn = app
        .accepted(&test, "/pages", &json!({"page": {"title": "A fox"}}))
        .await;
    app.draw_what_is_due().await;
    let refine = format!("/pages/{}/refine", drawn.page_id());
    let refused = app
        .accepted(&test, &refine, &json!({"page": {"instruction": "test:refused"}}))
        .await;
    app.draw_what_is_due().await;
    assert_eq!(test.status(&refused).await, OperationStatus::Failed);
    let refined = app
        .accepted(&test, &refine, &json!({"page": {"instruction": "Remove the hat"}}))
        .await;
    app.draw_what_is_due().await;
    assert_eq!(test.status(&refined).await, OperationStatus::Succeeded);
}

#[tokio::test]
async fn the_contact_sheet_promises_no_change_of_a_sample() {
    let app = builder().config(|config| config.mcp_api_keys = true).start().await;
    let ada = app.account(9).await;
    let made = make(&ada, json!({"name": "CI", "test": true})).await;
    let (test, agent) = (opened(&app, &made), app.agent_of(made["secret"].as_str()));
    for (actor, agent, edits) in [(&ada, app.agent("ada@example.com").await, true), (&test, agent, false)] {
        let arguments = json!({"page_id": app.ready_page(actor, "A fox").await});
        let result = agent.that_shows_apps().call("get_page", arguments).await.0;
        assert_eq!(result["_meta"]["linepress/edits-picture"], edits, "{result}");
    }
}

#[tokio::test]
async fn a_slow_drawing_takes_a_minute_and_occupies_no_provider() {
    let app = builder().start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let slow = json!({"page": {"title": "A fox", "prompt": "test:slow"}});
    let accepted = app.accepted(&test, "/pages", &slow).await;
    app.draw_what_is_due().await;
    assert_eq!(test.status(&accepted).await, OperationStatus::Running);
    app.server.clock.advance(Duration::from_secs(59));
    app.draw_what_is_due().await;
    assert_eq!(test.status(&accepted).await, OperationStatus::Running);
    app.server.clock.advance(Duration::from_secs(1));
    app.draw_what_is_due().await;
    assert_eq!(test.status(&accepted).await, OperationStatus::Succeeded);
}

#[tokio::test]
async fn test_drawings_neither_wait_for_the_providers_of_the_settings_nor_count_against_them() {
    let app = builder()
        .config(|config| config.image_providers = vec![SKETCHBOOK.into()])
        .start()
        .await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let operator = app.operator().await;
    let reason = json!({"reason": "Too slow"});
    let switch = format!("/admin/providers/{SKETCHBOOK}/switch_off");
    operator.post(&switch, &reason).await.expect(200);
    let live = app.accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}})).await;
    let drawn = app
        .accepted(&test, "/pages", &json!({"page": {"title": "A fox"}}))
        .await;
    let failing = json!({"page": {"title": "A fox", "prompt": "test:unavailable"}});
    for _ in 0..6 {
        app.accepted(&test, "/pages", &failing).await;
    }
    app.draw_what_is_due().await;
    assert_eq!(test.status(&drawn).await, OperationStatus::Succeeded);
    assert_eq!(ada.status(&live).await, OperationStatus::Queued);
    let spent = operator.get("/admin/spending?days=7").await.expect(200);
    assert_eq!(spent["spending"], json!([]));
    let metrics = linepress_operator::monitoring::Monitor::new(app.server.clone())
        .text()
        .await
        .unwrap();
    let credits = metrics
        .lines()
        .filter(|line| line.starts_with("linepress_credits_total"));
    let charged: Vec<&str> = credits.filter(|line| line.contains("\"charge\"")).collect();
    assert!(charged.len() == 1 && charged[0].ends_with(" 1"), "{charged:?}");
    let switch = format!("/admin/providers/{SKETCHBOOK}/switch_on");
    operator.post_nothing(&switch).await.expect(200);
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&live).await, OperationStatus::Succeeded);
}

#[tokio::test]
async fn a_test_drawing_does_not_keep_customers_waiting_for_a_provider_that_stays_down() {
    let app = builder()
        .image_provider("testbed.flaky", json!({"fail": "unavailable", "seeds": "all"}))
        .config(|config| config.outage_patience_hours = 3)
        .start()
        .await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    // After five failures the provider is paused, so the others were never tried.
    let accepted = ada.generate("/books", "k1", &book_of(8)).await.accepted();
    app.draw_what_is_due().await;
    app.server.clock.advance(Duration::from_secs(4 * 3600));
    let drawn = app.new_page(&test, "An owl").await;
    app.draw_what_is_due().await;
    assert_eq!(test.status(&drawn).await, OperationStatus::Succeeded);
    assert!(testing::give_up(&app.server).await.unwrap() > 0);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Failed);
    assert_eq!(ada.credits().await, 9);
    app.check_books().await;
}

#[tokio::test]
async fn test_keys_draw_while_no_provider_of_the_settings_is_loaded() {
    let app = builder()
        .config(|config| config.image_providers = vec!["acme.none".into()])
        .start()
        .await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let page = json!({"page": {"title": "A fox"}});
    ada.generate("/pages", "k1", &page)
        .await
        .expect_error(503, "generation_unavailable");
    let accepted = app.accepted(&test, "/pages", &page).await;
    app.draw_what_is_due().await;
    assert_eq!(test.status(&accepted).await, OperationStatus::Succeeded);
    for (actor, draws) in [(&ada, false), (&test, true)] {
        let me = actor.get("/me").await.expect(200);
        assert_eq!(me["account"]["capabilities"]["generate"], draws);
    }
}

#[tokio::test]
async fn a_server_without_the_provider_for_tests_refuses_their_orders() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let test = tester(&app, &ada).await;
    let order = test.generate("/books", "k1", &book_of(1)).await;
    order.expect_error(503, "generation_unavailable");
    order.expect_free();
    ada.generate("/books", "k1", &book_of(1)).await.expect(202);
}
