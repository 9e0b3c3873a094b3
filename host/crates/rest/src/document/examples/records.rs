//! The records of the account: the request that ordered the story's book, and its charge.
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{BOOK, CREATED_AT, FINISHED_AT, operation_id};
use linepress_accounts::credits::EntryKind;
use linepress_accounts::requests::{LoggedRequest, RequestInterface};
use linepress_core::operations::{OperationType, ResourceType};
use linepress_core::statement::UsageLine;
use linepress_platform::ids::{EntryId, KeyId, LoggedRequestId};

/// The bodies with records, by the name of their schema.
pub(super) fn bodies() -> BTreeMap<&'static str, Value> {
    let one_page = json!({"next_cursor": null});
    BTreeMap::from([
        ("RequestsReply", json!({"requests": [request()], "meta": one_page})),
        (
            "LedgerReply",
            json!({"ledger": [{
                "id": EntryId::from_text("entry_01KAFMYG00000000000000000A"),
                "kind": EntryKind::Charge,
                "amount": -2,
                "operation": {
                    "id": operation_id(),
                    "type": OperationType::BookCreate,
                    "resource_type": ResourceType::Book,
                    "resource_id": BOOK,
                    "title": "Pip's Woods",
                },
                "reason": "",
                "created_at": CREATED_AT,
            }], "meta": one_page}),
        ),
        (
            "UsageReply",
            json!({"usage": {"month": "2026-11", "lines": [UsageLine {
                kind: EntryKind::Charge,
                operation_type: Some(OperationType::BookCreate.to_string()),
                entries: 1,
                amount: -2,
            }]}}),
        ),
    ])
}

fn request() -> LoggedRequest {
    LoggedRequest {
        id: LoggedRequestId::from_text("log_01KAFMYG00000000000000000A"),
        interface: RequestInterface::Rest,
        method: "POST".into(),
        route: Some("/api/v1/books".into()),
        tool: None,
        status: 202,
        code: None,
        duration_ms: 14,
        request_id: "req_01KAFMYG00000000000000000A".into(),
        key_id: Some(KeyId::from_text("key_01KAFMYG00000000000000000A")),
        grant_id: None,
        created_at: FINISHED_AT,
    }
}
