//! Derivation of a policy from a plugin's requests and its grant.
use std::collections::BTreeMap;

use linepress_egress::{Reach, Scheme};

use super::Network;
use super::credential::Credential;
use super::pattern::OriginPattern;
use super::policy::{Policy, Rule};
use super::requests::{CredentialRequest, Requests};

impl Network {
    /// Returns true if the operator has approved files with this digest.
    pub(crate) fn is_approved(&self, id: &str, digest: &str) -> bool {
        let grant = self.grants.get(id);
        grant.is_some_and(|grant| grant.digest.eq_ignore_ascii_case(digest))
    }

    /// Combines a plugin's requests with the operator's grant. A refusal says what is not granted and how to grant it.
    pub(crate) fn approve(&self, id: &str, digest: &str, requests: Requests) -> Result<Policy, String> {
        if requests.is_empty() {
            return Ok(Policy::default());
        }
        let Some(grant) = self.grants.get(id) else {
            return Err(format!(
                "it asks {}; to approve this: linepress plugin allow {id}",
                summarize(&requests)
            ));
        };
        if !self.is_approved(id, digest) {
            return Err(format!(
                "its folder has changed since it was approved, and asks {}; to approve it: linepress plugin allow {id}",
                summarize(&requests)
            ));
        }
        let (granted, private) = (grant.origins()?, grant.private()?);
        let mut rules = Vec::new();
        for request in requests.origins {
            let origin = request.origin;
            if !granted.contains(&origin) {
                return Err(format!(
                    "it asks to reach {origin}, which is not granted; to approve this: linepress plugin allow {id}"
                ));
            }
            let reach = reach(&origin, &private);
            if origin.scheme() == Scheme::Http && reach == Reach::Public {
                return Err(format!(
                    "it asks to reach {origin} over plain http, which is only allowed in a private network; to approve \
                     this: linepress plugin allow {id} --private {origin}"
                ));
            }
            rules.push(Rule {
                origin,
                methods: request.methods,
                reach,
            });
        }
        if let Some(missing) = requests.permissions.difference(&grant.permissions).next() {
            return Err(format!(
                "it asks {}, which is not granted; to approve this: linepress plugin allow {id}",
                missing.in_words()
            ));
        }
        let none = BTreeMap::new();
        let sources = self.credentials.get(id).unwrap_or(&none);
        let mut credentials = Vec::new();
        for request in requests.credentials {
            match sources.get(&request.name) {
                Some(source) => credentials.push(Credential::new(request, source.clone())?),
                None if request.optional => {}
                None => {
                    let name = request.name;
                    return Err(format!(
                        "it needs the credential {name}: name its source, such as {name} = {{ env = \"NAME\" }}, below \
                         [credentials.\"{id}\"] in the settings file"
                    ));
                }
            }
        }
        Ok(Policy {
            rules,
            credentials,
            permissions: requests.permissions,
        })
    }
}

fn reach(origin: &OriginPattern, private: &[OriginPattern]) -> Reach {
    if private.contains(origin) {
        Reach::Private
    } else {
        Reach::Public
    }
}

