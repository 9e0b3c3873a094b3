//! A plugin with an optional version, as an operator types it.
use std::str::FromStr;

use linepress_plugin_host::is_plugin_id;
use semver::Version;

/// A plugin id, and a version if the operator named one: `acme.flux` or `acme.flux@1.2.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub id: String,
    pub version: Option<Version>,
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, version) = match text.split_once('@') {
            Some((id, version)) => (id, Some(version)),
            None => (text, None),
        };
        let version = version.map(Version::parse).transpose();
        match version {
            Ok(version) if is_plugin_id(id) => Ok(Self { id: id.into(), version }),
            _ => Err(
                "it must be a plugin's id, such as acme.flux, or one with a version, such as acme.flux@1.2.0".into(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_an_id_and_perhaps_a_version() {
        let plain: Reference = "acme.flux".parse().unwrap();
        assert_eq!((plain.id.as_str(), plain.version), ("acme.flux", None));
        let exact: Reference = "acme.flux@1.2.0-rc.1".parse().unwrap();
        assert_eq!(exact.version, Some(Version::parse("1.2.0-rc.1").unwrap()));
        for wrong in [
            "",
            "Acme",
            "acme.flux@",
            "acme.flux@1",
            "acme.flux@../..",
            "../acme",
            "acme/flux@1.0.0",
        ] {
            assert!(wrong.parse::<Reference>().is_err(), "{wrong}");
        }
    }
}
