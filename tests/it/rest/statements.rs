//! `/ledger` and `/usage`.
use std::time::Duration;

use axum::body::Body;
use serde_json::{Value, json};

use crate::test_app::{Actor, Reply, TestApp};
use crate::testing;

/// An account with entries of November and December 2026: a grant, a charge, a refund and a withdrawal.
async fn start() -> (TestApp, Actor) {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(100).await;
    let second = Duration::from_secs(1);
    app.server.clock.advance(second);
    let body = json!({"book": {"title": "=Woods, \"and\" more", "pages": [{"title": "An owl"}, {"title": "refused"}]}});
    app.accepted(&ada, "/books", &body).await;
    app.server.clock.advance(second);
    app.draw_everything().await;
    app.server.clock.advance(Duration::from_secs(20 * 24 * 3600));
    let account = app.account_of("ada@example.com").await;
    testing::debit(&app.server, &account, 3, "@sold by mistake")
        .await
        .unwrap();
    (app, ada)
}

async fn table(actor: &Actor, path: &str) -> (Reply, String) {
    let reply = actor.send("GET", path, &[("accept", "text/csv")], Body::empty()).await;
    assert_eq!(reply.status, 200, "{path}");
    assert_eq!(reply.header("content-type"), "text/csv; charset=utf-8; header=present");
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    (reply, text)
}

#[tokio::test]
async fn the_ledger_lists_each_change_of_the_balance() {
    let (_app, ada) = start().await;
    let list = ada.get("/ledger").await.expect(200);
    let amounts = |list: &Value| -> Vec<i64> {
        let lines = list["ledger"].as_array().unwrap().iter();
        lines.map(|line| line["amount"].as_i64().unwrap()).collect()
    };
    assert_eq!(amounts(&list), [-3, 1, -2, 100]);
    assert_eq!(list["ledger"][0]["operation"], Value::Null);
    assert_eq!(list["ledger"][0]["reason"], "@sold by mistake");
    let charge = &list["ledger"][2];
    assert_eq!(charge["kind"], "charge");
    assert_eq!(charge["operation"]["type"], "book.create");
    assert_eq!(charge["operation"]["title"], "=Woods, \"and\" more");
    let operation = format!("/operations/{}", charge["operation"]["id"].as_str().unwrap());
    ada.get(&operation).await.expect(200);

    assert_eq!(
        amounts(&ada.get("/ledger?month=2026-11").await.expect(200)),
        [1, -2, 100]
    );
    assert_eq!(amounts(&ada.get("/ledger?month=2026-12").await.expect(200)), [-3]);
    assert!(amounts(&ada.get("/ledger?month=2026-10").await.expect(200)).is_empty());
    let first = ada.get("/ledger?month=2026-11&limit=2").await.expect(200);
    let after = first["meta"]["next_cursor"].as_str().unwrap();
    let second = ada
        .get(&format!("/ledger?month=2026-11&after={after}"))
        .await
        .expect(200);
    assert_eq!((amounts(&first), amounts(&second)), (vec![1, -2], vec![100]));
    for month in ["2026", "2026-13", "november", ""] {
        for path in ["/ledger", "/usage"] {
            let refused = ada.get(&format!("{path}?month={month}")).await;
            refused.expect_error(400, "invalid_request");
        }
    }
}

#[tokio::test]
async fn the_ledger_is_a_table_that_runs_no_formula() {
    let (_app, ada) = start().await;
    let (reply, november) = table(&ada, "/ledger?month=2026-11").await;
    assert_eq!(
        reply.header("content-disposition"),
        "attachment; filename=\"ledger-2026-11.csv\""
    );
    let lines: Vec<&str> = november.split_terminator("\r\n").collect();
    assert_eq!(
        lines[0],
        "id,created_at,kind,amount,operation_id,operation_type,resource_type,resource_id,title,reason"
    );
    assert_eq!(lines.len(), 4, "{november}");
    assert!(lines[2].contains(",charge,-2,op_"), "{november}");
    assert!(lines[2].ends_with(",\"'=Woods, \"\"and\"\" more\","), "{november}");
    assert!(lines[3].contains(",grant,100,,,,,,"), "{november}");
    let (_, all) = table(&ada, "/ledger").await;
    assert!(all.contains(",debit,-3,,,,,,'@sold by mistake\r\n"), "{all}");
}

#[tokio::test]
async fn a_long_table_has_every_entry_once() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let account = app.account_of("ada@example.com").await;
    for number in 0..1_100 {
        testing::grant(&app.server, &account, number + 2).await.unwrap();
    }
    let (_, all) = table(&ada, "/ledger").await;
    let mut amounts: Vec<i64> = all
        .split_terminator("\r\n")
        .skip(1)
        .map(|line| line.split(',').nth(3).unwrap().parse().unwrap())
        .collect();
    amounts.sort_unstable();
    assert_eq!(amounts, (1..=1_101).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_usage_of_a_month_is_summed_up_by_kind_and_operation() {
    let (_app, ada) = start().await;
    let usage = ada.get("/usage?month=2026-11").await.expect(200)["usage"].clone();
    let line = |kind: &str, operation: Option<&str>, amount: i64| json!({"kind": kind, "operation_type": operation, "entries": 1, "amount": amount});
    let lines = json!([
        line("charge", Some("book.create"), -2),
        line("grant", None, 100),
        line("refund", Some("book.create"), 1),
    ]);
    assert_eq!(usage, json!({"month": "2026-11", "lines": lines}));
    // The present month is the default.
    let present = ada.get("/usage").await.expect(200)["usage"].clone();
    assert_eq!(present, json!({"month": "2026-12", "lines": [line("debit", None, -3)]}));
    let (reply, november) = table(&ada, "/usage?month=2026-11").await;
    assert_eq!(
        reply.header("content-disposition"),
        "attachment; filename=\"usage-2026-11.csv\""
    );
    assert_eq!(
        november,
        "month,kind,operation_type,entries,amount\r\n2026-11,charge,book.create,1,-2\r\n2026-11,grant,,1,100\r\n\
         2026-11,refund,book.create,1,1\r\n"
    );
}
