//! The settings of traces.
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

/// The table `traces`: the collector of OpenTelemetry to which traces are sent.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TraceSettings {
    /// The URL to which traces are sent, as OTLP over HTTP; no traces when empty.
    #[serde(serialize_with = "super::shown::origin_only")]
    pub url: String,
    /// The part of all traces that is recorded, from 0 to 1.
    pub sample_ratio: f64,
    /// The path of a file that contains only the value of the header `Authorization`; no such header when empty.
    pub authorization_file: PathBuf,
}

impl Default for TraceSettings {
    fn default() -> Self {
        Self {
            url: String::new(),
            sample_ratio: 1.0,
            authorization_file: PathBuf::new(),
        }
    }
}

impl TraceSettings {
    /// Checks the settings; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        let is_whole = |url: &Url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.path() != "/"
        };
        if !self.url.is_empty() && !Url::parse(&self.url).is_ok_and(|url| is_whole(&url)) {
            let problem =
                "must be the URL of a collector with its path, such as http://127.0.0.1:4318/v1/traces, without a user";
            return Err(("traces.url", problem.into()));
        }
        if !(0.0..=1.0).contains(&self.sample_ratio) {
            return Err(("traces.sample_ratio", "must be 0 to 1".into()));
        }
        Ok(())
    }

    /// Reads the value of the header `Authorization`; empty without a file. The error names the file.
    pub fn authorization(&self) -> Result<String, String> {
        let file = &self.authorization_file;
        if file.as_os_str().is_empty() {
            return Ok(String::new());
        }
        let wrong = |problem: &str| format!("traces.authorization_file: {}: {problem}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| wrong(&error.to_string()))?;
        match text.trim() {
            "" => Err(wrong("the file is empty")),
            value if value.bytes().any(|byte| !(b' '..=b'~').contains(&byte)) => {
                Err(wrong("the value must be one line of printable ASCII characters"))
            }
            value => Ok(value.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_without_the_path_of_traces_is_refused() {
        let check = |url: &str| {
            let settings = TraceSettings {
                url: url.into(),
                ..TraceSettings::default()
            };
            settings.check().map_err(|(setting, _)| setting)
        };
        for url in [
            "",
            "http://127.0.0.1:4318/v1/traces",
            "https://otel.example.com/v1/traces",
        ] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
        for url in [
            "localhost:4318",
            "http://127.0.0.1:4318",
            "grpc://host/v1/traces",
            "http://ada@host/v1/traces",
        ] {
            assert_eq!(check(url), Err("traces.url"), "{url}");
        }
    }

    #[test]
    fn a_ratio_is_between_0_and_1() {
        for sample_ratio in [-0.1, 1.1, f64::NAN] {
            let settings = TraceSettings {
                sample_ratio,
                ..TraceSettings::default()
            };
            assert!(settings.check().is_err(), "{sample_ratio}");
        }
    }

    #[test]
    fn the_authorization_is_one_line_of_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = TraceSettings {
            authorization_file: folder.path().join("authorization"),
            ..TraceSettings::default()
        };
        assert_eq!(TraceSettings::default().authorization(), Ok(String::new()));
        assert!(settings.authorization().is_err());
        for (text, is_valid) in [("Bearer abc\n", true), ("\n", false), ("Bearer a\nb", false)] {
            std::fs::write(&settings.authorization_file, text).expect("a file");
            assert_eq!(settings.authorization().is_ok(), is_valid, "{text:?}");
        }
        assert!(
            settings
                .authorization()
                .unwrap_err()
                .contains("traces.authorization_file")
        );
    }
}
