//! The outbox: mails that wait to be sent.
//!
//! A concept puts a mail into the outbox in the transaction of the change that causes it, so that both happen or
//! neither. `mailing` claims the mails, decides what each says, and sends them. An attempt moves the time at which the
//! mail is due to the end of its lease: if the process dies, another attempt follows then.
mod store;

use std::time::Duration;

use linepress_model::text_enum;

use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, MailId, OperationId};

text_enum! {
    /// The reason for a mail.
    pub enum MailKind {
        /// A link that verifies the address of an account.
        Verification = "verification",
        /// A link that sets a new password, for a person who forgot theirs.
        PasswordReset = "password_reset",
        /// A link that sets the first password of an account that an operator created.
        Invitation = "invitation",
        /// A notice that a book was drawn.
        BookReady = "book_ready",
        /// A notice that the balance of an account is low.
        LowCredits = "low_credits",
        /// A notice that the server sends no more events to a webhook.
        WebhookPaused = "webhook_paused",
    }
}

/// The recipient of a mail.
#[derive(Clone, Copy, Debug)]
pub enum Recipient<'a> {
    Account(&'a AccountId),
    /// An address that a client named, which may be that of no account. The account is looked up when the mail is sent,
    /// so that the request takes the same time in both cases.
    Address(&'a str),
}

/// A mail that an attempt has claimed.
#[derive(Debug, sqlx::FromRow)]
pub struct ClaimedMail {
    pub id: MailId,
    #[sqlx(try_from = "String")]
    pub kind: MailKind,
    pub account_id: Option<AccountId>,
    pub address: Option<String>,
    pub operation_id: Option<OperationId>,
    /// The number of attempts, including this one. It also tells this attempt from later ones.
    pub attempts: i64,
    pub created_at: Timestamp,
}

/// A mail that was removed because of its age.
#[derive(Debug, sqlx::FromRow)]
pub struct OldMail {
    pub id: MailId,
    #[sqlx(try_from = "String")]
    pub kind: MailKind,
}

/// Puts a mail into the outbox, unless the server sends no mail.
pub async fn put(
    app: &App,
    tx: &mut Tx,
    kind: MailKind,
    to: Recipient<'_>,
    operation: Option<&OperationId>,
) -> Result<()> {
    if !app.config.mail.is_on() {
        return Ok(());
    }
    let now = app.clock.now();
    let id = MailId::generate(now, &app.random);
    store::insert(tx, &id, kind, to, operation, now).await?;
    let app = app.clone();
    tx.after_commit(move || app.mails.notify_one());
    Ok(())
}

/// Claims the mail that has been due for the longest time, for a lease of this length. None when no mail is due.
pub async fn claim(app: &App, lease: Duration) -> Result<Option<ClaimedMail>> {
    let now = app.clock.now();
    if !store::is_any_due(&app.database.read, now).await? {
        return Ok(None);
    }
    let mut tx = app.database.begin().await?;
    let claimed = store::claim(&mut tx, now, now.plus(lease)).await?;
    tx.commit().await?;
    Ok(claimed)
}

/// Deletes the mail. Does nothing when another attempt has claimed it since.
pub async fn remove(app: &App, mail: &ClaimedMail) -> Result<()> {
    let mut tx = app.database.begin().await?;
    store::delete(&mut tx, mail).await?;
    Ok(tx.commit().await?)
}

/// Deletes and returns the mails that were put into the outbox at least this long ago.
pub async fn remove_older_than(app: &App, age: Duration) -> Result<Vec<OldMail>> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let removed = store::delete_old(&mut tx, now.minus(age)).await?;
    tx.commit().await?;
    Ok(removed)
}

/// Makes the mail due again after a delay. Does nothing when another attempt has claimed it since.
pub async fn put_off(app: &App, mail: &ClaimedMail, delay: Duration) -> Result<()> {
    let mut tx = app.database.begin().await?;
    store::put_off(&mut tx, mail, app.clock.now().plus(delay)).await?;
    Ok(tx.commit().await?)
}

/// The number of mails that wait, including those that are being sent.
pub async fn waiting(app: &App) -> Result<i64> {
    Ok(store::count(&app.database.read).await?)
}
