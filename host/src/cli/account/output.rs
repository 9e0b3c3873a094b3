//! The lines that the commands print about accounts.
use linepress_accounts::accounts::{self, OwnLimits, Role};
use linepress_accounts::sign_in::PasswordLink;
use linepress_accounts::{credits, sign_in};
use linepress_operator::administration::accounts::ManagedAccount;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_terminal::{one_line, print_error_line, print_line};

/// The limits that differ from those of the settings, in words.
pub(super) fn own_limits(limits: &OwnLimits) -> String {
    if limits.is_empty() {
        return "the limits of the settings".into();
    }
    let limits: Vec<String> = limits.iter().map(|(name, limit)| format!("{name} {limit}")).collect();
    format!("the limits of the settings except {}", limits.join(", "))
}

/// Prints a link; only its address is written to standard output.
pub(super) fn print_link(app: &App, email: &str, link: &PasswordLink) {
    let hours = sign_in::LINK_LIFETIME.as_secs() / 3600;
    print_error_line!("link for {email}, valid once within {hours} hours:");
    print_line!("{}/reset/{}", app.config.public_url, link.token.expose());
}

/// The line of an account in a list.
pub(super) fn line(account: &ManagedAccount) -> String {
    let ManagedAccount {
        id,
        email,
        role,
        plan,
        limits,
        credits,
        unverified_since,
        second_factor_since,
        suspended_at,
        closed_at,
        sandbox_of,
        created_at,
    } = account;
    let marks = [
        (*role == Role::Operator, "\toperator"),
        (second_factor_since.is_some(), "\tsecond factor"),
        (closed_at.is_some(), "\tclosed"),
        (suspended_at.is_some(), "\tsuspended"),
        (unverified_since.is_some(), "\tnot verified"),
        (!limits.is_empty(), "\town limits"),
        (sandbox_of.is_some(), "\tsandbox"),
    ];
    let marks: String = marks
        .iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, mark)| *mark)
        .collect();
    format!("{id}\t{email}\t{plan}\t{credits} credits\t{created_at}{marks}")
}

/// The line of `show` about the account's address.
fn verification(unverified_since: Option<Timestamp>) -> String {
    match unverified_since {
        Some(since) => format!("address      not verified (signed up {since})"),
        None => "address      verified, or entered by the operator".into(),
    }
}

/// The lines of one account.
pub(super) fn show(summary: &accounts::Summary) -> String {
    let accounts::Summary {
        account,
        unverified_since,
        spent,
        refunded,
        active_keys,
        usage,
    } = summary;
    [
        format!("id           {}", account.id),
        format!("email        {}", account.email),
        verification(*unverified_since),
        format!("plan         {}", account.plan),
        format!("role         {}", account.role),
        format!("created      {}", account.created_at),
        format!("limits       {}", own_limits(&account.limits)),
        format!("credits      {} ({spent} spent, {refunded} refunded)", account.credits),
        format!("active keys  {active_keys}"),
        format!("characters   {}", usage.characters),
        format!("pages        {}", usage.pages),
        format!("books        {}", usage.books),
        format!("generations  {} under way", usage.generations),
        format!("stored       {} bytes", usage.stored_bytes),
    ]
    .join("\n")
}

/// The line of an entry of the ledger.
pub(super) fn entry(entry: &credits::LedgerEntry) -> String {
    let operation = entry.operation_id.as_ref().map_or("", |id| id.as_str());
    let reason = one_line(&entry.reason);
    format!(
        "{}\t{}\t{}\t{:+}\t{operation}{reason}",
        entry.id, entry.created_at, entry.kind, entry.amount
    )
}
