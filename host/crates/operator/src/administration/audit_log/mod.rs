//! The audit log: each change by an operator, with the time, the operator, and the place that it came from. Entries are
//! neither changed nor deleted.
mod store;

use std::collections::{BTreeMap, BTreeSet};

use linepress_model::text_enum;
use linepress_plugin_host::Permission;
use serde::Serialize;
use serde_json::Value;

use super::Actor;
use linepress_accounts::accounts::{NewApiKey, OwnLimits, Plan, Role};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{AccountId, AuditId, ClientId, GrantId, KeyId, OperationId};

text_enum! {
    /// The kind of thing that an operator changed.
    pub enum AuditTarget {
        Account = "account",
        ApiKey = "api_key",
        Operation = "operation",
        Queue = "queue",
        Provider = "provider",
        Plugin = "plugin",
        Backups = "backups",
        App = "app",
        Grant = "grant",
        Secrets = "secrets",
        ObjectStore = "object_store",
        Maintenance = "maintenance",
    }
}

/// An entry of the audit log.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct AuditEntry {
    pub id: AuditId,
    /// The time of the change.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The operator's account; null for the command line of the server, and for what the server did by itself.
    #[schema(required)]
    pub operator_id: Option<AccountId>,
    /// The operator's email address; null for the command line.
    #[schema(required)]
    pub operator_email: Option<String>,
    /// The API key of the request; null for a browser and for the command line.
    #[schema(required)]
    pub key_id: Option<KeyId>,
    /// The address of the client; null for the command line.
    #[schema(required, example = "203.0.113.7")]
    pub address: Option<String>,
    /// The change, such as `account.set_plan`. Later versions may add words.
    #[schema(example = "account.set_plan")]
    pub action: String,
    pub target_type: AuditTarget,
    /// The id of what was changed.
    pub target_id: String,
    /// What the change consisted of. The fields depend on the action.
    pub details: BTreeMap<String, Value>,
}

impl AuditEntry {
    /// The origin of a change without an operator's account.
    pub fn without_operator(&self) -> &'static str {
        match self.action.as_str() {
            "plugin.roll_back" => "server",
            _ => "command line",
        }
    }
}

