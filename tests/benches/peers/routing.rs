//! A book drawn eight drawings at a time by a provider that needs two seconds for each, compared with the shortest
//! possible time.
use std::time::{Duration, Instant};

use anyhow::ensure;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use linepress_core::worker::Workers;
use linepress_platform::config::ProviderSettings;
use serde_json::{Value, json};

use crate::app::{BenchApp, send};
use crate::report::{Comparison, Unit, rounds};

const ROUNDS: usize = 5;
const CONCURRENCY: u32 = 8;
const MILLISECONDS_PER_DRAWING: u32 = 2_000;
/// With the cover 24 drawings: three times as many as are drawn at a time.
const PAGES: u32 = 23;
const IDEAL_MILLISECONDS: u32 = (PAGES + 1) / CONCURRENCY * MILLISECONDS_PER_DRAWING;

pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let mut comparisons = Vec::new();
    for (name, failures, target) in [
        ("24 drawings of 2 s, 8 at a time", 0, "ratio 1.15 or less"),
        ("the same, 10% of the calls fail", 10, "ratio 1.4 or less"),
    ] {
        let app = BenchApp::start_with(&["testbed.slow"], |config, _| {
            let id = "testbed.slow";
            config.image_providers = vec![id.into()];
            let settings = json!({"milliseconds": MILLISECONDS_PER_DRAWING, "failures": failures});
            config.plugins.insert(id.into(), settings);
            let concurrency = Some(CONCURRENCY);
            config.providers.insert(
                id.into(),
                ProviderSettings {
                    concurrency,
                    ..ProviderSettings::default()
                },
            );
            Ok(())
        })
        .await?;
        let workers = Workers::start(&app.server);
        let mut number = 0;
        let comparison = Comparison::new(name, Unit::Milliseconds, target)
            .run(
                rounds(ROUNDS),
                async || {
                    number += 1;
                    let began = Instant::now();
                    draw_a_book(&app, number, PAGES).await?;
                    Ok(began.elapsed().as_secs_f64() * 1e3)
                },
                async || Ok(f64::from(IDEAL_MILLISECONDS)),
            )
            .await?;
        workers.stop().await;
        comparisons.push(comparison);
    }
    Ok(comparisons)
}

/// Draws a book, from the request until a client sees the last drawing.
pub(crate) async fn draw_a_book(app: &BenchApp, number: u32, pages: u32) -> anyhow::Result<()> {
    let pages: Vec<Value> = (0..pages)
        .map(|page| json!({"title": format!("Page {page}")}))
        .collect();
    let body = json!({"book": {"title": "A book", "pages": pages}});
    let request = Request::post("/api/v1/books")
        .header(header::CONTENT_TYPE, "application/json")
        .header("idempotency-key", format!("book-{number}"));
    let accepted = send(
        app,
        &app.key,
        request,
        Body::from(body.to_string()),
        StatusCode::ACCEPTED,
    )
    .await?;
    let id = accepted["operation"]["id"].as_str().unwrap_or_default().to_owned();
    loop {
        let request = Request::get(format!("/api/v1/operations/{id}"));
        let operation = send(app, &app.key, request, Body::empty(), StatusCode::OK).await?;
        if !operation["operation"]["finished_at"].is_null() {
            let status = &operation["operation"]["status"];
            ensure!(status == "succeeded", "the book is {status}");
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
