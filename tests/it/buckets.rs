//! Objects in a bucket of an S3 server, whatever database the run tests.
use std::time::Duration;

use crate::testing;
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};
use linepress_core::operations::OperationStatus;
use linepress_operator::startup::Scope;
use linepress_platform::config::Config;
use linepress_platform::storage::{Storage, StoredObject};
use tokio_util::io::StreamReader;
use tracing::Level;

use crate::test_app::{Log, ObjectStore, Relay, TestApp, binary, pictures, wait_until};

/// More than two parts of an upload.
const LARGE_BYTES: usize = 12_000_000;

fn large() -> Vec<u8> {
    (0..LARGE_BYTES).map(|number| (number % 251) as u8).collect()
}

fn storage(objects: &ObjectStore) -> Storage {
    let mut config = Config::default();
    objects.configure(&mut config);
    Storage::at(&config.object_place().unwrap(), &config).unwrap()
}

async fn read(object: StoredObject) -> Vec<u8> {
    let chunks: Vec<Bytes> = object.chunks.try_collect().await.unwrap();
    chunks.concat()
}

#[tokio::test]
async fn objects_are_written_read_listed_and_deleted() {
    let objects = ObjectStore::bucket();
    let storage = storage(&objects);
    assert!(storage.get("pages/1/image.png").await.unwrap().is_none());
    assert!(storage.open("pages/1/image.png").await.unwrap().is_none());
    assert!(storage.written_at("pages/1/image.png").await.unwrap().is_none());
    storage.put("pages/1/image.png", "a picture").await.unwrap();
    storage.put("pages/1/image.png", "a picture").await.unwrap();
    storage.put_from("prints/1.pdf", &large()[..]).await.unwrap();
    storage.put_from("prints/2.pdf", &b"small"[..]).await.unwrap();

    assert_eq!(storage.get("pages/1/image.png").await.unwrap().unwrap(), "a picture");
    assert!(storage.written_at("pages/1/image.png").await.unwrap().is_some());
    let whole = storage.open("prints/1.pdf").await.unwrap().unwrap();
    assert_eq!(whole.size, LARGE_BYTES as u64);
    assert!(read(whole).await == large());
    let whole = storage.open_whole("prints/1.pdf").await.unwrap().unwrap();
    assert!(read(whole).await == large());
    let part = storage.open("prints/1.pdf").await.unwrap().unwrap();
    let part = part.part(7_000_000..7_000_010);
    assert_eq!(part.size, 10);
    assert_eq!(read(part).await, large()[7_000_000..7_000_010]);

    let listed = storage.list().await.unwrap();
    let sizes: Vec<_> = listed.sizes.iter().map(|(key, size)| (&**key, *size)).collect();
    let expected = [
        ("pages/1/image.png", 9),
        ("prints/1.pdf", LARGE_BYTES as u64),
        ("prints/2.pdf", 5),
    ];
    assert_eq!(sizes, expected);
    assert_eq!(objects.keys("".as_ref()).len(), 3);
    for key in ["pages/1/image.png", "prints/1.pdf", "prints/2.pdf", "prints/2.pdf"] {
        storage.delete(key).await.unwrap();
    }
    assert!(storage.list().await.unwrap().sizes.is_empty());
    assert_eq!((objects.keys("".as_ref()).len(), objects.begun_uploads()), (0, 0));
}

#[tokio::test]
async fn a_canceled_upload_leaves_no_parts_behind() {
    let objects = ObjectStore::bucket();
    let storage = storage(&objects);
    let begin = futures::stream::once(async { Ok::<_, std::io::Error>(Bytes::from(large())) });
    let endless = StreamReader::new(begin.chain(futures::stream::pending()).boxed());
    let upload = storage.put_from("prints/1.pdf", endless);
    tokio::select! {
        _ = upload => panic!("it has no end"),
        () = wait_until("the upload begins", async || {
            // The request of this check would block the upload.
            tokio::time::sleep(Duration::from_millis(100)).await;
            objects.begun_uploads() > 0
        }) => {}
    }
    wait_until("the upload is aborted", async || objects.begun_uploads() == 0).await;
    assert!(objects.keys("".as_ref()).is_empty());
}

