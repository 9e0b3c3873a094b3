//! Backups at the times of the settings.
use std::path::Path;
use std::time::Duration;

use super::Shelter;
use crate::test_app::TestApp;
use crate::testing;
use linepress_operator::backup::BackupError;

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn one_node_makes_each_backup_and_old_ones_are_deleted() {
    let shelter = Shelter::new();
    let dir = shelter.target.place().to_owned();
    let app = TestApp::builder()
        .config(|config| {
            config.backup.dir = dir;
            config.backup.every_hours = 6;
            config.backup.keep = 2;
        })
        .start()
        .await;
    let ada = app.account(2).await;
    let page = app.imported_page(&ada, "A fox").await;
    let other = app.another_node().await;
    let mut names = Vec::new();
    for _ in 0..4 {
        let (one, two) = tokio::join!(testing::back_up_if_due(&app.server), testing::back_up_if_due(&other));
        let made: Vec<_> = [one.unwrap(), two.unwrap()].into_iter().flatten().collect();
        let [made] = &made[..] else { panic!("{made:?}") };
        names.push(made.snapshot.name.clone());
        assert!(testing::back_up_if_due(&other).await.unwrap().is_none());
        app.server.clock.advance(HOUR * 5);
        assert!(testing::back_up_if_due(&other).await.unwrap().is_none());
        if names.len() == 1 {
            ada.delete(&format!("/pages/{page}")).await.expect_no_content();
            ada.delete("/bin").await.expect_no_content();
        }
        app.server.clock.advance(HOUR);
    }
    let (kept, problems) = shelter.target.list().await.unwrap();
    assert!(problems.is_empty(), "{problems:?}");
    let kept: Vec<&str> = kept.iter().map(|snapshot| snapshot.name.as_str()).collect();
    assert_eq!(kept, &names[2..]);
    // The page was deleted for good after the first backup, so no snapshot names its objects any more.
    assert_eq!(shelter.contents().len(), 0);
}

#[tokio::test]
async fn a_server_without_the_setting_makes_no_backup() {
    let app = TestApp::start().await;
    assert!(testing::back_up_if_due(&app.server).await.unwrap().is_none());
}

#[tokio::test]
async fn a_place_whose_snapshots_disappeared_gets_no_scheduled_backup() {
    let shelter = Shelter::new();
    let dir = shelter.target.place().to_owned();
    let app = TestApp::builder()
        .config(|config| config.backup.dir = dir)
        .start()
        .await;
    testing::back_up_if_due(&app.server).await.unwrap().unwrap();
    let snapshots = Path::new(shelter.target.place()).join("snapshots");
    let away = shelter.path().join("away");
    std::fs::rename(&snapshots, &away).unwrap();
    app.server.clock.advance(HOUR * 24);
    let error = testing::back_up_if_due(&app.server).await.unwrap_err();
    assert!(matches!(error, BackupError::Emptied(_)), "{error}");
    assert!(testing::back_up_if_due(&app.server).await.unwrap().is_none());
    assert!(!snapshots.exists());

    std::fs::rename(&away, &snapshots).unwrap();
    app.server.clock.advance(HOUR);
    assert!(testing::back_up_if_due(&app.server).await.unwrap().is_some());
}
