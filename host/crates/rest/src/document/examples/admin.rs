//! The requests of the story's operator, and the resources that only operators read.
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{CREATED_AT, FINISHED_AT, PAGES, TITLES, operation_id};
use linepress_accounts::accounts::{Limit, OwnLimits, Plan, Role};
use linepress_accounts::credits::pricing;
use linepress_core::operations::{OperationCredits, OperationStatus, OperationType, Progress, ResourceType};
use linepress_drawings::queue::{DrawingStatus, TargetType};
use linepress_drawings::spending::ProviderDay;
use linepress_operator::administration::accounts::{AccountUse, CreditBalance, ManagedAccount, NewAccount};
use linepress_operator::administration::audit_log::{AuditEntry, AuditTarget};
use linepress_operator::administration::backups::{Backups, ListedSnapshot};
use linepress_operator::administration::health::{Figures, Health};
use linepress_operator::administration::operations::{
    ManagedDrawing, ManagedOperation, QueueState, WaitReason, Waiting,
};
use linepress_operator::administration::plugin_calls::{PluginCall, PluginHttpRequest};
use linepress_operator::administration::plugins::{
    ManagedPlugin, PluginKind, PluginPermission, PluginSetting, PluginSource, PluginSourceKind, PluginState,
    RequestedCredential, RequestedOrigin,
};
use linepress_operator::administration::providers::ManagedProvider;
use linepress_operator::administration::settings::{SettingInForce, SettingsInForce};
use linepress_operator::diagnosis::{Finding, Verdict};
use linepress_platform::config::SettingSource;
use linepress_platform::ids::{AccountId, AuditId, DrawingId, PluginCallId};

/// The example of each body, by the name of its schema.
pub(super) fn bodies(public_url: &str) -> Vec<(&'static str, Value)> {
    let one_page = json!({"next_cursor": null});
    let link = json!({"url": format!("{public_url}/reset/the-token-of-the-link"), "expires_at": FINISHED_AT});
    vec![
        (
            "ManagedAccountsReply",
            json!({"managed_accounts": [account()], "meta": one_page}),
        ),
        ("ManagedAccountReply", json!({"managed_account": account()})),
        (
            "AccountDetailsReply",
            json!({"managed_account": account(), "usage": account_use()}),
        ),
        ("NewAccountBody", json!({"managed_account": new_account()})),
        (
            "InvitationReply",
            json!({"managed_account": account(), "password_link": link}),
        ),
        ("PasswordLinkReply", json!({"password_link": link})),
        (
            "AccountChangeBody",
            json!({"managed_account": {"plan": Plan::Business, "limits": {"pages": 50_000, "books": null}}}),
        ),
        ("CreditChange", json!({"amount": 50, "reason": "Paid by invoice 4711"})),
        ("CreditBalanceReply", json!({"balance": CreditBalance { credits: 92 }})),
        (
            "ManagedOperationsReply",
            json!({"managed_operations": [operation()], "meta": one_page}),
        ),
        (
            "ManagedOperationReply",
            json!({"managed_operation": operation(), "drawings": [drawing()]}),
        ),
        (
            "CanceledReply",
            json!({"managed_operation": operation(), "canceled_drawings": 1}),
        ),
        (
            "RetriedReply",
            json!({"managed_operation": operation(), "due_drawings": 1}),
        ),
        ("QueueReply", json!({"queue": queue()})),
        ("ManagedProvidersReply", json!({"managed_providers": [provider()]})),
        ("ManagedProviderReply", json!({"managed_provider": provider()})),
        ("SpendingReply", json!({"spending": [spending()]})),
        ("GivenReason", json!({"reason": "The invoice was not paid"})),
        ("BackupsReply", json!({"backups": backups()})),
        ("SettingsReply", json!({"settings_in_force": settings()})),
        ("HealthReply", json!({"health": health()})),
        ("ManagedPluginsReply", json!({"managed_plugins": [plugin()]})),
        ("ManagedPluginReply", json!({"managed_plugin": plugin()})),
        (
            "PluginApproval",
            json!({"digest": PLUGIN_DIGEST, "origins": [PLUGIN_ORIGIN]}),
        ),
        ("PluginUse", json!({"position": 1})),
        (
            "PluginSettingsChange",
            json!({"settings": {"model": "flux-lines", "seed": null}}),
        ),
        ("PluginCallsReply", json!({"plugin_calls": [plugin_call()]})),
        ("AuditLogReply", json!({"audit_log": [audit_entry()], "meta": one_page})),
    ]
}

