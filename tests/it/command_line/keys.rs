//! `linepress key`: keys with limits, and their rotation.
use serde_json::{Value, json};

use super::Operator;

const CREATE: &str = "key create --email ada@example.com --name shop";

#[tokio::test]
async fn an_operator_makes_a_key_with_limits_and_sees_them() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com --credits 5");
    let secret = operator.reads(&format!(
        "{CREATE} --scope books:read --scope books:write --expires-at 2999-01-31T00:00:00Z --credit-cap 20 --credit-period day \
         --network 203.0.113.9/24 --network 2001:db8::1"
    ));
    assert!(secret.starts_with("lp_"), "{secret}");
    let listed = operator.reads_json("key list --email ada@example.com");
    let key = &listed[0];
    let limits = [
        "scopes",
        "expires_at",
        "credit_cap",
        "credit_period",
        "allowed_networks",
        "status",
    ];
    assert_eq!(
        limits.map(|limit| key[limit].clone()),
        [
            json!(["books:read", "books:write"]),
            json!("2999-01-31T00:00:00.000Z"),
            json!(20),
            json!("day"),
            json!(["203.0.113.0/24", "2001:db8::1/128"]),
            json!("active"),
        ]
    );
    let line = operator.reads("key list --email ada@example.com");
    let limits = "\tactive\tonly books:read books:write\tuntil 2999-01-31T00:00:00.000Z\t0 of 20 credits a day spent\t\
                  from 203.0.113.0/24 2001:db8::1/128";
    assert!(line.trim_end().ends_with(limits), "{line}");
    let log = operator.reads_json("audit-log --limit 1");
    let details = &log[0]["details"];
    assert_eq!((&details["name"], &details["credit_cap"]), (&json!("shop"), &json!(20)));
    assert!(!log.to_string().contains(secret.trim()), "{log}");
}

#[tokio::test]
async fn wrong_limits_of_a_key_are_refused() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com");
    for (wrong, problem) in [
        ("--scope admin", "admin"),
        ("--expires-at tomorrow", "2027-01-31T00:00:00Z"),
        ("--expires-at 2001-01-31T00:00:00Z", "must be in the future"),
        ("--credit-period day", "--credit-cap"),
        ("--credit-cap -1", "-1"),
        ("--network office", "must be a network such as"),
    ] {
        let refused = operator.is_refused(&format!("{CREATE} {wrong}"));
        assert!(refused.contains(problem), "{wrong}: {refused}");
    }
    assert_eq!(operator.reads_json("key list --email ada@example.com"), json!([]));
}

#[tokio::test]
async fn an_operator_rotates_a_key() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com");
    let first = operator.reads(CREATE);
    let id = operator.reads_json("key list --email ada@example.com")[0]["id"].clone();
    let id = id.as_str().unwrap();
    let second = operator.reads(&format!("key rotate {id} --overlap-hours 1"));
    assert!(second.starts_with("lp_") && second != first, "{second}");
    let key = operator.reads_json("key list --email ada@example.com")[0].clone();
    assert!(key["previous_secret_expires_at"].is_string(), "{key}");
    operator.reads(&format!("key rotate {id} --overlap-hours 0"));
    let key = operator.reads_json("key list --email ada@example.com")[0].clone();
    assert_eq!(
        (&key["id"], &key["previous_secret_expires_at"]),
        (&json!(id), &Value::Null)
    );
    let log = operator.reads_json("audit-log --limit 2");
    for entry in log.as_array().unwrap() {
        assert_eq!(
            (&entry["action"], &entry["target_id"]),
            (&json!("api_key.rotate"), &json!(id))
        );
    }
    assert!(
        operator
            .is_refused(&format!("key rotate {id} --overlap-hours 721"))
            .contains("721")
    );
    assert!(
        operator
            .is_refused("key rotate key_none")
            .contains("there is no key key_none")
    );
    operator.reads(&format!("key revoke {id}"));
    assert!(
        operator
            .is_refused(&format!("key rotate {id}"))
            .contains("create another key")
    );
}

#[tokio::test]
async fn an_operator_makes_a_test_key() {
    let operator = Operator::new().await;
    operator.reads("account create --email ada@example.com --plan business --credits 5");
    let secret = operator.reads(&format!("{CREATE} --test"));
    assert!(secret.starts_with("lp_test_"), "{secret}");
    let listed = operator.reads_json("key list --email ada@example.com");
    assert_eq!(listed[0]["test"], true);
    let line = operator.reads("key list --email ada@example.com");
    assert!(line.trim_end().ends_with("\tactive\ttest"), "{line}");
    let account = operator.reads_json("account show --email ada@example.com");
    assert_eq!((&account["credits"], &account["active_keys"]), (&json!(5), &json!(0)));
}
