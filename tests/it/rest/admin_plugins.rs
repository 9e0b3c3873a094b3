//! `/admin/plugins`: the plugins, and the approval of what they request.
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use linepress_platform::app::live_plugins;
use linepress_plugin_host::Pace;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::test_app::{Actor, Reply, TestApp, wait_until};

const COURIER: &str = "/admin/plugins/testbed.courier";

const PACE: Pace = Pace {
    quiet: Duration::from_millis(100),
    poll: Duration::from_millis(200),
    retry: Duration::from_millis(400),
};

/// A server whose only image provider requests the network, with a settings file that names the source of its secret.
struct Server {
    app: TestApp,
    operator: Actor,
    settings: PathBuf,
    _folder: TempDir,
}

impl Server {
    async fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let settings = folder.path().join("linepress.toml");
        std::fs::write(folder.path().join("key"), "s3cret").unwrap();
        let key = folder.path().join("key");
        let text = format!(
            "# ours\n[credentials.\"testbed.courier\"]\napi_key = {{ file = \"{}\" }}\n",
            key.display()
        );
        std::fs::write(&settings, text).unwrap();
        let app = TestApp::builder()
            .image_provider("testbed.courier", json!({}))
            .config(|config| config.file = Some(settings.clone()))
            .start()
            .await;
        let operator = app.operator().await;
        Self {
            app,
            operator,
            settings,
            _folder: folder,
        }
    }

    async fn courier(&self) -> Value {
        self.operator.get(COURIER).await.expect(200)["managed_plugin"].clone()
    }

    async fn allow(&self, approval: &Value) -> Reply {
        self.operator.post(&format!("{COURIER}/allow"), approval).await
    }

    /// Waits until the plugin has this state.
    async fn until(&self, state: &str) {
        for _ in 0..1_200 {
            if self.courier().await["state"] == state {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it is not {state}: {}", self.courier().await);
    }

    /// The actions in the audit log for this plugin, the newest first.
    async fn recorded(&self) -> Vec<Value> {
        let log = self.operator.get("/admin/audit_log?target=testbed.courier").await;
        let log = log.expect(200)["audit_log"].clone();
        let entries = log.as_array().unwrap().iter();
        entries.map(|entry| entry["action"].clone()).collect()
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.settings).unwrap()
    }
}

#[tokio::test]
async fn plugins_are_listed_with_their_requests() {
    let server = Server::start().await;
    let list = server.operator.get("/admin/plugins").await.expect(200);
    let plugins = list["managed_plugins"].as_array().unwrap();
    let states: Vec<_> = plugins.iter().map(|plugin| (&plugin["id"], &plugin["state"])).collect();
    assert!(
        states.contains(&(&json!("testbed.courier"), &json!("waiting_for_approval")))
            && states.contains(&(&json!("linepress.classic"), &json!("serving"))),
        "{states:?}"
    );
    let courier = server.courier().await;
    assert_eq!(
        (&courier["kind"], &courier["version"], &courier["serving_version"]),
        (&json!("image_provider"), &json!("0.1.0"), &Value::Null)
    );
    assert_eq!(
        courier["origins"],
        json!([
            {"origin": "https://pictures.test:443", "methods": ["GET", "POST"]},
            {"origin": "https://*.pictures.test:443", "methods": ["GET"]},
        ])
    );
    let credential = &courier["credentials"][0];
    assert_eq!(
        (&credential["name"], &credential["header"], &credential["is_optional"]),
        (&json!("api_key"), &json!("x-key"), &json!(false))
    );
    assert!(credential["source"].as_str().unwrap().starts_with("the file /"));
    assert!(!courier.to_string().contains("s3cret"));
    let source = json!({"kind": "folder", "registry": null, "publisher": null, "version": null, "is_changed": false, "stored": []});
    assert_eq!(courier["source"], source);
    assert_eq!(courier["approval"], Value::Null);
    assert!(courier["problem"].as_str().unwrap().contains("it asks to reach"));
}

#[tokio::test]
async fn a_plugin_that_is_not_loaded_cannot_be_used() {
    let server = Server::start().await;
    let before = server.text();
    let refused = server.operator.post(&format!("{COURIER}/use"), &json!({})).await;
    let error = refused.expect_error(422, "validation_failed");
    let detail = &error["details"][0];
    assert_eq!(detail["field"], "plugin");
    assert!(
        detail["message"]
            .as_str()
            .unwrap()
            .starts_with("is not loaded, so it cannot be used: it asks to reach"),
        "{detail}"
    );
    assert_eq!(server.text(), before);
}