fn account() -> ManagedAccount {
    let NewAccount {
        email,
        plan,
        role,
        credits,
    } = new_account();
    ManagedAccount {
        id: account_id(),
        email,
        role,
        plan,
        limits: OwnLimits::default(),
        credits,
        unverified_since: None,
        second_factor_since: None,
        suspended_at: None,
        closed_at: None,
        sandbox_of: None,
        created_at: CREATED_AT,
    }
}

fn new_account() -> NewAccount {
    NewAccount {
        email: "grace@example.com".into(),
        plan: Plan::Business,
        role: Role::Customer,
        credits: 42,
    }
}

fn account_use() -> AccountUse {
    let pages = Limit {
        limit: 10_000,
        used: Some(10),
    };
    AccountUse {
        spent: 10,
        refunded: 2,
        active_keys: 1,
        limits: BTreeMap::from([("pages", pages)]),
    }
}

fn operation() -> ManagedOperation {
    ManagedOperation {
        id: operation_id(),
        account_id: account_id(),
        account_email: new_account().email,
        kind: OperationType::PageCreate,
        status: OperationStatus::Queued,
        progress: Progress {
            completed: 0,
            failed: 0,
            total: 1,
        },
        credits: OperationCredits {
            charged: pricing::PAGE,
            refunded: 0,
        },
        resource_type: ResourceType::Page,
        resource_id: PAGES[0].into(),
        created_at: CREATED_AT,
        started_at: None,
        finished_at: None,
    }
}

fn drawing() -> ManagedDrawing {
    ManagedDrawing {
        id: DrawingId::from_text("draw_01KAFMYG00000000000000000J"),
        target_type: TargetType::Page,
        target_id: PAGES[0].into(),
        title: TITLES[0].into(),
        status: DrawingStatus::Queued,
        waiting: Some(Waiting {
            reason: WaitReason::NextAttempt,
            until: Some(FINISHED_AT),
            provider: Some("linepress.sketchbook".into()),
        }),
        attempts: 1,
        credits: pricing::PAGE,
        error: None,
        provider: Some("linepress.sketchbook".into()),
        model: None,
        cost_microdollars: 0,
        finished_at: None,
    }
}

fn queue() -> QueueState {
    QueueState {
        queued: 12,
        running: 2,
        oldest_age_seconds: 90,
        pause: None,
    }
}

fn provider() -> ManagedProvider {
    ManagedProvider {
        id: "linepress.sketchbook".into(),
        position: 1,
        version: Some("0.1.0".into()),
        problem: None,
        per_minute: None,
        failures: 0,
        paused_until: None,
        switched_off: None,
    }
}

fn spending() -> ProviderDay {
    ProviderDay {
        day: "2026-11-21".into(),
        provider: "linepress.sketchbook".into(),
        model: String::new(),
        drawings: 12,
        failures: 1,
        attempts: 14,
        draw_milliseconds: 30_500,
        cost_microdollars: 0,
        credits: 12,
        reviews: 0,
    }
}

fn health() -> Health {
    Health {
        verdict: Verdict::Bad,
        findings: vec![
            Finding::good("ledger", "every balance is the sum of its entries"),
            Finding::bad(
                "backup",
                "the last one to /mnt/backups was made 3 days ago",
                "Look for `backup failed` in the log of the running server, or make one with `linepress backup`.",
            ),
        ],
        figures: Some(Figures {
            version: "1.0.0".into(),
            accounts: 120,
            books: 940,
            pages: 22_300,
            characters: 310,
            stored_bytes: 4_100_000_000,
            database_bytes: 210_000_000,
        }),
    }
}

fn backups() -> Backups {
    Backups {
        place: Some("/mnt/backups".into()),
        last_age_seconds: Some(32_400),
        is_overdue: false,
        is_running: false,
        next_due_at: Some(FINISHED_AT),
        snapshots: vec![ListedSnapshot {
            name: "2026-11-21T03-30-00.000000Z-0a1b".into(),
            created_at: CREATED_AT,
            program: "1.0.0".into(),
            rows: 3,
            tables: BTreeMap::from([("accounts".into(), 1), ("pages".into(), 2)]),
            objects: 6,
            object_bytes: 912_000,
            missing_objects: 0,
        }],
        problems: Vec::new(),
    }
}

