//! A registry of containers over https.
use linepress_egress::Origin;
use linepress_registry::{Login, OciAccess, OciPlace, Repository};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::test_app::{Page, Tripwire, Web};

const ARCHIVE: &[u8] = b"an archive";
const TOKEN: &str = "/token?realm=a&service=pictures.test&scope=repository%3Aacme%2Fflux%3Apull";

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}

fn place(version: &str) -> OciPlace {
    format!("oci://pictures.test/acme/flux{version}").parse().unwrap()
}

fn access() -> OciAccess {
    OciAccess {
        login: Some(Login {
            username: "ada".into(),
            password: "s3cret".into(),
            is_from_command_line: false,
        }),
        ..OciAccess::default()
    }
}

/// The manifest of a version, whose signature no reader of a repository checks.
fn manifest() -> Value {
    json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "artifactType": "application/vnd.linepress.plugin.v1",
        "config": { "mediaType": "application/vnd.oci.empty.v1+json", "digest": digest(b"{}"), "size": 2 },
        "layers": [{
            "mediaType": "application/vnd.linepress.plugin.v1.tar+gzip",
            "digest": digest(ARCHIVE),
            "size": ARCHIVE.len(),
        }],
        "annotations": {
            "org.opencontainers.image.version": "1.2.0",
            "org.opencontainers.image.description": "Draws",
            "org.opencontainers.image.vendor": "Acme",
            "vnd.linepress.plugin.id": "acme.flux",
            "vnd.linepress.plugin.world": "linepress:image/image-provider@0.1",
            "vnd.linepress.plugin.digest": "a".repeat(64),
            "vnd.linepress.plugin.publisher-key": format!("ed25519:{}=", "A".repeat(43)),
            "vnd.linepress.plugin.signature": "",
        },
    })
}

fn response(status: &str, headers: &str, body: &[u8]) -> Page {
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    Page::Whole([head.as_bytes(), body].concat())
}

