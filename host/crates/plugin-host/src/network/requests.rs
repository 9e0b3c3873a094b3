//! The network access and the services that a manifest asks for.
use std::collections::BTreeSet;
use std::fmt;

use http::{HeaderName, Method};
use linepress_egress::Origin;
use serde::Deserialize;
use serde_json::Value;

use super::pattern::OriginPattern;
use crate::log_text::excerpt;
use crate::services::Permission;

/// Maximum size of a quotation from the manifest in a refusal.
const MAX_QUOTED_BYTES: usize = 200;

/// Maximum number of `[[http]]` tables, and of `[[credential]]` tables, in a manifest.
const MAX_TABLES: usize = 32;

/// An `[[http]]` table of a manifest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpTable {
    origin: Option<String>,
    setting: Option<String>,
    default: Option<String>,
    methods: Vec<String>,
}

/// A `[[credential]]` table of a manifest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CredentialTable {
    name: String,
    origin: Option<String>,
    setting: Option<String>,
    default: Option<String>,
    header: String,
    #[serde(default = "secret_only")]
    format: String,
    #[serde(default)]
    optional: bool,
}

/// The default of `format`: the secret without any other text.
fn secret_only() -> String {
    "{}".into()
}

/// The target of requests: an origin in the manifest, or the origin of a URL in one of the plugin's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Origin(OriginPattern),
    Setting {
        name: String,
        /// The origin that applies if the setting is absent.
        default: Option<Origin>,
    },
}

/// Network access and services that a manifest asks for, before the plugin's settings are applied.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnresolvedRequests {
    http: Vec<(Target, Vec<Method>)>,
    credentials: Vec<(Target, CredentialRequest<()>)>,
    permissions: BTreeSet<Permission>,
}

/// Network access and services that a plugin asks for, with its settings applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    pub origins: Vec<OriginRequest>,
    pub credentials: Vec<CredentialRequest>,
    /// Services of the host.
    pub permissions: BTreeSet<Permission>,
}

/// An origin that a plugin asks to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginRequest {
    pub origin: OriginPattern,
    pub methods: Vec<Method>,
}

/// A secret that a plugin asks to have added to its requests to one origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CredentialRequest<At = Origin> {
    /// 1 to 64 letters, digits and underscores.
    pub name: String,
    pub origin: At,
    pub header: HeaderName,
    /// The header's value, with `{}` in place of the secret.
    pub format: String,
    /// True if requests may be sent without the secret.
    pub optional: bool,
}

impl Requests {
    pub fn is_empty(&self) -> bool {
        !self.uses_network() && self.permissions.is_empty()
    }

    /// Returns true if it asks for network access.
    pub fn uses_network(&self) -> bool {
        !self.origins.is_empty() || !self.credentials.is_empty()
    }

    /// The requested origins, credentials and services for the operator, one line each.
    pub fn lines(&self) -> Vec<String> {
        let origins = self.origins.iter().map(|request| format!("to reach {request}"));
        let credentials = self.credentials.iter().map(|credential| {
            let CredentialRequest {
                name,
                origin,
                header,
                format,
                optional,
            } = credential;
            let format = match format.as_str() {
                "{}" => String::new(),
                format => format!(" as {format:?}"),
            };
            let optional = if *optional { ", optional" } else { "" };
            format!("for the credential {name}, in the header {header}{format} of requests to {origin}{optional}")
        });
        let permissions = self.permissions.iter().map(|permission| permission.in_words());
        origins.chain(credentials).chain(permissions).collect()
    }
}

impl fmt::Display for OriginRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let methods: Vec<&str> = self.methods.iter().map(Method::as_str).collect();
        write!(formatter, "{} ({})", self.origin, methods.join(", "))
    }
}

impl UnresolvedRequests {
    pub(crate) fn is_empty(&self) -> bool {
        !self.uses_network() && self.permissions.is_empty()
    }

    /// Returns true if it asks for network access.
    pub(crate) fn uses_network(&self) -> bool {
        !self.http.is_empty() || !self.credentials.is_empty()
    }

    /// The services that it asks for.
    pub(crate) fn permissions(&self) -> &BTreeSet<Permission> {
        &self.permissions
    }

    /// Checks and converts the tables of a manifest.
    pub(crate) fn read(
        http: Vec<HttpTable>,
        credentials: Vec<CredentialTable>,
        permissions: BTreeSet<Permission>,
    ) -> Result<Self, String> {
        if http.len() > MAX_TABLES || credentials.len() > MAX_TABLES {
            return Err(format!(
                "it has more than {MAX_TABLES} [[http]] or [[credential]] tables"
            ));
        }
        Ok(Self {
            http: http.into_iter().map(HttpTable::read).collect::<Result<_, _>>()?,
            credentials: credentials
                .into_iter()
                .map(CredentialTable::read)
                .collect::<Result<_, _>>()?,
            permissions,
        })
    }

