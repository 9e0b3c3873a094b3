//! The delivery of mails from the outbox.
use std::time::{Duration, SystemTime};

use linepress_mail::{Message, SendError, Sender, SmtpClient};
use tokio::sync::Notify;

use super::layout::Letter;
use super::{client, compose};
use crate::delivery_tasks::{Deliverer, DeliveryTasks, Stopped};
use linepress_accounts::outbox::{self, ClaimedMail, MailKind};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::Result;
use linepress_platform::ids::MailId;
use linepress_platform::maintenance;

/// The number of mails that a node sends at a time.
const MAX_CONCURRENT_MAILS: usize = 4;

/// The time for which an attempt holds a mail. Much longer than it takes to send one: two attempts at a time would send
/// it twice.
const LEASE: Duration = SmtpClient::MAX_SEND_DURATION.saturating_mul(4);

/// The time for which the deletion of a mail that was sent is tried: what remains of the lease, at least.
const MAX_REMOVAL_DURATION: Duration = LEASE.saturating_sub(SmtpClient::MAX_SEND_DURATION);
const REMOVAL_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The delay after the first attempt that failed, and the longest delay.
const FIRST_RETRY_DELAY: Duration = Duration::from_secs(60);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(3600);

/// The tasks of a node that deliver mails.
pub struct Delivery(DeliveryTasks);

impl Delivery {
    pub fn start(app: &App) -> Self {
        Self(DeliveryTasks::start::<Mails>(app))
    }

    /// Waits for the mails that are being sent: one whose sending is interrupted might be sent twice. The caller limits
    /// the wait, because a slow mail server or an unresponsive database may extend it to minutes.
    pub async fn stop(self) {
        self.0.stop().await;
    }
}

struct Mails;

impl Deliverer for Mails {
    const SUBJECT: &'static str = "mail";
    const TASKS: usize = MAX_CONCURRENT_MAILS;

    fn due(app: &App) -> &Notify {
        &app.mails
    }

    async fn deliver_next(app: &App, _stopped: &Stopped) -> Result<bool> {
        deliver_next(app).await
    }
}

/// Makes one attempt at the next mail. Returns false when none is due or the server is read-only.
pub(crate) async fn deliver_next(app: &App) -> Result<bool> {
    let Some(mail) = next(app).await? else {
        return Ok(false);
    };
    // More may be due than this task can send.
    app.mails.notify_one();
    attempt(app, &mail).await?;
    Ok(true)
}

/// Claims the next mail. None when none is due or the server is read-only: the links in a mail are changes.
pub(crate) async fn next(app: &App) -> Result<Option<ClaimedMail>> {
    if !app.config.mail.is_on() || maintenance::current(app).await?.is_some() {
        return Ok(None);
    }
    outbox::claim(app, LEASE).await
}

/// The result of an attempt, as metrics name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Sent,
    /// The mail is no longer wanted: the account was closed, the address was verified, or the notice was switched off.
    Unwanted,
    PutOff,
    GivenUp,
}

impl Outcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Unwanted => "unwanted",
            Self::PutOff => "put_off",
            Self::GivenUp => "given_up",
        }
    }
}

async fn attempt(app: &App, mail: &ClaimedMail) -> Result<()> {
    let outcome = try_to_send(app, mail).await;
    app.metrics.mails.attempted(mail.kind.as_str(), outcome.as_str());
    match outcome {
        Outcome::Sent => remove_sent(app, mail).await,
        Outcome::PutOff => outbox::put_off(app, mail, retry_delay(mail.attempts)).await?,
        Outcome::Unwanted | Outcome::GivenUp => outbox::remove(app, mail).await?,
    }
    Ok(())
}