/// A registry that issues tokens at another host, and stores its blobs at a third one.
async fn registry() -> Web {
    let web = Web::open().await;
    for name in ["auth.pictures.test", "objects.pictures.test"] {
        web.name(name, [web.address]);
    }
    let challenge = "WWW-Authenticate: Bearer realm=\"https://auth.pictures.test/token?realm=a\",\
                     service=\"pictures.test\",scope=\"repository:acme/flux:*\"\r\n";
    let manifest = manifest().to_string().into_bytes();
    let announced = format!("Docker-Content-Digest: {}\r\n", digest(&manifest));
    web.pages(
        "/v2/acme/flux/manifests/1.2.0",
        [
            response("401 Unauthorized", challenge, b"{}"),
            response("200 OK", &announced, &manifest),
        ],
    );
    web.file(TOKEN, br#"{"access_token": "t0ken", "expires_in": 300}"#);
    web.redirect(
        &format!("/v2/acme/flux/blobs/{}", digest(ARCHIVE)),
        "https://objects.pictures.test/blob?signature=abc",
    );
    web.file("/blob?signature=abc", ARCHIVE);
    web
}

#[tokio::test]
async fn a_token_goes_to_the_registry_only() {
    let web = registry().await;
    let place = place(":1.2.0");
    let mut repository = Repository::new(&place, web.dialer(), access()).unwrap();
    let offer = repository.offer(&place).await.unwrap();
    assert_eq!(offer.release.version.to_string(), "1.2.0");
    assert_eq!(offer.manifest, digest(manifest().to_string().as_bytes()));
    assert_eq!(repository.archive(&offer.release).await.unwrap(), ARCHIVE);

    let sent: Vec<(String, Option<String>)> = web
        .requests()
        .iter()
        .map(|head| {
            let mut lines = head.lines();
            let line = lines.next().unwrap_or_default().to_owned();
            let authorization = lines.find_map(|line| line.strip_prefix("authorization: "));
            (line, authorization.map(str::to_owned))
        })
        .collect();
    let bearer = Some("Bearer t0ken".to_owned());
    let expected = [
        ("/v2/acme/flux/manifests/1.2.0".to_owned(), None),
        (TOKEN.to_owned(), Some("Basic YWRhOnMzY3JldA==".to_owned())),
        ("/v2/acme/flux/manifests/1.2.0".to_owned(), bearer.clone()),
        (format!("/v2/acme/flux/blobs/{}", digest(ARCHIVE)), bearer),
        ("/blob?signature=abc".to_owned(), None),
    ];
    let expected = expected.map(|(path, authorization)| (format!("GET {path} HTTP/1.1"), authorization));
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn a_hostile_registry_is_left_at_its_limits() {
    let web = registry().await;
    let tripwire = Tripwire::set();
    web.name("inside.test", tripwire.addresses());
    let place = place(":1.2.0");
    let refused = async || {
        let mut repository = Repository::new(&place, web.dialer(), access()).unwrap();
        let offer = match repository.offer(&place).await {
            Ok(offer) => offer,
            Err(error) => return error.to_string(),
        };
        repository.archive(&offer.release).await.unwrap_err().to_string()
    };
    let manifest = manifest().to_string().into_bytes();
    let path = "/v2/acme/flux/manifests/1.2.0";
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let endless = Page::endless(chunked, &format!("400\r\n{}\r\n", "a".repeat(1 << 10)));
    let announced = Page::drip("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n", "");
    let other = format!("Docker-Content-Digest: {}\r\n", digest(b"another"));
    for (page, words) in [
        (endless.clone(), "larger than 65536 bytes"),
        (announced, "larger than 65536 bytes"),
        (response("200 OK", &other, &manifest), "it is damaged or was replaced"),
        (response("429 Too Many Requests", "", b""), "try again later"),
        (
            response(
                "403 Forbidden",
                "",
                br#"{"errors": [{"code": "DENIED", "message": "a"}]}"#,
            ),
            "(DENIED): check the user and the password",
        ),
    ] {
        web.page(path, page);
        let refusal = refused().await;
        assert!(refusal.contains(words), "{words}: {refusal}");
        assert!(!refusal.contains("s3cret") && !refusal.contains("t0ken"), "{refusal}");
    }

    web.file(path, &manifest);
    let blob = format!("/v2/acme/flux/blobs/{}", digest(ARCHIVE));
    web.page(&blob, endless);
    let refusal = refused().await;
    assert!(refusal.contains("larger than 65536 bytes"), "{refusal}");
    for other in [&b"an Archive"[..], b"an archive!"] {
        web.file(&blob, other);
        assert!(refused().await.contains("is not the one that the manifest lists"));
    }
    let page = "a".repeat(1 << 10);
    web.page(&blob, response("503 Service Unavailable", "", page.as_bytes()));
    let refusal = refused().await;
    assert!(refusal.contains("responded with status 503"), "{refusal}");
    for (target, words) in [
        (
            "http://objects.pictures.test/blob?signature=abc",
            "must start with https://",
        ),
        ("https://inside.test/blob?signature=abc", "not on the public internet"),
        ("https://ada:b@objects.pictures.test/blob", "must not hold a user name"),
    ] {
        web.redirect(&blob, target);
        let refusal = refused().await;
        assert!(refusal.contains(words), "{target}: {refusal}");
        assert!(!refusal.contains("abc"), "a signature is not shown: {refusal}");
    }
    assert_eq!(tripwire.touched(), 0);
}

#[tokio::test]
async fn a_registry_on_the_internet_cannot_lead_to_a_host_that_may_be_private() {
    let web = registry().await;
    let tripwire = Tripwire::set();
    web.name("inside.test", tripwire.addresses());
    let blob = format!("/v2/acme/flux/blobs/{}", digest(ARCHIVE));
    web.redirect(&blob, "https://inside.test/blob");
    let access = OciAccess {
        private: vec![Origin::parse("https://inside.test").unwrap()],
        ..access()
    };
    let place = place(":1.2.0");
    let mut repository = Repository::new(&place, web.dialer(), access).unwrap();
    let offer = repository.offer(&place).await.unwrap();
    let refusal = repository.archive(&offer.release).await.unwrap_err().to_string();
    assert!(refusal.contains("not on the public internet"), "{refusal}");
    assert_eq!(tripwire.touched(), 0);
}

#[tokio::test]
async fn the_pages_of_the_tags_are_read_from_the_registry_itself() {
    let web = registry().await;
    let place = place("");
    let tags = async || {
        let mut repository = Repository::new(&place, web.dialer(), OciAccess::default()).unwrap();
        repository.tags().await.map_err(|error| error.to_string())
    };
    let path = |page: usize| match page {
        1 => "/v2/acme/flux/tags/list?n=1000".to_owned(),
        page => format!("/v2/acme/flux/tags/list?page={page}"),
    };
    let serve = |page: usize, next: &str| {
        let link = format!("Link: <{next}>; rel=\"next\"\r\n");
        let body = format!("{{\"tags\": [\"1.{page}.0\"]}}");
        let link = if next.is_empty() { "" } else { link.as_str() };
        web.page(&path(page), response("200 OK", link, body.as_bytes()));
    };
    for page in 1..20 {
        serve(page, &path(page + 1));
    }
    serve(20, "");
    assert_eq!(tags().await.unwrap().unwrap().len(), 20);
    serve(20, &path(21));
    let refusal = tags().await.unwrap_err();
    assert!(refusal.contains("has more tags than are read"), "{refusal}");

    web.page(&path(2), response("404 Not Found", "", b""));
    let refusal = tags().await.unwrap_err();
    assert!(refusal.contains("has no page 2 of the tags"), "{refusal}");
    serve(1, "https://objects.pictures.test/tags?signature=abc");
    let refusal = tags().await.unwrap_err();
    assert!(
        refusal.contains("continue at https://objects.pictures.test/tags, which is another server"),
        "{refusal}"
    );
    assert!(!web.requests().iter().any(|head| head.contains("signature=abc")));
    web.page(&path(1), response("404 Not Found", "", b""));
    assert_eq!(tags().await, Ok(None));
}
