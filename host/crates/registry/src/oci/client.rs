//! Requests to a registry: the token, the redirects, and the limits.
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, HeaderName, LOCATION, USER_AGENT};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use linepress_egress::{Dialer, Limits, Origin, Reach, Scheme};
use serde::Deserialize;
use url::{Position, Url};

use super::advice;
use super::challenge::Challenge;
use super::place::OciPlace;
use crate::error::{RegistryError, Result, refused};

/// Maximum number of redirects, which lead from a registry to its object storage.
const MAX_REDIRECTS: usize = 3;
/// Maximum size of the response with a token, and of a response whose content is not used.
pub(super) const MAX_REPLY_BYTES: u64 = 64 << 10;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
pub(super) const TIMEOUT: Duration = Duration::from_secs(60);

/// The user of a registry. It does not implement `Debug`.
pub struct Login {
    pub username: String,
    pub password: String,
    /// True if they were given on the command line, and not in the settings file.
    pub is_from_command_line: bool,
}

/// The access to a registry that the operator permits.
#[derive(Default)]
pub struct OciAccess {
    /// The user; anonymous if `None`.
    pub login: Option<Login>,
    /// True if the registry is reached over plain http.
    pub is_plain_http: bool,
    /// The origins that may have private addresses or use plain http. A registry that is not one of them cannot lead to
    /// one.
    pub private: Vec<Origin>,
}

/// The rights that a token must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rights {
    Pull,
    Push,
}

/// A request to the registry.
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) url: Url,
    /// A header in addition to those of each request.
    pub(super) header: Option<(HeaderName, &'static str)>,
    pub(super) body: Vec<u8>,
    /// Maximum size of the response.
    pub(super) limit: u64,
    pub(super) timeout: Duration,
}

impl Call {
    pub(super) fn get(url: Url, limit: u64) -> Self {
        Self {
            method: Method::GET,
            url,
            header: None,
            body: Vec::new(),
            limit,
            timeout: TIMEOUT,
        }
    }
}

/// The client of one repository.
pub(super) struct Client {
    dialer: Dialer,
    access: OciAccess,
    /// The host, as the settings name it.
    host: String,
    origin: Origin,
    path: String,
    rights: Rights,
    /// The value of the header `Authorization`, which only the registry itself gets.
    authorization: Option<HeaderValue>,
}

impl Client {
    pub(super) fn new(place: &OciPlace, dialer: Dialer, access: OciAccess, rights: Rights) -> Result<Self> {
        let scheme = if access.is_plain_http { "http" } else { "https" };
        let origin = Origin::parse(&format!("{scheme}://{}", place.request_host()));
        let origin = origin.map_err(|problem| RegistryError::Refused(format!("the host of {place} {problem}")))?;
        Ok(Self {
            dialer,
            access,
            host: place.host().to_owned(),
            origin,
            path: place.path().to_owned(),
            rights,
            authorization: None,
        })
    }

    /// The URL of something in the repository, such as `manifests/1.2.0`.
    pub(super) fn url(&self, part: &str) -> Result<Url> {
        let text = format!("{}/v2/{}/{part}", self.origin, self.path);
        Url::parse(&text).map_err(|error| RegistryError::Refused(format!("{text} is not a URL: {error}")))
    }

    /// Returns true if the URL leads to the registry itself.
    pub(super) fn is_own(&self, url: &Url) -> bool {
        Origin::of(url).is_ok_and(|origin| origin == self.origin)
    }

    /// Sends a request and follows redirects of a GET. If the registry asks for it, a token is fetched and the request
    /// sent again. The response may have any status.
    pub(super) async fn send(&mut self, call: &Call) -> Result<Response<Vec<u8>>> {
        let (response, is_own) = self.follow(call).await?;
        if response.status() != StatusCode::UNAUTHORIZED || !is_own {
            return Ok(response);
        }
        self.authorize(&response).await?;
        Ok(self.follow(call).await?.0)
    }

