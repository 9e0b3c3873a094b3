//! The acceptance of a generation: claims the idempotency key, charges credits, queues drawings and saves the reply,
//! all in one transaction.
use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::artwork::bin;
use crate::operations::{self, Operation, OperationType, ResourceType};
use linepress_accounts::accounts;
use linepress_accounts::caller::Caller;
use linepress_accounts::credentials;
use linepress_accounts::credit_caps;
use linepress_accounts::credits;
use linepress_accounts::idempotency::{self, Fingerprint, SavedReply};
use linepress_accounts::order::Order;
use linepress_accounts::throttle;
use linepress_accounts::webhooks;
use linepress_drawings::queue::{self, DrawingRequest, NewDrawingJob, Target, TargetType};
use linepress_drawings::routing;
use linepress_drawings::screening::{self, BlockedPart};
use linepress_model::Aspect;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, ErrorKind, Result, SourceMismatch};
use linepress_platform::field::Field;
use linepress_platform::ids::{OperationId, PageId};
use linepress_platform::scopes::Scopes;

/// The delay before a client may retry while no image provider is loaded.
const NO_PROVIDER_RETRY_DELAY: Duration = Duration::from_secs(30);

/// The reply to a generation, the first or a replayed one.
#[derive(Debug)]
pub struct Accepted<T> {
    /// The first reply.
    pub reply: T,
    /// Credits that this call charged; 0 for a replay.
    pub consumed: i64,
    /// The balance afterwards.
    pub available: i64,
    pub replayed: bool,
}

/// Refuses a source picture when every loaded provider draws from text only, and a generation without a source picture
/// when every loaded provider requires one.
pub fn check_source(app: &App, given: bool) -> Result<()> {
    if !routing::is_any_loaded(app) || draws(app, given) {
        return Ok(());
    }
    let mismatch = if given {
        SourceMismatch::Unusable
    } else {
        SourceMismatch::Required
    };
    Err(ErrorKind::SourcePicture(mismatch).into())
}

/// Returns true when a loaded provider draws from a source picture, or from text only when `from_picture` is false.
pub fn draws(app: &App, from_picture: bool) -> bool {
    let providers = routing::loaded(app);
    providers
        .iter()
        .any(|provider| provider.description().draws(from_picture))
}

/// Returns true when a character that is drawn from a picture needs a description, because no loaded provider looks at
/// the pictures of characters when it draws a page.
pub fn needs_descriptions(app: &App) -> bool {
    !routing::is_any_following_pictures(app, false)
}

/// Returns true when a refinement of a page of this aspect would change its picture, and false when the page would be
/// drawn again from text. Test keys get samples, which are always drawn from text.
pub async fn can_edit(app: &App, caller: &Caller, aspect: Aspect) -> Result<bool> {
    caller.require_reading()?;
    Ok(!caller.is_test() && routing::candidates(app).await?.can_edit(aspect))
}

/// Returns true when a loaded provider can change a picture as an instruction says.
fn edits(app: &App) -> bool {
    routing::loaded(app).iter().any(|provider| provider.description().edits)
}

/// Refuses a drawing that no loaded provider can draw.
fn check_drawable(app: &App, request: &DrawingRequest) -> Result<()> {
    let checked = check_source(app, request.source.is_some());
    match request.refinement {
        Some(_) if edits(app) => Ok(()),
        Some(_) => checked.map_err(|_| {
            let message = "cannot be followed: this server draws from customers' pictures only";
            Error::invalid_field(Field::instruction(), message)
        }),
        None => checked,
    }
}

/// The field of a request that contains this part of a drawing. `index` is the index of a new page in the request for a
/// book.
fn screened_field(kind: OperationType, target: TargetType, part: BlockedPart<'_>, index: Option<usize>) -> Field {
    let or_style = |field: Field| match part {
        BlockedPart::Style => Field::style(),
        BlockedPart::Text | BlockedPart::Character(_) => field,
    };
    let pages = || match index {
        Some(index) => Field::pages().at(index),
        None => Field::pages(),
    };
    match (kind, target) {
        (OperationType::BookCreate, TargetType::Cover) => or_style(Field::cover().then(Field::prompt())),
        (OperationType::BookCreate, TargetType::Page | TargetType::Character) => or_style(pages()),
        (OperationType::BookAddPage, _) => Field::page().then(or_style(Field::prompt())),
        (OperationType::BookRestyle, _) => or_style(Field::pages()),
        (OperationType::PageRefine, _) => Field::instruction(),
        (OperationType::PageCreate, _) => or_style(Field::prompt()),
        (_, TargetType::Character) => Field::description(),
        (_, TargetType::Page | TargetType::Cover) => Field::prompt(),
    }
}

/// The result of claiming an idempotency key.
pub(crate) enum Claim<'a, T> {
    /// The request was accepted before; this is the saved reply.
    Replay(Accepted<T>),
    Fresh(Box<Generation<'a>>),
}

/// A generation that is being accepted. Dropping it rolls its transaction back.
pub(crate) struct Generation<'a> {
    app: &'a App,
    caller: &'a Caller,
    order: &'a Order,
    kind: OperationType,
    pub operation_id: OperationId,
    pub tx: Tx,
    /// The index in the request of each new page of a new book.
    pub page_indexes: HashMap<PageId, usize>,
}

