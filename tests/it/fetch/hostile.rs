//! Hundreds of URLs that lead to the internal network or to harmful responses, and proof that no fetch reaches the
//! internal network.
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};

use crate::testing::fetch_error;
use futures::future::join_all;
use linepress_egress::{FetchError, Fetcher};

use super::urls::{self, SPECIAL_V4, SPECIAL_V6};
use super::{fetch, fetcher_with_short_timeouts};
use crate::test_app::{Page, Tripwire, Web};

/// The expected result of fetching a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The client learns what to change in the URL.
    InvalidUrl,
    /// The address is not public, which only the log says.
    NotPublic,
    /// A redirect was not followed.
    Redirect,
    TooLarge,
    CutOff,
}

struct Hostile {
    url: String,
    outcome: Outcome,
}

fn hostile(url: impl Into<String>, outcome: Outcome) -> Hostile {
    Hostile {
        url: url.into(),
        outcome,
    }
}

#[tokio::test]
async fn no_hostile_url_reaches_the_internal_network() {
    let web = Web::open().await;
    let mut tripwire = Tripwire::set();
    // The addresses in the URLs lead there; only a privileged user may listen on this port.
    tripwire.also_at((Ipv4Addr::LOCALHOST, 443).into());
    tripwire.also_at((Ipv6Addr::LOCALHOST, 443).into());

    let list = list(&web, &tripwire);
    assert!(list.len() >= 800, "{}", list.len());
    let fetcher = web.fetcher();
    for hostile in &list {
        check(&fetcher, hostile).await;
        assert_eq!(tripwire.touched(), 0, "{}", hostile.url);
    }

    let (slow, large): (Vec<_>, Vec<_>) = bodies(&web)
        .into_iter()
        .partition(|body| body.outcome == Outcome::CutOff);
    for hostile in &large {
        check(&fetcher, hostile).await;
    }
    let impatient = fetcher_with_short_timeouts(web.settings());
    join_all(slow.iter().map(|hostile| check(&impatient, hostile))).await;
    assert_eq!(tripwire.touched(), 0);

    drop(TcpStream::connect(tripwire.addresses()[0]).unwrap());
    assert_eq!(tripwire.touched(), 1, "the tripwire must notice a connection");
}

/// Returns all URLs that must be refused.
fn list(web: &Web, tripwire: &Tripwire) -> Vec<Hostile> {
    let invalid = |url| hostile(url, Outcome::InvalidUrl);
    let literals: Vec<_> = urls::literals().into_iter().map(invalid).collect();
    let tricks: Vec<_> = urls::tricks(tripwire.port()).into_iter().map(invalid).collect();
    let names = names(web, tripwire);
    // Three has no divisor in common with the lengths of the patterns, so that each spelling and each kind of name is
    // included.
    let redirected = literals.iter().step_by(3).chain(&tricks).chain(names.iter().step_by(3));
    let redirects = redirects(web, redirected);
    [literals, tricks, names, redirects].into_iter().flatten().collect()
}

/// Returns the same URLs for tests that need no expected outcome.
pub(crate) fn hostile_urls(web: &Web, tripwire: &Tripwire) -> Vec<String> {
    list(web, tripwire).into_iter().map(|hostile| hostile.url).collect()
}

async fn check(fetcher: &Fetcher, Hostile { url, outcome }: &Hostile) {
    let refused = fetch(fetcher, url).await.expect_err(url);
    let kind = match &refused {
        FetchError::Url(_) => "url",
        FetchError::Failed(_) => "failed",
        FetchError::TooLarge { .. } => "too large",
    };
    let error = fetch_error(refused);
    let cause = error.cause().unwrap_or_default();
    let (expected_kind, expected_cause) = match outcome {
        Outcome::InvalidUrl => ("url", ""),
        Outcome::NotPublic => ("failed", "not on the public internet"),
        Outcome::Redirect => ("failed", "redirect"),
        Outcome::TooLarge => ("too large", ""),
        Outcome::CutOff => ("failed", ""),
    };
    assert_eq!(kind, expected_kind, "{url}: {cause}");
    assert!(cause.contains(expected_cause), "{url}: {cause}");
    let shown = format!("{error} {:?}", error.details());
    for secret in [
        "hostile.test",
        "127.",
        "10.",
        "169.",
        "192.",
        "::",
        "os error",
        "resolve",
    ] {
        assert!(!shown.contains(secret), "{url}: {shown}");
    }
}

