//! Pages.
use std::time::Duration;

use linepress::drawing;
use serde_json::json;

use super::{check_canceled, delete_while_it_is_drawn, operation, slow_house};
use crate::house::{House, id};

#[tokio::test]
async fn a_page_deleted_while_it_waits_is_canceled_and_paid_back_once() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let accepted = house
        .accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}}))
        .await;
    let path = format!("/pages/{}", id(&accepted, "page"));
    let reply = ada.delete(&path).await;
    reply.expect_gone();
    assert_eq!(reply.header("x-service-credits-available"), "5");
    check_canceled(&operation(&ada, &accepted).await, 1);
    assert_eq!(house.draw_everything().await, 0);
    ada.get(&path).await.expect_error(404, "not_found");
    assert_eq!(ada.credits().await, 5);
    house.check_books().await;
}

#[tokio::test]
async fn a_page_deleted_while_its_regeneration_waits_is_canceled_and_paid_back() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let page = house.ready_page(&ada, "A fox").await;
    let accepted = house
        .accepted(&ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
    ada.delete(&format!("/pages/{page}")).await.expect_gone();
    check_canceled(&operation(&ada, &accepted).await, 1);
    assert_eq!(house.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 4);
    house.check_books().await;
    assert!(house.objects().is_empty());
}

#[tokio::test]
async fn a_page_deleted_before_its_worker_began_to_draw_is_canceled_and_paid_back() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let accepted = house
        .accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}}))
        .await;
    let claimed = drawing::claim(&house.app).await.unwrap().unwrap();
    ada.delete(&format!("/pages/{}", id(&accepted, "page")))
        .await
        .expect_gone();
    assert_eq!(operation(&ada, &accepted).await["status"], "running");
    drawing::attempt(&house.app, &claimed).await;
    check_canceled(&operation(&ada, &accepted).await, 1);
    assert_eq!(ada.credits().await, 5);
    house.check_books().await;
    assert!(house.objects().is_empty());
}

#[tokio::test]
async fn a_page_deleted_while_it_is_drawn_stays_paid_and_nothing_is_kept_of_it() {
    let house = slow_house(1500).await;
    let ada = house.account(5).await;
    let accepted = house
        .accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}}))
        .await;
    let path = format!("/pages/{}", id(&accepted, "page"));
    delete_while_it_is_drawn(&house, &ada, &path).await;
    let operation = operation(&ada, &accepted).await;
    assert_eq!(operation["status"], "succeeded");
    assert_eq!(operation["credits"], json!({"charged": 1, "refunded": 0}));
    ada.get(&path).await.expect_error(404, "not_found");
    assert_eq!(house.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 4);
    assert!(house.referred().await.is_empty());
    house.check_books().await;
    assert!(house.objects().is_empty());
}

#[tokio::test]
async fn a_page_whose_drawing_fails_after_its_deletion_is_not_tried_again_and_paid_back() {
    // The provider computes until its second is over: an attempt that is otherwise tried again.
    let house = House::open_with(|config| config.image_provider = "testbed.spin".into()).await;
    let ada = house.account(5).await;
    let accepted = house
        .accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}}))
        .await;
    delete_while_it_is_drawn(&house, &ada, &format!("/pages/{}", id(&accepted, "page"))).await;
    check_canceled(&operation(&ada, &accepted).await, 1);
    assert_eq!(house.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 5);
    house.check_books().await;
}

#[tokio::test]
async fn a_page_that_waits_for_another_attempt_is_canceled_and_paid_back() {
    let house = House::open_with(|config| {
        config.image_provider = "testbed.flaky".into();
        config
            .plugins
            .insert("testbed.flaky".into(), json!({"fail": "unavailable", "seeds": "all"}));
    })
    .await;
    let ada = house.account(5).await;
    let accepted = house
        .accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}}))
        .await;
    assert!(drawing::work_once(&house.app).await.unwrap());
    assert_eq!(operation(&ada, &accepted).await["status"], "running");
    ada.delete(&format!("/pages/{}", id(&accepted, "page")))
        .await
        .expect_gone();
    check_canceled(&operation(&ada, &accepted).await, 1);
    assert_eq!(house.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 5);
    house.check_books().await;
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_brings_no_deleted_page_back() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let accepted = house
        .accepted(&ada, "/pages", &json!({"page": {"title": "A fox"}}))
        .await;
    let silent = drawing::claim(&house.app).await.unwrap().unwrap();
    house
        .app
        .clock
        .advance(house.app.config.lease() + Duration::from_secs(1));
    ada.delete(&format!("/pages/{}", id(&accepted, "page")))
        .await
        .expect_gone();
    house.draw_everything().await;
    let ended = operation(&ada, &accepted).await;
    check_canceled(&ended, 1);
    drawing::attempt(&house.app, &silent).await;
    assert_eq!(operation(&ada, &accepted).await, ended);
    assert_eq!(ada.credits().await, 5);
    house.check_books().await;
}

#[tokio::test]
async fn a_replay_tells_of_the_page_as_it_was_accepted_even_when_it_is_deleted() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let body = json!({"page": {"title": "A fox"}});
    let first = ada.generate("/pages", "k1", &body).await;
    ada.delete(&format!("/pages/{}", id(&first.expect(202), "page")))
        .await
        .expect_gone();
    let replay = ada.generate("/pages", "k1", &body).await;
    assert_eq!(replay.expect(202), first.json());
    replay.expect_free();
    assert_eq!(ada.credits().await, 5);
    assert_eq!(ada.count("pages").await, 0);
}
