//! Files to which clients point.
pub(crate) mod hostile;
mod oci;
mod registry;
mod urls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::testing::fetch_error;
use futures::TryStreamExt as _;
use linepress_egress::{FetchError, FetchSettings, Fetcher, Limits, Roots};
use linepress_http::{ErrorCode, Failure};

use crate::test_app::{Page, Tripwire, Web};

const MAX_FILE_BYTES: u64 = 64 * 1024;

async fn fetch(fetcher: &Fetcher, url: &str) -> Result<Vec<u8>, FetchError> {
    let chunks: Vec<_> = fetcher
        .fetch(url, MAX_FILE_BYTES, Arc::new(()))
        .await?
        .try_collect()
        .await?;
    Ok(chunks.concat())
}

/// Returns the error that a client sees, and its cause.
async fn refusal(fetcher: &Fetcher, url: &str) -> (ErrorCode, String, String) {
    let failure = Failure::from(fetch_error(fetch(fetcher, url).await.expect_err(url)));
    assert_eq!(failure.details.len(), 1, "{url}");
    assert_eq!(failure.details[0].field.to_string(), "image_url", "{url}");
    (failure.code, failure.message, failure.cause.unwrap_or_default())
}

fn fetcher_with_short_timeouts(settings: FetchSettings) -> Fetcher {
    let limits = Limits {
        total: Duration::from_millis(300),
        ..settings.limits
    };
    Fetcher::new(FetchSettings { limits, ..settings })
}

#[tokio::test]
async fn a_file_is_fetched_with_requests_that_reveal_nothing() {
    let web = Web::open().await;
    let response = "HTTP/1.1 301 Moved\r\nLocation: cat.png\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n";
    web.page("/old", Page::Whole(response.into()));
    web.file("/cat.png", b"a cat");
    let bytes = fetch(&web.fetcher(), "https://Pictures.TEST:443/old#whiskers")
        .await
        .unwrap();
    assert_eq!(bytes, b"a cat");
    let version = env!("CARGO_PKG_VERSION");
    let request = |path| {
        format!("GET {path} HTTP/1.1\r\naccept: */*\r\nuser-agent: linepress/{version}\r\nhost: pictures.test\r\n\r\n")
    };
    assert_eq!(web.requests(), [request("/old"), request("/cat.png")]);
}

#[tokio::test]
async fn three_redirects_are_followed_and_a_fourth_is_not() {
    let web = Web::open().await;
    web.file("/0", b"a cat");
    for hop in 1..=4 {
        web.redirect(&format!("/{hop}"), &format!("https://pictures.test/{}", hop - 1));
    }
    let fetcher = web.fetcher();
    assert_eq!(fetch(&fetcher, "https://pictures.test/3").await.unwrap(), b"a cat");
    let (code, _, cause) = refusal(&fetcher, "https://pictures.test/4").await;
    assert_eq!(code, ErrorCode::ValidationFailed);
    assert_eq!(cause, "there are more than 3 redirects");
}

#[tokio::test]
async fn a_name_is_refused_for_one_private_address_among_public_ones() {
    let web = Web::open().await;
    let tripwire = Tripwire::set();
    web.file("/cat.png", b"a cat");
    for (name, wire) in ["four.test", "six.test"].into_iter().zip(tripwire.addresses()) {
        web.name(name, [web.address, wire]);
        let (_, _, cause) = refusal(&web.fetcher(), &format!("https://{name}/cat.png")).await;
        assert!(cause.contains("not on the public internet"), "{cause}");
    }
    assert_eq!(tripwire.touched(), 0);
    assert!(web.requests().is_empty());
}

#[tokio::test]
async fn a_name_whose_address_changes_is_not_dialled_at_the_private_one() {
    let web = Web::open().await;
    let tripwire = Tripwire::set();
    web.file("/cat.png", b"a cat");
    web.redirect("/again", "/cat.png");
    let fetcher = web.fetcher();
    // There is one lookup per connection, and the connection uses its result.
    web.changing_name("once.pictures.test", [vec![web.address], tripwire.addresses()]);
    assert_eq!(
        fetch(&fetcher, "https://once.pictures.test/cat.png").await.unwrap(),
        b"a cat"
    );
    let (_, _, cause) = refusal(&fetcher, "https://once.pictures.test/cat.png").await;
    assert!(cause.contains("not on the public internet"), "{cause}");
    // The same applies between two redirects.
    web.changing_name("twice.pictures.test", [vec![web.address], tripwire.addresses()]);
    let (_, _, cause) = refusal(&fetcher, "https://twice.pictures.test/again").await;
    assert!(cause.contains("not on the public internet"), "{cause}");
    assert_eq!(tripwire.touched(), 0);
}

