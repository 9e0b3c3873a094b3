//! The words of each mail.
use super::layout::{Letter, Link};
use super::notices::Notice;
use super::{links, store, unsubscribe};
use linepress_accounts::accounts::{self, Account};
use linepress_accounts::credits;
use linepress_accounts::outbox::{ClaimedMail, MailKind};
use linepress_accounts::sign_in;
use linepress_accounts::webhooks::{self, PauseReason, Webhook};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::OperationId;

/// The lifetime of a link, in words.
const ONCE_WITHIN_A_DAY: &str = "The link works once, and for a day.";

/// Composes the mail, with new links. None when it is no longer wanted.
pub(super) async fn compose(app: &App, mail: &ClaimedMail) -> Result<Option<Letter>> {
    let Some(account) = recipient(app, mail).await? else {
        return Ok(None);
    };
    match mail.kind {
        MailKind::Verification => verification(app, account).await,
        MailKind::PasswordReset => password_reset(app, account).await,
        MailKind::Invitation => invitation(app, account).await,
        MailKind::BookReady => match &mail.operation_id {
            Some(operation) => book_ready(app, account, operation).await,
            None => Ok(None),
        },
        MailKind::LowCredits => low_credits(app, account).await,
        MailKind::WebhookPaused => webhook_paused(app, account).await,
    }
}

/// The account to whose address the mail goes. None when there is none, or when it is closed or suspended.
async fn recipient(app: &App, mail: &ClaimedMail) -> Result<Option<Account>> {
    let found = match (&mail.account_id, &mail.address) {
        (Some(id), _) => accounts::find_by_id(app, id).await?,
        (None, Some(address)) => accounts::find(app, address).await?,
        (None, None) => None,
    };
    let Some(account) = found else {
        return Ok(None);
    };
    let is_locked_out = accounts::was_locked_out(app, &account.id).await?;
    Ok((!is_locked_out).then_some(account))
}

async fn verification(app: &App, account: Account) -> Result<Option<Letter>> {
    let Some(token) = sign_in::add_verification_link(app, &account.id).await? else {
        return Ok(None);
    };
    let name = &app.config.appearance.name;
    Ok(Some(Letter {
        subject: format!("Confirm your address for {name}"),
        paragraphs: vec![format!(
            "Someone, probably you, made an account at {name} with the address {}. Confirm that it is yours.",
            account.email
        )],
        link: Link {
            label: "Confirm the address",
            url: links::to_verification(app, token.expose()),
        },
        closing: vec![
            "The link works for a day, and asks you to sign in if you are not signed in.".into(),
            "If you did not make this account, you need not do anything.".into(),
        ],
        unsubscribe: None,
        to: account.email,
    }))
}

async fn password_reset(app: &App, account: Account) -> Result<Option<Letter>> {
    let Some(link) = sign_in::add_password_link(app, &account.id).await? else {
        return Ok(None);
    };
    let name = &app.config.appearance.name;
    Ok(Some(Letter {
        subject: format!("A new password for {name}"),
        paragraphs: vec![format!(
            "Someone, probably you, asked for a new password for the account {} at {name}.",
            account.email
        )],
        link: Link {
            label: "Choose a new password",
            url: links::to_reset(app, link.token.expose()),
        },
        closing: vec![
            ONCE_WITHIN_A_DAY.into(),
            "If you did not ask for it, you need not do anything: your password stays as it is.".into(),
        ],
        unsubscribe: None,
        to: account.email,
    }))
}

async fn invitation(app: &App, account: Account) -> Result<Option<Letter>> {
    // The operator may have passed the link on while the mail waited.
    if sign_in::is_password_set(app, &account.id).await? {
        return Ok(None);
    }
    let Some(link) = sign_in::add_password_link(app, &account.id).await? else {
        return Ok(None);
    };
    let name = &app.config.appearance.name;
    Ok(Some(Letter {
        subject: format!("Your account at {name}"),
        paragraphs: vec![format!(
            "You are invited to {name}, where coloring books are made. An account for {} is ready: choose its password to begin.",
            account.email
        )],
        link: Link {
            label: "Choose a password",
            url: links::to_reset(app, link.token.expose()),
        },
        closing: vec![format!(
            "{ONCE_WITHIN_A_DAY} After that, ask for a new one at {}.",
            links::to_page(app, "/forgot-password")
        )],
        unsubscribe: None,
        to: account.email,
    }))
}

