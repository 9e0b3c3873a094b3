//! `linepress account invite`, `set-role`, `suspend`, `resume` and `second-factor`, and `linepress audit-log`.
use crate::testing;
use linepress_accounts::accounts::Plan;
use linepress_operator::administration::{Actor, plugin_values};
use linepress_operator::plugin_store::DatabaseStore;
use linepress_plugin_host::{PluginStore as _, StoreFailure};
use serde_json::{Value, json};

use super::{Operator, error_of};
use crate::test_app::{Browser, PASSWORD, TestApp, from_environment};

#[tokio::test]
async fn an_operator_invites_suspends_and_resumes_an_account_and_gives_it_a_role() {
    let operator = Operator::new().await;
    let link = operator.reads("account invite --email ada@example.com --credits 5");
    assert!(link.starts_with("http://127.0.0.1:9/reset/"), "{link}");
    assert!(
        operator
            .is_refused("account invite --email ada@example.com")
            .contains("exists already")
    );
    operator.reads("account invite --email ben@example.org --plan free --role operator");
    let found = operator.reads("account list --search example.org");
    assert!(found.contains("ben@example.org\tfree\t0 credits"), "{found}");
    assert!(found.trim_end().ends_with("\toperator"), "{found}");
    assert!(!found.contains("ada@"), "{found}");

    operator.reads("account set-role --email ada@example.com --role operator");
    let ada = "account suspend --email ada@example.com";
    assert!(operator.is_refused(ada).contains("--reason <REASON>"));
    operator.reads(&format!("{ada} --reason unpaid"));
    let listed = operator.reads("account list --search ada");
    assert!(listed.trim_end().ends_with("\toperator\tsuspended"), "{listed}");
    let refused = operator.is_refused("account reset-link --email ada@example.com");
    assert!(refused.contains("is suspended; resume it first"), "{refused}");
    operator.reads("account resume --email ada@example.com");
    operator.reads("account reset-link --email ada@example.com");
    operator.reads("account set-role --email ada@example.com --role customer");
    let shown = operator.reads_json("account show --email ada@example.com");
    assert_eq!(shown["role"], "customer");
}

#[tokio::test]
async fn an_operator_sets_limits_of_one_account() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com");
    let set = "account set-limits --email ada@example.com";
    let own = operator.reads(&format!("{set} pages=50000 books=7"));
    assert!(
        own.contains("ada@example.com has the limits of the settings except books 7, pages 50000"),
        "{own}"
    );
    let shown = operator.reads_json("account show --email ada@example.com");
    assert_eq!(shown["limits"], json!({"books": 7, "pages": 50_000}));
    assert!(operator.reads("account list").trim_end().ends_with("\town limits"));
    for (arguments, advice) in [
        ("shelves=7", "there is no limit shelves; the limits are books, pages,"),
        ("pages=many", "write a number or the word default after pages="),
        ("pages", "write a limit as NAME=NUMBER"),
        ("pages=0", "must be 1 to 1000000"),
        ("", "<NAME=NUMBER>"),
    ] {
        let refused = operator.is_refused(&format!("{set} {arguments}"));
        assert!(refused.contains(advice), "{refused}");
    }
    let back = operator.reads(&format!("{set} pages=default books=default"));
    assert!(back.contains("has the limits of the settings"), "{back}");
    let shown = operator.reads_json("account show --email ada@example.com");
    assert_eq!(shown["limits"], json!({}));
}

