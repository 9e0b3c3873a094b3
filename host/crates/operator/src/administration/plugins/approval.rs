//! An operator's approval of what a plugin requests.
use std::collections::{BTreeMap, BTreeSet};

use garde::Validate;
use linepress_plugin_host::{CredentialSource, Grant, OriginPattern, Preview};
use serde::Deserialize;

use linepress_platform::config::Config;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::validation;

/// The approval of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PluginApproval {
    /// The digest of the files that are approved, as the plugin has it. Files that changed since are not approved.
    #[garde(skip)]
    pub digest: String,
    /// The origins to grant, all of them requested by the plugin; every requested one if omitted.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub origins: Option<Vec<String>>,
    /// The origins to grant even if their addresses are private or they use plain http. Those of the previous approval
    /// that the plugin still requests if omitted.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub private: Option<Vec<String>>,
}

/// The terms of an approval.
#[derive(Debug, Default)]
pub struct Terms {
    /// The digest of the files that the operator looked at; `None` for the present ones.
    pub digest: Option<String>,
    /// The origins to grant; all requested ones if `None`.
    pub origins: Option<Vec<OriginPattern>>,
    /// The origins to grant even if their addresses are private or they use plain http; those of the previous approval
    /// that the plugin still requests if `None`.
    pub private: Option<Vec<OriginPattern>>,
    /// The sources of secrets, by the name in the manifest. Only the command line sets them: a source may be any file
    /// that the server can read.
    pub sources: BTreeMap<String, CredentialSource>,
}

impl TryFrom<&PluginApproval> for Terms {
    type Error = Error;

    fn try_from(approval: &PluginApproval) -> Result<Self> {
        let origins = approval.origins.as_deref().map(|texts| parse("origins", texts));
        let private = approval.private.as_deref().map(|texts| parse("private", texts));
        Ok(Self {
            digest: Some(approval.digest.clone()),
            origins: origins.transpose()?,
            private: private.transpose()?,
            sources: BTreeMap::new(),
        })
    }
}

fn parse(field: &'static str, texts: &[String]) -> Result<Vec<OriginPattern>> {
    let origin = |(index, text): (usize, &String)| {
        OriginPattern::parse(text).map_err(|problem| Error::invalid_field(Field::named(field).at(index), problem))
    };
    texts.iter().enumerate().map(origin).collect()
}

/// The grant that the terms give to the previewed files, with all services that they request; `before` is the previous
/// grant of the plugin.
pub(super) fn grant(preview: &Preview, terms: &Terms, before: Option<&Grant>) -> Result<Grant> {
    let Preview {
        id, digest, requests, ..
    } = preview;
    if terms
        .digest
        .as_ref()
        .is_some_and(|seen| !seen.eq_ignore_ascii_case(digest))
    {
        return Err(other_files());
    }
    let requested: BTreeSet<OriginPattern> = requests.origins.iter().map(|request| request.origin.clone()).collect();
    let origins = terms.origins.as_deref().unwrap_or_default();
    let private = terms.private.as_deref().unwrap_or_default();
    for (field, named) in [("origins", origins), ("private", private)] {
        if let Some(other) = named.iter().find(|origin| !requested.contains(*origin)) {
            let problem = format!("{id} does not request {other}: it requests {}", joined(&requested));
            return Err(Error::invalid_field(Field::named(field), problem));
        }
    }
    // The owner of a wildcard domain could point a name in it to any private address.
    if let Some(index) = private.iter().position(|origin| origin.single().is_none()) {
        let problem = "must be a single origin, without an asterisk";
        return Err(Error::invalid_field(Field::named("private").at(index), problem));
    }
    for name in terms.sources.keys() {
        if !requests.credentials.iter().any(|credential| credential.name == *name) {
            let problem = format!("{id} does not request a credential {name}");
            return Err(Error::invalid_field(Field::named("credentials"), problem));
        }
    }
    let origins = match &terms.origins {
        None => requested,
        Some(origins) => origins.iter().chain(private).cloned().collect(),
    };
    let private = match &terms.private {
        Some(private) => private.iter().cloned().collect(),
        // A new version is approved like the previous one.
        None => private_before(before, &origins),
    };
    Ok(Grant {
        digest: digest.clone(),
        origins: texts(&origins),
        private: texts(&private),
        permissions: requests.permissions.clone(),
    })
}

/// Returns true if the operator has granted what this version requests.
pub fn is_granted(config: &Config, active: &Preview) -> bool {
    let Some(grant) = config.grants.get(&active.id) else {
        return active.requests.is_empty();
    };
    let mut origins = active.requests.origins.iter().map(|request| request.origin.to_string());
    let is_current = grant.digest.eq_ignore_ascii_case(&active.digest);
    let permissions = &active.requests.permissions;
    active.requests.is_empty()
        || is_current
            && origins.all(|origin| grant.origins.contains(&origin))
            && permissions.is_subset(&grant.permissions)
}

/// Returns true if a version requests only what the active one requests, which is granted.
pub fn is_within_grant(active: &Preview, preview: &Preview) -> bool {
    let granted: BTreeSet<String> = active.requests.lines().into_iter().collect();
    let mut asks = preview.requests.lines().into_iter();
    asks.all(|line| granted.contains(&line))
}

/// The error of an approval of files other than the present ones.
pub(super) fn other_files() -> Error {
    Error::invalid_field(
        Field::named("digest"),
        "is not that of the present files; look at what the plugin requests now",
    )
}

/// The private origins of the previous grant that are granted again.
fn private_before(before: Option<&Grant>, origins: &BTreeSet<OriginPattern>) -> BTreeSet<OriginPattern> {
    let before = before.map(|grant| grant.private.as_slice()).unwrap_or_default();
    let before = before.iter().filter_map(|text| OriginPattern::parse(text).ok());
    let is_granted = |origin: &OriginPattern| origin.single().is_some() && origins.contains(origin);
    before.filter(is_granted).collect()
}

fn texts(origins: &BTreeSet<OriginPattern>) -> Vec<String> {
    origins.iter().map(ToString::to_string).collect()
}

fn joined(origins: &BTreeSet<OriginPattern>) -> String {
    texts(origins).join(", ")
}
