//! `POST /pages` compared with the bare transaction: most of its statements on the same kind of database through one
//! writer.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use linepress_platform::database::Database;

use crate::app::{self, BenchApp};
use crate::load::{self, Worker};
use crate::report::{Comparison, Unit, rounds};

const ROUNDS: usize = 15;
const CLIENTS: usize = 8;

pub(crate) async fn measure() -> anyhow::Result<Comparison> {
    // Each side has its own server, so that neither writes to a file that the other has made larger.
    let (app, other) = (
        BenchApp::start(&["testbed.plain"]).await?,
        BenchApp::start(&["testbed.plain"]).await?,
    );
    let number = Arc::new(AtomicU64::new(0));
    let client = || Client {
        router: app.router(),
        key: app.key.clone(),
        number: number.clone(),
    };
    let mut ours: Vec<Client> = (0..CLIENTS).map(|_| client()).collect();
    let bare = || Bare {
        database: other.server.database.clone(),
        account: other.account.clone(),
        number: number.clone(),
    };
    let mut peer: Vec<Bare> = (0..CLIENTS).map(|_| bare()).collect();
    Comparison::new("POST /pages", Unit::PerSecond, "ratio 0.5 or more")
        .run(
            rounds(ROUNDS),
            async || load::per_second(&mut ours).await,
            async || load::per_second(&mut peer).await,
        )
        .await
}

/// A client that generates pages through the whole server except the network.
struct Client {
    router: Router,
    key: String,
    number: Arc<AtomicU64>,
}

impl Worker for Client {
    async fn once(&mut self) -> anyhow::Result<()> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        app::create_page(&self.router, &self.key, &format!("key-{number}"))
            .await
            .map(drop)
    }
}

/// The peer: only the writes of an accepted page, without those that count the account's changes per minute and the
/// credits that the key has spent, and with fewer columns.
struct Bare {
    database: Database,
    account: String,
    number: Arc<AtomicU64>,
}

impl Worker for Bare {
    /// Runs statements of the stores in their order, with values of the same size.
    async fn once(&mut self) -> anyhow::Result<()> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let now = i64::try_from(number)?;
        let (key, digest) = (format!("key-{number}"), format!("{number:064}"));
        let (page, operation) = (format!("page_{number:026}"), format!("op_{number:026}"));
        let mut tx = self.database.begin().await?;
        sqlx::query(
            "INSERT INTO idempotency_keys (account_id, key, request_hash, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (account_id, key) DO NOTHING",
        )
        .bind(&self.account)
        .bind(&key)
        .bind(digest)
        .bind(now)
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "INSERT INTO pages (id, account_id, title, prompt, caption, aspect, origin, audience, status, active_operation_id, \
               search_text, sort_title, created_at, updated_at) \
             VALUES ($1, $2, $3, $4, $5, $6, 'generated', $7, 'generating', $8, $10, $11, $9, $9)",
        )
        .bind(&page)
        .bind(&self.account)
        .bind(TITLE)
        .bind(PROMPT)
        .bind("")
        .bind("portrait")
        .bind("child")
        .bind(&operation)
        .bind(now)
        .bind(format!("{TITLE}\n{PROMPT}").to_lowercase())
        .bind(TITLE.to_lowercase())
        .execute(&mut *tx)
        .await?;
        let _: i64 = sqlx::query_scalar(
            "UPDATE accounts SET credits = credits + $1, spent = spent - $2, refunded = refunded + $3, updated_at = $4 \
             WHERE id = $5 AND credits + $1 >= 0 RETURNING credits",
        )
        .bind(-1_i64)
        .bind(-1_i64)
        .bind(0_i64)
        .bind(now)
        .bind(&self.account)
        .fetch_one(&mut *tx)
        .await?;
        sqlx::query(
            "INSERT INTO ledger_entries (id, account_id, kind, amount, operation_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(format!("entry_{number:026}"))
        .bind(&self.account)
        .bind("charge")
        .bind(-1_i64)
        .bind(&operation)
        .bind(now)
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "INSERT INTO operations (id, account_id, type, status, resource_type, resource_id, total, charged, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(&operation)
        .bind(&self.account)
        .bind("page.create")
        .bind("queued")
        .bind("page")
        .bind(&page)
        .bind(1_i64)
        .bind(1_i64)
        .bind(now)
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "UPDATE accounts SET characters = characters + $1, pages = pages + $2, books = books + $3, \
               generations = generations + $4, stored_bytes = stored_bytes + $5 WHERE id = $6",
        )
        .bind(0_i64)
        .bind(1_i64)
        .bind(0_i64)
        .bind(1_i64)
        .bind(0_i64)
        .bind(&self.account)
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "INSERT INTO drawings (id, operation_id, account_id, position, target_type, target_id, title, credits, request, \
               status, due_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', $10, $10)",
        )
        .bind(format!("draw_{number:026}"))
        .bind(&operation)
        .bind(&self.account)
        .bind(0_i64)
        .bind("page")
        .bind(&page)
        .bind(TITLE)
        .bind(1_i64)
        .bind(REQUEST)
        .bind(now)
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "INSERT INTO queue_accounts (account_id, next_due_at) VALUES ($1, $2) \
             ON CONFLICT (account_id) DO UPDATE SET next_due_at = CASE \
               WHEN queue_accounts.next_due_at < excluded.next_due_at THEN queue_accounts.next_due_at \
               ELSE excluded.next_due_at END",
        )
        .bind(&self.account)
        .bind(now)
        .execute(&mut *tx)
        .await?;
        sqlx::query("UPDATE idempotency_keys SET body = $1 WHERE account_id = $2 AND key = $3")
            .bind(BODY)
            .bind(&self.account)
            .bind(&key)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(())
    }
}

const TITLE: &str = "A fox in the woods";
const PROMPT: &str = "A fox who waters the flowers.";
const REQUEST: &str = r#"{"prompt":"A fox who waters the flowers.","title":"A fox in the woods","aspect":"portrait","audience":"child","seed":4503599627370496,"characters":[]}"#;
/// A body as long as the saved reply of `POST /pages`.
const BODY: &str = concat!(
    r#"{"page":{"id":"page_01KAFMYG00000000000000000A","title":"A fox in the woods","prompt":"A fox who waters the flowers.","caption":"","#,
    r#""alternative_text":null,"aspect":"portrait","line_weight":"usual","detail":"usual","style":"","frame":"usual","#,
    r#""origin":"generated","status":"generating","characters":[],"book_ids":[],"image":null,"error":null,"locked":false,"#,
    r#""active_operation_id":"op_01KAFMYG00000000000000000A","created_at":"2026-11-21T12:00:00.000Z","updated_at":"2026-11-21T12:00:00.000Z"},"#,
    r#""operation":{"id":"op_01KAFMYG00000000000000000A","url":"http://127.0.0.1:8080/api/v1/operations/op_01KAFMYG00000000000000000A","#,
    r#""type":"page.create","status":"queued","progress":{"completed":0,"failed":0,"total":1},"credits":{"charged":1,"refunded":0},"#,
    r#""resource":{"type":"page","id":"page_01KAFMYG00000000000000000A","url":"http://127.0.0.1:8080/api/v1/pages/page_01KAFMYG00000000000000000A"},"#,
    r#""items":[{"type":"page","id":"page_01KAFMYG00000000000000000A","title":"A fox in the woods","status":"queued","error":null}],"#,
    r#""error":null,"created_at":"2026-11-21T12:00:00.000Z","started_at":null,"finished_at":null}}"#,
);
