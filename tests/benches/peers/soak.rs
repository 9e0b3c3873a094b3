//! The memory of the server while it makes a thousand small books in all formats of all layouts; and ten books
//! requested at once, compared with an equal share of the processors for each.
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use linepress_core::worker::Workers;
use serde_json::{Value, json};

use crate::app::{BenchApp, from_environment, receive, send};
use crate::process;
use crate::report::{Comparison, Unit};

const BOOKS: u32 = 1_000;
/// The number of books between two measurements of the memory.
const BOOKS_PER_MEASUREMENT: u32 = 100;
/// The number of books in progress at a time.
const CONCURRENT_BOOKS: usize = 4;

/// The number of books printed at once, in addition to the one that is printed alone.
const BOOKS_AT_ONCE: u32 = 10;
const ROUNDS: u32 = 5;
const PAGES: u32 = 40;

pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let app = BenchApp::start_with(&[], |config, folder| {
        for plugin in std::fs::read_dir(from_environment("LINEPRESS_TEST_PLUGINS")?)? {
            let plugin = plugin?;
            std::os::unix::fs::symlink(plugin.path(), folder.join(plugin.file_name()))?;
        }
        config.image_providers = vec!["linepress.sketchbook".into()];
        config.limits.books = 1_000_000;
        config.limits.stored_mb = 1_000_000;
        config.limits.transfers = 100;
        Ok(())
    })
    .await?;
    let workers = Workers::start(&app.server);
    let mut comparisons = vec![ten_at_once(&app).await?];
    comparisons.extend(a_thousand(&app).await?);
    workers.stop().await;
    Ok(comparisons)
}

/// Compares the slowest of ten books of ten accounts, printed at once, with ten times the duration of one book
/// divided by the number of processors.
async fn ten_at_once(app: &BenchApp) -> anyhow::Result<Comparison> {
    let pages: Vec<Value> = (0..PAGES).map(|page| json!({"title": subject(page)})).collect();
    let mut books = Vec::new();
    for number in 0..=BOOKS_AT_ONCE {
        let key = app.another_key(&format!("{number}@example.com")).await?;
        let book = make(app, &key, json!({"title": "Ten at once", "pages": pages})).await?;
        books.push((key, book));
    }
    let processors = std::thread::available_parallelism()?.get();
    let mut comparison = Comparison::new("the slowest of ten books at once", Unit::Milliseconds, "ratio near 1");
    for round in 0..=ROUNDS {
        // A changed title requires a new PDF.
        for (key, book) in &books {
            let body = json!({"book": {"title": format!("Round {round}")}});
            let request = Request::patch(format!("/api/v1/books/{book}"));
            let request = request.header(header::CONTENT_TYPE, "application/json");
            send(app, key, request, Body::from(body.to_string()), StatusCode::OK).await?;
        }
        let (one, others) = books.split_first().context("no book")?;
        let alone = print(app, &one.0, &one.1, "us_letter").await?;
        let all = stream::iter(others).map(|(key, book)| print(app, key, book, "us_letter"));
        let took: Vec<Duration> = all.buffer_unordered(others.len()).try_collect().await?;
        let slowest = took.iter().max().context("no book")?.as_secs_f64() * 1e3;
        let share = alone.as_secs_f64() * 1e3 * took.len() as f64 / processors as f64;
        // The first round starts the typesetting processes, which later rounds reuse.
        if round > 0 {
            comparison.push(slowest, share);
        }
    }
    eprintln!("measured ten books at once");
    Ok(comparison)
}

/// Compares the memory of the server and of the largest typesetting process after each further hundred books with
/// that after the second hundred.
async fn a_thousand(app: &BenchApp) -> anyhow::Result<[Comparison; 2]> {
    let formats = get(app, &app.key, "/print_formats").await?;
    let formats = formats["print_formats"].as_array().context("no formats")?.clone();
    let format = |number: u32| {
        let format = &formats[number as usize % formats.len()];
        Some((format["id"].as_str()?, format["aspect"].as_str()?))
    };
    let mut memory = Vec::new();
    for step in 0..BOOKS / BOOKS_PER_MEASUREMENT {
        let books = (step * BOOKS_PER_MEASUREMENT..(step + 1) * BOOKS_PER_MEASUREMENT).map(|number| async move {
            let (format, aspect) = format(number).context("a format has no id")?;
            let pages = [json!({"title": subject(number)})];
            let book = make(
                app,
                &app.key,
                json!({"title": format!("Book {number}"), "aspect": aspect, "pages": pages}),
            );
            print(app, &app.key, &book.await?, format).await
        });
        stream::iter(books)
            .buffer_unordered(CONCURRENT_BOOKS)
            .try_for_each(async |_| Ok(()))
            .await?;
        let typesetting = process::typesetting()?;
        let largest = typesetting
            .iter()
            .map(|id| process::resident_mebibytes(*id).unwrap_or(0.0));
        let own = process::resident_mebibytes(std::process::id())?;
        memory.push((own, largest.fold(0.0, f64::max)));
        eprintln!(
            "{} books: {:.0} MiB, typesetting {:.0} MiB",
            (step + 1) * BOOKS_PER_MEASUREMENT,
            own,
            memory[step as usize].1
        );
    }
    let mut server = Comparison::new("memory of the server, 300 to 1,000 books", Unit::Mebibytes, "flat");
    let mut typesetting = Comparison::new("memory of a typesetting process", Unit::Mebibytes, "flat");
    let (own, largest) = *memory.get(1).context("too few books")?;
    for (later, later_largest) in &memory[2..] {
        server.push(*later, own);
        typesetting.push(*later_largest, largest);
    }
    eprintln!("measured {BOOKS} books in {} formats", formats.len());
    Ok([server, typesetting])
}

fn subject(number: u32) -> String {
    const SUBJECTS: [&str; 6] = ["A fox", "An owl", "A lighthouse", "A rocket", "A snail", "A dragon"];
    format!("{} {number}", SUBJECTS[number as usize % SUBJECTS.len()])
}

/// Has a book drawn; returns its id.
async fn make(app: &BenchApp, key: &str, book: Value) -> anyhow::Result<String> {
    let once = format!("{:?}", Instant::now());
    let request = Request::post("/api/v1/books")
        .header(header::CONTENT_TYPE, "application/json")
        .header(
            "idempotency-key",
            once.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-"),
        );
    let body = Body::from(json!({"book": book}).to_string());
    let accepted = send(app, key, request, body, StatusCode::ACCEPTED).await?;
    let text = |value: &Value| Some(value["id"].as_str()?.to_owned());
    let operation = text(&accepted["operation"]).context("no operation")?;
    loop {
        let operation = &get(app, key, &format!("/operations/{operation}")).await?["operation"];
        if !operation["finished_at"].is_null() {
            ensure!(operation["status"] == "succeeded", "the book failed: {operation}");
            return text(&accepted["book"]).context("no book");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn get(app: &BenchApp, key: &str, path: &str) -> anyhow::Result<Value> {
    let request = Request::get(format!("/api/v1{path}"));
    send(app, key, request, Body::empty(), StatusCode::OK).await
}

/// Returns the time from the request to the last byte of the PDF.
async fn print(app: &BenchApp, key: &str, book: &str, format: &str) -> anyhow::Result<Duration> {
    let began = Instant::now();
    let request = Request::get(format!("/api/v1/books/{book}/pdf?format={format}"));
    let pdf = receive(app, key, request, Body::empty(), StatusCode::OK).await?;
    ensure!(pdf.starts_with(b"%PDF-"), "the PDF of {book} is none");
    Ok(began.elapsed())
}
