//! The network access and the services that a plugin has.
use std::collections::BTreeSet;

use http::Method;
use linepress_egress::{Origin, Reach};

use super::credential::Credential;
use super::pattern::OriginPattern;
use super::secrets::Secrets;
use crate::services::Permission;

/// The network access and the services that a plugin asked for and was granted.
#[derive(Default)]
pub(crate) struct Policy {
    pub(super) rules: Vec<Rule>,
    pub(super) credentials: Vec<Credential>,
    pub(crate) permissions: BTreeSet<Permission>,
}

pub(super) struct Rule {
    pub(super) origin: OriginPattern,
    pub(super) methods: Vec<Method>,
    pub(super) reach: Reach,
}

impl Policy {
    /// Returns the addresses that a request may reach, or `None` if it is not allowed.
    pub(super) fn check(&self, origin: &Origin, method: &Method) -> Option<Reach> {
        let mut matching = self
            .rules
            .iter()
            .filter(|rule| rule.origin.matches(origin) && rule.methods.contains(method));
        let rule = matching.next()?;
        Some(rule.reach)
    }

    /// Reads the current secrets that a call may use. A secret that cannot be read is skipped, because requests that
    /// need it fail.
    pub(crate) fn secrets(&self) -> Secrets {
        let secrets = Secrets::default();
        for credential in &self.credentials {
            let _ = credential.header_value(&secrets);
        }
        secrets
    }

    pub(super) fn credentials_for<'a>(&'a self, origin: &'a Origin) -> impl Iterator<Item = &'a Credential> {
        let is_for_origin = move |credential: &&Credential| credential.origin() == origin;
        self.credentials.iter().filter(is_for_origin)
    }
}