fn settings() -> SettingsInForce {
    SettingsInForce {
        file: Some("/etc/linepress.toml".into()),
        problem: None,
        settings: vec![SettingInForce {
            name: "limits.pages".into(),
            value: "10000".into(),
            source: SettingSource::Default,
            needs_restart: false,
        }],
    }
}

/// The digest of the example's plugin.
const PLUGIN_DIGEST: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
/// The origin that the example's plugin requests.
const PLUGIN_ORIGIN: &str = "https://api.example.com:443";

fn plugin() -> ManagedPlugin {
    ManagedPlugin {
        id: Some("acme.flux".into()),
        folder: "/var/lib/linepress/plugins.d/acme.flux".into(),
        name: None,
        kind: Some(PluginKind::ImageProvider),
        world: Some("linepress:image/image-provider@0.1".into()),
        version: Some("1.2.0".into()),
        serving_version: None,
        digest: Some(PLUGIN_DIGEST.into()),
        state: PluginState::WaitingForApproval,
        source: PluginSource {
            kind: PluginSourceKind::Registry,
            registry: Some("https://plugins.example.com/".into()),
            publisher: Some("Acme".into()),
            version: Some("1.2.0".into()),
            is_changed: false,
            stored: vec!["1.1.0".into(), "1.2.0".into()],
        },
        in_use: false,
        position: None,
        problem: Some(format!(
            "it asks to reach {PLUGIN_ORIGIN} (POST); to approve this: linepress plugin allow acme.flux"
        )),
        origins: vec![RequestedOrigin {
            origin: PLUGIN_ORIGIN.into(),
            methods: vec!["POST".into()],
        }],
        credentials: vec![RequestedCredential {
            name: "api_key".into(),
            origin: PLUGIN_ORIGIN.into(),
            header: "authorization".into(),
            is_optional: false,
            source: Some("the environment variable ACME_KEY".into()),
        }],
        permissions: vec![PluginPermission::Store],
        settings: vec![PluginSetting {
            name: "model".into(),
            description: Some("The model that draws".into()),
            is_known: true,
            is_for_other_version: false,
            options: None,
            default: Some(json!("flux-lines")),
            value: None,
        }],
        approval: None,
    }
}

fn plugin_call() -> PluginCall {
    PluginCall {
        id: PluginCallId::from_text("call_01KAFMYG00000000000000000J"),
        version: "1.2.0".into(),
        function: "draw".into(),
        outcome: "completed".into(),
        error: None,
        request: json!({"purpose": "Page", "prompt": "A fox in the snow", "aspect": "portrait", "audience": "child"}),
        result: Some(json!({
            "picture": {"sha256": PLUGIN_DIGEST, "bytes": 48_211, "media_type": "image/png"},
            "model": "flux-lines",
            "cost_microdollars": 40_000,
        })),
        http_requests: vec![PluginHttpRequest {
            method: "POST".into(),
            url: format!("{PLUGIN_ORIGIN}/v1/images"),
            outcome: "answered".into(),
            status: Some(200),
            sent_bytes: 512,
            received_bytes: 64_400,
        }],
        duration_ms: 8_400,
        deadline_ms: 180_000,
        memory_bytes: 9_437_184,
        memory_limit_bytes: 268_435_456,
        created_at: FINISHED_AT,
    }
}

fn audit_entry() -> AuditEntry {
    AuditEntry {
        id: AuditId::from_text("audit_01KAFMYG00000000000000000H"),
        at: CREATED_AT,
        operator_id: Some(AccountId::from_text("acct_01KAFMYG00000000000000000F")),
        operator_email: Some("ada@example.com".into()),
        key_id: None,
        address: Some("203.0.113.7".into()),
        action: "account.set_plan".into(),
        target_type: AuditTarget::Account,
        target_id: account_id().to_string(),
        details: BTreeMap::from([("from".into(), json!(Plan::Free)), ("to".into(), json!(Plan::Business))]),
    }
}

fn account_id() -> AccountId {
    AccountId::from_text("acct_01KAFMYG00000000000000000G")
}
