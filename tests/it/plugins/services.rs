//! The services that a plugin uses with the operator's approval: a store that all nodes share, and a cache.
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use linepress_operator::administration::{Actor, plugin_values};
use linepress_operator::plugin_store::DatabaseStore;
use linepress_platform::app::App;
use linepress_plugin_host::{
    CallError, Grant, MAX_STORE_BYTES, Permission, PluginStore as _, Plugins, Preview, StoreFailure,
};
use serde_json::{Value, json};

use super::folder::{Folder, draw};
use crate::maintenance;
use crate::test_app::{Log, TestApp};
use crate::testing;

const BOTH: [Permission; 2] = [Permission::Store, Permission::Cache];

fn store_of(node: &App) -> DatabaseStore {
    DatabaseStore::new(node.database.clone(), node.clock.clone())
}

/// Creates the keeper's folder, approved, for a plugin that takes these steps on this node.
fn keeper(node: &App, steps: Value) -> Folder {
    let mut folder = Folder::with(&["keeper"]).configure("keeper", json!({"steps": steps}));
    folder.settings.store = Some(Arc::new(store_of(node)));
    approve(&mut folder, "keeper", &BOTH);
    folder
}

fn approve(folder: &mut Folder, name: &str, permissions: &[Permission]) {
    let path = folder.settings.directory.join(name);
    let grant = Grant {
        digest: Preview::read(&path, &folder.settings.config).unwrap().digest,
        permissions: permissions.iter().copied().collect(),
        ..Grant::default()
    };
    let grants = &mut folder.settings.network.grants;
    grants.insert(format!("testbed.{name}"), grant);
}

/// Has the plugin take its steps; returns the outcome of each.
async fn outcomes(plugins: &Plugins, name: &str) -> Vec<String> {
    assert_eq!(plugins.refusals(), []);
    match draw(plugins, name, 1).await {
        Err(CallError::Failed(list)) => serde_json::from_str(&list).unwrap(),
        other => panic!("{other:?}"),
    }
}

async fn outcomes_of(node: &App, steps: Value) -> Vec<String> {
    outcomes(&keeper(node, steps).load().await, "keeper").await
}

#[tokio::test]
async fn stored_values_are_found_by_later_calls_on_every_node() {
    let app = TestApp::start().await;
    let steps = json!([
        {"do": "get", "key": "token"},
        {"do": "set", "key": "token", "value": "1"},
        {"do": "set", "key": "token", "value": "zwölf"},
        {"do": "set", "key": "price/b", "size": 65_536},
        {"do": "set", "key": "price/a", "value": ""},
        {"do": "delete", "key": "absent"},
    ]);
    let first = outcomes_of(&app.server, steps).await;
    assert_eq!(first, ["none", "done", "done", "done", "done", "done"]);
    let other = app.another_node().await;
    let steps = json!([
        {"do": "get", "key": "token"},
        {"do": "get", "key": "price/b"},
        {"do": "get", "key": "price/a"},
        {"do": "delete", "key": "price/a"},
        {"do": "get", "key": "price/a"},
        {"do": "list", "key": ""},
        {"do": "list", "key": "price/"},
    ]);
    let second = outcomes_of(&other, steps).await;
    let expected = ["zwölf", "65536 bytes", "", "done", "none", "price/b token", "price/b"];
    assert_eq!(second, expected);
}

#[tokio::test]
async fn a_plugin_reads_no_other_plugins_values() {
    let app = TestApp::start().await;
    let steps = json!([
        {"do": "set", "key": "token", "value": "s3cret"},
        {"do": "cache", "key": "token", "value": "s3cret"},
    ]);
    let mut folder = keeper(&app.server, steps).configure(
        "thief",
        json!({"id": "testbed.thief", "steps": [
            {"do": "get", "key": "token"},
            {"do": "list", "key": ""},
            {"do": "cached", "key": "token", "max_age": 3600},
            {"do": "get", "key": "testbed.keeper/token"},
            {"do": "delete", "key": "token"},
            {"do": "set", "key": "token", "value": "mine"},
        ]}),
    );
    folder.copy("keeper", "thief");
    folder.rewrite("thief", "testbed.keeper", "testbed.thief");
    approve(&mut folder, "thief", &BOTH);
    let plugins = folder.load().await;
    assert_eq!(outcomes(&plugins, "keeper").await, ["done", "done"]);
    let stolen = outcomes(&plugins, "thief").await;
    assert_eq!(stolen, ["none", "", "none", "none", "done", "done"]);
    let kept = store_of(&app.server).get("testbed.keeper", "token").await;
    assert_eq!(kept, Ok(Some("s3cret".into())));
}