    /// The response, and whether it is one of the registry itself.
    async fn follow(&self, call: &Call) -> Result<(Response<Vec<u8>>, bool)> {
        let mut url = call.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let is_own = self.is_own(&url);
            let authorization = self.authorization.clone().filter(|_| is_own);
            let response = self.exchange(&url, call, authorization).await?;
            if call.method != Method::GET || !is_redirect(response.status()) {
                return Ok((response, is_own));
            }
            url = location(&url, &response)?;
        }
        refused(format!(
            "{} redirects more than {MAX_REDIRECTS} times: inform the operator of the registry",
            bare(&call.url)
        ))
    }

    async fn exchange(&self, url: &Url, call: &Call, authorization: Option<HeaderValue>) -> Result<Response<Vec<u8>>> {
        let failed = |problem: String| RegistryError::Fetch {
            url: bare(url),
            problem,
        };
        let (origin, reach) = self.reach(url).map_err(|problem| failed(problem.into()))?;
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(&url[Position::BeforePath..Position::AfterQuery])
            .header(USER_AGENT, concat!("linepress/", env!("CARGO_PKG_VERSION")));
        if call.method != Method::GET {
            request = request.header(CONTENT_LENGTH, call.body.len());
        }
        if let Some((name, value)) = &call.header {
            request = request.header(name, *value);
        }
        if let Some(authorization) = authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request
            .body(call.body.clone())
            .map_err(|error| failed(format!("cannot be requested: {error}")))?;
        let limits = Limits {
            connect: CONNECT_TIMEOUT,
            total: call.timeout,
        };
        let exchanged = self.dialer.exchange(&origin, reach, request, limits, call.limit).await;
        exchanged.map_err(|error| {
            let advice = advice::for_connection(&error, self.table(&origin).as_deref());
            failed(format!("cannot be used: {error}{advice}"))
        })
    }

    /// The name of the table in the settings that decides how a server is reached. `None` if the registry, which is not
    /// in a private network, must not lead to it.
    fn table(&self, origin: &Origin) -> Option<String> {
        match *origin == self.origin {
            true => Some(self.host.clone()),
            false => self.access.private.contains(&self.origin).then(|| origin.authority()),
        }
    }

    /// The origin of a URL and the addresses that it may have. Only a registry in a private network may lead into one.
    fn reach(&self, url: &Url) -> std::result::Result<(Origin, Reach), &'static str> {
        let origin = Origin::of(url)?;
        let is_private = |origin: &Origin| self.access.private.contains(origin);
        if is_private(&self.origin) && is_private(&origin) {
            return Ok((origin, Reach::Private));
        }
        match origin.scheme() {
            Scheme::Https => Ok((origin, Reach::Public)),
            Scheme::Http => Err("is not used: it must start with https://"),
        }
    }

    /// Authenticates as the registry asks for it.
    async fn authorize(&mut self, response: &Response<Vec<u8>>) -> Result<()> {
        let authorization = match Challenge::read(response.headers()) {
            Some(Challenge::Bearer { realm, service }) => self.token(&realm, service.as_deref()).await?,
            Some(Challenge::Basic) => match self.basic() {
                Some(basic) => basic,
                None => return self.without_login(),
            },
            None => {
                return refused(format!(
                    "{} asks for an authentication that this program does not support",
                    self.origin
                ));
            }
        };
        self.authorization = Some(authorization);
        Ok(())
    }

    fn without_login<T>(&self) -> Result<T> {
        refused(format!(
            "{} asks for a user and a password: {}",
            self.origin,
            self.login_advice()
        ))
    }

    /// The advice for a refused user, or for a missing one.
    fn login_advice(&self) -> String {
        let settings = format!("[oci_registries.\"{}\"] of the settings file", self.host);
        let rights = match self.rights {
            Rights::Pull => "read",
            Rights::Push => "write",
        };
        match (&self.access.login, self.rights) {
            (None, Rights::Pull) => format!("set `username` and `password` in {settings}"),
            (None, Rights::Push) => {
                format!("add --username and --password, or set `username` and `password` in {settings}")
            }
            (Some(login), _) => {
                let place = match login.is_from_command_line {
                    true => "--username and --password".to_owned(),
                    false => format!("the user and the password in {settings}"),
                };
                format!("check {place}, and that the user may {rights} there")
            }
        }
    }

    async fn token(&self, realm: &str, service: Option<&str>) -> Result<HeaderValue> {
        let url = Url::parse(realm);
        let mut url = url.map_err(|_| RegistryError::Refused(format!("{} names no URL for tokens", self.origin)))?;
        if let Err(problem) = self.reach(&url) {
            return refused(format!(
                "{} asks to fetch a token from {}, which {problem}. Nothing was sent there",
                self.origin,
                bare(&url)
            ));
        }
        let actions = match self.rights {
            Rights::Pull => "pull",
            Rights::Push => "pull,push",
        };
        url.query_pairs_mut()
            .extend_pairs(service.map(|service| ("service", service)))
            .append_pair("scope", &format!("repository:{}:{actions}", self.path));
        let call = Call::get(url, MAX_REPLY_BYTES);
        let response = self.exchange(&call.url, &call, self.basic()).await?;
        if response.status() != StatusCode::OK {
            return self.no_token(&call.url, response.status());
        }
        let token = read_token(response.body()).and_then(|token| secret(format!("Bearer {token}")));
        token.map_or_else(|| refused(format!("{} returned no token", bare(&call.url))), Ok)
    }

    /// The error for a token server that responded with another status than 200.
    fn no_token<T>(&self, url: &Url, status: StatusCode) -> Result<T> {
        let is_of_user = matches!(
            status,
            StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
        );
        let (asks, advice) = match (is_of_user, &self.access.login) {
            (true, None) => (", and may ask for a user and a password", self.login_advice()),
            (true, Some(_)) => ("", self.login_advice()),
            (false, _) => ("", later_or_operator(status).to_owned()),
        };
        let (url, path, status) = (bare(url), &self.path, status.as_u16());
        refused(format!(
            "{url} issues no token for {path} (status {status}){asks}: {advice}"
        ))
    }

    /// The user and the password as a header. `None` without a user.
    fn basic(&self) -> Option<HeaderValue> {
        let Login { username, password, .. } = self.access.login.as_ref()?;
        let encoded = STANDARD.encode(format!("{username}:{password}"));
        secret(format!("Basic {encoded}"))
    }

    /// The error for a response with another status than the expected one.
    pub(super) fn unexpected<T>(&self, what: &str, response: &Response<Vec<u8>>) -> Result<T> {
        let (status, registry) = (response.status(), &self.origin);
        let codes = error_codes(response.body());
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if self.access.login.is_none() => self.without_login(),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                refused(format!("{registry} refuses {what}{codes}: {}", self.login_advice()))
            }
            StatusCode::NOT_FOUND => refused(format!("{registry} has no {what}{codes}")),
            StatusCode::TOO_MANY_REQUESTS => {
                refused(format!("{registry} limits the number of requests: try again later"))
            }
            _ => refused(format!(
                "{registry} responded with status {} to the request of {what}{codes}: {}",
                status.as_u16(),
                later_or_operator(status)
            )),
        }
    }
}