/// Starts an application whose S3 server is behind a relay.
async fn behind_a_relay(objects: &ObjectStore) -> (TestApp, Relay) {
    let relay = Relay::to(objects.server()).await;
    let app = TestApp::builder().objects_in(objects.behind(&relay)).start().await;
    (app, relay)
}

#[tokio::test]
async fn a_silent_server_is_an_outage_with_its_cause_in_the_log() {
    let (app, relay) = behind_a_relay(&ObjectStore::bucket()).await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let image = format!("/pages/{page}/image");
    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    let mut file = pictures::png(16, 16);
    relay.swallow_everything(true);
    let log = Log::default();
    let captured = log.capture();
    // In one piece, and in several.
    for bytes in [1_000, LARGE_BYTES] {
        file.resize(bytes, 7);
        let sent = app.anonymous().send_to(url, file.clone()).await;
        sent.expect_error(503, "overloaded");
        assert_eq!(sent.header("retry-after"), "5");
    }
    ada.get(&image).await.expect_error(503, "overloaded");
    drop(captured);
    assert!(
        log.holds("nothing was sent or received") && !log.holds("panicked"),
        "{:?}",
        log.lines()
    );
    assert!(!app.server.storage.is_writable(app.server.clock.now()).await);
    relay.swallow_everything(false);
    assert_eq!(ada.get(&image).await.status, 200);
    app.anonymous().send_to(url, file).await.expect_no_content_at_all();
    app.server.clock.advance(Duration::from_secs(60));
    assert!(app.server.storage.is_writable(app.server.clock.now()).await);
}

#[tokio::test]
async fn a_picture_is_stored_after_an_outage_of_the_server_and_not_drawn_again() {
    let objects = ObjectStore::bucket();
    let (app, relay) = behind_a_relay(&objects).await;
    let ada = app.account(1).await;
    let accepted = app.new_page(&ada, "A fox").await;
    relay.swallow_everything(true);
    let log = Log::default();
    let captured = log.capture_up_to(Level::DEBUG);
    let back = async {
        let fails = || log.holds("the result of an attempt cannot be stored");
        wait_until("storing the picture fails", async || fails()).await;
        relay.swallow_everything(false);
    };
    let (worked, ()) = tokio::join!(testing::work_once(&app.server), back);
    drop(captured);
    assert!(worked.unwrap());
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    assert_eq!(objects.keys("".as_ref()), app.referred().await);
}

#[tokio::test]
async fn a_bucket_that_is_not_the_store_of_the_database_is_refused() {
    let app = TestApp::builder().objects_in(ObjectStore::bucket()).start().await;
    let mut config = app.server.config.clone();
    config.plugins_dir = app.server.config.data_dir.join("no-plugins");
    std::fs::create_dir(&config.plugins_dir).unwrap();
    let node = testing::open_with(config.clone(), Scope::Everything, binary())
        .await
        .unwrap();
    node.storage.put("pages/1", "a picture").await.unwrap();
    assert_eq!(node.storage.list().await.unwrap().sizes.len(), 1);

    let other = ObjectStore::bucket();
    other.configure(&mut config);
    let node = testing::open_with(config.clone(), Scope::Everything, binary())
        .await
        .unwrap();
    for error in [
        node.storage.put("pages/2", "another").await.unwrap_err(),
        node.storage.put_from("pages/2", &b"another"[..]).await.unwrap_err(),
        node.storage.open("pages/1").await.map(|_| ()).unwrap_err(),
        node.storage.delete("pages/1").await.unwrap_err(),
        node.storage.list().await.unwrap_err(),
    ] {
        assert!(
            error
                .for_operator()
                .contains("is not the object store of this database"),
            "{error:?}"
        );
    }
    assert!(other.keys("".as_ref()).is_empty());
}

#[tokio::test]
async fn a_bucket_that_does_not_exist_is_named_at_the_first_start() {
    let app = TestApp::builder().objects_in(ObjectStore::bucket()).start().await;
    let mut config = app.server.config.clone();
    config.storage_url = "s3://no-such-bucket/books".into();
    let error = testing::open_with(config, Scope::Everything, binary())
        .await
        .map(|_| ())
        .unwrap_err();
    assert!(error.to_string().contains("NoSuchBucket"), "{error}");
    assert!(error.advice().contains("`storage_url`"), "{}", error.advice());
}
