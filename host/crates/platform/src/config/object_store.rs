//! The place of the objects, and the table `s3`.
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

/// The place of the objects, parsed from a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectPlace {
    Folder(PathBuf),
    Bucket(Bucket),
}

/// A bucket of the S3 server that the table `s3` describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    pub name: String,
    /// The common beginning of all keys, without slashes at its ends; empty for the whole bucket.
    pub prefix: String,
}

const FORMS: &str = "must be file:///folder, s3://bucket or s3://bucket/prefix";

impl ObjectPlace {
    /// Parses a URL. The error says what to change.
    pub fn parse(url: &str) -> Result<Self, &'static str> {
        if url.starts_with("file:///") {
            return Ok(Self::Folder(url["file://".len()..].into()));
        }
        let rest = url.strip_prefix("s3://").ok_or(FORMS)?;
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_allowed = |text: &str, others: &str| {
            text.chars()
                .all(|letter| letter.is_ascii_alphanumeric() || others.contains(letter))
        };
        if !(3..=63).contains(&name.len()) || !is_allowed(name, "-._") {
            return Err("must name a bucket with 3 to 63 letters, digits, hyphens and dots, such as s3://my-books");
        }
        let prefix = prefix.trim_end_matches('/');
        let parts: Vec<&str> = prefix.split('/').filter(|_| !prefix.is_empty()).collect();
        if parts
            .iter()
            .any(|part| part.is_empty() || part.starts_with('.') || !is_allowed(part, "-._"))
        {
            return Err(
                "must have a prefix of letters, digits, hyphens, underscores and dots, such as s3://my-books/linepress",
            );
        }
        Ok(Self::Bucket(Bucket {
            name: name.into(),
            prefix: prefix.into(),
        }))
    }
}

impl fmt::Display for ObjectPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(formatter),
            Self::Bucket(Bucket { name, prefix }) if prefix.is_empty() => write!(formatter, "s3://{name}"),
            Self::Bucket(Bucket { name, prefix }) => write!(formatter, "s3://{name}/{prefix}"),
        }
    }
}

/// The table `s3`: the server of the buckets that URLs name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct S3 {
    /// The URL of the server; Amazon's server of the region when empty.
    pub endpoint: String,
    pub region: String,
    /// True if the bucket is in the path of a URL, and false if it is in the host name.
    pub path_style: bool,
    /// True if the endpoint may begin with `http://`.
    pub allow_http: bool,
    /// The id of the access key. When empty, the credentials are those of the environment or of the machine.
    pub access_key_id: String,
    /// The path of a file that contains only the secret of the access key.
    pub secret_access_key_file: PathBuf,
    /// The seconds after which a request has failed unless bytes of it were sent or received.
    pub stall_seconds: u64,
}

impl Default for S3 {
    fn default() -> Self {
        Self {
            endpoint: String::new(),
            region: "us-east-1".into(),
            path_style: true,
            allow_http: false,
            access_key_id: String::new(),
            secret_access_key_file: PathBuf::new(),
            stall_seconds: 10,
        }
    }
}

impl S3 {
    /// The URL to which the path of a key is added.
    pub(crate) fn endpoint_of(&self, bucket: &str) -> Option<String> {
        let endpoint = self.endpoint.trim_end_matches('/');
        match endpoint.split_once("://") {
            Some(_) if self.path_style => Some(endpoint.to_owned()),
            Some((scheme, host)) => Some(format!("{scheme}://{bucket}.{host}")),
            None => None,
        }
    }

    pub(crate) fn stall(&self) -> Duration {
        Duration::from_secs(self.stall_seconds)
    }

    /// Checks the settings; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        let wrong = |setting, problem: &str| Err((setting, problem.to_owned()));
        if !self.endpoint.is_empty() {
            let is_whole = |url: &Url| {
                matches!(url.scheme(), "http" | "https")
                    && url.has_host()
                    && url.username().is_empty()
                    && url.password().is_none()
                    && url.query().is_none()
                    && url.fragment().is_none()
            };
            let Some(url) = Url::parse(&self.endpoint).ok().filter(is_whole) else {
                return wrong(
                    "s3.endpoint",
                    "must be the URL of an S3 server, such as https://s3.example.com, without a user and without ? and #",
                );
            };
            if url.scheme() == "http" && !self.allow_http {
                return wrong(
                    "s3.endpoint",
                    "must start with https://, or allow_http must be true: without TLS, pictures can be read on the network",
                );
            }
            if !self.path_style && (url.path() != "/" || url.domain().is_none()) {
                return wrong(
                    "s3.path_style",
                    "must be true for an endpoint with a path or an IP address",
                );
            }
        }
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if self.region.is_empty() || !self.region.bytes().all(is_letter) {
            return wrong("s3.region", "must be the name of a region, such as eu-central-1");
        }
        let has_secret = !self.secret_access_key_file.as_os_str().is_empty();
        if self.access_key_id.is_empty() && has_secret {
            return wrong(
                "s3.access_key_id",
                "must not be empty when secret_access_key_file is set",
            );
        }
        if !self.access_key_id.is_empty() && !has_secret {
            return wrong(
                "s3.secret_access_key_file",
                "must name the file with the secret of access_key_id. To take both from the environment, leave both empty",
            );
        }
        if !(1..=300).contains(&self.stall_seconds) {
            return wrong("s3.stall_seconds", "must be 1 to 300");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_folder_or_a_bucket_with_a_prefix() {
        let bucket = |name: &str, prefix: &str| {
            ObjectPlace::Bucket(Bucket {
                name: name.into(),
                prefix: prefix.into(),
            })
        };
        for (url, place, shown) in [
            ("file:///mnt/a", ObjectPlace::Folder("/mnt/a".into()), "/mnt/a"),
            ("s3://my-books", bucket("my-books", ""), "s3://my-books"),
            ("s3://my-books/", bucket("my-books", ""), "s3://my-books"),
            (
                "s3://my.books/a/b_1/",
                bucket("my.books", "a/b_1"),
                "s3://my.books/a/b_1",
            ),
        ] {
            assert_eq!(ObjectPlace::parse(url), Ok(place.clone()), "{url}");
            assert_eq!(place.to_string(), shown);
        }
        for url in [
            "objects",
            "file://objects",
            "s3:my-books",
            "s3://",
            "s3://ab",
            "s3://my books",
            "s3://user:pass@my-books",
            "s3://my-books//a",
            "s3://my-books/a/../b",
            "s3://my-books/a?b",
            "gs://my-books",
        ] {
            assert!(ObjectPlace::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn the_bucket_is_in_the_path_or_in_the_host_name() {
        let endpoint = |endpoint: &str, path_style| {
            let endpoint = endpoint.to_owned();
            let settings = S3 {
                endpoint,
                path_style,
                ..S3::default()
            };
            settings.endpoint_of("books")
        };
        assert_eq!(endpoint("", true), None);
        assert_eq!(
            endpoint("https://a.example:9000/", true).unwrap(),
            "https://a.example:9000"
        );
        assert_eq!(endpoint("https://a.example", false).unwrap(), "https://books.a.example");
    }
}