/// The URL that switches the notice off. None when the account does not receive it.
async fn if_received(app: &App, account: &Account, notice: Notice) -> Result<Option<String>> {
    let settings = store::notices(&app.database.read, &account.id).await?;
    let is_received = settings.is_some_and(|settings| settings.includes(notice));
    Ok(is_received.then(|| links::to_unsubscribe(app, &unsubscribe::token(app, &account.id, notice))))
}

async fn book_ready(app: &App, account: Account, operation: &OperationId) -> Result<Option<Letter>> {
    let Some(unsubscribe) = if_received(app, &account, Notice::BookReady).await? else {
        return Ok(None);
    };
    let Some(book) = store::drawn_book(&app.database.read, operation).await? else {
        return Ok(None);
    };
    // The owner deleted what was not drawn, or an operator canceled it.
    if book.completed == 0 && book.canceled > 0 && book.canceled == book.failed {
        return Ok(None);
    }
    let title = &book.title;
    let others = match book.canceled {
        0 => "could not be drawn",
        canceled if canceled == book.failed => "were canceled",
        _ => "could not be drawn or were canceled",
    };
    let (subject, said) = match (book.completed, book.failed) {
        (_, 0) => (
            format!("Your book “{title}” is ready"),
            format!("Every picture of “{title}” is drawn. You can look at the book, change it, and print it."),
        ),
        (0, _) => (
            format!("Your book “{title}” could not be drawn"),
            format!("No picture of “{title}” could be drawn. You paid nothing: the credits are back in your account."),
        ),
        (drawn, failed) => (
            format!("Your book “{title}” is ready, except for some pictures"),
            format!(
                "{drawn} of the {} pictures of “{title}” are drawn. The others {others}, and their credits are back in your \
                 account.",
                drawn + failed
            ),
        ),
    };
    Ok(Some(Letter {
        subject,
        paragraphs: vec![said],
        link: Link {
            label: "Open the book",
            url: links::to_book(app, book.book_id.as_str()),
        },
        closing: Vec::new(),
        unsubscribe: Some(unsubscribe),
        to: account.email,
    }))
}

async fn low_credits(app: &App, account: Account) -> Result<Option<Letter>> {
    let Some(unsubscribe) = if_received(app, &account, Notice::LowCredits).await? else {
        return Ok(None);
    };
    // Credits were added or refunded while the mail waited.
    if credits::end_low_if_recovered(app, &account.id).await? {
        return Ok(None);
    }
    let balance = credits::available(app, &account.id).await?;
    let name = &app.config.appearance.name;
    Ok(Some(Letter {
        subject: format!("Your credits at {name} are running low"),
        paragraphs: vec![format!(
            "Your account has {} left. A page costs {} each time it is drawn. Ask the operator of {name} for more credits.",
            credits::pricing::credits(balance),
            credits::pricing::credits(credits::pricing::PAGE),
        )],
        link: Link {
            label: "See your account",
            url: links::to_page(app, "/account"),
        },
        closing: Vec::new(),
        unsubscribe: Some(unsubscribe),
        to: account.email,
    }))
}

/// The notice names all webhooks that are still paused. It cannot be switched off: nothing else tells that events are
/// missing.
async fn webhook_paused(app: &App, account: Account) -> Result<Option<Letter>> {
    let paused = webhooks::paused_by_server(app, &account.id).await?;
    // The owner resumed or deleted it while the mail waited.
    if paused.is_empty() {
        return Ok(None);
    }
    let name = &app.config.appearance.name;
    let mut paragraphs: Vec<_> = paused.iter().map(pause).collect();
    paragraphs.push(
        "When the receiver accepts events again, resume the webhook. Its list of deliveries contains the events that failed before \
         the pause, and can send them again; later events were not recorded."
            .into(),
    );
    Ok(Some(Letter {
        subject: format!("{name} no longer sends events to your webhook"),
        paragraphs,
        link: Link {
            label: "See your webhooks",
            url: links::to_page(app, "/account/webhooks"),
        },
        closing: Vec::new(),
        unsubscribe: None,
        to: account.email,
    }))
}

fn pause(webhook: &Webhook) -> String {
    let url = &webhook.url;
    match webhook.pause_reason.0 {
        Some(PauseReason::Gone) => {
            format!("{url} responded with the status 410, which says that it wants no more events.")
        }
        _ => format!("{url} has accepted no event for a day."),
    }
}
