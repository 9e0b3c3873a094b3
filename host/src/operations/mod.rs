//! Operations: what an account follows while its drawings are made.
mod store;

use serde::Serialize;

use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::credits;
use crate::database::{PageOf, PageRequest, Tx};
use crate::drawing::{self, NewDrawing};
use crate::error::{Error, Result};
use crate::ids::{AccountId, OperationId};

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub enum OperationType {
    #[serde(rename = "character.create")]
    CharacterCreate,
    #[serde(rename = "character.regenerate")]
    CharacterRegenerate,
    #[serde(rename = "page.create")]
    PageCreate,
    #[serde(rename = "page.regenerate")]
    PageRegenerate,
    #[serde(rename = "book.create")]
    BookCreate,
    #[serde(rename = "book.add_page")]
    BookAddPage,
}

impl OperationType {
    const ALL: [Self; 6] = [
        Self::CharacterCreate,
        Self::CharacterRegenerate,
        Self::PageCreate,
        Self::PageRegenerate,
        Self::BookCreate,
        Self::BookAddPage,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::CharacterCreate => "character.create",
            Self::CharacterRegenerate => "character.regenerate",
            Self::PageCreate => "page.create",
            Self::PageRegenerate => "page.regenerate",
            Self::BookCreate => "book.create",
            Self::BookAddPage => "book.add_page",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Where an operation stands. The last three are terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationStatus {
    Queued,
    Running,
    Succeeded,
    PartiallySucceeded,
    Failed,
}

impl OperationStatus {
    pub const ALL: [Self; 5] = [
        Self::Queued,
        Self::Running,
        Self::Succeeded,
        Self::PartiallySucceeded,
        Self::Failed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::PartiallySucceeded => "partially_succeeded",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::PartiallySucceeded | Self::Failed)
    }
}

/// The kind of resource an operation works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceType {
    Character,
    Page,
    Book,
}

impl ResourceType {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Character => "character",
            Self::Page => "page",
            Self::Book => "book",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Character, Self::Page, Self::Book]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }

    fn collection(self) -> &'static str {
        match self {
            Self::Character => "characters",
            Self::Page => "pages",
            Self::Book => "books",
        }
    }
}

/// A generation under way or ended. Poll `url` until `status` is terminal.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Operation {
    #[schema(value_type = String, example = "op_01KAFMYG00000000000000000A")]
    pub id: OperationId,
    #[serde(rename = "type")]
    #[schema(inline)]
    pub kind: OperationType,
    #[schema(inline)]
    pub status: OperationStatus,
    pub progress: Progress,
    pub credits: OperationCredits,
    pub resource: ResourceLink,
    pub items: Vec<Item>,
    /// What went wrong with the operation as a whole; null unless it failed.
    #[schema(required)]
    pub error: Option<SafeError>,
    #[schema(format = "uri")]
    pub url: String,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub started_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub finished_at: Option<Timestamp>,
}

/// Drawings, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Progress {
    pub completed: i64,
    pub failed: i64,
    pub total: i64,
}

/// What an operation cost. `charged` is never changed; what failed comes back as `refunded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = OperationCredits)]
pub struct OperationCredits {
    pub charged: i64,
    pub refunded: i64,
}

/// The resource an operation works for.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ResourceLink {
    #[serde(rename = "type")]
    #[schema(inline)]
    pub kind: ResourceType,
    pub id: String,
    #[schema(format = "uri")]
    pub url: String,
}

/// One drawing of an operation.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = OperationItem)]
pub struct Item {
    #[serde(rename = "type")]
    #[schema(inline)]
    pub kind: drawing::TargetType,
    /// The page, character or, for a cover, book it is for.
    pub id: String,
    pub title: String,
    #[schema(inline)]
    pub status: drawing::DrawingStatus,
    #[schema(required)]
    pub error: Option<SafeError>,
}

/// An error of a generation, in words that are safe to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = GenerationError)]
pub struct SafeError {
    #[schema(example = "generation_failed")]
    pub code: String,
    pub message: String,
}

impl SafeError {
    /// The error behind a code that was stored.
    pub fn of_code(code: &str) -> Self {
        let message = match code {
            "generation_refused" => "The image provider declined to draw this. Change the prompt and try again.",
            "generation_invalid" => {
                "The image provider cannot draw this as it stands. Change the prompt and try again."
            }
            _ => "The image could not be generated. Its credit was given back; try again.",
        };
        Self {
            code: code.into(),
            message: message.into(),
        }
    }
}

/// An operation to be accepted.
pub struct NewOperation<'a> {
    pub kind: OperationType,
    pub resource: ResourceType,
    pub resource_id: &'a str,
    pub drawings: Vec<NewDrawing>,
}

/// An id for an operation that is about to begin; what it draws refers to it.
pub fn new_id(app: &App) -> OperationId {
    OperationId::generate(app.clock.now(), &app.random)
}