impl<'a> Generation<'a> {
    /// Claims the order's key for `kind` on `target`, the id of an existing resource that is drawn again or extended.
    pub(crate) async fn claim<T: DeserializeOwned>(
        app: &'a App,
        caller: &'a Caller,
        order: &'a Order,
        kind: OperationType,
        target: Option<&str>,
        arguments: &impl Serialize,
    ) -> Result<Claim<'a, T>> {
        caller.require(Scopes::SPENDING)?;
        let fingerprint = match order.callback() {
            None => Fingerprint::from_request(kind.as_str(), target, arguments)?,
            Some(callback) => Fingerprint::from_request(kind.as_str(), target, &(arguments, callback))?,
        };
        let mut tx = app.database.begin().await?;
        if let Some(saved) = idempotency::claim(app, &mut tx, caller, order.key(), &fingerprint).await? {
            return Ok(Claim::Replay(Accepted {
                reply: saved.read()?,
                consumed: 0,
                available: credits::available_in(&mut tx, caller.account_id()).await?,
                replayed: true,
            }));
        }
        throttle::take_change(app, &mut tx, caller).await?;
        if !routing::is_any_loaded_for(app, caller.is_test()) {
            return Err(ErrorKind::GenerationUnavailable {
                retry_after: NO_PROVIDER_RETRY_DELAY,
            }
            .into());
        }
        Ok(Claim::Fresh(Box::new(Self {
            app,
            caller,
            order,
            kind,
            operation_id: OperationId::generate(app.clock.now(), &app.random),
            tx,
            page_indexes: HashMap::new(),
        })))
    }

    /// Fails unless the client agreed to this price and the account can pay it. For a price that follows from the
    /// request alone, so that a request that cannot be paid does not hold the database. [`Self::accept`] checks both.
    pub(crate) async fn check_payable(&mut self, price: i64) -> Result<()> {
        self.order.check_price(price)?;
        credits::require(self.app, &mut self.tx, self.caller.account_id(), price).await
    }

    /// Charges the account what the client agreed to, records the operation, queues its drawings, saves the reply,
    /// commits, and wakes the workers. A rehearsal does all of this except the last two steps.
    pub(crate) async fn accept<R: Serialize>(
        self,
        resource: (ResourceType, &str),
        mut jobs: Vec<NewDrawingJob>,
        reply: impl FnOnce(Operation) -> R,
    ) -> Result<Accepted<R>> {
        let Self {
            app,
            caller,
            order,
            kind,
            operation_id,
            mut tx,
            page_indexes,
        } = self;
        for job in &mut jobs {
            job.request.is_test = caller.is_test();
            check_drawable(app, &job.request)?;
        }
        screening::check_words(app, &jobs, |job, part| {
            let index = match &job.target {
                Target::Page(id) => page_indexes.get(id).copied(),
                Target::Character(_) | Target::Cover(_) => None,
            };
            screened_field(kind, job.target.kind(), part, index)
        })?;
        let charged = jobs.iter().map(|job| job.credits).sum();
        order.check_price(charged)?;
        if let Some(grant) = caller.grant() {
            // The grant's row is locked before the account's, which is always the last.
            credit_caps::spend(&mut tx, grant, charged).await?;
        }
        let callback = match order.callback() {
            // The webhook is locked before the account's row, too.
            Some(url) => Some(webhooks::prepare_callback(app, &mut tx, caller.account_id(), url).await?),
            None => None,
        };
        let mut added = kind.added_usage(&jobs);
        bin::make_room(app, &mut tx, caller.account_id(), &mut added).await?;
        credentials::check_still_allowed(app, &mut tx, caller).await?;
        if let Some(key) = caller.key() {
            credit_caps::spend_with_key(&mut tx, key, charged, app.clock.now()).await?;
        }
        let available = credits::charge(app, &mut tx, caller.account_id(), charged, &operation_id).await?;
        let operation = Operation::new_queued(app, operation_id, kind, resource, charged, &jobs);
        // Only covers are free. That of a new book with paid pages is counted when it is about to be drawn.
        let is_any_free = jobs.iter().any(|job| job.credits == 0);
        let uses_free_cover = is_any_free && (charged == 0 || kind != OperationType::BookCreate);
        operations::insert(&mut tx, caller, &operation, uses_free_cover, callback.as_ref()).await?;
        accounts::take_room(app, &mut tx, caller.account_id(), added).await?;
        if is_any_free {
            // Free drawings are not limited by a price, and neither are drawings whose credits are refunded later.
            accounts::check_free_covers(app, &mut tx, caller).await?;
        }
        queue::enqueue(app, &mut tx, caller, &operation.id, jobs).await?;
        let reply = reply(operation);
        idempotency::save(&mut tx, caller, order.key(), &SavedReply::new(&reply)?).await?;
        if order.is_rehearsal() {
            // Dropping the transaction undoes everything.
            drop(tx);
        } else {
            tx.commit().await?;
            app.wake_workers();
        }
        Ok(Accepted {
            reply,
            consumed: charged,
            available,
            replayed: false,
        })
    }
}