/// The thing that an operator changes, with its id.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'a> {
    Account(&'a AccountId),
    ApiKey(&'a KeyId),
    Operation(&'a OperationId),
    /// The only queue, which is its own id.
    Queue,
    /// An image provider, by the id of its plugin.
    Provider(&'a str),
    /// A plugin, by its id.
    Plugin(&'a str),
    /// The backups of the server, which are their own id.
    Backups,
    App(&'a ClientId),
    Grant(&'a GrantId),
    /// The secrets that all nodes share, which are their own id.
    Secrets,
    /// The only object store, which is its own id.
    ObjectStore,
    /// The maintenance of the server, which is its own id.
    Maintenance,
}

impl Target<'_> {
    fn parts(&self) -> (AuditTarget, &str) {
        match self {
            Self::Account(id) => (AuditTarget::Account, id.as_str()),
            Self::ApiKey(id) => (AuditTarget::ApiKey, id.as_str()),
            Self::Operation(id) => (AuditTarget::Operation, id.as_str()),
            Self::Provider(id) => (AuditTarget::Provider, id),
            Self::Plugin(id) => (AuditTarget::Plugin, id),
            Self::Backups => (AuditTarget::Backups, AuditTarget::Backups.as_str()),
            Self::App(id) => (AuditTarget::App, id.as_str()),
            Self::Grant(id) => (AuditTarget::Grant, id.as_str()),
            Self::Secrets => (AuditTarget::Secrets, AuditTarget::Secrets.as_str()),
            Self::ObjectStore => (AuditTarget::ObjectStore, AuditTarget::ObjectStore.as_str()),
            Self::Maintenance => (AuditTarget::Maintenance, AuditTarget::Maintenance.as_str()),
            Self::Queue => (AuditTarget::Queue, AuditTarget::Queue.as_str()),
        }
    }
}

/// A change with its details, which become the fields of the entry.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "action")]
pub(super) enum Change<'a> {
    #[serde(rename = "account.create")]
    CreateAccount {
        plan: Plan,
        role: Role,
        credits: i64,
        invited: bool,
    },
    #[serde(rename = "account.set_plan")]
    SetPlan { from: Plan, to: Plan },
    #[serde(rename = "account.set_role")]
    SetRole { from: Role, to: Role },
    #[serde(rename = "account.set_limits")]
    SetLimits {
        /// All limits of the account that differ from those of the settings.
        limits: &'a OwnLimits,
    },
    #[serde(rename = "account.change_credits")]
    PostCredits { amount: i64, balance: i64, reason: &'a str },
    #[serde(rename = "account.suspend")]
    Suspend { reason: &'a str, canceled_drawings: usize },
    #[serde(rename = "account.resume")]
    Resume,
    #[serde(rename = "account.close")]
    Close {
        revoked_keys: u64,
        canceled_drawings: usize,
    },
    #[serde(rename = "account.offer_password_link")]
    OfferPasswordLink { expires_at: Timestamp },
    #[serde(rename = "account.set_password")]
    SetPassword,
    #[serde(rename = "account.reset_second_factor")]
    ResetSecondFactor,
    #[serde(rename = "api_key.create")]
    CreateKey {
        account_id: &'a AccountId,
        /// The name of the key, and what limits it.
        #[serde(flatten)]
        terms: &'a NewApiKey,
    },
    #[serde(rename = "api_key.rotate")]
    RotateKey {
        previous_secret_expires_at: Option<Timestamp>,
    },
    #[serde(rename = "api_key.revoke")]
    RevokeKey,
    #[serde(rename = "operation.cancel")]
    CancelOperation { canceled_drawings: usize },
    #[serde(rename = "operation.retry")]
    RetryOperation { due_drawings: u64 },
    #[serde(rename = "queue.pause")]
    PauseQueue { reason: &'a str },
    #[serde(rename = "queue.resume")]
    ResumeQueue,
    #[serde(rename = "provider.switch_off")]
    SwitchOffProvider { reason: &'a str },
    #[serde(rename = "provider.switch_on")]
    SwitchOnProvider,
    #[serde(rename = "provider.end_pause")]
    EndProviderPause {
        failures: i64,
        paused_until: Option<Timestamp>,
    },
    #[serde(rename = "plugin.allow")]
    AllowPlugin {
        version: &'a str,
        digest: &'a str,
        origins: &'a [String],
        /// The origins that may have private addresses or use plain http.
        private: &'a [String],
        /// The names of the credentials whose sources were set.
        credentials: Vec<&'a str>,
        /// The services of the server that the plugin may use.
        #[serde(skip_serializing_if = "BTreeSet::is_empty")]
        permissions: &'a BTreeSet<Permission>,
    },
    #[serde(rename = "plugin.deny")]
    DenyPlugin,
    #[serde(rename = "plugin.install")]
    InstallPlugin {
        /// The version that was active before.
        from: Option<&'a str>,
        version: &'a str,
        digest: &'a str,
        publisher: &'a str,
        key: &'a str,
        /// The place of the registry.
        index: &'a str,
    },
    #[serde(rename = "plugin.remove")]
    RemovePlugin,
    /// A change that the server makes by itself.
    #[serde(rename = "plugin.roll_back")]
    RollBackPlugin {
        from: &'a str,
        to: &'a str,
        /// The failure of one of the first calls.
        problem: &'a str,
    },
    #[serde(rename = "plugin.choose")]
    ChoosePlugins {
        /// The setting that names plugins.
        setting: &'a str,
        from: &'a [String],
        to: &'a [String],
    },
    #[serde(rename = "plugin.configure")]
    ConfigurePlugin {
        /// The names of the settings. Values may be secrets.
        settings: Vec<&'a str>,
    },
    #[serde(rename = "plugin.clear_store")]
    ClearPluginStore {
        /// The number of deleted values.
        values: u64,
    },
    #[serde(rename = "backups.request")]
    RequestBackup { place: &'a str },
    #[serde(rename = "app.revoke")]
    RevokeApp,
    #[serde(rename = "grant.revoke")]
    RevokeGrant,
    #[serde(rename = "secrets.renew")]
    RenewSecrets,
    #[serde(rename = "maintenance.begin")]
    BeginMaintenance { message: &'a str },
    #[serde(rename = "maintenance.end")]
    EndMaintenance,
    #[serde(rename = "object_store.move")]
    MoveObjects { from: &'a str, to: &'a str, objects: usize },
}

/// Writes an entry in the transaction of the change.
pub(super) async fn record(
    app: &App,
    tx: &mut Tx,
    actor: &Actor,
    target: Target<'_>,
    change: Change<'_>,
) -> Result<()> {
    let Value::Object(mut details) = serde_json::to_value(change)? else {
        return Err(Error::internal("a change is an object"));
    };
    let Some(Value::String(action)) = details.remove("action") else {
        return Err(Error::internal("a change has an action"));
    };
    let at = app.clock.now();
    let (target_type, target_id) = target.parts();
    let row = store::NewRow {
        id: AuditId::generate(at, &app.random),
        at,
        action,
        target_type,
        target_id,
        details: Value::Object(details).to_string(),
    };
    Ok(store::insert(tx, actor, &row).await?)
}

/// The entries of the log, newest first; with a `target`, only those about the thing with this id.
pub async fn list(app: &App, actor: &Actor, target: Option<&str>, request: &PageRequest) -> Result<PageOf<AuditEntry>> {
    actor.require_operator()?;
    // PostgreSQL rejects text with a zero byte, and no id contains a control character.
    if target.is_some_and(|id| id.contains(char::is_control)) {
        return Ok(PageOf::from_rows(Vec::new(), request, |entry: &AuditEntry| {
            entry.id.as_str()
        }));
    }
    let rows = store::list(&app.database.read, target, request).await?;
    let page = PageOf::from_rows(rows, request, |row| row.id.as_str());
    page.try_map(store::Row::into_entry)
}
