//! The problems of a host that its owner can correct, for a log that clients may read.
use std::error::Error;
use std::io;
use std::iter::successors;

use rustls::CertificateError;
use url::Url;

use crate::error::{Cause, FetchError};
use crate::fetcher::Fetcher;
use crate::guard::Refusal;

/// The reason why a host did not respond, without addresses or names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostProblem {
    /// The name cannot be resolved, or has an address that is refused. Clients must not learn which, because that would
    /// list the names of a private network.
    NoAddress,
    /// Nothing accepts connections at the port.
    ConnectionRefused,
    /// No connection was made, or no response arrived, within the time limit.
    TimedOut,
    /// The certificate was issued by an unknown authority, or is invalid in another way than those below.
    UntrustedCertificate,
    /// The certificate has expired or is not valid yet.
    OutdatedCertificate,
    /// The certificate is for other names.
    CertificateOfOtherName,
    /// No connection over TLS can be made, although nothing is wrong with a certificate.
    Tls,
    /// The connection ended before a whole response had arrived.
    Closed,
    /// The response is not HTTP.
    NotHttp,
}

impl Fetcher {
    /// The problem of the host because of which a request to this URL failed. `None` if the host may have private
    /// addresses, because the problems of such hosts map the network behind the server, and for other failures.
    pub fn host_problem(&self, url: &str, error: &FetchError) -> Option<HostProblem> {
        let url = Url::parse(url).ok()?;
        let FetchError::Failed(cause) = error else { return None };
        if self.guard().may_be_private(url.host_str()?) {
            return None;
        }
        match cause {
            Cause::TimedOut => Some(HostProblem::TimedOut),
            Cause::Transport(error) => HostProblem::of_transport(error),
            Cause::Setup(_) | Cause::Redirect(_) | Cause::Redirects(_) | Cause::Status(_) => None,
        }
    }
}

impl HostProblem {
    fn of_transport(error: &reqwest::Error) -> Option<Self> {
        if error.is_timeout() {
            return Some(Self::TimedOut);
        }
        match Self::of(error)? {
            // The handshake was not completed.
            Self::Closed if error.is_connect() => Some(Self::Tls),
            problem => Some(problem),
        }
    }

    fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut causes = successors(Some(error), |&error| {
            // The source of such an error is that of the error inside.
            match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
                Some(inside) => Some(inside as &(dyn Error + 'static)),
                None => error.source(),
            }
        });
        causes.find_map(Self::of_cause)
    }

    fn of_cause(cause: &(dyn Error + 'static)) -> Option<Self> {
        if cause.is::<Refusal>() {
            return Some(Self::NoAddress);
        }
        if let Some(error) = cause.downcast_ref::<rustls::Error>() {
            return Some(Self::of_tls(error));
        }
        if let Some(error) = cause.downcast_ref::<hyper::Error>() {
            let closed = error.is_incomplete_message().then_some(Self::Closed);
            return closed.or_else(|| error.is_parse().then_some(Self::NotHttp));
        }
        match cause.downcast_ref::<io::Error>()?.kind() {
            io::ErrorKind::ConnectionRefused => Some(Self::ConnectionRefused),
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset => Some(Self::Closed),
            _ => None,
        }
    }

    fn of_tls(error: &rustls::Error) -> Self {
        let rustls::Error::InvalidCertificate(certificate) = error else {
            return Self::Tls;
        };
        match certificate {
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => Self::OutdatedCertificate,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::CertificateOfOtherName
            }
            _ => Self::UntrustedCertificate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_problem_is_found_below_the_errors_that_wrap_it() {
        let certificate =
            |problem| io::Error::new(io::ErrorKind::InvalidData, rustls::Error::InvalidCertificate(problem));
        let refusal = Refusal::NoAddress("shop.test".into());
        for (error, problem) in [
            (io::Error::other(refusal), Some(HostProblem::NoAddress)),
            (
                io::ErrorKind::ConnectionRefused.into(),
                Some(HostProblem::ConnectionRefused),
            ),
            (io::ErrorKind::ConnectionReset.into(), Some(HostProblem::Closed)),
            (
                certificate(CertificateError::Expired),
                Some(HostProblem::OutdatedCertificate),
            ),
            (
                certificate(CertificateError::NotValidYet),
                Some(HostProblem::OutdatedCertificate),
            ),
            (
                certificate(CertificateError::NotValidForName),
                Some(HostProblem::CertificateOfOtherName),
            ),
            (
                certificate(CertificateError::UnknownIssuer),
                Some(HostProblem::UntrustedCertificate),
            ),
            (
                certificate(CertificateError::BadSignature),
                Some(HostProblem::UntrustedCertificate),
            ),
            (io::Error::other(rustls::Error::DecryptError), Some(HostProblem::Tls)),
            (io::ErrorKind::HostUnreachable.into(), None),
        ] {
            let text = error.to_string();
            assert_eq!(HostProblem::of(&io::Error::other(error)), problem, "{text}");
        }
    }
}
