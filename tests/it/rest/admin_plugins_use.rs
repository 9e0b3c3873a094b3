//! `/admin/plugins/{id}`: the use of plugins, and their settings.
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::test_app::{Actor, Reply, TestApp};

/// A server with two image providers, the second of which its settings file does not name.
struct Server {
    app: TestApp,
    operator: Actor,
    file: PathBuf,
    _folder: TempDir,
}

const START: &str = "image_providers = [\"testbed.slow\"] # ours\nplanner = \"testbed.moody\"\n";

impl Server {
    async fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("linepress.toml");
        std::fs::write(&file, START).unwrap();
        let app = TestApp::builder()
            .image_provider("testbed.slow", json!({}))
            .installed("testbed.plain")
            .installed("testbed.critic")
            .config(|config| config.file = Some(file.clone()))
            .start()
            .await;
        let operator = app.operator().await;
        Self {
            app,
            operator,
            file,
            _folder: folder,
        }
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.file).unwrap()
    }

    async fn post(&self, id: &str, action: &str, body: &Value) -> Reply {
        self.operator.post(&format!("/admin/plugins/{id}/{action}"), body).await
    }

    async fn stop_using(&self, id: &str) -> Reply {
        self.operator
            .post_nothing(&format!("/admin/plugins/{id}/stop_using"))
            .await
    }

    /// The entries of the audit log, each with its action and its details.
    async fn recorded(&self, id: &str) -> Vec<(Value, Value)> {
        let log = self.operator.get(&format!("/admin/audit_log?target={id}")).await;
        let log = log.expect(200)["audit_log"].clone();
        let entries = log.as_array().unwrap().iter();
        entries
            .map(|entry| (entry["action"].clone(), entry["details"].clone()))
            .collect()
    }
}

#[tokio::test]
async fn a_provider_takes_its_place_in_the_order_and_leaves_it() {
    let server = Server::start().await;
    let used = server.post("testbed.plain", "use", &json!({})).await.expect(200);
    assert_eq!(
        (&used["managed_plugin"]["in_use"], &used["managed_plugin"]["position"]),
        (&json!(true), &json!(1))
    );
    let expected = START.replace("[\"testbed.slow\"]", "[\"testbed.plain\", \"testbed.slow\"]");
    assert_eq!(server.text(), expected);
    // It is in use in this way already.
    server.post("testbed.plain", "use", &json!({})).await.expect(200);
    server
        .post("testbed.plain", "use", &json!({"position": 2}))
        .await
        .expect(200);
    let expected = START.replace("[\"testbed.slow\"]", "[\"testbed.slow\", \"testbed.plain\"]");
    assert_eq!(server.text(), expected);
    let recorded = server.recorded("testbed.plain").await;
    assert_eq!(recorded.len(), 2, "{recorded:?}");
    let first = json!({
        "setting": "image_providers", "from": ["testbed.slow"], "to": ["testbed.plain", "testbed.slow"],
    });
    assert!(recorded.contains(&(json!("plugin.choose"), first)), "{recorded:?}");

    let left = server.stop_using("testbed.plain").await.expect(200);
    assert_eq!(
        (&left["managed_plugin"]["in_use"], &left["managed_plugin"]["position"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(server.text(), START);
    server.stop_using("testbed.plain").await.expect(200);
}

#[tokio::test]
async fn a_planner_replaces_the_one_before() {
    let server = Server::start().await;
    server.post("linepress.storyboard", "use", &json!({})).await.expect(200);
    assert_eq!(server.text(), START.replace("testbed.moody", "linepress.storyboard"));
    for id in ["linepress.storyboard", "testbed.slow"] {
        let error = server.stop_using(id).await.expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], "plugin");
    }
    let placed = server
        .post("linepress.storyboard", "use", &json!({"position": 1}))
        .await;
    placed.expect_fields(&["position"]);
    for position in [0, 3] {
        let placed = server
            .post("testbed.plain", "use", &json!({"position": position}))
            .await;
        placed.expect_fields(&["position"]);
    }
    for action in ["use", "configure"] {
        let body = if action == "use" {
            json!({})
        } else {
            json!({"settings": {}})
        };
        server
            .post("acme.absent", action, &body)
            .await
            .expect_error(404, "not_found");
    }
    server.stop_using("acme.absent").await.expect_error(404, "not_found");
}

#[tokio::test]
async fn a_reviewer_is_used_and_taken_out_of_use() {
    let server = Server::start().await;
    let used = server.post("testbed.critic", "use", &json!({})).await.expect(200);
    assert_eq!(
        (&used["managed_plugin"]["kind"], &used["managed_plugin"]["in_use"]),
        (&json!("reviewer"), &json!(true))
    );
    assert_eq!(server.text(), format!("{START}reviewer = \"testbed.critic\"\n"));
    let left = server.stop_using("testbed.critic").await.expect(200);
    assert_eq!(left["managed_plugin"]["in_use"], false);
    assert_eq!(server.text(), format!("{START}reviewer = \"\"\n"));
    let recorded = server.recorded("testbed.critic").await;
    let last = json!({"setting": "reviewer", "from": ["testbed.critic"], "to": []});
    assert!(recorded.contains(&(json!("plugin.choose"), last)), "{recorded:?}");
}

#[tokio::test]
async fn settings_are_saved_only_if_the_plugin_allows_them() {
    let server = Server::start().await;
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {"milliseconds": {"type": "integer", "maximum": 1000}, "busy": {"type": "boolean"}},
    });
    server.app.describe_settings("testbed.slow", &schema).await;
    for (settings, field, words) in [
        (
            json!({"milliseconds": 5000}),
            "settings.milliseconds",
            "must be at most 1000",
        ),
        (
            json!({"milliseconds": "fast"}),
            "settings.milliseconds",
            "must be a whole number",
        ),
        (
            json!({"seconds": 5}),
            "settings.seconds",
            "is not a setting of this plugin",
        ),
    ] {
        let refused = server
            .post("testbed.slow", "configure", &json!({"settings": settings}))
            .await;
        let error = refused.expect_error(422, "validation_failed");
        let detail = &error["details"][0];
        assert_eq!(detail["field"], field);
        assert!(detail["message"].as_str().unwrap().contains(words), "{detail}");
    }
    assert_eq!(server.text(), START);
    assert_eq!(server.recorded("testbed.slow").await, []);

    let both = json!({"settings": {"milliseconds": 50, "busy": true}});
    let saved = server.post("testbed.slow", "configure", &both).await.expect(200);
    let settings = saved["managed_plugin"]["settings"].as_array().unwrap();
    let saved = settings
        .iter()
        .find(|setting| setting["name"] == "milliseconds")
        .unwrap();
    assert_eq!((&saved["value"], &saved["is_known"]), (&json!(50), &json!(true)));
    let busy = settings.iter().find(|setting| setting["name"] == "busy").unwrap();
    assert_eq!(
        (&busy["value"], &busy["options"]),
        (&json!(true), &json!([true, false]))
    );
    let removed = json!({"settings": {"busy": null}});
    server.post("testbed.slow", "configure", &removed).await.expect(200);
    assert!(server.text().starts_with(START), "{}", server.text());
    assert!(
        server
            .text()
            .contains("[plugins.\"testbed.slow\"]\nmilliseconds = 50\n"),
        "{}",
        server.text()
    );
    // The log has the names, and not the values.
    let recorded = server.recorded("testbed.slow").await;
    let both = (json!("plugin.configure"), json!({"settings": ["busy", "milliseconds"]}));
    assert!(recorded.len() == 2 && recorded.contains(&both), "{recorded:?}");
}
