//! The entries of the audit log in words.
use std::collections::BTreeMap;

use linepress_model::counted;
use linepress_operator::administration::audit_log::AuditEntry;
use serde_json::Value;

/// The change of an entry, and its details.
pub(super) fn change(entry: &AuditEntry) -> (String, String) {
    let details = Details(&entry.details);
    let (what, more) = match entry.action.as_str() {
        "account.create" => (details.creation(), details.start()),
        "account.set_plan" => ("Plan changed", details.transition()),
        "account.set_role" => ("Role changed", details.transition()),
        "account.set_limits" => ("Limits changed", details.limits()),
        "account.change_credits" => (details.credit_change(), details.credits()),
        "account.suspend" => ("Account suspended", details.ending()),
        "account.resume" => ("Account resumed", String::new()),
        "account.close" => ("Account closed", details.ending()),
        "account.offer_password_link" => ("Password link made", String::new()),
        "account.set_password" => ("Password set", String::new()),
        "account.reset_second_factor" => ("Second factor reset", String::new()),
        "api_key.create" => ("API key created", details.text("name")),
        "api_key.rotate" => ("API key rotated", String::new()),
        "api_key.revoke" => ("API key revoked", String::new()),
        "operation.cancel" => ("Operation canceled", details.ending()),
        "operation.retry" => ("Operation tried again", String::new()),
        "queue.pause" => ("Queue paused", details.text("reason")),
        "queue.resume" => ("Queue resumed", String::new()),
        "provider.switch_off" => ("Provider switched off", details.text("reason")),
        "provider.switch_on" => ("Provider switched on", String::new()),
        "provider.end_pause" => ("Pause of a provider ended", String::new()),
        "plugin.allow" => ("Plugin approved", details.approval()),
        "plugin.deny" => ("Approval of a plugin withdrawn", String::new()),
        "plugin.install" => ("Plugin installed", details.installation()),
        "plugin.remove" => ("Plugin removed", String::new()),
        "plugin.roll_back" => ("Plugin rolled back", details.rollback()),
        "plugin.choose" => ("Choice of plugins changed", details.choice()),
        "plugin.clear_store" => ("Stored values of a plugin deleted", details.text("values")),
        "plugin.configure" => ("Settings of a plugin changed", details.list("settings")),
        "backups.request" => ("Backup requested", details.text("place")),
        "app.revoke" => ("App revoked", String::new()),
        "grant.revoke" => ("Grant to an app revoked", String::new()),
        "secrets.renew" => ("Secrets renewed", String::new()),
        "maintenance.begin" => ("Maintenance begun", details.text("message")),
        "maintenance.end" => ("Maintenance ended", String::new()),
        "object_store.move" => ("Objects moved", details.transition()),
        // A word that a later version added.
        other => return (other.to_owned(), details.all()),
    };
    (what.to_owned(), more)
}

/// The fields of an entry, which depend on its action.
struct Details<'a>(&'a BTreeMap<String, Value>);

impl Details<'_> {
    fn text(&self, name: &str) -> String {
        match self.0.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        }
    }

    fn number(&self, name: &str) -> i64 {
        self.0.get(name).and_then(Value::as_i64).unwrap_or_default()
    }

    fn creation(&self) -> &'static str {
        if self.text("invited") == "true" {
            "Account created, with a password link"
        } else {
            "Account created"
        }
    }

    fn start(&self) -> String {
        let credits = counted(self.number("credits"), "credit");
        format!("{}, {}, {credits}", self.text("role"), self.text("plan"))
    }

    fn transition(&self) -> String {
        format!("from {} to {}", self.text("from"), self.text("to"))
    }

    fn limits(&self) -> String {
        match self.0.get("limits") {
            Some(Value::Object(limits)) if !limits.is_empty() => {
                let limits = limits.iter().map(|(name, limit)| format!("{name} {limit}"));
                limits.collect::<Vec<_>>().join(", ")
            }
            _ => "those of the settings".into(),
        }
    }

    fn credit_change(&self) -> &'static str {
        if self.number("amount") < 0 {
            "Credits taken back"
        } else {
            "Credits added"
        }
    }

    fn credits(&self) -> String {
        let amount = self.number("amount").abs();
        format!("{amount}, balance {}: {}", self.number("balance"), self.text("reason"))
    }

    /// The consequences of a suspension, of the closing of an account, or of a cancellation.
    fn ending(&self) -> String {
        let canceled = counted(self.number("canceled_drawings"), "drawing");
        let reason = self.text("reason");
        let separator = if reason.is_empty() { "" } else { ": " };
        format!("{canceled} canceled{separator}{reason}")
    }

    fn approval(&self) -> String {
        let granted = [self.list("origins"), self.list("permissions")];
        let granted: Vec<String> = granted.into_iter().filter(|list| !list.is_empty()).collect();
        format!("version {}: {}", self.text("version"), granted.join(", "))
    }

    fn rollback(&self) -> String {
        format!("{}: {}", self.transition(), self.text("problem"))
    }

    fn choice(&self) -> String {
        format!(
            "{} from {} to {}",
            self.text("setting"),
            self.list("from"),
            self.list("to")
        )
    }

    fn list(&self, name: &str) -> String {
        match self.0.get(name) {
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
            _ => String::new(),
        }
    }

    fn installation(&self) -> String {
        let before = match self.text("from") {
            from if from.is_empty() => String::new(),
            from => format!(" in place of {from}"),
        };
        format!(
            "version {}{before}, from {}",
            self.text("version"),
            self.text("publisher")
        )
    }

    /// Every field by its name.
    fn all(&self) -> String {
        let fields = self.0.keys().map(|name| format!("{name}: {}", self.text(name)));
        fields.collect::<Vec<_>>().join(", ")
    }
}