#[tokio::test]
async fn every_change_on_the_command_line_is_in_the_audit_log() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com --credits 5");
    operator.reads("account grant --email ada@example.com --credits 7");
    operator.reads("account grant --email ada@example.com --credits 1 --reason sold");
    operator.reads("account debit --email ada@example.com --credits 2 --reason mistake");
    operator.reads("account set-plan --email ada@example.com --plan free");
    operator.reads("account reset-link --email ada@example.com");
    operator.reads("key create --email ada@example.com --name laptop");
    let keys = operator.reads_json("key list --email ada@example.com");
    operator.reads(&format!("key revoke {}", keys[0]["id"].as_str().unwrap()));
    operator.reads("account close --email ada@example.com");
    let log = operator.reads_json("audit-log");
    let log = log.as_array().unwrap();
    let mut actions: Vec<&str> = log.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    actions.reverse();
    assert_eq!(
        actions,
        [
            "account.create",
            "account.change_credits",
            "account.change_credits",
            "account.change_credits",
            "account.set_plan",
            "account.offer_password_link",
            "api_key.create",
            "api_key.revoke",
            "account.close"
        ]
    );
    let reasons: Vec<&Value> = log.iter().map(|entry| &entry["details"]["reason"]).collect();
    assert_eq!(
        reasons[5..8],
        [&json!("mistake"), &json!("sold"), &json!("added on the command line")]
    );
    assert!(log.iter().all(|entry| entry["operator_id"] == Value::Null));
    let id = log[0]["target_id"].as_str().unwrap();
    let lines = operator.reads(&format!("audit-log --target {id} --limit 1"));
    assert!(
        lines.contains("\tcommand line\t-\taccount.close\t") && lines.contains("canceled_drawings=0 revoked_keys=0"),
        "{lines}"
    );
    assert_eq!(lines.lines().count(), 1, "{lines}");
    let ledger = operator.reads("account ledger --email ada@example.com");
    assert!(ledger.contains("sold"), "{ledger}");
}

/// Adds a plugin that requests permissions.
fn link_courier(operator: &Operator) {
    let plugin = operator.path().join("plugins.d/testbed.courier");
    std::os::unix::fs::symlink(
        from_environment("LINEPRESS_TEST_TESTBED").join("testbed.courier"),
        plugin,
    )
    .unwrap();
}

#[tokio::test]
async fn the_approval_of_a_plugin_is_in_the_audit_log() {
    let operator = Operator::new().await;
    link_courier(&operator);
    let allowed = operator.command("plugin allow testbed.courier").output().unwrap();
    assert!(
        allowed.status.success() && allowed.stderr.is_empty(),
        "{}",
        error_of(&allowed)
    );
    operator.reads("plugin deny testbed.courier");
    let log = operator.reads_json("audit-log --target testbed.courier");
    let actions: Vec<_> = log.as_array().unwrap().iter().map(|entry| &entry["action"]).collect();
    assert_eq!(actions, ["plugin.deny", "plugin.allow"]);
    assert_eq!(
        log[1]["details"]["origins"],
        json!(["https://pictures.test:443", "https://*.pictures.test:443"])
    );
}

#[tokio::test]
async fn a_plugin_that_was_removed_stores_values_again_once_it_is_approved() {
    let operator = Operator::new().await;
    link_courier(&operator);
    let app = TestApp::start().await;
    let server = app
        .another_node_with(|config| config.database_url.clone_from(&operator.database))
        .await;
    let store = DatabaseStore::new(server.database.clone(), server.clock.clone());
    let closed = plugin_values::close(&server, &Actor::command_line(), "testbed.courier").await;
    assert_eq!(closed.unwrap(), 0);
    let set = async || store.set("testbed.courier", "token", "1".into()).await;
    assert_eq!(set().await, Err(StoreFailure::Removed));
    operator.command("plugin allow testbed.courier").output().unwrap();
    assert_eq!(set().await, Ok(()));
}

#[tokio::test]
async fn what_a_plugin_stores_is_listed_and_deleted() {
    let operator = Operator::new().await;
    let app = TestApp::start().await;
    let server = app
        .another_node_with(|config| config.database_url.clone_from(&operator.database))
        .await;
    let store = DatabaseStore::new(server.database.clone(), server.clock.clone());
    store.set("acme.flux", "token", "s3cret".into()).await.unwrap();
    let listed = operator.reads_json("plugin stored acme.flux");
    assert_eq!(
        (&listed[0]["key"], &listed[0]["byte_size"]),
        (&json!("token"), &json!(11))
    );
    assert!(!listed.to_string().contains("s3cret"));
    let told = operator.reads("plugin stored acme.flux --clear");
    assert_eq!(told, "1 value of acme.flux deleted\n");
    assert_eq!(store.get("acme.flux", "token").await, Ok(None));
    let refused = operator.is_refused("plugin stored acme.flux");
    assert!(refused.contains("there is no plugin acme.flux"), "{refused}");
    let log = operator.reads_json("audit-log --target acme.flux");
    assert_eq!(
        (&log[0]["action"], &log[0]["details"]["values"]),
        (&json!("plugin.clear_store"), &json!(1))
    );
}

