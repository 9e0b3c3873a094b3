//! The functions of operators, the store of a plugin, backups, and maintenance.
use linepress_accounts::accounts::Plan;
use linepress_operator::administration;
use linepress_operator::backup::{self, LastBackup, Origin, Target};
use linepress_operator::plugin_store::DatabaseStore;
use linepress_platform::maintenance;
use linepress_plugin_host::PluginStore as _;
use serde_json::json;

use crate::test_app::TestApp;

/// Uses the store of a plugin, and what operators do with it.
pub(super) async fn store_values_of_a_plugin(app: &TestApp) {
    let store = DatabaseStore::new(app.server.database.clone(), app.server.clock.clone());
    for key in ["token", "price"] {
        store.set("acme.flux", key, "1".into()).await.unwrap();
    }
    store.get("acme.flux", "token").await.unwrap();
    store.delete("acme.flux", "price").await.unwrap();
    store.keys("acme.flux").await.unwrap();
    let actor = administration::Actor::command_line();
    let deleted = administration::plugin_values::clear(&app.server, &actor, "acme.flux").await;
    assert_eq!(deleted.unwrap(), 1);
    let removed = administration::plugin_values::close(&app.server, &actor, "acme.flux").await;
    assert_eq!(removed.unwrap(), 0);
}

/// Uses the functions of operators.
pub(super) async fn administer(app: &TestApp) {
    let operator = app.account_named("olga@example.com", Plan::Business, 0).await;
    app.make_operator("olga@example.com").await;
    for list in [
        "/admin/accounts",
        "/admin/accounts?search=ada",
        "/admin/audit_log",
        "/admin/audit_log?target=acct_1",
        "/admin/operations",
        "/admin/operations?open=true",
        "/admin/operations?account_id=acct_1",
        "/admin/operations?account_id=acct_1&open=true",
        "/admin/queue",
        "/admin/providers",
        "/admin/spending",
        "/admin/plugins",
        "/admin/plugins/testbed.flaky/calls",
        "/admin/health",
    ] {
        operator.get(list).await.expect(200);
    }
    let new = json!({"managed_account": {"email": "hal@example.com", "plan": "free"}});
    let invited = operator.post("/admin/accounts", &new).await.expect(201);
    let hal = format!("/admin/accounts/{}", invited["managed_account"]["id"].as_str().unwrap());
    operator.get(&hal).await.expect(200);
    let plan = json!({"managed_account": {"plan": "business", "limits": {"pages": 70}}});
    operator.patch(&hal, &plan).await.expect(200);
    let gift = json!({"amount": 1, "reason": "A gift"});
    operator
        .generate(&format!("{hal}/credits"), "k1", &gift)
        .await
        .expect(200);
    let reason = json!({"reason": "A mistake"});
    operator.post(&format!("{hal}/suspend"), &reason).await.expect(200);
    operator.post_nothing(&format!("{hal}/resume")).await.expect(200);
    operator
        .post_nothing(&format!("{hal}/reset_second_factor"))
        .await
        .expect(200);
    operator.post_nothing(&format!("{hal}/close")).await.expect(200);
    operator.post("/admin/queue/pause", &reason).await.expect(200);
    operator.post_nothing("/admin/queue/resume").await.expect(200);
    let provider = "/admin/providers/testbed.flaky";
    operator
        .post(&format!("{provider}/switch_off"), &reason)
        .await
        .expect(200);
    for change in ["switch_on", "end_pause"] {
        operator.post_nothing(&format!("{provider}/{change}")).await.expect(200);
    }
    let ida = app.account_named("ida@example.com", Plan::Business, 5).await;
    let ordered = app.new_page(&ida, "A fox").await;
    let operation = format!("/admin/operations/{}", ordered.operation_id());
    operator.get(&operation).await.expect(200);
    for change in ["retry", "cancel"] {
        operator
            .post_nothing(&format!("{operation}/{change}"))
            .await
            .expect(200);
    }
}

/// Makes a backup, and one that fails.
pub(super) async fn back_up(app: &TestApp) {
    let folder = tempfile::tempdir().unwrap();
    let target = Target::create(folder.path().to_str().unwrap(), &app.server.config).unwrap();
    let scratch = app.server.config.incoming_dir();
    let origin = Origin::of(&app.server);
    backup::create(origin, &target, None, &scratch).await.unwrap();
    let newer = folder.path().join("snapshots/newer");
    std::fs::create_dir(&newer).unwrap();
    std::fs::write(newer.join("snapshot.json"), "{\"format\": 99}").unwrap();
    backup::create(origin, &target, None, &scratch).await.unwrap_err();
}

/// Begins maintenance, looks at it and at the age of the last backup, and ends it.
pub(super) async fn maintain(app: &TestApp) {
    crate::maintenance::begin_with(app, "").await;
    assert!(crate::maintenance::end(app).await);
    assert!(maintenance::current(&app.server).await.unwrap().is_none());
    for dir in ["", "/backups"] {
        let node = app.another_node_with(|config| config.backup.dir = dir.into()).await;
        LastBackup::find(&node).await.unwrap();
        let actor = administration::Actor::command_line();
        administration::backups::request(&node, &actor).await.unwrap();
        administration::backups::state(&node, &actor).await.unwrap();
    }
}
