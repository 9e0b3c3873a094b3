//! A mail server on loopback that receives mails over SMTP and keeps them.
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use linepress_platform::config::{Config, MailTls};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::SelfSigned;

/// The answer of the server to the next mails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MailBehavior {
    Take,
    /// Takes no mail for now.
    Busy,
    /// Refuses the recipient for good.
    RejectRecipient,
    /// Refuses the sender for good.
    RejectSender,
    /// Refuses to pass on the mail, in the words of Postfix.
    DenyRelaying,
    /// Takes the mail and closes the connection without a reply.
    TakeAndDisconnect,
    /// Takes the mail and never replies to the end of the connection.
    SilentAtQuit,
}

/// The protection of the connections to a mail server.
#[derive(Clone)]
pub(crate) enum Protection {
    None,
    /// The connection changes to TLS when the client asks for it. Until then, the server offers nothing else.
    StartTls(SelfSigned),
    /// TLS from the beginning.
    Implicit(SelfSigned),
}

/// The part of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Whole,
    BeforeTls,
    AfterTls,
}

/// A mail server. Its task ends with the runtime of the test.
#[derive(Clone)]
pub(crate) struct MailServer {
    pub address: SocketAddr,
    protection: Protection,
    state: Arc<Mutex<State>>,
}

struct State {
    behavior: MailBehavior,
    mails: Vec<ReceivedMail>,
    /// The commands of all connections.
    commands: Vec<String>,
}

/// A mail that the server took.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedMail {
    /// The sender and the recipient of the envelope.
    pub from: String,
    pub to: String,
    /// The head, with one line per header.
    pub head: String,
    pub text: String,
    pub html: String,
}

impl ReceivedMail {
    fn read(from: &str, to: &str, data: &str) -> Self {
        let (head, body) = data.split_once("\r\n\r\n").unwrap();
        let head = head.replace("\r\n ", " ").replace("\r\n", "\n");
        let (_, boundary) = head.split_once("boundary=").unwrap();
        let boundary = boundary.split(['\n', ';']).next().unwrap().trim_matches('"');
        let delimiter = format!("--{boundary}");
        let mut parts = body.split(&delimiter).skip(1).map(decoded);
        Self {
            from: from.into(),
            to: to.into(),
            text: parts.next().unwrap(),
            html: parts.next().unwrap(),
            head,
        }
    }

    /// Returns the value of a header; empty if the mail has none of this name.
    pub(crate) fn header(&self, name: &str) -> String {
        let begin = format!("{name}: ");
        let value = self.head.lines().find_map(|line| line.strip_prefix(&begin));
        words(value.unwrap_or_default().trim())
    }

    /// Returns the path of the first URL of the server in the text that begins with this path.
    #[track_caller]
    pub(crate) fn path(&self, begin: &str) -> String {
        let url = format!("http://linepress.test{begin}");
        let mut lines = self.text.lines().filter_map(|line| line.strip_prefix(&url));
        let rest = lines.next().unwrap_or_else(|| panic!("no {url} in {}", self.text));
        format!("{begin}{rest}")
    }
}

/// Decodes a part of a mail.
fn decoded(part: &str) -> String {
    let (head, body) = part.split_once("\r\n\r\n").unwrap();
    let body = body.strip_suffix("\r\n").unwrap_or(body);
    let bytes = if head.contains("base64") {
        STANDARD.decode(body.replace("\r\n", "")).unwrap()
    } else if head.contains("quoted-printable") {
        from_quoted_printable(body)
    } else {
        body.as_bytes().to_vec()
    };
    String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
}

fn from_quoted_printable(text: &str) -> Vec<u8> {
    let text = text.replace("=\r\n", "");
    let mut pieces = text.split('=');
    let mut bytes = pieces.next().unwrap().as_bytes().to_vec();
    for piece in pieces {
        bytes.extend(hex::decode(&piece[..2]).unwrap());
        bytes.extend(&piece.as_bytes()[2..]);
    }
    bytes
}

/// Decodes the encoded words of a header (RFC 2047).
fn words(value: &str) -> String {
    // The space between two encoded words is not a part of the text.
    let value = value.replace("?= =?", "?==?");
    let mut pieces = value.split("=?utf-8?b?");
    let mut text = pieces.next().unwrap().to_owned();
    for piece in pieces {
        let (encoded, rest) = piece.split_once("?=").unwrap();
        text.push_str(&String::from_utf8(STANDARD.decode(encoded).unwrap()).unwrap());
        text.push_str(rest);
    }
    text
}

impl MailServer {
    pub(crate) async fn start() -> Self {
        Self::start_with(Protection::None).await
    }