/// Composes and sends the mail, unless it is too old: mail may have been switched off for long, or a backup was
/// restored.
async fn try_to_send(app: &App, mail: &ClaimedMail) -> Outcome {
    let (id, kind, attempt) = (&mail.id, mail.kind.as_str(), mail.attempts);
    if app.clock.now().since(mail.created_at) >= app.config.mail.give_up_after() {
        log_given_up(app, id, mail.kind);
        return Outcome::GivenUp;
    }
    let letter = match compose::compose(app, mail).await {
        Ok(Some(letter)) => letter,
        Ok(None) => return Outcome::Unwanted,
        Err(error) => {
            let error = error.for_operator();
            tracing::warn!(%id, kind, attempt, error, "mail could not be composed; the server tries again later");
            return Outcome::PutOff;
        }
    };
    match send(app, mail, letter).await {
        Ok(()) => {
            tracing::info!(%id, kind, "mail sent");
            Outcome::Sent
        }
        Err(SendError::Rejected(error)) => {
            tracing::warn!(%id, kind, error, "mail rejected by the mail server; it is not sent again");
            Outcome::GivenUp
        }
        Err(SendError::Unavailable(error)) => {
            tracing::warn!(%id, kind, attempt, error, "mail could not be sent; the server tries again later");
            Outcome::PutOff
        }
    }
}

fn log_given_up(app: &App, id: &MailId, kind: MailKind) {
    let (kind, hours) = (kind.as_str(), app.config.mail.give_up_hours);
    tracing::warn!(%id, kind, "mail given up: it was not sent within {hours} hours");
}

/// Deletes the mails that are too old to be sent, whether or not the server sends mail; returns their number.
pub(crate) async fn give_up_old(app: &App) -> Result<u64> {
    let given_up = outbox::remove_older_than(app, app.config.mail.give_up_after()).await?;
    for mail in &given_up {
        log_given_up(app, &mail.id, mail.kind);
        app.metrics
            .mails
            .attempted(mail.kind.as_str(), Outcome::GivenUp.as_str());
    }
    Ok(given_up.len() as u64)
}

/// Deletes a mail that was sent. While the database fails, this is repeated for the rest of the lease, after which the
/// mail would be sent again.
async fn remove_sent(app: &App, mail: &ClaimedMail) {
    let (id, kind) = (&mail.id, mail.kind.as_str());
    let removal = async {
        let mut is_logged = false;
        loop {
            match outbox::remove(app, mail).await {
                Ok(()) => break,
                Err(error) if !is_logged => {
                    let error = error.for_operator();
                    tracing::warn!(%id, kind, error, "a sent mail cannot be deleted from the outbox; the server tries again");
                    is_logged = true;
                }
                Err(_) => {}
            }
            tokio::time::sleep(REMOVAL_RETRY_DELAY).await;
        }
    };
    if tokio::time::timeout(MAX_REMOVAL_DURATION, removal).await.is_err() {
        tracing::error!(%id, kind, "a sent mail could not be deleted from the outbox; it is sent again");
    }
}

async fn send(app: &App, mail: &ClaimedMail, letter: Letter) -> Result<(), SendError> {
    let from = Sender::parse(&app.config.mail.from)
        .ok_or_else(|| SendError::Unavailable("`mail.from` is not an address".into()))?
        .with_default_name(&app.config.appearance.name);
    let message = Message {
        id: mail.id.as_str(),
        date: system_time(mail.created_at),
        sender: &from,
        to: &letter.to,
        subject: &letter.subject,
        text: letter.text(app),
        html: letter.html(app),
        unsubscribe: letter.unsubscribe.as_deref(),
    };
    client(app).map_err(SendError::Unavailable)?.send(message).await
}

fn system_time(time: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + time.since(Timestamp::from_microseconds(0))
}

/// The delay after an attempt that failed: a minute, then twice as long each time, up to an hour.
fn retry_delay(attempts: i64) -> Duration {
    let doublings = u32::try_from(attempts.clamp(1, 16) - 1).unwrap_or(0);
    FIRST_RETRY_DELAY.saturating_mul(1 << doublings).min(MAX_RETRY_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_up_to_an_hour() {
        let minutes = |attempts| retry_delay(attempts).as_secs() / 60;
        assert_eq!([1, 2, 3, 6, 7, 1000].map(minutes), [1, 2, 4, 32, 60, 60]);
    }
}
