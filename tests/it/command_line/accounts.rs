//! `linepress account` and `linepress key`.
use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use linepress_core::operations::{FailureCode, OperationStatus};
use serde_json::json;

use super::Operator;
use crate::test_app::{TestApp, book_of};

#[tokio::test]
async fn an_operator_creates_accounts_adds_credits_and_creates_keys() {
    let operator = Operator::new().await;
    operator.reads("account create --email Ada@Example.com --plan free --credits 5");
    assert!(
        operator
            .is_refused("account create --email ada@example.com")
            .contains("exists already")
    );
    assert!(operator.is_refused("account create --email nonsense").contains("email"));
    assert!(
        operator
            .reads("account grant --email ada@example.com --credits 7")
            .contains("12 credits")
    );
    assert!(
        operator
            .reads("account set-plan --email ada@example.com --plan business")
            .contains("business")
    );
    let list = operator.reads("account list");
    assert!(list.contains("ada@example.com\tbusiness\t12 credits"), "{list}");
    let refused = operator.is_refused("account grant --email ada@example.com --credits -5");
    assert!(refused.contains("-5 is not in 1..=1000000000"), "{refused}");
    let refused = operator.is_refused("key revoke key_1");
    assert!(
        refused.contains("`linepress key list --email E` lists the keys"),
        "{refused}"
    );
    let refused = operator.is_refused("oauth client revoke");
    assert!(refused.contains("--host <HOST>"), "{refused}");
    assert!(
        operator
            .is_refused("account grant --email ada@example.com --credits 0")
            .contains("credits")
    );
    assert!(
        operator
            .is_refused("account grant --email ben@example.com --credits 1")
            .contains("no account")
    );

    let key = operator.reads("key create --email ada@example.com --name laptop");
    assert!(key.starts_with("lp_") && key.trim().len() == 46, "{key:?}");
    let keys = operator.reads("key list --email ada@example.com");
    assert!(
        keys.contains("laptop") && keys.contains("active") && !keys.contains(key.trim()),
        "{keys}"
    );
    let id = keys.split('\t').next().unwrap();
    operator.reads(&format!("key revoke {id}"));
    assert!(operator.reads("key list --email ada@example.com").contains("revoked"));
    assert!(operator.is_refused("key revoke key_none").contains("no key"));
}

#[tokio::test]
async fn an_operator_adds_no_credits_by_mistake_to_an_account_with_an_unverified_address() {
    let operator = Operator::new().await;
    let app = TestApp::start().await;
    let server = app
        .another_node_with(|config| {
            config.database_url.clone_from(&operator.database);
            config.sign_up = true;
        })
        .await;
    let made =
        linepress_accounts::sign_in::sign_up(&server, "kate@example.com", "correct horse battery", "203.0.113.7").await;
    made.unwrap();
    assert!(
        operator
            .reads("account list")
            .contains("kate@example.com\tfree\t0 credits")
    );
    assert!(operator.reads("account list").trim_end().ends_with("not verified"));
    assert!(
        operator
            .reads("account show --email kate@example.com")
            .contains("not verified (signed up ")
    );
    for command in [
        "account grant --credits 5",
        "account set-plan --plan business",
        "key create --name laptop",
    ] {
        let refused = operator.is_refused(&format!("{command} --email kate@example.com"));
        assert!(
            refused.contains("account reset-link") && refused.contains("--unverified"),
            "{refused}"
        );
    }
    operator.reads("account set-plan --plan business --email kate@example.com --unverified");
    // The link that the operator gives the owner verifies the address.
    let account = accounts::find(&server, "kate@example.com").await.unwrap().unwrap();
    testing::set_password(&server, &account, "another horse battery")
        .await
        .unwrap();
    operator.reads("account grant --credits 5 --email kate@example.com");
    assert!(!operator.reads("account list").contains("not verified"));
}

#[tokio::test]
async fn a_key_is_stored_only_as_a_hash() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com");
    let key = operator.reads("key create --email ada@example.com --name laptop");
    if !operator.database.starts_with("sqlite") {
        return;
    }
    for file in std::fs::read_dir(operator.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if file.is_file() {
            let bytes = std::fs::read(&file).unwrap();
            let found = bytes
                .windows(key.trim().len())
                .any(|window| window == key.trim().as_bytes());
            assert!(!found, "the key is stored in {}", file.display());
        }
    }
}

#[tokio::test]
async fn every_list_is_available_as_json() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com --credits 5");
    operator.reads("key create --email ada@example.com --name laptop");
    let accounts = operator.reads_json("account list");
    let ada = &accounts[0];
    assert_eq!(ada["email"], "ada@example.com");
    assert_eq!((&ada["plan"], &ada["credits"]), (&json!("business"), &json!(5)));
    let keys = operator.reads_json("key list --email ada@example.com");
    assert_eq!(
        (&keys[0]["name"], &keys[0]["revoked_at"]),
        (&json!("laptop"), &json!(null))
    );
    let shown = operator.reads_json("account show --email ada@example.com");
    assert_eq!((&shown["id"], &shown["active_keys"]), (&ada["id"], &json!(1)));
    assert_eq!((&shown["pages"], &shown["spent"]), (&json!(0), &json!(0)));
    let ledger = operator.reads_json("account ledger --email ada@example.com");
    assert_eq!((&ledger[0]["kind"], &ledger[0]["amount"]), (&json!("grant"), &json!(5)));
}

