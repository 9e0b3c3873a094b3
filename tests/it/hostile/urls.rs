//! URLs that lead to the internal network, sent to the operations that accept URLs.
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use futures::future::{BoxFuture, join_all};
use linepress_accounts::accounts::Plan;
use linepress_egress::{FetchSettings, Fetcher, Resolver};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::fetch::hostile::hostile_urls;
use crate::test_app::{TestApp, Tripwire, Web, pictures, wait_until};

#[tokio::test]
async fn no_import_reaches_the_internal_network() {
    let web = Web::open().await;
    let tripwire = Tripwire::set();
    let urls = hostile_urls(&web, &tripwire);
    let app = TestApp::builder().fetcher(web.fetcher()).start().await;
    let ada = app.account(1).await;
    // An even sample, so that it contains every kind.
    let sample: Vec<_> = urls.iter().step_by(urls.len() / 200).collect();
    assert!(sample.len() >= 200, "{}", sample.len());
    for url in sample {
        let reply = ada
            .post("/pages/import", &json!({"title": "A cat", "image_url": url}))
            .await;
        let error = reply.expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], "image_url", "{url}: {error}");
        assert_eq!(tripwire.touched(), 0, "{url}");
    }
    assert_eq!(ada.get("/pages").await.expect(200)["pages"], json!([]));
    assert!(app.objects().is_empty());
}

/// The concurrent lookups of the resolver, and the imports that an account may have in progress.
const LOOKUP_PLACES: usize = 8;
const PLACES_PER_ACCOUNT: usize = 4;

/// A resolver with few concurrent lookups. A lookup of `silent.test` never ends and never releases its place.
struct FewPlaces {
    places: Arc<Semaphore>,
    names: Arc<dyn Resolver>,
}

impl Resolver for FewPlaces {
    fn resolve(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
        let places = self.places.clone();
        let found = (name != "silent.test").then(|| self.names.resolve(name));
        Box::pin(async move {
            let place = places.acquire_owned().await.unwrap();
            match found {
                Some(found) => found.await,
                None => {
                    place.forget();
                    std::future::pending().await
                }
            }
        })
    }
}

#[tokio::test]
async fn an_account_with_unanswered_lookups_does_not_block_imports_of_others() {
    let web = Web::open().await;
    web.file("/a.png", &pictures::png(512, 512));
    let settings = web.settings();
    let free = Arc::new(Semaphore::new(LOOKUP_PLACES));
    let fetcher = Fetcher::new(FetchSettings {
        resolver: Arc::new(FewPlaces {
            places: free.clone(),
            names: settings.resolver,
        }),
        ..settings
    });
    let app = TestApp::builder().fetcher(fetcher).start().await;
    let ada = app.account(1).await;
    let bob = app.account_named("bob@example.com", Plan::Business, 1).await;
    let silent = json!({"title": "A", "image_url": "https://silent.test/a.png"});
    let silent = join_all((0..12).map(|_| ada.post("/pages/import", &silent)));
    let wanted = json!({"title": "B", "image_url": "https://pictures.test/a.png"});
    let bobs = async {
        wait_until("Ada's lookups hold all places that she can get", async || {
            free.available_permits() == LOOKUP_PLACES - PLACES_PER_ACCOUNT
        })
        .await;
        bob.post("/pages/import", &wanted).await
    };
    tokio::select! {
        _ = silent => panic!("these lookups never end"),
        reply = bobs => reply.expect(201),
    };
}
