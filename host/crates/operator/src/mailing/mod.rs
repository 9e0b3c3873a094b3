//! Mail: what each mail says, its delivery, and the notices that people can switch off.
//!
//! A mail is composed when it is sent, not when it is put into the outbox. So a link works for its whole lifetime
//! however long the mail server was down, no secret waits in the database, and a mail that is no longer wanted is not
//! sent.
mod compose;
mod delivery;
mod layout;
mod links;
mod notices;
mod store;
mod unsubscribe;

pub use delivery::Delivery;
pub(crate) use delivery::{deliver_next, give_up_old, next};
pub use notices::{Notice, NoticeSettings, change_notices, notices};
pub use unsubscribe::{notice_of_link, unsubscribe};

use linepress_mail::{Login, SmtpClient, SmtpSettings};
use url::Url;

use linepress_platform::app::App;

/// Connects to the mail server of the settings, signs in and sends nothing. The error is for the operator.
pub async fn check_server(app: &App) -> Result<(), String> {
    let client = client(app)?;
    client.check().await.map_err(|error| error.to_string())
}

/// The client of the mail server. It is created for each use, because the password may change while the server runs.
fn client(app: &App) -> Result<SmtpClient, String> {
    let mail = &app.config.mail;
    let login = match &*mail.username {
        "" => None,
        username => Some(Login {
            username: username.into(),
            password: mail.password()?,
        }),
    };
    let public_url = Url::parse(&app.config.public_url).ok();
    let own_name = public_url.as_ref().and_then(Url::host_str).unwrap_or("localhost");
    Ok(SmtpClient::new(SmtpSettings {
        host: mail.host.clone(),
        port: mail.port(),
        security: mail.tls.security(),
        login,
        own_name: own_name.into(),
        denied_networks: app.config.denied_networks.clone(),
    }))
}
