//! The command `linepress audit-log`.
use clap::{Args, value_parser};
use linepress_operator::administration::Actor;
use linepress_operator::administration::audit_log::{self, AuditEntry};
use linepress_platform::app::App;
use linepress_platform::ids::AuditId;
use linepress_terminal::one_line;

use super::{Format, listing};

#[derive(Args)]
pub(super) struct Arguments {
    /// Only changes of the thing with this id, such as an account.
    #[arg(long, value_name = "ID")]
    target: Option<String>,
    /// The maximum number of entries.
    #[arg(long, default_value_t = 50, value_parser = value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(app: &App, arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { target, limit, format } = arguments;
    let actor = Actor::command_line();
    let entries = listing::read(app, AuditId::PREFIX, usize::try_from(limit)?, async |request| {
        audit_log::list(app, &actor, target.as_deref(), request).await
    });
    format.print(&entries.await?, line)
}

fn line(entry: &AuditEntry) -> String {
    let operator = entry
        .operator_email
        .as_deref()
        .or(entry.operator_id.as_ref().map(|id| id.as_str()));
    let details: Vec<String> = entry
        .details
        .iter()
        .map(|(name, value)| one_line(&format!("{name}={value}")))
        .collect();
    [
        entry.at.to_string(),
        operator.unwrap_or(entry.without_operator()).to_owned(),
        entry.address.clone().unwrap_or_else(|| "-".into()),
        one_line(&entry.action),
        entry.target_id.clone(),
        details.join(" "),
    ]
    .join("\t")
}