fn summarize(requests: &Requests) -> String {
    let origins = requests.origins.iter().map(|request| format!("to reach {request}"));
    let credentials = requests.credentials.iter().map(|credential| {
        let CredentialRequest {
            name, origin, header, ..
        } = credential;
        format!("to have {name} sent to {origin} as {header}")
    });
    let permissions = requests.permissions.iter().map(|permission| permission.in_words());
    let asked: Vec<String> = origins.chain(credentials).chain(permissions).collect();
    asked.join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use http::Method;
    use linepress_egress::{Dialer, Origin};

    use super::super::requests::OriginRequest;
    use super::super::{DialTransport, Grant};
    use super::*;
    use crate::services::Permission;

    fn requests(origin: &str) -> Requests {
        Requests {
            origins: vec![OriginRequest {
                origin: OriginPattern::parse(origin).unwrap(),
                methods: vec![Method::POST],
            }],
            ..Requests::default()
        }
    }

    fn network(grant: Grant) -> Network {
        Network {
            transport: Arc::new(DialTransport::new(Dialer::system(Vec::new()))),
            grants: BTreeMap::from([("acme.flux".into(), grant)]),
            credentials: BTreeMap::new(),
        }
    }

    fn grant(origins: &[&str], private: &[&str]) -> Grant {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Grant {
            digest: "ab".into(),
            origins: texts(origins),
            private: texts(private),
            permissions: BTreeSet::new(),
        }
    }

    fn refusal(network: &Network, id: &str, digest: &str, requests: Requests) -> String {
        network.approve(id, digest, requests).map(|_| ()).unwrap_err()
    }

    #[test]
    fn a_plugin_without_requests_needs_no_grant() {
        let policy = network(grant(&[], &[]))
            .approve("other", "cd", Requests::default())
            .unwrap();
        assert!(policy.rules.is_empty() && policy.credentials.is_empty());
    }

    #[test]
    fn a_refusal_says_how_to_approve() {
        let network = network(grant(&["https://api.acme.com"], &[]));
        for (id, digest, origin) in [
            ("acme.other", "ab", "https://api.acme.com"),
            ("acme.flux", "cd", "https://api.acme.com"),
            ("acme.flux", "ab", "https://eu.acme.com"),
            ("acme.flux", "ab", "https://*.acme.com"),
        ] {
            let refusal = refusal(&network, id, digest, requests(origin));
            assert!(refusal.ends_with(&format!("linepress plugin allow {id}")), "{refusal}");
        }
    }

    #[test]
    fn an_origin_that_is_requested_and_granted_may_be_reached_with_its_methods() {
        let network = network(grant(&["https://api.acme.com", "https://more.acme.com"], &[]));
        let policy = network
            .approve("acme.flux", "AB", requests("https://api.acme.com"))
            .unwrap();
        let check = |origin: &str, method: Method| policy.check(&Origin::parse(origin).unwrap(), &method);
        assert_eq!(check("https://api.acme.com", Method::POST), Some(Reach::Public));
        assert_eq!(check("https://api.acme.com", Method::GET), None);
        assert_eq!(
            check("https://more.acme.com", Method::POST),
            None,
            "granted, but not requested"
        );
    }

    #[test]
    fn a_service_is_used_only_if_it_is_requested_and_granted() {
        let asking = |permissions: &[Permission]| Requests {
            permissions: permissions.iter().copied().collect(),
            ..Requests::default()
        };
        let granting = |permissions: &[Permission]| {
            network(Grant {
                permissions: permissions.iter().copied().collect(),
                ..grant(&[], &[])
            })
        };
        let both = [Permission::Store, Permission::Cache];
        let refused = refusal(&granting(&[Permission::Cache]), "acme.flux", "ab", asking(&both));
        assert!(refused.starts_with("it asks to store up to 256 values"), "{refused}");
        assert!(refused.ends_with("linepress plugin allow acme.flux"), "{refused}");
        let refused = refusal(&granting(&both), "acme.flux", "cd", asking(&both));
        assert!(
            refused.contains("has changed") && refused.contains("to keep up to 1 MiB"),
            "{refused}"
        );
        let policy = granting(&both).approve("acme.flux", "ab", asking(&[Permission::Cache]));
        assert_eq!(policy.unwrap().permissions, BTreeSet::from([Permission::Cache]));
        let nothing = granting(&both).approve("acme.flux", "ab", asking(&[])).unwrap();
        assert_eq!(nothing.permissions, BTreeSet::new());
    }

    #[test]
    fn plain_http_is_only_allowed_for_private_origins() {
        let comfy = "http://127.0.0.1:8188";
        let refused = refusal(&network(grant(&[comfy], &[])), "acme.flux", "ab", requests(comfy));
        assert!(refused.contains("--private http://127.0.0.1:8188"), "{refused}");
        let network = network(grant(&[comfy], &[comfy]));
        let policy = network.approve("acme.flux", "ab", requests(comfy)).unwrap();
        assert_eq!(
            policy.check(&Origin::parse(comfy).unwrap(), &Method::POST),
            Some(Reach::Private)
        );
    }
}
