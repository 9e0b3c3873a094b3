//! Every list: newest first, cut by `limit`, continued by an opaque cursor.
use serde_json::{Value, json};
use std::time::Duration;

use crate::test_app::TestApp;

#[tokio::test]
async fn the_parts_of_a_list_have_no_gaps_or_repeats() {
    let app = TestApp::start().await;
    let ada = app.account(30).await;
    let mut made = Vec::new();
    for number in 0..7 {
        app.server.clock.advance(Duration::from_secs(1));
        let body = ada
            .generate(
                "/pages",
                &format!("k{number}"),
                &json!({"page": {"title": format!("Page {number}")}}),
            )
            .await;
        made.push(body.expect(202)["page"]["id"].as_str().unwrap().to_owned());
    }
    made.reverse();

    let mut seen = Vec::new();
    let mut path = "/pages?limit=3".to_owned();
    loop {
        let list = ada.get(&path).await.expect(200);
        let pages = list["pages"].as_array().unwrap();
        assert!(pages.len() <= 3);
        seen.extend(pages.iter().map(|page| page["id"].as_str().unwrap().to_owned()));
        // Pages created meanwhile are newer and do not affect the older ones.
        app.server.clock.advance(Duration::from_secs(1));
        let key = format!("meanwhile-{}", seen.len());
        ada.generate("/pages", &key, &json!({"page": {"title": "Newer"}}))
            .await
            .expect(202);
        match &list["meta"]["next_cursor"] {
            Value::String(cursor) => path = format!("/pages?limit=3&after={cursor}"),
            other => {
                assert_eq!(*other, json!(null));
                break;
            }
        }
    }
    assert_eq!(seen, made);
}

#[tokio::test]
async fn a_list_of_exactly_the_limit_has_no_next_page() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    for number in 0..3 {
        ada.generate("/pages", &format!("k{number}"), &json!({"page": {"title": "A fox"}}))
            .await
            .expect(202);
    }
    let list = ada.get("/pages?limit=3").await.expect(200);
    assert_eq!(
        (list["pages"].as_array().unwrap().len(), &list["meta"]["next_cursor"]),
        (3, &json!(null))
    );
}

#[tokio::test]
async fn every_list_refuses_wrong_pagination() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    app.new_page(&ada, "A fox").await;
    app.new_page(&ada, "A fox").await;
    let pages_cursor = ada.get("/pages?limit=1").await.expect(200)["meta"]["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    for list in ["/operations", "/characters", "/books", "/pages"] {
        for bad in [
            "limit=0",
            "limit=101",
            "limit=-1",
            "limit=x",
            "limit=",
            "after=forged",
            "after=",
            "limit=1&limit=2",
        ] {
            ada.get(&format!("{list}?{bad}"))
                .await
                .expect_error(400, "invalid_pagination");
        }
        for good in ["", "?limit=1", "?limit=100"] {
            ada.get(&format!("{list}{good}")).await.expect(200);
        }
        if list != "/pages" {
            ada.get(&format!("{list}?after={pages_cursor}"))
                .await
                .expect_error(400, "invalid_pagination");
        }
    }
}

#[tokio::test]
async fn a_list_holds_twenty_five_when_no_limit_is_given() {
    let app = TestApp::start().await;
    let ada = app.account(100).await;
    for number in 0..26 {
        let title = format!("Number {number}");
        app.accepted(&ada, "/characters", &json!({"character": {"name": title}}))
            .await;
        let body = json!({"book": {"title": title, "pages": [{"title": title}]}});
        app.accepted(&ada, "/books", &body).await;
    }
    for list in ["operations", "characters", "books", "pages"] {
        let first = ada.get(&format!("/{list}")).await.expect(200);
        assert_eq!(first[list].as_array().unwrap().len(), 25, "{list}");
        let cursor = first["meta"]["next_cursor"].as_str().unwrap();
        let rest = ada.get(&format!("/{list}?after={cursor}&limit=100")).await.expect(200);
        let all = if list == "operations" { 52 } else { 26 };
        assert_eq!(rest[list].as_array().unwrap().len(), all - 25, "{list}");
        assert_eq!(rest["meta"]["next_cursor"], json!(null));
        assert_eq!(ada.count(list).await, all);
    }
}

#[tokio::test]
async fn every_list_is_newest_first() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    for title in ["Older", "Newer"] {
        app.server.clock.advance(Duration::from_secs(1));
        app.accepted(&ada, "/characters", &json!({"character": {"name": title}}))
            .await;
        let body = json!({"book": {"title": title, "pages": [{"title": title}]}});
        app.accepted(&ada, "/books", &body).await;
    }
    for list in ["operations", "characters", "books", "pages"] {
        let body = ada.get(&format!("/{list}")).await.expect(200);
        let times: Vec<_> = body[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["created_at"].as_str())
            .collect();
        assert!(times.is_sorted_by(|newer, older| newer >= older), "{list}: {times:?}");
        assert_ne!(times.first(), times.last());
    }
}
