//! `linepress secrets`.
use linepress_platform::database::Database;
use linepress_platform::random::Random;
use linepress_platform::secrets;

use super::Operator;

#[tokio::test]
async fn renewed_secrets_differ_and_persist() {
    let operator = Operator::new().await;
    let root = async || {
        let database = Database::connect(&operator.database, 1).await.unwrap();
        let root = secrets::root(&database, &Random::seeded(1)).await.unwrap();
        database.close().await;
        root.key_for("downloads")
    };
    let before = root().await;
    assert_eq!(root().await, before);
    let told = operator.reads("secrets renew");
    assert!(told.contains("Restart every server"), "{told}");
    let after = root().await;
    assert_ne!(after, before);
    assert_eq!(root().await, after);
    let log = operator.reads_json("audit-log");
    assert_eq!(log[0]["action"], "secrets.renew");
}