#[tokio::test]
async fn credits_are_taken_back_for_a_reason_and_never_below_zero() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com --credits 5");
    let debit = "account debit --email ada@example.com --reason refunded-order-7 --credits";
    assert!(
        operator
            .is_refused(&format!("{debit} 6"))
            .contains("at most the balance, which is 5")
    );
    assert!(operator.is_refused(&format!("{debit} 0")).contains("credits"));
    let without = "account debit --email ada@example.com --credits 1";
    assert!(operator.is_refused(without).contains("--reason"));
    assert!(operator.reads(&format!("{debit} 3")).contains("2 credits"));
    let ledger = operator.reads_json("account ledger --email ada@example.com");
    assert_eq!(
        (&ledger[0]["kind"], &ledger[0]["amount"]),
        (&json!("debit"), &json!(-3))
    );
    assert_eq!(ledger[0]["reason"], "refunded-order-7");
    assert_eq!(ledger[1]["amount"], 5, "existing entries stay");
    let text = operator.reads("account ledger --email ada@example.com --limit 1");
    assert!(text.ends_with("debit\t-3\trefunded-order-7\n"), "{text:?}");
}

#[tokio::test]
async fn names_are_printed_on_one_line() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com --credits 5");
    for name in ["two\nlines", "\u{1b}[31mred", "a\u{2028}b", " ", ""] {
        let mut create = operator.command("key create --email ada@example.com");
        let output = create.args(["--name", name]).output().unwrap();
        assert!(!output.status.success(), "{name:?}");
        let mut debit = operator.command("account debit --email ada@example.com --credits 1");
        let output = debit.args(["--reason", name]).output().unwrap();
        assert!(!output.status.success(), "{name:?}");
    }
    let mut account = operator.command("account create --email");
    assert!(!account.arg("a\nb@example.com").output().unwrap().status.success());
}

#[tokio::test]
async fn a_closed_account_has_no_plan_and_no_key_and_its_waiting_drawings_are_refunded() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let character = app.ready_character(&ada, "Pip").await;
    let shown = json!({"character": {"public_preview": true}});
    let shown = ada.patch(&format!("/characters/{character}"), &shown).await.expect(200);
    let preview = shown["character"]["public_preview_url"].as_str().unwrap().to_owned();
    let book = ada.generate("/books", "k1", &book_of(5)).await.accepted();
    let held = testing::claim(&app.server).await.unwrap().unwrap();
    let page = app.new_page(&ada, "A fox").await;
    assert_eq!(ada.credits().await, 13);

    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    let closed = testing::close(&app.server, &account).await.unwrap();
    assert_eq!((closed.keys, closed.drawings), (1, 6));
    // All six pages are refunded. The cover was claimed, and is free.
    assert_eq!(closed.credits, 19);
    ada.get("/me").await.expect_error(401, "unauthorized");
    assert_eq!(app.anonymous().get(&preview).await.status, 404);
    app.check_ledger().await;

    // An attempt that begins after the account was closed draws nothing.
    testing::attempt(&app.server, &held).await;
    assert!(!testing::work_once(&app.server).await.unwrap(), "no drawing is due");
    app.check_ledger().await;

    testing::set_plan(&app.server, &account, Plan::Business).await.unwrap();
    let (_, secret) = testing::create_key(&app.server, &account, "again").await.unwrap();
    let ada = app.with_key(secret.expose());
    assert_eq!(ada.credits().await, 19);
    assert_eq!(ada.status(&page).await, OperationStatus::Failed);
    assert_eq!(ada.status(&book).await, OperationStatus::Failed);
    let operation = ada.operation(&page).await;
    assert_eq!(operation.error.unwrap().code, FailureCode::Canceled);
    // Canceled pages can be drawn again.
    let path = format!("/pages/{}/regenerate", page.page_id());
    app.accepted(&ada, &path, &json!({})).await;
    app.draw_everything().await;
    app.check_ledger().await;
}

#[tokio::test]
async fn an_operator_closes_an_account_by_its_address() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com --credits 5");
    operator.reads("key create --email ada@example.com --name laptop");
    let closed = operator.reads("account close --email ada@example.com");
    assert_eq!(
        closed,
        "ada@example.com is closed: 1 keys revoked, 0 drawings canceled, 5 credits left\n"
    );
    let text = operator.reads("account show --email ada@example.com");
    assert!(
        text.contains("plan         free") && text.contains("active keys  0"),
        "{text}"
    );
    operator.reads("account close --email ada@example.com");
    assert!(
        operator
            .is_refused("account close --email ben@example.com")
            .contains("no account")
    );
}
