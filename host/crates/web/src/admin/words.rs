//! The words of plans, roles and states of accounts, and of what a form did.
use crate::numbers::grouped;
use linepress_accounts::accounts::{Plan, Role};
use linepress_accounts::credits::EntryKind;
use linepress_operator::administration::accounts::ManagedAccount;

pub(super) fn plan(plan: Plan) -> &'static str {
    match plan {
        Plan::Free => "Free",
        Plan::Business => "Business",
    }
}

pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::Customer => "Customer",
        Role::Operator => "Operator",
    }
}

pub(super) fn entry_kind(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Grant => "Added",
        EntryKind::Charge => "Spent",
        EntryKind::Refund => "Refunded",
        EntryKind::Debit => "Taken back",
    }
}

/// A change of a balance, with its sign.
pub(super) fn signed(amount: i64) -> String {
    let sign = if amount < 0 { '\u{2212}' } else { '+' };
    format!("{sign}{}", grouped(amount.abs()))
}

/// The label and the class of the badge of an account that differs from most others.
pub(super) struct Mark {
    pub label: &'static str,
    pub class: &'static str,
}

pub(super) fn marks(account: &ManagedAccount) -> Vec<Mark> {
    let marks = [
        (account.role == Role::Operator, "Operator", "ready"),
        (account.second_factor_since.is_some(), "Second factor", "ready"),
        (account.unverified_since.is_some(), "Not verified", "waits"),
        (account.suspended_at.is_some(), "Suspended", "incomplete"),
        (account.closed_at.is_some(), "Closed", "incomplete"),
    ];
    let marks = marks.into_iter().filter(|(applies, ..)| *applies);
    marks.map(|(_, label, class)| Mark { label, class }).collect()
}

/// The message about what a form did. The address has only a keyword, so that a link cannot show any other text.
pub(super) fn done(word: Option<&str>) -> Option<&'static str> {
    Some(match word? {
        "plan" => "The plan is changed.",
        "role" => "The role is changed.",
        "limits" => "The limits are changed.",
        "added" => "The credits are added.",
        "withdrawn" => "The credits are taken back.",
        "reset-second-factor" => "The second factor is off. The password alone signs in.",
        "suspended" => "The account is suspended. Drawings that were queued are canceled and refunded.",
        "resumed" => "The account can be used again.",
        "closed" => "The account is closed. A plan opens it again.",
        "queue-paused" => "The queue is paused. Drawings under way are completed.",
        "queue-resumed" => "The queue is no longer paused.",
        "canceled" => "Drawings that had not begun are canceled and refunded.",
        "retried" => "Drawings that waited for their next attempt are due now.",
        "switched-off" => "The provider is switched off. Its calls under way are completed.",
        "switched-on" => "The provider is switched on.",
        "backup-requested" => "A backup is requested. A worker begins it within a minute.",
        "allowed" => "The plugin is approved. The server loads it within seconds.",
        "denied" => "The approval is withdrawn. The server ceases to use the plugin within seconds.",
        "used" => "The settings name the plugin. The server uses it within seconds.",
        "left-out" => "The settings no longer name the plugin. Drawings in progress end with it.",
        "configured" => "The settings are saved. The server loads the plugin with them within seconds.",
        "pause-ended" => "The pause has ended. The provider is called again at once.",
        _ => return None,
    })
}
