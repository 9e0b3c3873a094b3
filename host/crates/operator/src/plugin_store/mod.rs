//! The store for the values of plugins, in the database, which all nodes share.
mod store;

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use linepress_plugin_host::{PluginStore, StoreFailure, StoreUsage};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tracing::Instrument as _;
use tracing::instrument::WithSubscriber as _;

use linepress_platform::app::App;
use linepress_platform::clock::{Clock, Timestamp};
use linepress_platform::database::{Database, Tx};
use linepress_platform::error::Result;
use linepress_platform::maintenance;

pub use store::StoredValue;

/// The number of operations of all plugins that use the database of this node at a time. The rest of its connections
/// serve requests.
const MAX_CONCURRENT_OPERATIONS: usize = 2;

/// The time for which the store of a removed plugin remains closed: longer than a call that any node began before it
/// noticed the removal.
const CLOSED_DURATION: Duration = Duration::from_secs(3600);

/// Stores the values of plugins in the database.
#[derive(Clone, Debug)]
pub struct DatabaseStore {
    database: Database,
    clock: Clock,
    /// The server's runtime. Plugins run on a runtime of their own, which must not hold connections of the pool.
    runtime: Handle,
    permits: Arc<Semaphore>,
}

impl DatabaseStore {
    /// Creates the store of a node, whose operations run on the current runtime.
    pub fn new(database: Database, clock: Clock) -> Self {
        Self {
            database,
            clock,
            runtime: Handle::current(),
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT_OPERATIONS)),
        }
    }

    /// Runs an operation. If the returned future is dropped, the operation is canceled and its transaction rolled back.
    fn run<Done: Send + 'static>(
        &self,
        operation: impl Future<Output = Result<Done, StoreFailure>> + Send + 'static,
    ) -> BoxFuture<'static, Result<Done, StoreFailure>> {
        let (runtime, permits) = (self.runtime.clone(), self.permits.clone());
        async move {
            let limited = async move {
                let _permit = permits.acquire_owned().await.expect("the semaphore is never closed");
                operation.await
            };
            let mut task = JoinSet::new();
            task.spawn_on(limited.in_current_span().with_current_subscriber(), &runtime);
            let ended = task.join_next().await.expect("one task was spawned");
            ended.unwrap_or_else(|error| Err(StoreFailure::Unavailable(error.to_string())))
        }
        .boxed()
    }

    /// Begins a change of a plugin's values, which nothing else changes until it ends.
    async fn begin(&self, plugin: &str, now: Timestamp) -> Result<Tx, StoreFailure> {
        if maintenance::is_read_only(&self.database).await.map_err(unavailable)? {
            return Err(StoreFailure::ReadOnly);
        }
        let mut tx = self.database.begin().await.map_err(unavailable)?;
        let closed_at = store::lock(&mut tx, plugin, now).await.map_err(unavailable)?;
        if closed_at.is_some_and(|closed_at| now < closed_at.plus(CLOSED_DURATION)) {
            tx.rollback().await.map_err(unavailable)?;
            return Err(StoreFailure::Removed);
        }
        Ok(tx)
    }

    async fn put(&self, plugin: &str, key: &str, value: &str) -> Result<(), StoreFailure> {
        let now = self.clock.now();
        let mut tx = self.begin(plugin, now).await?;
        let others = store::usage_without(&mut tx, plugin, key).await.map_err(unavailable)?;
        let byte_size = key.len() + value.len();
        let usage = StoreUsage {
            values: usize::try_from(others.entries).unwrap_or(usize::MAX),
            bytes: usize::try_from(others.bytes).unwrap_or(usize::MAX),
        };
        if !usage.fits(byte_size) {
            tx.rollback().await.map_err(unavailable)?;
            return Err(StoreFailure::Full);
        }
        let new = store::NewValue {
            plugin,
            key,
            value,
            byte_size: i64::try_from(byte_size).unwrap_or(i64::MAX),
            updated_at: now,
        };
        store::put(&mut tx, &new).await.map_err(unavailable)?;
        tx.commit().await.map_err(unavailable)
    }

    async fn remove(&self, plugin: &str, key: &str) -> Result<(), StoreFailure> {
        let mut tx = self.begin(plugin, self.clock.now()).await?;
        store::delete(&mut tx, plugin, key).await.map_err(unavailable)?;
        tx.commit().await.map_err(unavailable)
    }
}

impl PluginStore for DatabaseStore {
    fn get(&self, plugin: &str, key: &str) -> BoxFuture<'static, Result<Option<String>, StoreFailure>> {
        let (own, plugin, key) = (self.clone(), plugin.to_owned(), key.to_owned());
        self.run(async move {
            let found = store::find(&own.database.read, &plugin, &key).await;
            found.map_err(unavailable)
        })
    }

    fn set(&self, plugin: &str, key: &str, value: String) -> BoxFuture<'static, Result<(), StoreFailure>> {
        let (own, plugin, key) = (self.clone(), plugin.to_owned(), key.to_owned());
        self.run(async move { own.put(&plugin, &key, &value).await })
    }

    fn delete(&self, plugin: &str, key: &str) -> BoxFuture<'static, Result<(), StoreFailure>> {
        let (own, plugin, key) = (self.clone(), plugin.to_owned(), key.to_owned());
        self.run(async move { own.remove(&plugin, &key).await })
    }

    fn keys(&self, plugin: &str) -> BoxFuture<'static, Result<Vec<String>, StoreFailure>> {
        let (own, plugin) = (self.clone(), plugin.to_owned());
        self.run(async move {
            let values = store::list(&own.database.read, &plugin).await.map_err(unavailable)?;
            Ok(values.into_iter().map(|value| value.name).collect())
        })
    }
}

fn unavailable(error: sqlx::Error) -> StoreFailure {
    StoreFailure::Unavailable(error.to_string())
}

/// The values that a plugin has stored, sorted by key, without the values themselves.
pub(crate) async fn list(database: &Database, plugin: &str) -> sqlx::Result<Vec<StoredValue>> {
    let mut values = store::list(&database.read, plugin).await?;
    values.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(values)
}

/// Deletes all values of a plugin in this transaction; returns their number.
pub(crate) async fn clear(tx: &mut Tx, plugin: &str, now: Timestamp) -> sqlx::Result<u64> {
    store::lock(tx, plugin, now).await?;
    let values = store::clear(tx, plugin).await?;
    store::forget(tx, plugin).await?;
    Ok(values)
}

/// Deletes all values of a plugin in this transaction, and closes its store: calls that still run can no longer store
/// anything. Returns the number of the values.
pub(crate) async fn close(tx: &mut Tx, plugin: &str, now: Timestamp) -> sqlx::Result<u64> {
    store::lock(tx, plugin, now).await?;
    store::set_closed_at(tx, plugin, Some(now)).await?;
    store::clear(tx, plugin).await
}

/// Opens the store of a plugin that is approved again.
pub(crate) async fn reopen(tx: &mut Tx, plugin: &str) -> sqlx::Result<()> {
    store::set_closed_at(tx, plugin, None).await
}

/// Forgets the stores that were closed long ago; returns their number.
pub(crate) async fn forget_closed(app: &App) -> Result<u64> {
    app.database
        .delete_older_than(&app.clock, CLOSED_DURATION, store::FORGET_CLOSED)
        .await
}