#[tokio::test]
async fn an_operator_pauses_the_queue_and_cancels_what_waits() {
    let operator = Operator::new().await;
    let app = TestApp::start().await;
    let server = app
        .another_node_with(|config| config.database_url.clone_from(&operator.database))
        .await;
    let paused = operator.reads("queue pause --reason maintenance");
    assert!(paused.contains(": maintenance"), "{paused}");
    let account = testing::create_account(&server, "ada@example.com", Plan::Business, 5)
        .await
        .unwrap();
    let (_, key) = testing::create_key(&server, &account, "test").await.unwrap();
    let ada = app.with_key(key.expose()).at(linepress::server::router(server.clone()));
    let ordered = ada
        .generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .accepted();
    // The commands below block this thread. A transaction that records the use of the key would meanwhile hold the lock
    // of the key's row, to which the cancellation gives credits back.
    testing::record_key_uses(&server).await;
    let listed = operator.reads("operation list --open --email ada@example.com");
    assert!(
        listed.contains("\tada@example.com\tpage.create\tqueued\t0 of 1 drawn\t1 charged"),
        "{listed}"
    );
    let id = ordered.operation_id();
    let shown = operator.reads(&format!("operation show {id}"));
    assert!(
        shown.contains("\tA fox\tqueued\t0 attempts\t-\twaits: queue_paused"),
        "{shown}"
    );
    assert!(operator.reads("queue resume").starts_with("queue    not paused"));
    let shown = operator.reads_json(&format!("operation show {id}"));
    assert_eq!(shown["drawings"][0]["waiting"]["reason"], "turn");
    let due = operator.reads(&format!("operation retry {id}"));
    assert!(due.contains("0 drawings are due now"), "{due}");
    let canceled = operator.reads(&format!("operation cancel {id}"));
    assert!(canceled.contains("1 drawings canceled and refunded"), "{canceled}");
    assert_eq!(operator.reads_json("queue show")["queued"], 0);
    assert_eq!(ada.credits().await, 5);
    for unknown in ["show", "cancel", "retry"] {
        let refused = operator.is_refused(&format!("operation {unknown} op_1"));
        assert!(refused.contains("there is no operation op_1"), "{refused}");
    }
}

#[tokio::test]
async fn an_operator_switches_a_provider_off_and_on() {
    let operator = Operator::new().await;
    let listed = operator.reads_json("provider list");
    let id = listed[0]["id"].as_str().unwrap();
    let off = operator.reads(&format!("provider switch-off {id} --reason broken"));
    assert!(
        off.starts_with(&format!("1\t{id}\toff since ")) && off.contains(": broken\tnot paused"),
        "{off}"
    );
    let on = operator.reads(&format!("provider switch-on {id}"));
    assert!(on.starts_with(&format!("1\t{id}\ton\tnot paused\t0 failures")), "{on}");
    operator.reads(&format!("provider end-pause {id}"));
    let refused = operator.is_refused("provider switch-on acme.none");
    assert!(
        refused.contains("`linepress provider list` lists the providers"),
        "{refused}"
    );
}

#[tokio::test]
async fn an_operator_resets_the_second_factor_of_an_account() {
    let operator = Operator::new().await;
    let app = TestApp::start().await;
    let server = app
        .another_node_with(|config| config.database_url.clone_from(&operator.database))
        .await;
    testing::create_account_with_password(&server, "ada@example.com", Plan::Business, 0, PASSWORD)
        .await
        .unwrap();
    let mut ada = Browser::of(linepress::server::router(server.clone()));
    ada.sign_in("ada@example.com", PASSWORD).await.expect_redirect("/");
    ada.turn_on_second_factor(&app).await;
    let listed = operator.reads("account list");
    assert!(listed.contains("\tsecond factor"), "{listed}");
    let reset = operator.reads("account second-factor reset --email ada@example.com");
    assert!(reset.contains("ada@example.com has no second factor"), "{reset}");
    ada.sign_in("ada@example.com", PASSWORD).await.expect_redirect("/");
    assert!(!operator.reads("account list").contains("second factor"));
    let log = operator.reads_json("audit-log");
    assert_eq!(log[0]["action"], "account.reset_second_factor");
}
