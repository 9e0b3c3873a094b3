//! The settings of mail.
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use linepress_mail::{Security, Sender};
use serde::{Deserialize, Serialize};

/// The table `mail`: the mail server to which the server hands its mails.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct MailSettings {
    /// The name or address of the mail server; no mail when empty.
    pub host: String,
    /// The port of the mail server; the usual one of `tls` when 0.
    pub port: u16,
    /// The protection of the connection.
    pub tls: MailTls,
    /// The user as whom the server signs in; no sign-in when empty.
    pub username: String,
    /// The path of a file that contains only the password.
    pub password_file: PathBuf,
    /// The sender of all mails: an address, with a name if it is to differ from that of the web pages.
    pub from: String,
    /// The balance below which the owner of an account gets a mail; none when 0.
    pub low_credits: i64,
    /// The hours after which a mail that could not be sent is given up.
    pub give_up_hours: u64,
}

/// The protection of the connection to the mail server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MailTls {
    #[default]
    Starttls,
    Implicit,
    None,
}

impl MailTls {
    pub fn security(self) -> Security {
        match self {
            Self::Starttls => Security::StartTls,
            Self::Implicit => Security::Tls,
            Self::None => Security::None,
        }
    }

    /// The port of RFC 6409, RFC 8314 or RFC 5321.
    fn usual_port(self) -> u16 {
        match self {
            Self::Starttls => 587,
            Self::Implicit => 465,
            Self::None => 25,
        }
    }
}

impl Default for MailSettings {
    fn default() -> Self {
        Self {
            host: String::new(),
            port: 0,
            tls: MailTls::default(),
            username: String::new(),
            password_file: PathBuf::new(),
            from: String::new(),
            low_credits: 5,
            give_up_hours: 72,
        }
    }
}

impl MailSettings {
    /// Returns true if the server sends mail.
    pub fn is_on(&self) -> bool {
        !self.host.is_empty()
    }

    pub fn give_up_after(&self) -> Duration {
        Duration::from_secs(self.give_up_hours * 3600)
    }

    /// The port of the mail server.
    pub fn port(&self) -> u16 {
        match self.port {
            0 => self.tls.usual_port(),
            port => port,
        }
    }

    /// Checks and normalizes the settings; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&mut self) -> Result<(), (&'static str, String)> {
        let wrong = |setting, problem: &str| Err((setting, problem.to_owned()));
        if !(0..=1_000_000_000).contains(&self.low_credits) {
            return wrong("mail.low_credits", "must be 0 to 1000000000");
        }
        if !(1..=720).contains(&self.give_up_hours) {
            return wrong("mail.give_up_hours", "must be 1 to 720");
        }
        if !self.is_on() {
            return Ok(());
        }
        match linepress_egress::exact_host(self.host.trim()) {
            Some(exact) => self.host = exact,
            None => {
                return wrong(
                    "mail.host",
                    "must be a host name or IP address, such as smtp.example.com, without a port",
                );
            }
        }
        if Sender::parse(&self.from).is_none() {
            return wrong(
                "mail.from",
                "must be an address such as books@example.com, or a name and an address such as Our books <books@example.com>",
            );
        }
        if self.username.is_empty() != self.password_file.as_os_str().is_empty() {
            return wrong("mail.password_file", "must be set when mail.username is, and only then");
        }
        if self.tls == MailTls::None && !self.username.is_empty() && !self.is_on_this_machine() {
            return wrong(
                "mail.tls",
                "must be starttls or implicit when mail.username is set: anyone on the network could read the password",
            );
        }
        Ok(())
    }

    fn is_on_this_machine(&self) -> bool {
        let address = self.host.trim_matches(['[', ']']).parse::<IpAddr>();
        self.host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// Reads the password, which may change while the server runs; empty without a file. The error names the file.
    pub fn password(&self) -> Result<String, String> {
        let file = &self.password_file;
        if file.as_os_str().is_empty() {
            return Ok(String::new());
        }
        let wrong = |problem: &str| format!("mail.password_file: {}: {problem}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| wrong(&error.to_string()))?;
        match text.trim() {
            "" => Err(wrong("the file is empty")),
            password => Ok(password.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(change: impl FnOnce(&mut MailSettings)) -> MailSettings {
        let mut settings = MailSettings {
            host: "smtp.example.com".into(),
            from: "books@example.com".into(),
            ..MailSettings::default()
        };
        change(&mut settings);
        settings
    }

    fn problem(change: impl FnOnce(&mut MailSettings)) -> Option<&'static str> {
        settings(change).check().err().map(|(setting, _)| setting)
    }

    #[test]
    fn without_a_host_nothing_else_is_needed() {
        assert_eq!(MailSettings::default().check(), Ok(()));
        assert!(!MailSettings::default().is_on());
        assert!(settings(|_| {}).is_on());
    }

    #[test]
    fn the_error_names_an_invalid_setting() {
        assert_eq!(problem(|_| {}), None);
        assert_eq!(
            problem(|mail| mail.host = "smtp.example.com:587".into()),
            Some("mail.host")
        );
        assert_eq!(problem(|mail| mail.from = String::new()), Some("mail.from"));
        assert_eq!(problem(|mail| mail.username = "ada".into()), Some("mail.password_file"));
        assert_eq!(
            problem(|mail| mail.password_file = "/a".into()),
            Some("mail.password_file")
        );
        assert_eq!(problem(|mail| mail.give_up_hours = 0), Some("mail.give_up_hours"));
        assert_eq!(problem(|mail| mail.low_credits = -1), Some("mail.low_credits"));
    }

    #[test]
    fn a_password_is_sent_in_plain_text_to_this_machine_only() {
        let plain = |host: &str| {
            problem(|mail| {
                mail.host = host.into();
                mail.tls = MailTls::None;
                mail.username = "ada".into();
                mail.password_file = "/a".into();
            })
        };
        assert_eq!(plain("smtp.example.com"), Some("mail.tls"));
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            assert_eq!(plain(host), None, "{host}");
        }
    }

    #[test]
    fn each_protection_has_its_usual_port() {
        for (tls, port) in [(MailTls::Starttls, 587), (MailTls::Implicit, 465), (MailTls::None, 25)] {
            assert_eq!(settings(|mail| mail.tls = tls).port(), port);
        }
        assert_eq!(settings(|mail| mail.port = 2525).port(), 2525);
    }
}