    /// Applies the plugin's settings. A request whose setting is absent and has no default is left out.
    pub(crate) fn resolve(&self, settings: &Value) -> Result<Requests, String> {
        let mut requests = Requests {
            permissions: self.permissions.clone(),
            ..Requests::default()
        };
        for (target, methods) in &self.http {
            if let Some(origin) = target.resolve(settings)? {
                let methods = methods.clone();
                requests.origins.push(OriginRequest { origin, methods });
            }
        }
        for (target, credential) in &self.credentials {
            let Some(origin) = target.resolve(settings)? else {
                continue;
            };
            let CredentialRequest {
                name,
                header,
                format,
                optional,
                ..
            } = credential.clone();
            let Some(origin) = origin.single().cloned() else {
                return Err(format!(
                    "credential.origin of {name} must be one origin, without an asterisk"
                ));
            };
            if !requests.origins.iter().any(|request| request.origin.matches(&origin)) {
                return Err(format!(
                    "it has a credential for {origin}, but no [[http]] table that asks for this origin"
                ));
            }
            let is_taken = |other: &CredentialRequest| other.origin == origin && other.header == header;
            if requests.credentials.iter().any(is_taken) {
                return Err(format!("two of its credentials set the header {header} for {origin}"));
            }
            requests.credentials.push(CredentialRequest {
                name,
                origin,
                header,
                format,
                optional,
            });
        }
        Ok(requests)
    }
}

impl HttpTable {
    fn read(self) -> Result<(Target, Vec<Method>), String> {
        let target = Target::read("http", self.origin, self.setting, self.default)?;
        let methods = self.methods.iter().map(|method| read_method(method));
        let methods: Vec<Method> = methods.collect::<Result<_, _>>()?;
        if methods.is_empty() {
            return Err("http.methods is empty: name the methods, such as [\"GET\", \"POST\"]".into());
        }
        Ok((target, methods))
    }
}

/// Parses a method that can be granted. CONNECT would open a tunnel that the host cannot inspect, and TRACE would
/// return the request with its secret.
fn read_method(text: &str) -> Result<Method, String> {
    const KNOWN: [Method; 6] = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
    ];
    let method = KNOWN.into_iter().find(|method| method.as_str() == text);
    method.ok_or_else(|| {
        let text = excerpt(text.to_owned(), MAX_QUOTED_BYTES);
        format!("http.methods has {text:?}; these can be granted: GET, HEAD, POST, PUT, PATCH, DELETE")
    })
}

