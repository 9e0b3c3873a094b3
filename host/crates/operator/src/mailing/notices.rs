//! Notices: mails that the owner of an account can switch off.
use linepress_model::text_enum;

use super::store;
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

text_enum! {
    /// A notice.
    pub enum Notice {
        BookReady = "book_ready",
        LowCredits = "low_credits",
    }
}

/// The notices that an account receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoticeSettings {
    pub book_ready: bool,
    pub low_credits: bool,
}

impl NoticeSettings {
    pub(super) fn includes(self, notice: Notice) -> bool {
        match notice {
            Notice::BookReady => self.book_ready,
            Notice::LowCredits => self.low_credits,
        }
    }
}

/// The notices that the caller's account receives. None when the server sends no mail.
pub async fn notices(app: &App, caller: &Caller) -> Result<Option<NoticeSettings>> {
    caller.require_owner()?;
    if !app.config.mail.is_on() {
        return Ok(None);
    }
    Ok(store::notices(&app.database.read, caller.account_id()).await?)
}

/// Changes the notices that the caller's account receives.
pub async fn change_notices(app: &App, caller: &Caller, settings: NoticeSettings) -> Result<()> {
    caller.require_owner()?;
    let mut tx = app.database.begin().await?;
    store::set_notices(&mut tx, caller.account_id(), settings, app.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}

/// Switches a notice off, and leaves the others as they are.
pub(super) async fn switch_off(app: &App, tx: &mut Tx, account: &AccountId, notice: Notice) -> Result<()> {
    Ok(store::switch_off(tx, account, notice, app.clock.now()).await?)
}
