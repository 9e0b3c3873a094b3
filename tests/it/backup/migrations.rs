//! Backups of earlier versions.
use crate::testing::open_with;
use linepress_operator::backup::Target;
use linepress_operator::startup::{OpenError, Scope};
use linepress_platform::config::Config;
use sqlx::Connection as _;

use super::Shelter;
use crate::test_app::{binary, install_plugins};

/// The last migration of an earlier version.
const EARLIER: i64 = 20_261_122_100_000;

#[tokio::test]
async fn a_starting_server_backs_up_the_database_that_it_migrates() {
    let shelter = Shelter::new();
    let site = shelter.site("old").await;
    sqlx::any::install_default_drivers();
    let mut early = sqlx::AnyConnection::connect(&site.url).await.unwrap();
    sqlx::migrate!("../migrations")
        .run_to(EARLIER, &mut early)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO accounts (id, email, plan, credits, created_at, updated_at) VALUES ('acct_1', 'a@b.c', 'business', 0, 1, 1)",
    )
    .execute(&mut early)
    .await
    .unwrap();
    early.close().await.unwrap();

    let backups = shelter.path().join("backups");
    let mut config = Config {
        data_dir: site.folder.clone(),
        database_url: site.url.clone(),
        plugins_dir: install_plugins(&site.folder),
        ..Config::default()
    };
    // A folder that cannot be created: nothing is migrated without a backup.
    std::fs::write(site.folder.join("blocked"), "").unwrap();
    config.backup.dir = site.folder.join("blocked/backups").to_str().unwrap().to_owned();
    let refused = open_with(config.clone().completed().unwrap(), Scope::Everything, binary()).await;
    let error = refused.err().unwrap();
    assert!(matches!(error, OpenError::Backup(_)), "{error}");
    assert!(error.to_string().contains("nothing was migrated"), "{error}");

    config.backup.dir = backups.to_str().unwrap().to_owned();
    let app = open_with(config.clone().completed().unwrap(), Scope::Everything, binary());
    app.await.unwrap().database.close().await;
    let (snapshots, _) = Target::open(&config.backup.dir, &config).unwrap().list().await.unwrap();
    let [snapshot] = &snapshots[..] else {
        panic!("{snapshots:?}")
    };
    assert_eq!(snapshot.migrations.last(), Some(&EARLIER));
    assert_eq!(snapshot.tables["accounts"], 1);

    // The next start migrates nothing, and makes no backup.
    let app = open_with(config.clone().completed().unwrap(), Scope::Everything, binary());
    app.await.unwrap().database.close().await;
    assert_eq!(
        Target::open(&config.backup.dir, &config)
            .unwrap()
            .list()
            .await
            .unwrap()
            .0
            .len(),
        1
    );

    // The restore brings the tables of that version, and migrates them.
    let restored = shelter.sqlite_site("restored");
    shelter.restore(&restored).await;
    config.database_url = restored.url.clone();
    config.data_dir = restored.folder.clone();
    let app = open_with(config.completed().unwrap(), Scope::Stores, binary())
        .await
        .unwrap();
    let account = linepress_accounts::accounts::find(&app, "a@b.c")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(account.id.as_str(), "acct_1");
}