#[tokio::test]
async fn a_response_that_is_too_large_is_cut_off() {
    let web = Web::open().await;
    web.file("/full", &vec![b'a'; MAX_FILE_BYTES as usize]);
    web.file("/over", &vec![b'a'; MAX_FILE_BYTES as usize + 1]);
    // The announced length suffices: the body never arrives.
    let huge = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n";
    web.page("/huge", Page::drip(huge, ""));
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    web.page("/chunked", Page::endless(chunked, "8\r\nendless \r\n"));
    web.page("/until-it-closes", Page::endless("HTTP/1.1 200 OK\r\n\r\n", "endless "));
    let fetcher = web.fetcher();
    assert_eq!(
        fetch(&fetcher, "https://pictures.test/full").await.unwrap().len(),
        MAX_FILE_BYTES as usize
    );
    for path in ["over", "huge", "chunked", "until-it-closes"] {
        let (code, message, _) = refusal(&fetcher, &format!("https://pictures.test/{path}")).await;
        assert_eq!(code, ErrorCode::PayloadTooLarge, "{path}");
        assert_eq!(message, "image_url: leads to a file larger than 65536 bytes.");
    }
}

#[tokio::test]
async fn endless_headers_are_cut_off() {
    let web = Web::open().await;
    for (path, beginning, again) in [
        ("many", "HTTP/1.1 200 OK\r\n", "A: b\r\n"),
        (
            "long",
            "HTTP/1.1 200 OK\r\nA: ",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ),
    ] {
        web.page(&format!("/{path}"), Page::endless(beginning, again));
        let (code, _, cause) = refusal(&web.fetcher(), &format!("https://pictures.test/{path}")).await;
        assert_eq!(code, ErrorCode::ValidationFailed);
        assert!(cause.contains("message head is too large"), "{path}: {cause}");
    }
}

#[tokio::test]
async fn a_response_that_is_too_slow_is_cut_off() {
    let web = Web::open().await;
    web.page(
        "/body",
        Page::drip("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", "a"),
    );
    web.page("/headers", Page::drip("HTTP/1.1 200 OK\r\nA: ", "a"));
    web.page("/interim", Page::drip("", "HTTP/1.1 103 Early Hints\r\n\r\n"));
    web.page("/silence", Page::drip("", ""));
    // A server that listens but never completes a handshake.
    let silent = Tripwire::set();
    let mut settings = web.settings();
    settings.exceptions.addresses.push(silent.addresses()[0]);
    web.name("silent.pictures.test", [silent.addresses()[0]]);
    let fetcher = fetcher_with_short_timeouts(settings);
    for url in [
        "https://pictures.test/body",
        "https://pictures.test/headers",
        "https://pictures.test/interim",
        "https://pictures.test/silence",
        "https://silent.pictures.test/",
    ] {
        let (code, _, cause) = refusal(&fetcher, url).await;
        assert_eq!(code, ErrorCode::ValidationFailed, "{url}");
        assert_eq!(cause, "the file was not received within the time limit", "{url}");
    }
}

#[tokio::test]
async fn a_compressed_body_stays_as_it_came() {
    let web = Web::open().await;
    // The output of `gzip` for empty input.
    let nothing = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00";
    let mut response = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n".to_vec();
    response.extend(nothing);
    web.page("/gzip", Page::Whole(response));
    assert_eq!(
        fetch(&web.fetcher(), "https://pictures.test/gzip").await.unwrap(),
        nothing
    );
}