/// The advice for a status that is not the fault of the user.
fn later_or_operator(status: StatusCode) -> &'static str {
    match status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        true => "try again later",
        false => "inform the operator of the registry",
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The URL to which a response refers. It is checked before it is used.
pub(super) fn location(url: &Url, response: &Response<Vec<u8>>) -> Result<Url> {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let location = location.and_then(|location| url.join(location).ok());
    location.ok_or_else(|| RegistryError::Refused(format!("{} refers to no URL", bare(url))))
}

/// A URL without its query, which may be a signature of the object storage.
pub(super) fn bare(url: &Url) -> String {
    url[..Position::AfterPath].to_owned()
}

/// The value of a header that is not shown in logs. `None` if the text contains characters that are not allowed in a
/// header.
fn secret(text: String) -> Option<HeaderValue> {
    let mut header = HeaderValue::try_from(text).ok()?;
    header.set_sensitive(true);
    Some(header)
}

fn read_token(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Reply {
        #[serde(default)]
        token: Option<String>,
        #[serde(default)]
        access_token: Option<String>,
    }
    let reply: Reply = serde_json::from_slice(bytes).ok()?;
    let token = reply.token.or(reply.access_token);
    token.filter(|token| !token.is_empty())
}

/// The codes of the errors in a response, such as ` (MANIFEST_UNKNOWN)`. Other texts of a registry are not shown.
fn error_codes(bytes: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Errors {
        errors: Vec<Error>,
    }
    #[derive(Deserialize)]
    struct Error {
        code: String,
    }
    const MAX_CODES: usize = 3;
    const MAX_CODE_CHARS: usize = 40;
    let Ok(Errors { errors }) = serde_json::from_slice(bytes) else {
        return String::new();
    };
    let is_code = |code: &String| {
        let is_word = code.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        is_word && (1..=MAX_CODE_CHARS).contains(&code.len())
    };
    let codes = errors.into_iter().map(|error| error.code).filter(is_code);
    match codes.take(MAX_CODES).collect::<Vec<_>>().join(", ") {
        codes if codes.is_empty() => codes,
        codes => format!(" ({codes})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_one_of_two_names() {
        assert_eq!(
            read_token(br#"{"token": "a", "access_token": "b"}"#).as_deref(),
            Some("a")
        );
        assert_eq!(read_token(br#"{"access_token": "b"}"#).as_deref(), Some("b"));
        for none in [&b"{}"[..], b"", b"[]", br#"{"token": ""}"#, br#"{"token": 5}"#] {
            assert_eq!(read_token(none), None);
        }
    }

    /// The advice of a client that pushes to Docker Hub.
    fn advice(login: Option<Login>, status: u16) -> String {
        let place: OciPlace = "oci://docker.io/acme/watercolor".parse().unwrap();
        let access = OciAccess {
            login,
            ..OciAccess::default()
        };
        let client = Client::new(&place, Dialer::system(Vec::new()), access, Rights::Push).unwrap();
        let url = client.url("token").unwrap();
        assert_eq!(url.as_str(), "https://registry-1.docker.io/v2/acme/watercolor/token");
        let problem = client.no_token::<()>(&url, StatusCode::from_u16(status).unwrap());
        problem.unwrap_err().to_string()
    }

    #[test]
    fn an_error_names_the_place_of_the_user() {
        let login = |is_from_command_line| {
            Some(Login {
                username: "ada".into(),
                password: "s3cret".into(),
                is_from_command_line,
            })
        };
        for (login, status, words) in [
            (
                None,
                401,
                "add --username and --password, or set `username` and `password` in [oci_registries.\"docker.io\"]",
            ),
            (login(true), 403, "(status 403): check --username and --password"),
            (
                login(false),
                400,
                "check the user and the password in [oci_registries.\"docker.io\"]",
            ),
            (login(false), 404, "(status 404): inform the operator"),
            (login(false), 429, "(status 429): try again later"),
            (login(false), 503, "(status 503): try again later"),
        ] {
            let problem = advice(login, status);
            assert!(problem.contains(words), "{words}: {problem}");
        }
    }

    #[test]
    fn only_codes_of_errors_are_shown() {
        let codes = |text: &str| error_codes(text.as_bytes());
        let known = r#"{"errors": [{"code": "NAME_UNKNOWN", "message": "a"}, {"code": "DENIED"}]}"#;
        assert_eq!(codes(known), " (NAME_UNKNOWN, DENIED)");
        assert_eq!(codes(r#"{"errors": [{"code": "a\u001b[2J"}, {"code": ""}]}"#), "");
        assert_eq!(codes("<html>"), "");
    }
}