    pub(crate) async fn start_with(protection: Protection) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            protection,
            state: Arc::new(Mutex::new(State {
                behavior: MailBehavior::Take,
                mails: Vec::new(),
                commands: Vec::new(),
            })),
        };
        let own = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = own.clone();
                // A client may disconnect at any moment.
                tokio::spawn(async move { server.receive(stream).await.unwrap_or_default() });
            }
        });
        server
    }

    /// Makes this the mail server of the settings.
    pub(crate) fn configure(&self, config: &mut Config) {
        config.mail.host = self.address.ip().to_string();
        config.mail.port = self.address.port();
        config.mail.tls = MailTls::None;
        config.mail.from = "books@example.com".into();
    }

    pub(crate) fn behave(&self, behavior: MailBehavior) {
        self.state.lock().unwrap().behavior = behavior;
    }

    /// Returns the mails that the server took since the last call.
    pub(crate) fn take(&self) -> Vec<ReceivedMail> {
        std::mem::take(&mut self.state.lock().unwrap().mails)
    }

    /// Returns the only mail that the server took since the last call.
    #[track_caller]
    pub(crate) fn take_one(&self) -> ReceivedMail {
        let mut mails = self.take();
        assert_eq!(mails.len(), 1, "{mails:?}");
        mails.remove(0)
    }

    /// Returns the commands of all connections so far.
    pub(crate) fn commands(&self) -> Vec<String> {
        self.state.lock().unwrap().commands.clone()
    }

    async fn receive(&self, stream: TcpStream) -> std::io::Result<()> {
        match &self.protection {
            Protection::None => _ = self.talk(stream, Stage::Whole).await?,
            Protection::Implicit(certificate) => {
                let stream = certificate.acceptor.accept(stream).await?;
                self.talk(stream, Stage::Whole).await?;
            }
            Protection::StartTls(certificate) => {
                if let Some(stream) = self.talk(stream, Stage::BeforeTls).await? {
                    let stream = certificate.acceptor.accept(stream).await?;
                    self.talk(stream, Stage::AfterTls).await?;
                }
            }
        }
        Ok(())
    }

    /// Answers the commands of a client until the end of the connection, or until it changes to TLS: then the result is
    /// the stream.
    async fn talk<S>(&self, stream: S, stage: Stage) -> std::io::Result<Option<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let behavior = self.state.lock().unwrap().behavior;
        let mut stream = BufReader::new(stream);
        if stage != Stage::AfterTls {
            stream.write_all(b"220 mail.test ESMTP\r\n").await?;
            stream.flush().await?;
        }
        let (mut from, mut to) = (String::new(), String::new());
        let mut line = String::new();
        while stream.read_line(&mut line).await? > 0 {
            let command = std::mem::take(&mut line).trim_end().to_owned();
            self.state.lock().unwrap().commands.push(command.clone());
            let verb = command.split([' ', ':']).next().unwrap().to_uppercase();
            let reply = match verb.as_str() {
                "EHLO" if stage == Stage::BeforeTls => "250-mail.test\r\n250 STARTTLS",
                "STARTTLS" if stage == Stage::BeforeTls => {
                    stream.write_all(b"220 go ahead\r\n").await?;
                    return Ok(Some(stream.into_inner()));
                }
                _ if stage == Stage::BeforeTls => "530 5.7.0 Must issue a STARTTLS command first",
                "EHLO" => "250-mail.test\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME",
                "AUTH" => "235 welcome",
                "MAIL" if behavior == MailBehavior::RejectSender => "550 not your address",
                "MAIL" => {
                    from = address(&command);
                    "250 ok"
                }
                "RCPT" if behavior == MailBehavior::RejectRecipient => "550 no such mailbox",
                "RCPT" if behavior == MailBehavior::DenyRelaying => "554 5.7.1 Relay access denied",
                "RCPT" if behavior == MailBehavior::Busy => "451 try again later",
                "RCPT" => {
                    to = address(&command);
                    "250 ok"
                }
                "DATA" => {
                    stream.write_all(b"354 go on\r\n").await?;
                    stream.flush().await?;
                    let data = data(&mut stream).await?;
                    let mail = ReceivedMail::read(&from, &to, &data);
                    self.state.lock().unwrap().mails.push(mail);
                    if behavior == MailBehavior::TakeAndDisconnect {
                        return Ok(None);
                    }
                    "250 taken"
                }
                "QUIT" if behavior == MailBehavior::SilentAtQuit => continue,
                "QUIT" => "221 bye",
                _ => "250 ok",
            };
            stream.write_all(format!("{reply}\r\n").as_bytes()).await?;
            stream.flush().await?;
        }
        Ok(None)
    }
}

/// Reads a mail up to the line with a single dot.
async fn data(stream: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<String> {
    let (mut data, mut line) = (String::new(), String::new());
    while stream.read_line(&mut line).await? > 0 && line != ".\r\n" {
        data.push_str(line.strip_prefix('.').unwrap_or(&line));
        line.clear();
    }
    Ok(data)
}

fn address(command: &str) -> String {
    let (_, rest) = command.split_once('<').unwrap();
    rest.split('>').next().unwrap().to_owned()
}