#[tokio::test]
async fn a_full_store_refuses_more_and_keeps_what_it_has() {
    let app = TestApp::start().await;
    let steps = json!([
        {"do": "set", "key": "k", "size": 65_536, "count": 20},
        {"do": "get", "key": "k14"},
        {"do": "set", "key": "k0", "value": "smaller"},
        {"do": "set", "key": "k15", "value": "fits"},
    ]);
    let filled = outcomes_of(&app.server, steps).await;
    assert_eq!(filled, ["15 done, full", "65536 bytes", "done", "done"]);
    // The store of another plugin is not affected.
    assert_eq!(store_of(&app.server).set("acme.flux", "k", "1".into()).await, Ok(()));
}

#[tokio::test]
async fn concurrent_changes_on_two_nodes_do_not_exceed_the_limit() {
    const VALUE_BYTES: usize = 65_536;
    let app = TestApp::start().await;
    let stores = [store_of(&app.server), store_of(&app.another_node().await)];
    let changes = (0..24).map(|number| {
        let store = &stores[number % 2];
        store.set("acme.flux", &format!("key{number:02}"), "x".repeat(VALUE_BYTES))
    });
    let done = join_all(changes).await;
    let fitting = MAX_STORE_BYTES / (VALUE_BYTES + "key00".len());
    let (stored, refused): (Vec<_>, Vec<_>) = done.into_iter().partition(Result::is_ok);
    assert_eq!(stored.len(), fitting);
    assert!(
        refused.iter().all(|refused| *refused == Err(StoreFailure::Full)),
        "{refused:?}"
    );
    assert_eq!(stores[1].keys("acme.flux").await.unwrap().len(), fitting);
}

#[tokio::test]
async fn keys_and_values_out_of_bounds_are_refused() {
    let app = TestApp::start().await;
    let steps = json!([
        {"do": "set", "key": "", "value": "1"},
        {"do": "set", "key": "a b", "value": "1"},
        {"do": "get", "key": "k".repeat(129)},
        {"do": "set", "key": "k".repeat(100_000), "value": "1"},
        {"do": "set", "key": "a", "size": 65_537},
        {"do": "set", "key": "a", "value": "\u{0}"},
        {"do": "list", "key": ""},
    ]);
    let refused = outcomes_of(&app.server, steps).await;
    let bad_key = "invalid: a key must have 1 to 128 characters: ASCII letters, digits and ._-/:";
    assert_eq!(refused[..4], [bad_key; 4]);
    assert_eq!(
        refused[4..],
        [
            "invalid: the value has 65537 bytes, and at most 65536 are stored",
            "invalid: a value must not contain a zero byte",
            ""
        ]
    );
}

