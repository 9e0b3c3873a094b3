//! Nodes with one role: interfaces without workers, and workers without interfaces.
use std::process::Command;

use linepress_platform::config::Role;
use serde_json::{Value, json};

use crate::recovery::{Server, Site};
use crate::test_app::{TestApp, wait_until};

/// Starts a node with this value of `--roles`.
fn start(site: &Site, roles: &str) -> Server {
    Server::spawn_with(&mut site.command(site.database()), &["--roles", roles])
}

/// Stops a node as an operator does, and waits until it has ended.
fn stop(mut server: Server) {
    let id = server.process.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    assert!(server.process.wait().unwrap().success());
}

#[tokio::test]
async fn a_node_without_workers_draws_nothing_and_a_worker_draws_what_it_accepted() {
    let site = Site::new(0).await;
    let api = start(&site, "api");
    let pages: Vec<Value> = (0..4)
        .map(|number| json!({"title": format!("Page {number}")}))
        .collect();
    let accepted = site.generate(&api, "/books", &json!({"book": {"title": "B", "pages": pages}}));
    let path = format!("/operations/{}", accepted["operation"]["id"].as_str().unwrap());
    // A stopping node ends the drawings that it has begun.
    stop(api);
    let api = start(&site, "api");
    let operation = api.get(&site.key, &path)["operation"].clone();
    assert_eq!(operation["status"], "queued", "{operation}");
    let items = operation["items"].as_array().unwrap();
    assert!(items.iter().all(|item| item["status"] == "queued"), "{operation}");

    let worker = start(&site, "worker");
    wait_until("the book is drawn", async || {
        api.get(&site.key, &path)["operation"]["status"] == "succeeded"
    })
    .await;
    stop(worker);
    stop(api);
}

#[tokio::test]
async fn a_worker_serves_its_health_checks_and_refuses_every_other_request() {
    let app = TestApp::builder()
        .config(|config| config.roles = vec![Role::Worker])
        .start()
        .await;
    let anyone = app.anonymous();
    let ready = anyone.get("/readyz").await;
    assert_eq!((ready.status.as_u16(), &*ready.body), (200, &b"ready\n"[..]));
    for path in [
        "/api/v1/me",
        "/api/v1/openapi.json",
        "/mcp",
        "/oauth/authorize",
        "/sign-in",
        "/uploads/abc",
    ] {
        let refused = anyone.get(path).await;
        assert_eq!(refused.status, 421, "{path}");
        let text = String::from_utf8_lossy(&refused.body).into_owned();
        assert!(
            text.contains("only a worker") && text.contains("role `api`"),
            "{path}: {text}"
        );
    }
}

#[tokio::test]
async fn an_unknown_role_is_refused() {
    let site = Site::new(0).await;
    for roles in ["painter", "api,", ""] {
        let mut command = site.command(site.database());
        let output = command.args(["serve", "--roles", roles]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{roles}");
        assert!(error.contains("the roles are api and worker"), "{roles}: {error}");
    }
}