#[tokio::test]
async fn an_approval_is_written_into_the_settings_file_and_recorded() {
    let server = Server::start().await;
    let digest = server.courier().await["digest"].clone();
    let file = Some(server.settings.clone());
    let following = tokio::spawn(live_plugins::follow(server.app.server.clone(), file, PACE));
    let allowed = server.allow(&json!({"digest": digest})).await.expect(200);
    let approval = &allowed["managed_plugin"]["approval"];
    assert_eq!(
        *approval,
        json!({
            "is_current": true,
            "origins": ["https://pictures.test:443", "https://*.pictures.test:443"],
            "private": [],
            "permissions": [],
        })
    );
    let text = server.text();
    assert!(
        text.starts_with("# ours\n") && text.contains("[grants.\"testbed.courier\"]"),
        "{text}"
    );
    server.until("serving").await;
    // The ids of entries, by which the log is sorted, follow the clock.
    server.app.server.clock.advance(Duration::from_secs(1));
    let denied = server
        .operator
        .post_nothing(&format!("{COURIER}/deny"))
        .await
        .expect(200);
    assert_eq!(denied["managed_plugin"]["approval"], Value::Null);
    server.until("waiting_for_approval").await;
    following.abort();
    // It has none to withdraw, so nothing changes.
    server
        .operator
        .post_nothing(&format!("{COURIER}/deny"))
        .await
        .expect(200);
    let log = server
        .operator
        .get("/admin/audit_log?target=testbed.courier")
        .await
        .expect(200);
    let log = log["audit_log"].as_array().unwrap();
    let actions: Vec<_> = log
        .iter()
        .map(|entry| (&entry["action"], &entry["target_type"]))
        .collect();
    let plugin = json!("plugin");
    assert_eq!(
        actions,
        [(&json!("plugin.deny"), &plugin), (&json!("plugin.allow"), &plugin)]
    );
    assert_eq!(log[1]["details"]["digest"], digest);
    assert_eq!(log[1]["details"]["origins"], approval["origins"]);
}

#[tokio::test]
async fn a_plugin_that_is_installed_and_approved_on_one_node_is_loaded_by_another() {
    let server = Server::start().await;
    let folder = server.app.server.config.plugins_dir.join("testbed.courier");
    let built = std::fs::read_link(&folder).unwrap();
    std::fs::remove_file(&folder).unwrap();
    let other = server.app.another_node().await;
    let file = Some(server.settings.clone());
    let following = tokio::spawn(live_plugins::follow(other.clone(), file, PACE));
    symlink(built, &folder).unwrap();
    let digest = server.courier().await["digest"].clone();
    server.allow(&json!({"digest": digest})).await.expect(200);
    wait_until("the other node has loaded the plugin", async || {
        let installed = other.plugins.installed();
        let mut serving = installed.iter().filter(|plugin| plugin.serving.is_some());
        serving.any(|plugin| plugin.id.as_deref() == Some("testbed.courier"))
    })
    .await;
    following.abort();
}

#[tokio::test]
async fn files_that_the_server_has_not_loaded_yet_do_not_count_as_serving() {
    let app = TestApp::start().await;
    let operator = app.operator().await;
    let state = async || {
        let reply = operator.get("/admin/plugins/testbed.plain").await.expect(200);
        let plugin = &reply["managed_plugin"];
        ["state", "version", "serving_version"].map(|field| plugin[field].as_str().unwrap().to_owned())
    };
    assert_eq!(state().await, ["serving", "0.1.0", "0.1.0"]);
    let folder = app.own_plugin("testbed.plain", |copy| {
        let manifest = copy.join("plugin.toml");
        let text = std::fs::read_to_string(&manifest).unwrap();
        let newer = text.replace("version = \"0.1.0\"", "version = \"0.2.0\"");
        std::fs::write(&manifest, newer).unwrap();
    });
    assert_eq!(state().await, ["loading", "0.2.0", "0.1.0"]);
    app.server.plugins.reload().await.unwrap();
    assert_eq!(state().await, ["serving", "0.2.0", "0.2.0"]);
    // Neither its version nor its component changes.
    std::fs::write(folder.join("config.json"), "{}").unwrap();
    assert_eq!(state().await, ["loading", "0.2.0", "0.2.0"]);
    app.server.plugins.reload().await.unwrap();
    assert_eq!(state().await, ["serving", "0.2.0", "0.2.0"]);
}

#[tokio::test]
async fn the_services_that_a_plugin_requests_are_approved_with_it() {
    const KEEPER: &str = "/admin/plugins/testbed.keeper";
    let folder = TempDir::new().unwrap();
    let settings = folder.path().join("linepress.toml");
    std::fs::write(&settings, "").unwrap();
    let app = TestApp::builder()
        .installed("testbed.keeper")
        .config(|config| config.file = Some(settings.clone()))
        .start()
        .await;
    let operator = app.operator().await;
    let keeper = operator.get(KEEPER).await.expect(200)["managed_plugin"].clone();
    assert_eq!(
        (&keeper["state"], &keeper["permissions"], &keeper["origins"]),
        (&json!("waiting_for_approval"), &json!(["store", "cache"]), &json!([]))
    );
    assert!(
        keeper["problem"]
            .as_str()
            .unwrap()
            .contains("it asks to store up to 256 values")
    );
    let approval = json!({"digest": keeper["digest"]});
    let allowed = operator.post(&format!("{KEEPER}/allow"), &approval).await.expect(200);
    assert_eq!(
        allowed["managed_plugin"]["approval"],
        json!({"is_current": true, "origins": [], "private": [], "permissions": ["store", "cache"]})
    );
    let log = operator.get("/admin/audit_log?target=testbed.keeper").await.expect(200);
    assert_eq!(log["audit_log"][0]["details"]["permissions"], json!(["store", "cache"]));
}

