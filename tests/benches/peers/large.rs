//! A large account compared with a small one: the latency of each endpoint with 100,000 pages, 10,000 waiting
//! drawings and 1,000,000 operations, and with slightly more rows than one list shows.
use std::time::Instant;

use anyhow::{Context as _, ensure};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use linepress_core::testing;
use linepress_platform::database::Dialect;
use sqlx::AssertSqlSafe;
use tower::ServiceExt as _;

use crate::app::{self, BenchApp, create_database};
use crate::report::{Comparison, Unit, rounds};

const ROUNDS: usize = 9;
/// Calls per round, of which the median counts.
const CALLS: usize = 40;

/// The number of rows of one account.
struct Size {
    pages: u32,
    /// Waiting drawings, in operations of a hundred drawings each.
    waiting: u32,
    /// Ended operations with one drawing each. Ten of them failed.
    operations: u32,
}

const LARGE: Size = Size {
    pages: 100_000,
    waiting: 10_000,
    operations: 1_000_000,
};
/// Slightly more rows than one list shows, so that the responses have the same length as those of the large account.
const SMALL: Size = Size {
    pages: 2_600,
    waiting: 3_000,
    operations: 100,
};

/// One of the two accounts, with its server.
struct Side {
    app: BenchApp,
    router: Router,
    /// The number of calls so far, which makes idempotency keys unique.
    calls: usize,
}

pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let mut comparisons = compare("SQLite", None).await?;
    match std::env::var("LINEPRESS_TEST_BENCH_POSTGRES") {
        Ok(server) => comparisons.extend(compare("PostgreSQL", Some(&server)).await?),
        Err(_) => println!("skipped: the large account on PostgreSQL, which is not installed"),
    }
    Ok(comparisons)
}

async fn compare(database: &str, server: Option<&str>) -> anyhow::Result<Vec<Comparison>> {
    let mut large = Side::start(&LARGE, server, "large").await?;
    let mut small = Side::start(&SMALL, server, "small").await?;
    let mut comparisons = Vec::new();
    for call in MEASURED_REQUESTS {
        let name = format!("{call}, {database}");
        let mut comparison = Comparison::new(name, Unit::Microseconds, "ratio 1.5 or less");
        // The first round fills caches and is not counted.
        for round in 0..=rounds(ROUNDS) {
            let (ours, peer) = medians(&mut large, &mut small, call).await?;
            if round > 0 {
                comparison.push(ours, peer);
            }
        }
        eprintln!("measured {}", comparison.name);
        comparisons.push(comparison);
    }
    Ok(comparisons)
}

/// Returns the median durations of both sides. Their calls alternate: a call takes three times as long if it has to
/// wake a sleeping thread, and this way both sides find the threads in the same state.
async fn medians(large: &mut Side, small: &mut Side, call: &str) -> anyhow::Result<(f64, f64)> {
    let (mut ours, mut peer) = (Vec::with_capacity(CALLS), Vec::with_capacity(CALLS));
    for turn in 0..CALLS {
        if turn % 2 == 0 {
            ours.push(large.call(call).await?);
            peer.push(small.call(call).await?);
        } else {
            peer.push(small.call(call).await?);
            ours.push(large.call(call).await?);
        }
    }
    ours.sort_by(f64::total_cmp);
    peer.sort_by(f64::total_cmp);
    Ok((ours[CALLS / 2], peer[CALLS / 2]))
}

const CLAIM: &str = "claim a drawing";

/// The measured requests by method and path; `PAGE`, `BOOK` and `OPERATION` stand for ids in the middle of the lists.
const MEASURED_REQUESTS: [&str; 14] = [
    "GET /me",
    "GET /pages",
    "GET /pages?book_id=BOOK",
    "GET /pages/PAGE",
    "PATCH /pages/PAGE",
    "GET /books",
    "GET /books/BOOK",
    "GET /operations",
    "GET /operations?status=failed",
    "GET /operations?status=queued",
    "GET /operations/OPERATION",
    "POST /pages",
    "POST /artwork_uploads",
    CLAIM,
];

impl Side {
    async fn start(size: &Size, server: Option<&str>, name: &str) -> anyhow::Result<Self> {
        let url = match server {
            None => String::new(),
            Some(server) => create_database(server, name).await?,
        };
        let app = BenchApp::start_on(&["testbed.plain"], url).await?;
        fill(&app, size).await?;
        Ok(Self {
            router: app.router(),
            app,
            calls: 0,
        })
    }

    /// Returns the duration of the call in microseconds.
    async fn call(&mut self, call: &str) -> anyhow::Result<f64> {
        self.calls += 1;
        match call {
            CLAIM => self.claim().await,
            call => self.request(call).await,
        }
    }

    async fn claim(&self) -> anyhow::Result<f64> {
        let began = Instant::now();
        let claimed = testing::claim(&self.app.server).await?;
        let took = began.elapsed();
        let job = claimed.context("there is nothing to claim")?;
        testing::release(&self.app.server, &job).await?;
        Ok(took.as_secs_f64() * 1e6)
    }