/// Names that lead to the internal network.
fn names(web: &Web, tripwire: &Tripwire) -> Vec<Hostile> {
    let wires = tripwire.addresses();
    let public = SocketAddr::from(([8, 8, 8, 8], 443));
    let mut list = Vec::new();
    let mut name = |name: &str, addresses: Vec<SocketAddr>| {
        web.name(name, addresses);
        list.push(hostile(format!("https://{name}/cat.png"), Outcome::NotPublic));
    };
    for (number, address) in SPECIAL_V4.into_iter().enumerate() {
        let address = Ipv4Addr::from(address);
        let port = tripwire.port();
        name(&format!("four-{number}.hostile.test"), vec![(address, port).into()]);
        name(
            &format!("mapped-{number}.hostile.test"),
            vec![(address.to_ipv6_mapped(), port).into()],
        );
        name(
            &format!("after-{number}.hostile.test"),
            vec![public, (address, port).into()],
        );
        name(
            &format!("before-{number}.hostile.test"),
            vec![(address, port).into(), web.address, public],
        );
    }
    for (number, address) in SPECIAL_V6.into_iter().enumerate() {
        let address: Ipv6Addr = address.parse().unwrap();
        name(
            &format!("six-{number}.hostile.test"),
            vec![(address, tripwire.port()).into()],
        );
    }
    for (number, wire) in wires.iter().enumerate() {
        name(&format!("wire-{number}.hostile.test"), vec![*wire]);
        name(&format!("wire-{number}.pictures.test"), vec![web.address, *wire]);
        name(
            &format!("plain-{number}.hostile.test"),
            vec![SocketAddr::new(wire.ip(), 0)],
        );
    }
    for local in [
        "localhost",
        "localhost.",
        "a.localhost",
        "localhost.localdomain",
        "ip6-localhost",
        "metadata.google.internal",
        "127.0.0.1.nip.io",
        "1.0.0.127.in-addr.arpa",
        "intranet",
        "xn--bcher-kva.hostile.test",
    ] {
        name(local, wires.clone());
    }
    // Names that are public at the first lookup and internal at the next.
    web.redirect("/to-myself", "?");
    for number in 0..4 {
        let name = format!("changing-{number}.pictures.test");
        let looks = std::iter::once(vec![web.address]).chain([wires.clone()]);
        web.changing_name(&name, looks);
        list.push(hostile(format!("https://{name}/to-myself"), Outcome::NotPublic));
    }
    list
}

/// Redirects of a good server to each of the URLs, directly and as the last of three.
fn redirects<'a>(web: &Web, list: impl Iterator<Item = &'a Hostile>) -> Vec<Hostile> {
    web.redirect("/hop/again", "https://pictures.test/hop/more");
    let mut redirects = Vec::new();
    for (number, target) in list.enumerate() {
        let outcome = match target.outcome {
            Outcome::InvalidUrl => Outcome::Redirect,
            outcome => outcome,
        };
        let writable = target.url.is_ascii() && !target.url.contains(['\n', '\t']);
        // A relative URL would be a path on the good server, and the addresses of changing names have already
        // changed.
        let whole = target.url.contains("://") && target.url.trim() == target.url;
        if !writable || !whole || target.url.contains("changing") || target.url.len() > 2048 {
            continue;
        }
        web.redirect(&format!("/to/{number}"), &target.url);
        redirects.push(hostile(format!("https://pictures.test/to/{number}"), outcome));
        if number % 8 == 0 {
            web.redirect(&format!("/second/{number}"), &format!("../to/{number}"));
            web.redirect(&format!("/first/{number}"), &format!("/second/{number}"));
            redirects.push(hostile(format!("https://pictures.test/first/{number}"), outcome));
        }
    }
    web.redirect("/round", "/round");
    redirects.push(hostile("https://pictures.test/round", Outcome::Redirect));
    web.page(
        "/nowhere",
        Page::Whole(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n".to_vec()),
    );
    redirects.push(hostile("https://pictures.test/nowhere", Outcome::Redirect));
    redirects
}

/// Responses that never end, or are too large.
fn bodies(web: &Web) -> Vec<Hostile> {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let sized = "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n";
    let oversized = "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n";
    type Kind = fn(&str, &str) -> Page;
    let (now, soon): (Kind, Kind) = (Page::endless, Page::drip);
    let mut list = Vec::new();
    for (number, (beginning, again, kind, outcome)) in [
        (sized, "a", soon, Outcome::TooLarge),
        (oversized, "a", soon, Outcome::CutOff),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n",
            "a",
            soon,
            Outcome::TooLarge,
        ),
        (chunked, "4\r\nbody\r\n", now, Outcome::TooLarge),
        ("HTTP/1.1 200 OK\r\n\r\n", "body", now, Outcome::TooLarge),
        (
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
            "body",
            now,
            Outcome::TooLarge,
        ),
        ("HTTP/1.1 200 OK\r\n\r\n", "b", soon, Outcome::CutOff),
        (chunked, "1\r\nb\r\n", soon, Outcome::CutOff),
        (chunked, "1;extension=", now, Outcome::CutOff),
        ("HTTP/1.1 200 OK\r\n", "A: b\r\n", soon, Outcome::CutOff),
        ("HTTP/1.1 200 OK\r\n", "A: b\r\n", now, Outcome::CutOff),
        ("HTTP/1.1 302 Found\r\nLocation: /", "a", soon, Outcome::CutOff),
        ("", "HTTP/1.1 100 Continue\r\n\r\n", soon, Outcome::CutOff),
        ("", "SSH-2.0-OpenSSH\r\n", soon, Outcome::CutOff),
        ("", "", soon, Outcome::CutOff),
    ]
    .into_iter()
    .enumerate()
    {
        web.page(&format!("/endless/{number}"), kind(beginning, again));
        list.push(hostile(format!("https://pictures.test/endless/{number}"), outcome));
    }
    list
}