impl CredentialTable {
    fn read(self) -> Result<(Target, CredentialRequest<()>), String> {
        let Self {
            name,
            origin,
            setting,
            default,
            header,
            format,
            optional,
        } = self;
        let is_name = |text: &str| {
            (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if !is_name(&name) {
            let name = excerpt(name, MAX_QUOTED_BYTES);
            return Err(format!(
                "credential.name is {name:?}; it must be 1 to 64 letters, digits and underscores"
            ));
        }
        let target = Target::read("credential", origin, setting, default)?;
        let Ok(known) = HeaderName::try_from(header.as_str()) else {
            let header = excerpt(header, MAX_QUOTED_BYTES);
            return Err(format!(
                "credential.header of {name} is {header:?}, which is not a valid header name"
            ));
        };
        if super::hooks::is_connection_header(&known) {
            return Err(format!(
                "credential.header of {name} is {known}, which is a header of the connection: use another header"
            ));
        }
        let is_format = format.matches("{}").count() == 1
            && format.len() <= MAX_QUOTED_BYTES
            && format.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if !is_format {
            return Err(format!(
                "credential.format of {name} must be one line of ASCII with {{}} once, such as \"Bearer {{}}\""
            ));
        }
        let request = CredentialRequest {
            name,
            origin: (),
            header: known,
            format,
            optional,
        };
        Ok((target, request))
    }
}

impl Target {
    fn read(
        table: &str,
        origin: Option<String>,
        setting: Option<String>,
        default: Option<String>,
    ) -> Result<Self, String> {
        let wrong = |key: &str, text: String, problem: &str| {
            format!("{table}.{key} {:?} {problem}", excerpt(text, MAX_QUOTED_BYTES))
        };
        match (origin, setting, default) {
            (Some(origin), None, None) => match OriginPattern::parse(&origin) {
                Ok(origin) => Ok(Self::Origin(origin)),
                Err(problem) => Err(wrong("origin", origin, problem)),
            },
            (None, Some(name), None) => Ok(Self::Setting { name, default: None }),
            (None, Some(name), Some(default)) => match Origin::parse(&default) {
                Ok(origin) => Ok(Self::Setting {
                    name,
                    default: Some(origin),
                }),
                Err(problem) => Err(wrong("default", default, problem)),
            },
            _ => Err(format!(
                "each [[{table}]] must have either `origin`, or `setting` and optionally `default`"
            )),
        }
    }

    fn resolve(&self, settings: &Value) -> Result<Option<OriginPattern>, String> {
        let (name, default) = match self {
            Self::Origin(origin) => return Ok(Some(origin.clone())),
            Self::Setting { name, default } => (name, default),
        };
        let quoted = excerpt(name.clone(), MAX_QUOTED_BYTES);
        match settings.get(name) {
            None => Ok(default.clone().map(OriginPattern::from)),
            Some(Value::String(url)) => {
                let url = url::Url::parse(url).map_err(|_| format!("its setting {quoted} must be a URL"))?;
                let origin = Origin::of(&url).map_err(|problem| format!("its setting {quoted} {problem}"))?;
                Ok(Some(origin.into()))
            }
            Some(_) => Err(format!("its setting {quoted} must be a URL")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Deserialize)]
    struct Tables {
        http: Vec<HttpTable>,
        #[serde(default)]
        credential: Vec<CredentialTable>,
    }

    fn asked(text: &str) -> Result<UnresolvedRequests, String> {
        let Tables { http, credential } = toml::from_str(text).unwrap();
        UnresolvedRequests::read(http, credential, BTreeSet::new())
    }

    const ACME: &str = r#"
        [[http]]
        origin = "https://api.acme.com"
        methods = ["POST"]
        [[credential]]
        name = "api_key"
        origin = "https://api.acme.com:443"
        header = "authorization"
        format = "Bearer {}"
    "#;

    #[test]
    fn a_manifest_asks_for_origins_and_secrets() {
        let requests = asked(ACME).unwrap().resolve(&json!({})).unwrap();
        assert_eq!(requests.origins[0].to_string(), "https://api.acme.com:443 (POST)");
        let credential = &requests.credentials[0];
        assert_eq!(
            (
                credential.name.as_str(),
                credential.origin.to_string().as_str(),
                credential.optional
            ),
            ("api_key", "https://api.acme.com:443", false)
        );
        let line = "for the credential api_key, in the header authorization as \"Bearer {}\" of requests to \
                    https://api.acme.com:443";
        assert_eq!(requests.lines()[1], line);
        let plain = asked(&ACME.replace("format = \"Bearer {}\"", "")).unwrap();
        let plain = plain.resolve(&json!({})).unwrap();
        assert_eq!(plain.lines()[1], line.replace(" as \"Bearer {}\"", ""));
    }

    #[test]
    fn an_origin_may_come_from_a_setting() {
        let asked = asked(
            r#"
            [[http]]
            setting = "base_url"
            default = "https://api.openai.com"
            methods = ["POST"]
            [[http]]
            setting = "mirror"
            methods = ["GET"]
            "#,
        )
        .unwrap();
        let origins = |settings| {
            let requests = asked.resolve(&settings).unwrap();
            let origins = requests.origins.iter().map(|request| request.origin.to_string());
            origins.collect::<Vec<_>>()
        };
        assert_eq!(origins(json!({})), ["https://api.openai.com:443"]);
        assert_eq!(
            origins(json!({"base_url": "http://localhost:11434/v1", "mirror": "https://m.acme.com"})),
            ["http://localhost:11434", "https://m.acme.com:443"]
        );
        for wrong in [
            json!({"base_url": 1}),
            json!({"base_url": "localhost"}),
            json!({"base_url": "https://a@b"}),
        ] {
            assert!(asked.resolve(&wrong).unwrap_err().contains("base_url"), "{wrong}");
        }
    }

    #[test]
    fn a_request_that_cannot_be_granted_is_named() {
        for (from, to, named) in [
            ("POST", "TRACE", "TRACE"),
            ("POST", "CONNECT", "CONNECT"),
            ("POST", "post", "post"),
            ("[\"POST\"]", "[]", "empty"),
            ("https://api.acme.com\"", "https://api.acme.com/v1\"", "http.origin"),
            ("authorization", "host", "host"),
            ("authorization", "a b", "credential.header"),
            ("Bearer {}", "Bearer", "credential.format"),
            ("Bearer {}", "{}{}", "credential.format"),
            ("api_key", "api key", "credential.name"),
        ] {
            let text = ACME.replace(from, to);
            let refusal = asked(&text).unwrap_err();
            assert!(refusal.contains(named), "{to}: {refusal}");
        }
    }

    #[test]
    fn a_credential_belongs_to_one_requested_origin() {
        let elsewhere = ACME.replace("https://api.acme.com:443", "https://other.acme.com");
        let refusal = asked(&elsewhere).unwrap().resolve(&json!({})).unwrap_err();
        assert!(refusal.contains("https://other.acme.com:443"), "{refusal}");
        let twice = format!("{ACME}{}", &ACME[ACME.find("[[credential]]").unwrap()..]);
        assert!(
            asked(&twice)
                .unwrap()
                .resolve(&json!({}))
                .unwrap_err()
                .contains("two of its credentials")
        );
        let wide = ACME.replace("https://api.acme.com:443", "https://*.acme.com");
        assert!(
            asked(&wide)
                .unwrap()
                .resolve(&json!({}))
                .unwrap_err()
                .contains("asterisk")
        );
    }
}