#[tokio::test]
async fn only_requests_of_the_present_files_are_approved() {
    let server = Server::start().await;
    let digest = server.courier().await["digest"].clone();
    let before = server.text();
    for (approval, field) in [
        (json!({"digest": "another"}), "digest"),
        (json!({"digest": digest, "origins": ["https://evil.test"]}), "origins"),
        (json!({"digest": digest, "private": ["https://evil.test"]}), "private"),
        (
            json!({"digest": digest, "origins": ["https://pictures.test", "?"]}),
            "origins[1]",
        ),
        (
            json!({"digest": digest, "private": ["https://pictures.test", "https://*.pictures.test"]}),
            "private[1]",
        ),
    ] {
        let error = server.allow(&approval).await.expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field);
    }
    assert_eq!(server.text(), before);
    let log = server
        .operator
        .get("/admin/audit_log?target=testbed.courier")
        .await
        .expect(200);
    assert_eq!(log["audit_log"], json!([]));
    let one = json!({"digest": digest, "origins": ["https://pictures.test"], "private": ["https://pictures.test"]});
    let allowed = server.allow(&one).await.expect(200);
    let approval = &allowed["managed_plugin"]["approval"];
    assert_eq!(
        (&approval["origins"], &approval["private"]),
        (
            &json!(["https://pictures.test:443"]),
            &json!(["https://pictures.test:443"])
        )
    );
    let none = json!({"digest": digest, "origins": []});
    let allowed = server.allow(&none).await.expect(200);
    let approval = &allowed["managed_plugin"]["approval"];
    assert_eq!((&approval["origins"], &approval["private"]), (&json!([]), &json!([])));
    for path in ["testbed.absent", "%00", "..%2Ftestbed.courier"] {
        let path = format!("/admin/plugins/{path}");
        server.operator.get(&path).await.expect_error(404, "not_found");
        let deny = format!("{path}/deny");
        server.operator.post_nothing(&deny).await.expect_error(404, "not_found");
    }
}

#[tokio::test]
async fn nothing_is_recorded_when_the_settings_file_cannot_be_written() {
    let server = Server::start().await;
    let digest = server.courier().await["digest"].clone();
    // The result would be invalid.
    let broken = "workers = = 1\n";
    std::fs::write(&server.settings, broken).unwrap();
    let approval = json!({"digest": digest});
    server.allow(&approval).await.expect_error(409, "settings_not_writable");
    assert_eq!(server.text(), broken);
    let log = server
        .operator
        .get("/admin/audit_log?target=testbed.courier")
        .await
        .expect(200);
    assert_eq!(log["audit_log"], json!([]));
    // Settings that were read from no file cannot be changed either.
    let app = TestApp::builder()
        .image_provider("testbed.courier", json!({}))
        .start()
        .await;
    let operator = app.operator().await;
    let refused = operator.post(&format!("{COURIER}/allow"), &approval).await;
    refused.expect_error(409, "settings_not_writable");
}

#[tokio::test]
async fn an_approval_is_completed_and_recorded_when_the_client_disconnects() {
    let server = Server::start().await;
    let approval = json!({"digest": server.courier().await["digest"]});
    // Another process changes the settings file, for which the approval waits.
    let other = std::fs::File::open(server.settings.parent().unwrap()).unwrap();
    other.lock().unwrap();
    let disconnected = tokio::time::timeout(Duration::from_secs(2), server.allow(&approval)).await;
    assert!(disconnected.is_err());
    assert!(!server.text().contains("[grants."));
    drop(other);
    for _ in 0..200 {
        if !server.recorded().await.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(server.recorded().await, [json!("plugin.allow")]);
    assert!(
        server.text().contains("[grants.\"testbed.courier\"]"),
        "{}",
        server.text()
    );
}

#[tokio::test]
async fn another_plugin_in_the_folder_is_not_approved() {
    let server = Server::start().await;
    let before = server.text();
    let link = server.app.server.config.plugins_dir.join("testbed.courier");
    let copy = link.with_file_name(".copy");
    std::fs::create_dir(&copy).unwrap();
    let manifest = std::fs::read_to_string(link.join("plugin.toml")).unwrap();
    let manifest = manifest.replace("\"testbed.courier\"", "\"testbed.other\"");
    std::fs::write(copy.join("plugin.toml"), manifest).unwrap();
    std::fs::copy(link.join("plugin.wasm"), copy.join("plugin.wasm")).unwrap();
    std::fs::remove_file(&link).unwrap();
    std::fs::rename(copy, &link).unwrap();
    // The server has not looked at the folder since.
    let approval = json!({"digest": server.courier().await["digest"]});
    server.allow(&approval).await.expect_fields(&["digest"]);
    assert_eq!(server.text(), before);
}
