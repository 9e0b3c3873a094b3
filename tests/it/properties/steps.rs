//! The queue's steps (claim, draw, store, complete), each run twice, and aborted at every await point.
use std::pin::pin;
use std::task::Poll;

use crate::testing::{self, Assignment};
use serde_json::{Value, json};

use crate::test_app::{Actor, TestApp};

/// Lets some work wait `waits` times, and drops it when it waits again, as if its process died; returns `None` then.
async fn until_killed<T>(work: impl Future<Output = T>, waits: usize) -> Option<T> {
    let mut work = pin!(work);
    let mut waited = 0;
    std::future::poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending if waited == waits => Poll::Ready(None),
        Poll::Pending => {
            waited += 1;
            Poll::Pending
        }
    })
    .await
}

struct Asked {
    operation: String,
    page: String,
}

/// Requests a page for one credit, which is drawn or, if the prompt says so, fails.
async fn ask(ada: &Actor, number: usize, prompt: &str) -> Asked {
    let body = json!({"page": {"title": "A page", "prompt": prompt, "aspect": "square"}});
    let accepted = ada.generate("/pages", &format!("k{number}"), &body).await.expect(202);
    Asked {
        operation: accepted["operation"]["url"].as_str().unwrap().to_owned(),
        page: format!("/pages/{}", accepted["page"]["id"].as_str().unwrap()),
    }
}

/// Fails unless the page was drawn once, or failed and was refunded once.
async fn check(ada: &Actor, asked: &Asked, drawn: bool, note: &str) -> Value {
    let operation = ada.get(&asked.operation).await.expect(200)["operation"].clone();
    let page = ada.get(&asked.page).await.expect(200)["page"].clone();
    let (status, completed, refunded) = if drawn { ("succeeded", 1, 0) } else { ("failed", 0, 1) };
    assert_eq!(operation["status"], status, "{note}");
    let progress = json!({"completed": completed, "failed": 1 - completed, "total": 1});
    assert_eq!(operation["progress"], progress, "{note}");
    assert_eq!(
        operation["credits"],
        json!({"charged": 1, "refunded": refunded}),
        "{note}"
    );
    assert_eq!(page["active_operation_id"], json!(null), "{note}");
    if drawn {
        assert_eq!(
            (&page["status"], &page["image"]["revision"]),
            (&json!("ready"), &json!(1)),
            "{note}"
        );
    } else {
        assert_eq!(
            (&page["status"], &page["image"]),
            (&json!("failed"), &json!(null)),
            "{note}"
        );
    }
    operation
}

async fn with_a_flaky_provider() -> TestApp {
    TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .start()
        .await
}

/// Kills a worker at its first await point, then at its second, and so on until it completes; another worker takes
/// over.
async fn kill_everywhere(prompt: &str, drawn: bool) {
    let app = with_a_flaky_provider().await;
    let ada = app.account(1_000).await;
    let mut kills = 0;
    let mut pages = 0;
    loop {
        let asked = ask(&ada, pages, prompt).await;
        pages += 1;
        let survived = until_killed(testing::work_once(&app.server), kills).await;
        app.expire_leases();
        app.draw_everything().await;
        check(&ada, &asked, drawn, &format!("killed at wait {kills}")).await;
        app.check_ledger().await;
        match survived {
            None => kills += 1,
            // Each of the four steps awaits the database or the storage at least once, but a result that is ready at
            // the first poll is not counted. That is rare, and the next page tries again.
            Some(worked) if kills < 4 => {
                assert!(worked.unwrap());
                assert!(pages < 50, "only {kills} await points were seen");
            }
            Some(worked) => {
                assert!(worked.unwrap());
                break;
            }
        }
    }
    let spent = i64::try_from(pages).unwrap();
    assert_eq!(ada.credits().await, if drawn { 1_000 - spent } else { 1_000 });
    app.check_books().await;
}

#[tokio::test]
async fn a_worker_killed_wherever_it_waits_leaves_a_page_that_is_drawn_once() {
    kill_everywhere("a fox", true).await;
}

#[tokio::test]
async fn a_worker_killed_wherever_it_waits_leaves_a_failure_that_is_refunded_once() {
    kill_everywhere("refused", false).await;
}

/// Claims one drawing twice: the first claim loses its lease, and the second one holds it.
async fn claim_twice(app: &TestApp) -> [Assignment; 2] {
    let lost = testing::claim(&app.server).await.unwrap().unwrap();
    assert!(
        testing::claim(&app.server).await.unwrap().is_none(),
        "two claims at the same time"
    );
    app.expire_leases();
    let current = testing::claim(&app.server).await.unwrap().unwrap();
    assert_eq!(lost.id, current.id);
    [lost, current]
}

#[tokio::test]
async fn two_workers_that_hold_one_drawing_complete_it_once_in_whatever_order() {
    let app = with_a_flaky_provider().await;
    let ada = app.account(1_000).await;
    let orders: [&[usize]; 6] = [&[0, 1], &[1, 0], &[0, 0, 1], &[1, 1, 0], &[0, 1, 0, 1], &[1, 1]];
    let mut number = 0;
    for (prompt, drawn) in [("refused", false), ("a fox", true)] {
        for order in orders {
            let asked = ask(&ada, number, prompt).await;
            number += 1;
            let workers = claim_twice(&app).await;
            for worker in order {
                testing::attempt(&app.server, &workers[*worker]).await;
            }
            let completed = check(&ada, &asked, drawn, &format!("{order:?}")).await;
            for worker in &workers {
                assert!(!testing::renew(&app.server, worker).await.unwrap());
                testing::release(&app.server, worker).await.unwrap();
                testing::attempt(&app.server, worker).await;
            }
            assert_eq!(app.draw_everything().await, 0, "{order:?}");
            assert_eq!(check(&ada, &asked, drawn, &format!("{order:?}")).await, completed);
            app.check_ledger().await;
        }
    }
    app.check_books().await;
}

#[tokio::test]
async fn two_workers_that_hold_one_drawing_at_a_time_complete_it_once() {
    let app = with_a_flaky_provider().await;
    let ada = app.account(1_000).await;
    for (number, (prompt, drawn)) in [("refused", false), ("a fox", true)].into_iter().enumerate() {
        let asked = ask(&ada, number, prompt).await;
        let [lost, current] = claim_twice(&app).await;
        let server = &app.server;
        tokio::join!(
            testing::attempt(server, &lost),
            testing::attempt(server, &current),
            testing::attempt(server, &current),
        );
        check(&ada, &asked, drawn, prompt).await;
        app.check_ledger().await;
    }
    app.check_books().await;
}

#[tokio::test]
async fn a_drawing_released_twice_is_drawn_by_another_once() {
    let app = with_a_flaky_provider().await;
    let ada = app.account(1).await;
    let asked = ask(&ada, 0, "a fox").await;
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    for _ in 0..2 {
        testing::release(&app.server, &claimed).await.unwrap();
    }
    let again = testing::claim(&app.server).await.unwrap().unwrap();
    assert_eq!(again.attempts, 1, "a claim that was released does not count");
    testing::release(&app.server, &claimed).await.unwrap();
    testing::attempt(&app.server, &again).await;
    check(&ada, &asked, true, "released").await;
    assert_eq!(app.draw_everything().await, 0);
    app.check_books().await;
}