#[tokio::test]
async fn a_host_that_the_operator_named_may_be_private() {
    let web = Web::open().await;
    web.file("/cat.png", b"a cat");
    web.name("wiki.pictures.test", [web.address]);
    web.name("pictures.test.", [web.address]);
    let mut settings = web.settings();
    settings.exceptions.addresses.clear();
    settings.exceptions.hosts.push("pictures.test".into());
    let fetcher = Fetcher::new(settings);
    for url in ["https://pictures.test/cat.png", "https://Pictures.test./cat.png"] {
        assert_eq!(fetch(&fetcher, url).await.unwrap(), b"a cat", "{url}");
    }
    // The exception covers neither other names of the same server nor other ports.
    let (_, _, cause) = refusal(&fetcher, "https://wiki.pictures.test/cat.png").await;
    assert!(cause.contains("not on the public internet"), "{cause}");
    let (_, message, _) = refusal(&fetcher, "https://pictures.test:8443/cat.png").await;
    assert_eq!(message, "image_url: must not name a port other than 443.");
}

#[tokio::test]
async fn a_response_other_than_200_is_not_a_file() {
    let web = Web::open().await;
    for status in [
        "204 No Content",
        "206 Partial Content",
        "300 Multiple Choices",
        "304 Not Modified",
        "401 Unauthorized",
        "500 Oh",
    ] {
        let response =
            format!("HTTP/1.1 {status}\r\nWWW-Authenticate: Basic\r\nLocation: /cat.png\r\nConnection: close\r\n\r\n");
        web.page("/cat.png", Page::Whole(response.into()));
        let (code, _, cause) = refusal(&web.fetcher(), "https://pictures.test/cat.png").await;
        assert_eq!(code, ErrorCode::ValidationFailed, "{status}");
        assert!(cause.starts_with("the response is "), "{status}: {cause}");
    }
}

#[tokio::test]
async fn a_server_must_prove_its_name() {
    let (web, other) = (Web::open().await, Web::open().await);
    web.file("/cat.png", b"a cat");
    web.name("dogs.test", [web.address]);
    let elsewhere = Fetcher::new(FetchSettings {
        roots: other.settings().roots,
        ..web.settings()
    });
    for (fetcher, url) in [
        (&web.fetcher(), "https://dogs.test/cat.png"),
        (&elsewhere, "https://pictures.test/cat.png"),
    ] {
        let (_, _, cause) = refusal(fetcher, url).await;
        assert!(cause.contains("invalid peer certificate"), "{cause}");
    }
    assert!(web.requests().is_empty());
}

#[tokio::test]
async fn a_server_without_certificates_starts_and_fetches_nothing() {
    let web = Web::open().await;
    let fetcher = Fetcher::new(FetchSettings {
        roots: Roots::Only(vec![b"no certificate".to_vec().into()]),
        ..web.settings()
    });
    let (code, _, cause) = refusal(&fetcher, "https://pictures.test/cat.png").await;
    assert_eq!(code, ErrorCode::ValidationFailed);
    assert!(cause.starts_with("this server cannot fetch anything"), "{cause}");
}

#[tokio::test]
async fn the_systems_own_fetcher_does_not_reach_the_internal_network() {
    let fetcher = Fetcher::system(&[], &[]);
    let (_, message, _) = refusal(&fetcher, "https://127.0.0.1/").await;
    assert_eq!(message, "image_url: must lead to the public internet.");
    let (code, _, _) = refusal(&fetcher, "https://localhost/").await;
    assert_eq!(code, ErrorCode::ValidationFailed);
}

#[tokio::test]
async fn every_failure_reads_the_same() {
    let web = Web::open().await;
    let tripwire = Tripwire::set();
    web.name("inside.test", tripwire.addresses());
    web.name("empty.test", []);
    // No program has listened on port 1, that of TCPMUX, for decades.
    let gone = SocketAddr::from(([127, 0, 0, 1], 1));
    let mut settings = web.settings();
    settings.exceptions.addresses.push(gone);
    web.name("closed.test", [gone]);
    web.redirect("/inside", "https://127.0.0.1/");
    let fetcher = Fetcher::new(settings);
    for url in [
        "https://pictures.test/missing",
        "https://pictures.test/inside",
        "https://inside.test/",
        "https://empty.test/",
        "https://closed.test/",
        "https://nowhere.test/",
    ] {
        let (code, message, cause) = refusal(&fetcher, url).await;
        assert_eq!(code, ErrorCode::ValidationFailed);
        assert_eq!(
            message,
            "image_url: could not be fetched: it must lead to a file that anyone may read, on a server on the public \
             internet that answers soon and redirects 3 times at most."
        );
        assert!(!cause.is_empty());
    }
    assert_eq!(tripwire.touched(), 0);
}
