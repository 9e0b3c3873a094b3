use http::Method;
use linepress_egress::{Origin, Reach};

use super::credential::Credential;
use super::pattern::OriginPattern;
use super::secrets::Secrets;

/// What a plugin may reach: what it asked for and was granted.
#[derive(Default)]
pub(crate) struct Policy {
    pub(super) rules: Vec<Rule>,
    pub(super) credentials: Vec<Credential>,
}

pub(super) struct Rule {
    pub(super) origin: OriginPattern,
    pub(super) methods: Vec<Method>,
    pub(super) reach: Reach,
}

impl Policy {
    /// Whether a request may go there, and to which addresses.
    pub(super) fn check(&self, origin: &Origin, method: &Method) -> Option<Reach> {
        let mut matching = self
            .rules
            .iter()
            .filter(|rule| rule.origin.matches(origin) && rule.methods.contains(method));
        let rule = matching.next()?;
        Some(rule.reach)
    }

    /// The secrets that a call may use, as they are now. One that cannot be read is in no request either.
    pub(crate) fn secrets(&self) -> Secrets {
        let secrets = Secrets::default();
        for credential in &self.credentials {
            let _ = credential.header_value(&secrets);
        }
        secrets
    }

    pub(super) fn credentials_for<'a>(&'a self, origin: &'a Origin) -> impl Iterator<Item = &'a Credential> {
        let is_its = move |credential: &&Credential| credential.origin() == origin;
        self.credentials.iter().filter(is_its)
    }
}