    async fn request(&self, call: &str) -> anyhow::Result<f64> {
        let (method, path) = call.split_once(' ').context("a method and an address")?;
        let path = path
            .replace("PAGE", &id("page_", 50))
            .replace("BOOK", &id("book_", 1))
            .replace("OPERATION", &id("op_", 50));
        let body = match method {
            "POST" if path == "/pages" => r#"{"page":{"title":"A fox in the woods"}}"#,
            "PATCH" => r#"{"page":{"caption":"A fox"}}"#,
            _ => "",
        };
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v1{path}"))
            .header(header::AUTHORIZATION, format!("Bearer {}", self.app.key))
            .header(header::CONTENT_TYPE, "application/json")
            .header("idempotency-key", format!("key-{}", self.calls))
            .body(Body::from(body))?;
        let began = Instant::now();
        let Ok(response) = self.router.clone().oneshot(request).await;
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await?;
        let took = began.elapsed();
        ensure!(
            status.is_success(),
            "{call}: {status}: {}",
            String::from_utf8_lossy(&body)
        );
        Ok(took.as_secs_f64() * 1e6)
    }
}

/// Returns an id with this number that sorts before every id that the server generates now.
fn id(prefix: &str, number: u32) -> String {
    format!("{prefix}{number:026}")
}

/// Inserts the rows with SQL that generates them: a million operations through the interface would take hours.
async fn fill(app: &BenchApp, size: &Size) -> anyhow::Result<()> {
    let number = match app.server.database.dialect {
        Dialect::Sqlite => "printf('%026d', i)",
        Dialect::Postgres => "lpad(CAST(i AS TEXT), 26, '0')",
    };
    let account = &app.account;
    let count =
        |rows: u32| format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) ");
    let (pages, waiting, operations) = (size.pages, size.waiting, size.operations);
    let queued = waiting / 100;
    let tenth = operations / 10;
    let request =
        r#"{"prompt":"A fox","title":"A fox","aspect":"portrait","audience":"child","seed":1,"characters":[]}"#;
    let statements = [
        format!(
            "{} INSERT INTO artworks (id, account_id, image_key, master_key, width, height, media_type, byte_size, measures, \
               created_at) SELECT 'art_' || {number}, '{account}', 'i' || i, 'm' || i, 100, 100, 'image/png', 100, '{{}}', i FROM n",
            count(pages)
        ),
        format!(
            "{} INSERT INTO pages (id, account_id, title, prompt, caption, aspect, origin, audience, status, artwork_id, revision, \
               created_at, updated_at) SELECT 'page_' || {number}, '{account}', 'A fox in the woods', 'A fox', '', 'portrait', \
               'generated', 'child', 'ready', 'art_' || {number}, 1, i, i FROM n",
            count(pages)
        ),
        format!(
            "{} INSERT INTO books (id, account_id, title, subtitle, author, description, audience, aspect, cover_prompt, \
               cover_status, created_at, updated_at) SELECT 'book_' || {number}, '{account}', 'Woodland', '', '', '', 'child', \
               'portrait', 'A fox', 'failed', i, i FROM n",
            count(pages / 100)
        ),
        // The first book contains the pages from 41 on.
        format!(
            "{} INSERT INTO book_pages (book_id, page_id, position) \
             SELECT 'book_00000000000000000000000001', 'page_' || {number}, i FROM n WHERE i > 40",
            count(64)
        ),
        format!(
            "{} INSERT INTO operations (id, account_id, type, status, resource_type, resource_id, total, charged, completed, \
               failed, created_at) SELECT 'op_' || {number}, '{account}', 'page.create', \
               CASE WHEN i % {tenth} = 5 THEN 'failed' ELSE 'succeeded' END, 'page', 'page_' || {number}, 1, 1, \
               CASE WHEN i % {tenth} = 5 THEN 0 ELSE 1 END, CASE WHEN i % {tenth} = 5 THEN 1 ELSE 0 END, i FROM n",
            count(operations)
        ),
        format!(
            "{} INSERT INTO drawings (id, operation_id, account_id, position, target_type, target_id, title, credits, request, \
               status, attempts, due_at, created_at) SELECT 'draw_' || {number}, 'op_' || {number}, '{account}', 0, 'page', \
               'page_' || {number}, 'A fox', 1, '{request}', CASE WHEN i % {tenth} = 5 THEN 'failed' ELSE 'succeeded' END, 1, i, i \
             FROM n",
            count(operations)
        ),
        format!(
            "{} INSERT INTO operations (id, account_id, type, status, resource_type, resource_id, total, charged, created_at) \
             SELECT 'op_1' || substr({number}, 2), '{account}', 'book.create', 'queued', 'book', 'book_' || {number}, 100, 100, i \
             FROM n",
            count(queued)
        ),
        format!(
            "{} INSERT INTO drawings (id, operation_id, account_id, position, target_type, target_id, title, credits, request, \
               status, due_at, created_at) SELECT 'draw_1' || substr({number}, 2), \
               'op_1' || substr({}, 2), '{account}', i, 'page', 'page_' || {number}, 'A fox', 1, '{request}', 'queued', i, i FROM n",
            count(waiting),
            number
                .replace("(i ", "((1 + (i - 1) / 100) ")
                .replace(", i)", ", 1 + (i - 1) / 100)")
        ),
        format!(
            "UPDATE accounts SET pages = {pages}, books = {}, generations = {queued} WHERE id = '{account}'",
            pages / 100
        ),
        format!("INSERT INTO queue_accounts (account_id, next_due_at) VALUES ('{account}', 1)"),
    ];
    let mut tx = app.server.database.begin().await?;
    for statement in statements {
        sqlx::query(AssertSqlSafe(statement)).execute(&mut *tx).await?;
    }
    tx.commit().await?;
    if app.server.database.dialect == Dialect::Postgres {
        // Otherwise autovacuum would analyze the tables at some later time.
        sqlx::query("ANALYZE").execute(&app.server.database.read).await?;
    }
    app::check(&app.server).await
}
