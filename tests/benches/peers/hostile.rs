//! Latency and memory of the server while a provider of the test bed misbehaves, compared with the same server while
//! nothing is drawn.
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use axum::Router;
use axum::body::Body;
use axum::routing::get;
use bytes::Bytes;
use linepress_model::{Aspect, Audience};
use linepress_plugin_host::{CredentialSource, DrawOptions, DrawRequest, Grant, ImageProvider, Preview, Purpose};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::app::{self, BenchApp};
use crate::client::Client;
use crate::process;
use crate::report::{Comparison, Unit, rounds};

const ROUNDS: usize = 5;
/// Concurrent calls into the hostile provider: one for each worker of a small machine.
const CONCURRENT_CALLS: usize = 2;
/// Long enough for several hostile calls.
const TURN_DURATION: Duration = Duration::from_secs(2);

/// Providers with a description of their behavior and their settings, to which the address of an endless response is
/// added.
const HOSTILE: [(&str, &str, &str); 6] = [
    ("testbed.glutton", "takes all memory", "{}"),
    ("testbed.flood", "hands over 100 MB", "{}"),
    ("testbed.hoarder", "takes 1,000 timers", "{}"),
    ("testbed.spin", "computes for ever", "{}"),
    (
        "testbed.courier",
        "writes bodies that it never sends",
        r#"{"unsent": 100000}"#,
    ),
    (
        "testbed.courier",
        "reads an endless response",
        r#"{"requests": [{"path": "/endless"}]}"#,
    ),
];

pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let endless = serve_endless().await?;
    let mut comparisons = Vec::new();
    for (id, what, settings) in HOSTILE {
        let settings = with_address(serde_json::from_str(settings)?, endless)?;
        comparisons.extend(compare(id, what, settings, endless).await?);
    }
    Ok(comparisons)
}

/// Points the requests in the settings to this address.
fn with_address(mut settings: Value, endless: SocketAddr) -> anyhow::Result<Value> {
    if let Some(requests) = settings.get_mut("requests").and_then(Value::as_array_mut) {
        for request in requests {
            let request = request.as_object_mut().context("a request is a table")?;
            request.insert("scheme".into(), json!("http"));
            request.insert("authority".into(), json!(endless.to_string()));
        }
    }
    if settings.as_object().is_some_and(|settings| !settings.is_empty()) {
        settings["mirror"] = json!(format!("http://{endless}"));
    }
    Ok(settings)
}

async fn compare(id: &str, what: &str, settings: Value, endless: SocketAddr) -> anyhow::Result<[Comparison; 2]> {
    let app = BenchApp::start_with(&["testbed.plain", id], |config, folder| {
        let key = folder.join("key");
        std::fs::write(&key, "a key of nobody's")?;
        let sources = BTreeMap::from([("api_key".to_owned(), CredentialSource::File(key))]);
        config.credentials = BTreeMap::from([(id.to_owned(), sources)]);
        config.plugins = BTreeMap::from([(id.to_owned(), settings)]);
        let preview = Preview::read(&folder.join(id), &config.plugins);
        let preview = preview.map_err(anyhow::Error::msg)?;
        config.grants = BTreeMap::from([(
            id.to_owned(),
            Grant {
                digest: preview.digest,
                origins: preview
                    .requests
                    .origins
                    .iter()
                    .map(|request| request.origin.to_string())
                    .collect(),
                private: vec![format!("http://{endless}")],
                permissions: Default::default(),
            },
        )]);
        Ok(())
    })
    .await?;
    let page = app::drawn_page(&app).await?;
    let address = app::serve(app.router()).await?;
    let mut client = Client::connect(address, &format!("/api/v1/pages/{page}"), &app.key).await?;
    let name = format!("GET while a provider {what}");
    let mut latency = Comparison::new(name, Unit::Microseconds, "99th percentile as without");
    let mut memory = Comparison::new("memory meanwhile", Unit::Mebibytes, "as without");
    for round in 0..=rounds(ROUNDS) {
        let without = turn(&mut client).await?;
        let mut calls = JoinSet::new();
        for _ in 0..CONCURRENT_CALLS {
            let provider = app.server.plugins.image_provider(id).context("it is not loaded")?;
            calls.spawn(misbehave(provider));
        }
        let with = turn(&mut client).await?;
        calls.shutdown().await;
        // The first round fills caches and is not counted.
        if round > 0 {
            latency.push(with.microseconds, without.microseconds);
            memory.push(with.mebibytes, without.mebibytes);
        }
    }
    eprintln!("measured {what}");
    Ok([latency, memory])
}

async fn misbehave(provider: ImageProvider) {
    loop {
        let request = DrawRequest {
            purpose: Purpose::Page,
            prompt: "A fox in the snow".into(),
            title: "Fox".into(),
            width: 1152,
            height: 1536,
            aspect: Aspect::Portrait,
            audience: Audience::Child,
            characters: Vec::new(),
            source: None,
            seed: 1,
            options: DrawOptions::default(),
        };
        // The result does not matter: a failed call loads the server as well.
        let _ = provider.draw(request).await;
    }
}

struct Figures {
    /// The 99th percentile of the latency.
    microseconds: f64,
    /// The largest resident memory that was seen.
    mebibytes: f64,
}

/// Sends requests one after the other for one turn.
async fn turn(client: &mut Client) -> anyhow::Result<Figures> {
    let began = Instant::now();
    let (mut taken, mut mebibytes) = (Vec::new(), 0_f64);
    while began.elapsed() < TURN_DURATION {
        let asked = Instant::now();
        client.ask().await?;
        taken.push(asked.elapsed());
        // Only every 16th time, because reading the memory takes as long as a request.
        if taken.len() % 16 == 1 {
            mebibytes = mebibytes.max(process::resident_mebibytes(std::process::id())?);
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    taken.sort();
    let slow = taken.get(taken.len() * 99 / 100).context("no request was made")?;
    ensure!(mebibytes > 0.0, "the memory is not known");
    Ok(Figures {
        microseconds: slow.as_secs_f64() * 1e6,
        mebibytes,
    })
}

/// A server whose only response never ends.
async fn serve_endless() -> anyhow::Result<SocketAddr> {
    let endless = || async {
        let piece = Bytes::from(vec![b'a'; 64 << 10]);
        let pieces = futures::stream::repeat_with(move || Ok::<_, std::io::Error>(piece.clone()));
        Body::from_stream(pieces)
    };
    app::serve(Router::new().route("/endless", get(endless))).await
}
