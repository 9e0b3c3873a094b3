//! The SMTP client.
use std::net::IpAddr;
use std::time::Duration;

use ipnet::IpNet;
use lettre::Address;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailParameter};
use linepress_egress::{Dialer, Origin, Reach};

use crate::connection::MailStream;
use crate::{Message, SendError};

/// The time until a connection is made, the time until the message is delivered, and the time for the end of the
/// connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(60);
const QUIT_TIMEOUT: Duration = Duration::from_secs(5);

/// The protection of the connection to the mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// The connection begins in plain text and changes to TLS before anything else is sent (RFC 3207). A server that
    /// does not offer it is refused.
    StartTls,
    /// TLS from the beginning (RFC 8314).
    Tls,
    /// Plain text.
    None,
}

/// The user as whom the client signs in to the mail server.
#[derive(Clone)]
pub struct Login {
    pub username: String,
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Login(..)")
    }
}

/// The settings of a client.
#[derive(Clone, Debug)]
pub struct SmtpSettings {
    /// A name or an address, in the form of [`linepress_egress::exact_host`].
    pub host: String,
    pub port: u16,
    pub security: Security,
    /// `None` for a server that needs no sign-in.
    pub login: Option<Login>,
    /// The name by which the client introduces itself: the host of the server's web pages.
    pub own_name: String,
    /// The networks that are never connected to.
    pub denied_networks: Vec<IpNet>,
}

/// The SMTP client. It makes a connection for each message.
#[derive(Clone)]
pub struct SmtpClient {
    dialer: Dialer,
    settings: SmtpSettings,
}

impl std::fmt::Debug for SmtpClient {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("SmtpClient").field(&self.settings).finish()
    }
}

impl SmtpClient {
    pub fn new(settings: SmtpSettings) -> Self {
        Self {
            dialer: Dialer::system(settings.denied_networks.clone()),
            settings,
        }
    }

    /// The longest time that sending a message takes.
    pub const MAX_SEND_DURATION: Duration = CONNECT_TIMEOUT
        .saturating_add(EXCHANGE_TIMEOUT)
        .saturating_add(QUIT_TIMEOUT);

    /// Hands the message to the mail server. After an error the server may nevertheless have taken it, if the
    /// connection broke before its reply arrived.
    pub async fn send(&self, message: Message<'_>) -> Result<(), SendError> {
        self.exchange(Some(message.encode()?)).await
    }

    /// Connects to the mail server, signs in and sends nothing.
    pub async fn check(&self) -> Result<(), SendError> {
        self.exchange(None).await
    }

    /// Opens a connection, hands over the message if there is one, and closes the connection.
    async fn exchange(&self, message: Option<lettre::Message>) -> Result<(), SendError> {
        let stream = self.open().await?;
        let exchange = async {
            let mut connection = self.greet(stream).await?;
            if let Some(message) = message {
                deliver(&mut connection, &message).await?;
            }
            Ok::<_, SendError>(connection)
        };
        let silent = |_| SendError::Unavailable(format!("no end within {} s", EXCHANGE_TIMEOUT.as_secs()));
        let mut connection = tokio::time::timeout(EXCHANGE_TIMEOUT, exchange)
            .await
            .map_err(silent)??;
        // The message is delivered whether or not the server replies to this.
        let _ = tokio::time::timeout(QUIT_TIMEOUT, connection.quit()).await;
        Ok(())
    }

    async fn open(&self) -> Result<MailStream, SendError> {
        let SmtpSettings {
            host, port, security, ..
        } = &self.settings;
        let scheme = match security {
            Security::Tls => "https",
            Security::StartTls | Security::None => "http",
        };
        let unavailable = |problem: String| SendError::Unavailable(format!("{host}:{port}: {problem}"));
        let origin = Origin::parse(&format!("{scheme}://{host}:{port}")).map_err(|error| unavailable(error.into()))?;
        let opened = self.dialer.open(&origin, Reach::Private, CONNECT_TIMEOUT).await;
        opened.map(MailStream).map_err(|error| unavailable(error.to_string()))
    }

    /// Exchanges greetings, changes to TLS and signs in, as the settings say.
    async fn greet(&self, stream: MailStream) -> Result<AsyncSmtpConnection, SendError> {
        let unavailable = |error| SendError::of_connection(&error);
        let hello = client_id(&self.settings.own_name);
        let connection = AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello).await;
        let mut connection = connection.map_err(unavailable)?;
        if self.settings.security == Security::StartTls {
            let host = self.settings.host.trim_matches(['[', ']']).to_owned();
            let tls = TlsParameters::new_rustls(host).map_err(unavailable)?;
            connection.starttls(tls, &hello).await.map_err(unavailable)?;
        }
        if let Some(Login { username, password }) = &self.settings.login {
            let credentials = Credentials::new(username.clone(), password.clone());
            let signed_in = connection.auth(DEFAULT_MECHANISMS, &credentials).await;
            signed_in.map_err(unavailable)?;
        }
        Ok(connection)
    }
}

/// An address must be marked as one (RFC 5321, section 4.1.3).
fn client_id(name: &str) -> ClientId {
    match name.trim_matches(['[', ']']).parse() {
        Ok(IpAddr::V4(address)) => ClientId::Ipv4(address),
        Ok(IpAddr::V6(address)) => ClientId::Ipv6(address),
        Err(_) => ClientId::Domain(name.to_owned()),
    }
}

/// Sends the commands one by one, because only a rejected recipient concerns this message alone. A sender that the
/// server rejects is a mistake in the settings, after whose correction all messages can be sent.
async fn deliver(connection: &mut AsyncSmtpConnection, message: &lettre::Message) -> Result<(), SendError> {
    let envelope = message.envelope();
    let mut parameters = Vec::new();
    let is_ascii = |address: &Address| AsRef::<str>::as_ref(address).is_ascii();
    let is_sender_ascii = envelope.from().is_none_or(is_ascii);
    if !is_sender_ascii || !envelope.to().iter().all(is_ascii) {
        if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            let problem = "the mail server takes no addresses with letters beyond ASCII";
            return Err(if is_sender_ascii {
                SendError::Rejected(problem.into())
            } else {
                SendError::Unavailable(problem.into())
            });
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    let begun = connection
        .command(Mail::new(envelope.from().cloned(), parameters))
        .await;
    begun.map_err(|error| SendError::of_connection(&error))?;
    let rejected = |error| SendError::of_message(&error);
    for recipient in envelope.to() {
        let named = connection.command(Rcpt::new(recipient.clone(), Vec::new())).await;
        named.map_err(rejected)?;
    }
    connection.command(Data).await.map_err(rejected)?;
    connection.message(&message.formatted()).await.map_err(rejected)?;
    Ok(())
}
