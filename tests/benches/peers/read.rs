//! `GET /pages/{id}` compared with a bare handler that runs the same query and returns the same bytes.
use std::net::SocketAddr;

use anyhow::ensure;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use linepress_core::artwork::{Image, ImageColumns, Origin, QualityColumns, Status};
use linepress_core::pages::{Page, PageReply};
use linepress_model::{Aspect, DetailLevel, FrameStyle, LineWeight};
use linepress_platform::clock::Timestamp;
use linepress_platform::ids::{OperationId, PageId};
use sqlx::AnyPool;
use sqlx::any::AnyPoolOptions;

use crate::app::{self, BenchApp};
use crate::client::Client;
use crate::load;
use crate::report::{Comparison, Unit, rounds};

const ROUNDS: usize = 15;
const CLIENTS: usize = 8;

/// The SQL of `find` in the store of pages.
const FIND: &str = "SELECT p.id, p.title, p.sort_title, p.prompt, p.caption, p.aspect, p.origin, p.audience, p.line_weight, \
       p.detail, p.style, p.frame, p.status, p.error_code, p.active_operation_id, p.locked_at, p.created_at, \
       p.updated_at, p.revision, a.width, a.height, a.media_type, a.byte_size, a.measures, a.faults, \
       a.alternative_text, \
       (SELECT string_agg(c.id || '\u{1f}' || c.name, '\u{1e}' ORDER BY pc.position) \
          FROM page_characters pc JOIN characters c ON c.id = pc.character_id WHERE pc.page_id = p.id) AS characters, \
       (SELECT string_agg(bp.book_id, '\u{1e}' ORDER BY bp.book_id) FROM book_pages bp WHERE bp.page_id = p.id) AS book_ids \
     FROM pages p LEFT JOIN artworks a ON a.id = p.artwork_id WHERE p.account_id = $1 AND p.id = $2";

/// The peer: only a pool with the same settings.
#[derive(Clone)]
struct Bare {
    pool: AnyPool,
    account: String,
    base_url: String,
}

/// The columns that the measured page uses: it is in no book and shows no character.
#[derive(sqlx::FromRow)]
struct Row {
    id: PageId,
    title: String,
    prompt: String,
    caption: String,
    #[sqlx(try_from = "String")]
    aspect: Aspect,
    #[sqlx(try_from = "String")]
    line_weight: LineWeight,
    #[sqlx(try_from = "String")]
    detail: DetailLevel,
    style: String,
    #[sqlx(try_from = "String")]
    frame: FrameStyle,
    #[sqlx(try_from = "String")]
    origin: Origin,
    #[sqlx(try_from = "String")]
    status: Status,
    active_operation_id: Option<OperationId>,
    locked_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[sqlx(flatten)]
    image: ImageColumns,
    #[sqlx(flatten)]
    quality: QualityColumns,
}

pub(crate) async fn measure() -> anyhow::Result<Comparison> {
    let app = BenchApp::start(&["testbed.plain"]).await?;
    let page = app::drawn_page(&app).await?;
    let config = &app.server.config;
    let bare = Bare {
        pool: AnyPoolOptions::new()
            .max_connections(config.database_connections)
            .test_before_acquire(false)
            .connect(&config.database_url)
            .await?,
        account: app.account.clone(),
        base_url: config.base_url(),
    };
    let router = Router::new()
        .route("/api/v1/pages/{id}", get(bare_page))
        .with_state(bare);
    let path = format!("/api/v1/pages/{page}");
    let mut ours = clients(app::serve(app.router()).await?, &path, &app.key).await?;
    let mut peer = clients(app::serve(router).await?, &path, &app.key).await?;
    let (one, other) = (ours[0].ask().await?, peer[0].ask().await?);
    ensure!(one == other, "the sides respond differently: {one:?} and {other:?}");
    Comparison::new("GET /pages/{id}", Unit::PerSecond, "ratio 0.7 or more")
        .run(
            rounds(ROUNDS),
            async || load::per_second(&mut ours).await,
            async || load::per_second(&mut peer).await,
        )
        .await
}

async fn bare_page(State(bare): State<Bare>, Path(id): Path<String>) -> Result<Json<PageReply>, StatusCode> {
    let found: Option<Row> = sqlx::query_as(FIND)
        .bind(&bare.account)
        .bind(&id)
        .fetch_optional(&bare.pool)
        .await
        .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let row = found.ok_or(StatusCode::NOT_FOUND)?;
    Ok(Json(PageReply {
        page: row.into_page(&bare.base_url),
    }))
}

impl Row {
    fn into_page(self, base_url: &str) -> Page {
        let quality = self.quality.quality();
        let alternative_text = self.image.alternative_text.clone().filter(|text| !text.is_empty());
        let image = self.image.into_image().map(|image| {
            let mut image = Image { quality, ..image };
            image.url.set(format!("{base_url}/pages/{}/image", self.id));
            image
        });
        Page {
            image,
            id: self.id,
            title: self.title,
            prompt: self.prompt,
            caption: self.caption,
            alternative_text,
            aspect: self.aspect,
            line_weight: self.line_weight,
            detail: self.detail,
            style: self.style,
            frame: self.frame,
            origin: self.origin,
            status: self.status,
            characters: Vec::new(),
            book_ids: Vec::new(),
            error: None,
            active_operation_id: self.active_operation_id,
            locked: self.locked_at.is_some(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

async fn clients(address: SocketAddr, path: &str, key: &str) -> anyhow::Result<Vec<Client>> {
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        clients.push(Client::connect(address, path, key).await?);
    }
    Ok(clients)
}