/// Charges the account, records the operation and queues its drawings; answers it and the new balance.
pub async fn begin(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    id: OperationId,
    new: NewOperation<'_>,
) -> Result<(Operation, i64)> {
    let now = app.clock.now();
    let charged = new.drawings.iter().map(|drawing| drawing.credits).sum();
    let balance = credits::charge(app, tx, &caller.account_id, charged, &id).await?;
    let items = new
        .drawings
        .iter()
        .map(|drawing| Item {
            kind: drawing.target.kind,
            id: drawing.target.id.clone(),
            title: drawing.title.clone(),
            status: drawing::DrawingStatus::Queued,
            error: None,
        })
        .collect();
    let operation = Operation {
        url: url(app, &id),
        kind: new.kind,
        status: OperationStatus::Queued,
        progress: Progress {
            completed: 0,
            failed: 0,
            total: i64::try_from(new.drawings.len()).unwrap_or(i64::MAX),
        },
        credits: OperationCredits { charged, refunded: 0 },
        resource: link(app, new.resource, new.resource_id),
        items,
        error: None,
        created_at: now,
        started_at: None,
        finished_at: None,
        id,
    };
    store::insert(tx, caller, &operation).await?;
    drawing::enqueue(app, tx, caller, &operation.id, new.drawings).await?;
    Ok((operation, balance))
}

/// One operation of the caller's account.
pub async fn get(app: &App, caller: &Caller, id: &OperationId) -> Result<Option<Operation>> {
    let Some(row) = store::find(&app.database.read, &caller.account_id, id).await? else {
        return Ok(None);
    };
    let mut items = store::items(&app.database.read, &caller.account_id, id.as_str(), id.as_str()).await?;
    let items = items.remove(id.as_str()).unwrap_or_default();
    Ok(Some(row.into_operation(app, items)?))
}

/// The account's operations, newest first.
pub async fn list(
    app: &App,
    caller: &Caller,
    status: Option<OperationStatus>,
    request: &PageRequest,
) -> Result<PageOf<Operation>> {
    let rows = store::list(&app.database.read, &caller.account_id, status, request).await?;
    let page = PageOf::from_rows(rows, request.limit, |row| &row.id);
    let (Some(newest), Some(oldest)) = (page.items.first(), page.items.last()) else {
        return Ok(PageOf {
            items: Vec::new(),
            next_cursor: None,
        });
    };
    let mut items = store::items(&app.database.read, &caller.account_id, &oldest.id, &newest.id).await?;
    let operations = page
        .items
        .into_iter()
        .map(|row| {
            let items = items.remove(&row.id).unwrap_or_default();
            row.into_operation(app, items)
        })
        .collect::<Result<_>>()?;
    Ok(PageOf {
        items: operations,
        next_cursor: page.next_cursor,
    })
}

/// Notes that a worker took the first drawing of an operation.
pub async fn start(app: &App, tx: &mut Tx, id: &str) -> Result<()> {
    Ok(store::start(tx, id, app.clock.now()).await?)
}

/// Counts a drawing that ended, and ends the operation with the last one: what failed is paid back.
/// Answers whether the operation has ended.
pub async fn count(app: &App, tx: &mut Tx, id: &str, drawn: bool) -> Result<bool> {
    let now = app.clock.now();
    let counted = store::count(tx, id, drawn).await?;
    if counted.completed + counted.failed < counted.total {
        return Ok(false);
    }
    let status = match (counted.completed, counted.failed) {
        (_, 0) => OperationStatus::Succeeded,
        (0, _) => OperationStatus::Failed,
        _ => OperationStatus::PartiallySucceeded,
    };
    let refund = drawing::credits_of_failed(tx, id).await?;
    store::finish(tx, id, status, refund, now).await?;
    let account = AccountId::from_text(counted.account_id);
    credits::refund(app, tx, &account, refund, &OperationId::from_text(id)).await?;
    Ok(true)
}

pub fn url(app: &App, id: &OperationId) -> String {
    format!("{}/operations/{id}", app.config.base_url())
}

fn link(app: &App, kind: ResourceType, id: &str) -> ResourceLink {
    ResourceLink {
        kind,
        id: id.into(),
        url: format!("{}/{}/{id}", app.config.base_url(), kind.collection()),
    }
}

impl store::OperationRow {
    fn into_operation(self, app: &App, items: Vec<store::ItemRow>) -> Result<Operation> {
        let damaged = |what: &str| Error::internal(format!("operation {} has an unknown {what}", self.id));
        let status = OperationStatus::parse(&self.status).ok_or_else(|| damaged("status"))?;
        let kind = OperationType::parse(&self.kind).ok_or_else(|| damaged("type"))?;
        let resource = ResourceType::parse(&self.resource_type).ok_or_else(|| damaged("resource type"))?;
        let items: Vec<Item> = items
            .into_iter()
            .map(store::ItemRow::into_item)
            .collect::<Option<_>>()
            .ok_or_else(|| damaged("item"))?;
        let error = match status {
            OperationStatus::Failed => items.iter().find_map(|item| item.error.clone()),
            _ => None,
        };
        let id = OperationId::from_text(self.id);
        Ok(Operation {
            url: url(app, &id),
            id,
            kind,
            status,
            progress: Progress {
                completed: self.completed,
                failed: self.failed,
                total: self.total,
            },
            credits: OperationCredits {
                charged: self.charged,
                refunded: self.refunded,
            },
            resource: link(app, resource, &self.resource_id),
            items,
            error,
            created_at: Timestamp::from_microseconds(self.created_at),
            started_at: self.started_at.map(Timestamp::from_microseconds),
            finished_at: self.finished_at.map(Timestamp::from_microseconds),
        })
    }
}

impl store::ItemRow {
    fn into_item(self) -> Option<Item> {
        Some(Item {
            kind: drawing::TargetType::parse(&self.target_type)?,
            id: self.target_id,
            title: self.title,
            status: drawing::DrawingStatus::parse(&self.status)?,
            error: self.error_code.as_deref().map(SafeError::of_code),
        })
    }
}
