//! The place of a plugin in a registry of containers: a repository, and which of its versions.
use std::fmt;
use std::str::FromStr;

use linepress_egress::Origin;
use semver::Version;
use sha2::{Digest as _, Sha256};

use crate::index::is_digest;

const SCHEME: &str = "oci://";
const SHA256: &str = "sha256:";
/// Maximum length of the path of a repository, and of a tag: those of the distribution specification.
const MAX_PATH_CHARS: usize = 255;
const MAX_TAG_CHARS: usize = 128;

const SHAPE: &str = "it must be oci://HOST/PATH, with :TAG or @sha256:DIGEST at the end to name a version, such as \
                     oci://ghcr.io/acme/watercolor:1.2.0";

/// A repository of an OCI registry, with the version that is meant: `oci://ghcr.io/acme/watercolor:1.2.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OciPlace {
    /// The host, with the port if it is not the usual one.
    host: String,
    path: String,
    pub pin: Pin,
}

/// The version that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pin {
    /// The newest version that this program supports.
    Newest,
    /// The version to which a tag leads.
    Tag(String),
    /// The version whose manifest has this digest, such as `sha256:...`.
    Digest(String),
}

impl OciPlace {
    /// The host, as the settings name it.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The host of the requests. Docker Hub has another one than the places in it.
    pub(super) fn request_host(&self) -> &str {
        match self.host.as_str() {
            "docker.io" | "index.docker.io" => "registry-1.docker.io",
            host => host,
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The repository without a version.
    pub fn repository(&self) -> Self {
        Self {
            pin: Pin::Newest,
            ..self.clone()
        }
    }

    /// The same repository with a tag.
    pub fn with_tag(&self, tag: &str) -> Self {
        Self {
            pin: Pin::Tag(tag.into()),
            ..self.clone()
        }
    }

    /// The same repository with the digest of a manifest.
    pub fn with_digest(&self, digest: &str) -> Self {
        Self {
            pin: Pin::Digest(digest.into()),
            ..self.clone()
        }
    }

    /// Returns true if exactly one version is meant: by its tag or by its digest.
    pub fn names_a_version(&self) -> bool {
        match &self.pin {
            Pin::Newest => false,
            Pin::Tag(tag) => Version::parse(tag).is_ok(),
            Pin::Digest(_) => true,
        }
    }
}

impl FromStr for OciPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rest = text.strip_prefix(SCHEME).ok_or(SHAPE)?;
        let (host, rest) = rest.split_once('/').ok_or(SHAPE)?;
        let (path, pin) = match (rest.split_once('@'), rest.split_once(':')) {
            (Some((path, digest)), _) => (path, Pin::Digest(digest.into())),
            (None, Some((path, tag))) => (path, Pin::Tag(tag.into())),
            (None, None) => (rest, Pin::Newest),
        };
        let is_pin = match &pin {
            Pin::Newest => true,
            Pin::Tag(tag) => is_tag(tag),
            Pin::Digest(digest) => sha256_of(digest).is_some(),
        };
        let host = exact_oci_host(host).ok_or(SHAPE)?;
        if !is_path(path) || !is_pin {
            return Err(SHAPE.into());
        }
        let path = path.into();
        Ok(Self { host, path, pin })
    }
}

impl fmt::Display for OciPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{SCHEME}{}/{}", self.host, self.path)?;
        match &self.pin {
            Pin::Newest => Ok(()),
            Pin::Tag(tag) => write!(formatter, ":{tag}"),
            Pin::Digest(digest) => write!(formatter, "@{digest}"),
        }
    }
}

/// The usual form of a host with an optional port, as the settings name it. `None` if the text is no host.
pub fn exact_oci_host(text: &str) -> Option<String> {
    let origin = Origin::parse(&format!("https://{text}")).ok()?;
    Some(origin.authority())
}

/// The SHA-256 in a digest of the form `sha256:...`. Other algorithms are not supported.
pub(super) fn sha256_of(digest: &str) -> Option<&str> {
    digest.strip_prefix(SHA256).filter(|sha256| is_digest(sha256))
}

/// The digest of these bytes.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    format!("{SHA256}{}", hex::encode(Sha256::digest(bytes)))
}

pub(super) fn is_tag(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.len() <= MAX_TAG_CHARS
        && text.bytes().next().is_some_and(is_word)
        && text.bytes().all(|byte| is_word(byte) || b".-".contains(&byte))
}

/// Words of lowercase letters and digits, joined by `.`, `_`, `__` or hyphens, and slashes between such names.
fn is_path(text: &str) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_name = |name: &str| {
        let mut joints = name.split(|letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit());
        let has_ends = name.as_bytes().first().is_some_and(is_word) && name.as_bytes().last().is_some_and(is_word);
        let is_joint = |joint: &str| matches!(joint, "" | "." | "_" | "__") || joint.bytes().all(|byte| byte == b'-');
        has_ends && joints.all(is_joint)
    };
    text.len() <= MAX_PATH_CHARS && text.split('/').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_repository_with_an_optional_version() {
        let digest = format!("oci://ghcr.io/acme/watercolor@sha256:{}", "a".repeat(64));
        for (text, form) in [
            ("oci://ghcr.io/acme/watercolor", "oci://ghcr.io/acme/watercolor"),
            (
                "oci://GHCR.io:443/acme/water__color:1.2.0",
                "oci://ghcr.io/acme/water__color:1.2.0",
            ),
            (
                "oci://localhost:5000/plugin:latest",
                "oci://localhost:5000/plugin:latest",
            ),
            (digest.as_str(), digest.as_str()),
        ] {
            let place: OciPlace = text.parse().unwrap();
            assert_eq!(place.to_string(), form);
        }
        let names_a_version = |text: &str| text.parse::<OciPlace>().unwrap().names_a_version();
        assert!(names_a_version("oci://ghcr.io/acme/watercolor:1.2.0") && names_a_version(&digest));
        assert!(!names_a_version("oci://ghcr.io/acme/watercolor") && !names_a_version("oci://ghcr.io/a:latest"));
    }

    #[test]
    fn a_place_that_could_be_another_url_is_refused() {
        for wrong in [
            "ghcr.io/acme",
            "https://ghcr.io/acme",
            "oci://ghcr.io",
            "oci://ghcr.io/",
            "oci:///acme",
            "oci://ada@ghcr.io/acme",
            "oci://ghcr.io?a/acme",
            "oci://ghcr.io/Acme",
            "oci://ghcr.io/acme//a",
            "oci://ghcr.io/../acme",
            "oci://ghcr.io/acme?a=b",
            "oci://ghcr.io/acme%2e",
            "oci://ghcr.io/acme___a",
            "oci://ghcr.io/-acme",
            "oci://ghcr.io/acme:",
            "oci://ghcr.io/acme:.a",
            "oci://ghcr.io/acme:a:b",
            "oci://ghcr.io/acme:a/b",
            "oci://ghcr.io/acme@sha256:abc",
            "oci://ghcr.io/acme:1@sha256:abc",
            "oci://ghcr.io/acme@sha512:abc",
        ] {
            assert!(wrong.parse::<OciPlace>().is_err(), "{wrong}");
        }
        let long = format!("oci://ghcr.io/{}", "a".repeat(256));
        assert!(long.parse::<OciPlace>().is_err());
    }
}