#[tokio::test]
async fn a_huge_value_costs_the_call_that_passes_it() {
    let app = TestApp::start().await;
    let plugins = keeper(&app.server, json!([{"do": "set", "key": "a", "size": 1_000_000}]))
        .load()
        .await;
    let error = draw(&plugins, "keeper", 1).await.unwrap_err();
    let reason = "it passed more than 131072 bytes to a host function";
    assert_eq!(error, CallError::Trapped(reason.into()));
    assert_eq!(store_of(&app.server).keys("testbed.keeper").await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_call_has_a_limited_number_of_operations() {
    let app = TestApp::start().await;
    let steps = json!([
        {"do": "set", "key": "k", "value": "1", "count": 99},
        {"do": "get", "key": "k", "count": 50},
        {"do": "cache", "key": "k", "value": "1", "count": 500},
        {"do": "cached", "key": "k499", "max_age": 3600},
        {"do": "cached", "key": "k0", "max_age": 3600},
    ]);
    let busy = outcomes_of(&app.server, steps).await;
    let refused = "1 done, other: the call has reached its limit of 100 operations of the store";
    assert_eq!(busy, ["99 done", refused, "500 done", "1", "none"]);
}

#[tokio::test]
async fn an_outage_of_the_database_is_an_error_and_no_trap() {
    let app = TestApp::start().await;
    let node = app.node_without_its_database().await;
    let log = Log::default();
    let _capture = log.capture();
    let steps = json!([{"do": "get", "key": "a"}, {"do": "cache", "key": "a", "value": "1"}]);
    let outcomes = outcomes_of(&node, steps).await;
    assert_eq!(outcomes, ["unavailable: the store does not respond", "done"]);
    assert!(log.holds("the store of a plugin does not respond"));
}

#[tokio::test]
async fn nothing_is_stored_while_the_server_is_read_only() {
    let app = TestApp::start().await;
    let store = store_of(&app.server);
    store.set("testbed.keeper", "a", "1".into()).await.unwrap();
    maintenance::begin(&app).await;
    let steps = json!([
        {"do": "get", "key": "a"},
        {"do": "set", "key": "a", "value": "2"},
        {"do": "delete", "key": "a"},
    ]);
    let read_only = "unavailable: the server is read-only";
    assert_eq!(outcomes_of(&app.server, steps).await, ["1", read_only, read_only]);
    maintenance::end(&app).await;
    assert_eq!(store.set("testbed.keeper", "a", "2".into()).await, Ok(()));
}

#[tokio::test]
async fn a_server_without_a_store_still_loads_the_plugin() {
    let app = TestApp::start().await;
    let mut folder = keeper(&app.server, json!([{"do": "get", "key": "a"}]));
    folder.settings.store = None;
    let outcomes = outcomes(&folder.load().await, "keeper").await;
    assert!(
        outcomes[0].starts_with("unavailable: this call has no store"),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn cached_values_last_until_the_plugin_is_loaded_again() {
    let app = TestApp::start().await;
    let steps = json!([
        {"do": "cached", "key": "models", "max_age": 3600},
        {"do": "cache", "key": "models", "value": "lines-2"},
        {"do": "cached", "key": "models", "max_age": 3600},
        {"do": "cached", "key": "models", "max_age": 0},
        {"do": "cache", "key": "too/long", "size": 65_537},
        {"do": "cached", "key": "too/long", "max_age": 3600},
    ]);
    let folder = keeper(&app.server, steps);
    let plugins = folder.load().await;
    let empty = ["none", "done", "lines-2", "none", "done", "none"];
    assert_eq!(outcomes(&plugins, "keeper").await, empty);
    assert_eq!(outcomes(&plugins, "keeper").await[0], "lines-2");
    assert_eq!(outcomes(&folder.load().await, "keeper").await, empty);
    assert_eq!(store_of(&app.server).keys("testbed.keeper").await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_service_is_approved_before_it_is_linked() {
    let mut folder = Folder::with(&["keeper"]);
    let waiting = folder.refusal().await;
    assert!(
        waiting
            .starts_with("it asks to store up to 256 values, 1 MiB together, in the server's database, to keep up to"),
        "{waiting}"
    );
    assert!(waiting.ends_with("linepress plugin allow testbed.keeper"), "{waiting}");
    approve(&mut folder, "keeper", &[Permission::Store]);
    let partial = folder.refusal().await;
    assert!(
        partial
            .starts_with("it asks to keep up to 1 MiB in the server's memory between its calls, which is not granted"),
        "{partial}"
    );
    approve(&mut folder, "keeper", &BOTH);
    assert_eq!(folder.load().await.refusals(), []);
    // The approval is for these files.
    folder.rewrite("keeper", "memory-mib = 64", "memory-mib = 65");
    assert!(folder.refusal().await.contains("has changed since it was approved"));
}

#[tokio::test]
async fn an_import_that_the_manifest_does_not_ask_for_is_refused() {
    let mut folder = Folder::with(&["keeper"]);
    for (asked, missing) in [("store = true\n", "store"), ("cache = true\n", "cache")] {
        folder.rewrite("keeper", asked, "");
        let refusal = folder.refusal().await;
        let advice = format!(
            "it imports linepress:host/{missing}@0.1.0, but its manifest does not ask for it: add `{missing} = true` \
             below [permissions] in plugin.toml"
        );
        assert!(refusal.starts_with(&advice), "{refusal}");
        folder.rewrite("keeper", "[permissions]\n", &format!("[permissions]\n{asked}"));
    }
    approve(&mut folder, "keeper", &BOTH);
    assert_eq!(folder.load().await.refusals(), []);
}

/// The plugins with a row of their store.
async fn rows_of_stores(node: &App) -> Vec<String> {
    let statement = "SELECT plugin FROM plugin_stores ORDER BY plugin";
    sqlx::query_scalar(statement)
        .fetch_all(&node.database.read)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_call_of_a_removed_plugin_stores_nothing() {
    let app = TestApp::start().await;
    let (store, actor) = (store_of(&app.server), Actor::command_line());
    store.set("acme.flux", "token", "1".into()).await.unwrap();
    store.set("testbed.keeper", "token", "1".into()).await.unwrap();
    let closed = plugin_values::close(&app.server, &actor, "testbed.keeper").await;
    assert_eq!(closed.unwrap(), 1);
    // Another node has not noticed the removal yet.
    let other = app.another_node().await;
    let steps = json!([
        {"do": "get", "key": "token"},
        {"do": "set", "key": "token", "value": "2"},
        {"do": "delete", "key": "token"},
    ]);
    let removed = "unavailable: the plugin was removed";
    assert_eq!(outcomes_of(&other, steps).await, ["none", removed, removed]);
    assert_eq!(store.keys("testbed.keeper").await, Ok(Vec::new()));
    assert_eq!(store.set("acme.flux", "token", "2".into()).await, Ok(()));
    // Deleting its values again does not open it.
    plugin_values::clear(&app.server, &actor, "testbed.keeper")
        .await
        .unwrap();
    let refused = store.set("testbed.keeper", "token", "2".into()).await;
    assert_eq!(refused, Err(StoreFailure::Removed));

    app.server.clock.advance(Duration::from_secs(3600));
    assert_eq!(testing::forget_closed_plugin_stores(&app.server).await.unwrap(), 1);
    assert_eq!(rows_of_stores(&app.server).await, ["acme.flux"]);
    assert_eq!(store.set("testbed.keeper", "token", "2".into()).await, Ok(()));
    for plugin in ["testbed.keeper", "acme.flux"] {
        plugin_values::clear(&app.server, &actor, plugin).await.unwrap();
    }
    assert_eq!(rows_of_stores(&app.server).await, [""; 0]);
}

#[tokio::test]
async fn an_operator_sees_keys_and_sizes_and_deletes_values() {
    let app = TestApp::start().await;
    let (store, actor) = (store_of(&app.server), Actor::command_line());
    for key in ["token", "price"] {
        store.set("acme.flux", key, "s3cret".into()).await.unwrap();
    }
    store.set("acme.fluxx", "token", "other".into()).await.unwrap();
    let listed = plugin_values::list(&app.server, &actor, "acme.flux").await.unwrap();
    let listed = serde_json::to_value(listed).unwrap();
    assert_eq!(
        (&listed[0]["key"], &listed[1]["key"], &listed[1]["byte_size"]),
        (&json!("price"), &json!("token"), &json!(11))
    );
    assert!(!listed.to_string().contains("s3cret"));
    assert_eq!(plugin_values::clear(&app.server, &actor, "acme.flux").await.unwrap(), 2);
    assert_eq!(plugin_values::clear(&app.server, &actor, "acme.flux").await.unwrap(), 0);
    assert_eq!(store.get("acme.flux", "token").await, Ok(None));
    assert_eq!(store.get("acme.fluxx", "token").await, Ok(Some("other".into())));
    let operator = app.operator().await;
    let log = operator.get("/admin/audit_log?target=acme.flux").await.expect(200);
    let entries = log["audit_log"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{log}");
    assert_eq!(
        (&entries[0]["action"], &entries[0]["details"]),
        (&json!("plugin.clear_store"), &json!({"values": 2}))
    );
}
