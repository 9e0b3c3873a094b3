//! Drawings: the durable queue, and the workers that turn what is queued into artwork.
mod settle;
mod store;
mod worker;

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::artwork::{Aspect, Audience};
use crate::caller::Caller;
use crate::database::Tx;
use crate::error::Result;
use crate::ids::{DrawingId, OperationId};
use crate::plugins::Purpose;

pub use settle::{Claimed, cancel, claim, release, renew};
pub use worker::{Workers, attempt, work_once};

/// What a drawing is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetType {
    Character,
    Page,
    Cover,
}

impl TargetType {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Character => "character",
            Self::Page => "page",
            Self::Cover => "cover",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Character, Self::Page, Self::Cover]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }

    fn purpose(self) -> Purpose {
        match self {
            Self::Character => Purpose::Character,
            Self::Page => Purpose::Page,
            Self::Cover => Purpose::Cover,
        }
    }
}

/// Where a drawing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DrawingStatus {
    Queued,
    Running,
    Succeeded,
    Failed,
}

impl DrawingStatus {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "queued" => Some(Self::Queued),
            "running" => Some(Self::Running),
            "succeeded" => Some(Self::Succeeded),
            "failed" => Some(Self::Failed),
            _ => None,
        }
    }
}

/// The page, character or (for a cover) book a drawing is for.
#[derive(Clone, Debug)]
pub struct Target {
    pub kind: TargetType,
    pub id: String,
}

/// A drawing to be queued.
#[derive(Debug)]
pub struct NewDrawing {
    pub target: Target,
    pub title: String,
    /// What it costs, and what comes back when it fails.
    pub credits: i64,
    pub request: Request,
}

/// What a provider is asked: fixed when the generation was accepted, so that every attempt asks the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    pub prompt: String,
    /// The prompt that the page is to have once this is drawn, where it was changed with the request.
    #[serde(default)]
    pub new_prompt: Option<String>,
    pub title: String,
    pub aspect: Aspect,
    pub audience: Audience,
    pub seed: i64,
    pub characters: Vec<Sketch>,
}

/// A character as it was when the generation was accepted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sketch {
    pub name: String,
    pub description: String,
    pub style: String,
    pub seed: i64,
    /// The object key of its reference image, when it has one.
    pub reference: Option<String>,
}

/// Queues the drawings of an operation, in order.
pub async fn enqueue(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    operation: &OperationId,
    drawings: Vec<NewDrawing>,
) -> Result<()> {
    let now = app.clock.now();
    for (position, drawing) in (0_i64..).zip(drawings) {
        let id = DrawingId::generate(now, &app.random);
        let request = serde_json::to_string(&drawing.request)?;
        store::insert(tx, &id, caller, operation, position, &drawing, &request, now).await?;
    }
    Ok(())
}

/// What comes back of an operation: the credits of its drawings that failed.
pub async fn credits_of_failed(tx: &mut Tx, operation: &str) -> Result<i64> {
    Ok(store::credits_of_failed(tx, operation).await?)
}
