//! The signed list of plugins: `index.json`.
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use linepress_model::is_invisible;
use linepress_plugin_host::{check_world, is_plugin_id};
use semver::Version;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::archive::MAX_ARCHIVE_BYTES;
use crate::error::{RegistryError, Result, refused};
use crate::keys::{PublicKey, SigningKey};
use crate::reference::Reference;
use crate::signed;

/// The name of the index in the folder of the registry.
pub(crate) const FILE: &str = "index.json";
/// Maximum size of the index.
pub(crate) const MAX_INDEX_BYTES: u64 = 16 << 20;
/// Maximum number of versions of all plugins.
const MAX_RELEASES: usize = 20_000;
/// Maximum length of a description.
pub(crate) const MAX_DESCRIPTION_CHARS: usize = 200;
/// Maximum length of the name of a publisher.
pub(crate) const MAX_PUBLISHER_CHARS: usize = 100;
/// Maximum length of a version.
const MAX_VERSION_CHARS: usize = 64;
/// Maximum length of the name of a contract.
const MAX_WORLD_CHARS: usize = 100;
/// Maximum length of the address of an archive.
const MAX_URL_CHARS: usize = 2048;
/// Maximum length of a time.
const MAX_TIME_CHARS: usize = 64;
/// The version of the format.
const FORMAT: u32 = 1;
/// The types of the signed texts. The signature of one is not one of the other.
const INDEX_TYPE: &str = "application/vnd.linepress.plugin-index.v1+json";
const RELEASE_TYPE: &str = "application/vnd.linepress.plugin-release.v1";

/// The plugins of a registry. Fields that a later program adds are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Index {
    format: u32,
    /// A number that grows with each change, so that an older index is recognized.
    pub serial: u64,
    /// The time of the change, for people.
    pub issued_at: String,
    /// The time after which it is refused, so that a stale copy is noticed. `None`: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    pub plugins: Vec<Release>,
}

/// One version of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Release {
    pub id: String,
    pub version: Version,
    /// The contract that it implements, such as `linepress:image/image-provider@0.1`.
    pub world: String,
    pub description: String,
    /// The SHA-256 of the plugin's folder, to which an approval applies.
    pub digest: String,
    pub archive: Archive,
    pub publisher: Publisher,
    /// The publisher's signature of id, version and digest, in base64.
    pub signature: String,
}

/// The file that contains the folder of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Archive {
    /// Relative to the index, or a whole https URL.
    pub url: String,
    pub bytes: u64,
    pub sha256: String,
}

/// The person or team that published a version.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Publisher {
    pub name: String,
    pub key: PublicKey,
}

impl Archive {
    /// Fails if the archive is larger than any that is read.
    pub(crate) fn check_size(&self) -> Result<()> {
        let Self { url, bytes: size, .. } = self;
        if *size > MAX_ARCHIVE_BYTES {
            return refused(format!(
                "the archive {url} has {size} bytes, and at most {MAX_ARCHIVE_BYTES} are read"
            ));
        }
        Ok(())
    }

    /// Fails for bytes that are not exactly those that the list announces.
    pub(crate) fn check_bytes(&self, bytes: &[u8], list: &str) -> Result<()> {
        let is_listed = bytes.len() as u64 == self.bytes && hex::encode(Sha256::digest(bytes)) == self.sha256;
        if is_listed {
            return Ok(());
        }
        refused(format!(
            "the archive {} is not the one that the {list} lists: it is damaged or was replaced. Try again later, and inform the \
             operator of the registry if that does not help",
            self.url
        ))
    }
}

impl Index {
    /// An index without plugins.
    pub(crate) fn empty() -> Self {
        Self {
            format: FORMAT,
            serial: 0,
            issued_at: String::new(),
            expires_at: None,
            plugins: Vec::new(),
        }
    }

    /// Verifies and reads an index. Returns it with the trusted key that signed it.
    pub(crate) fn open(bytes: &[u8], trusted: &[PublicKey]) -> Result<(Self, PublicKey)> {
        let wrong = |problem: String| RegistryError::Refused(format!("the index of the registry {problem}"));
        let (payload, key) = signed::open(INDEX_TYPE, bytes, trusted).map_err(wrong)?;
        let index: Self =
            serde_json::from_slice(&payload).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        index.check().map_err(wrong)?;
        Ok((index, key))
    }

    /// Signs the index.
    pub(crate) fn seal(&self, key: &SigningKey) -> Result<Vec<u8>> {
        let payload = serde_json::to_vec_pretty(self).map_err(|error| RegistryError::Refused(error.to_string()))?;
        signed::seal(INDEX_TYPE, &payload, key)
    }

    /// Checks everything that later becomes part of a path, a line or a request. The error completes a sentence that
    /// begins with the index.
    fn check(&self) -> std::result::Result<(), String> {
        if self.format != FORMAT {
            let format = self.format;
            return Err(format!(
                "has format {format}, and this program reads format {FORMAT}: upgrade it"
            ));
        }
        check_line("an issued_at", &self.issued_at, MAX_TIME_CHARS)?;
        if let Some(time) = &self.expires_at {
            check_line("an expires_at", time, MAX_TIME_CHARS)?;
            let is_time = time.parse::<Timestamp>().is_ok();
            is_time
                .then_some(())
                .ok_or("has an expires_at that is not a time, such as 2027-11-25T02:00:00Z")?;
        }
        if self.plugins.len() > MAX_RELEASES {
            return Err(format!("lists more than {MAX_RELEASES} versions"));
        }
        let mut seen = BTreeSet::new();
        for release in &self.plugins {
            release.check()?;
            if !seen.insert((&release.id, &release.version)) {
                return Err(format!("lists {} {} twice", release.id, release.version));
            }
        }
        Ok(())
    }

    /// The time after which it is refused, if it has one.
    pub fn expiry(&self) -> Option<Timestamp> {
        self.expires_at.as_deref().and_then(|time| time.parse().ok())
    }

    pub(crate) fn check_not_expired(&self, now: Timestamp) -> Result<()> {
        match self.expiry().filter(|expiry| *expiry <= now) {
            None => Ok(()),
            Some(expiry) => refused(format!(
                "the index of the registry expired at {expiry}: it may be a stale copy, which hides a version that fixes a fault. \
                 Check the clock of this machine; if it is right, ask the operator of the registry to publish the index again"
            )),
        }
    }

    /// The version that the operator asked for, or else the newest that this program supports. Versions before a
    /// release, such as 1.0.0-rc.1, are chosen only by name.
    pub fn find(&self, wanted: &Reference) -> Result<&Release> {
        let id = &wanted.id;
        let versions: Vec<&Release> = self.plugins.iter().filter(|release| release.id == *id).collect();
        if versions.is_empty() {
            return refused(format!(
                "the registry has no plugin {id}: `linepress plugin search` lists its plugins"
            ));
        }
        let found = match &wanted.version {
            Some(version) => versions.iter().find(|release| release.version == *version).copied(),
            None => newest(&versions),
        };
        let Some(release) = found else {
            let mut listed: Vec<&Version> = versions.iter().map(|release| &release.version).collect();
            listed.sort();
            let listed: Vec<String> = listed.into_iter().map(Version::to_string).collect();
            let listed = listed.join(", ");
            return refused(format!(
                "the registry has no such version of {id}: name one of {listed}"
            ));
        };
        match check_world(&release.world) {
            Ok(()) => Ok(release),
            Err(problem) => refused(format!("{id} {} cannot be loaded: its {problem}", release.version)),
        }
    }

    /// The newest version of each plugin whose id, description or publisher contains all the words, sorted by id.
    pub fn search(&self, words: &[String]) -> Vec<&Release> {
        let mut plugins: BTreeMap<&str, Vec<&Release>> = BTreeMap::new();
        for release in &self.plugins {
            plugins.entry(&release.id).or_default().push(release);
        }
        let newest = plugins.into_values().filter_map(|versions| {
            newest(&versions).or_else(|| versions.into_iter().max_by_key(|release| &release.version))
        });
        newest.filter(|release| release.has_words(words)).collect()
    }
}

/// The newest release among these that is supported, or else the newest release. `None` if there are only versions
/// before a release.
pub(crate) fn newest<'a>(versions: &[&'a Release]) -> Option<&'a Release> {
    let released = versions.iter().filter(|release| release.version.pre.is_empty());
    released
        .max_by_key(|release| (check_world(&release.world).is_ok(), &release.version))
        .copied()
}

impl Release {
    /// Signs a version as its publisher.
    pub(crate) fn sign(&mut self, key: &SigningKey) {
        self.publisher.key = key.public();
        self.signature = key.sign(&self.statement());
    }

    /// Checks the publisher's signature.
    pub fn check_signature(&self) -> Result<()> {
        if self.publisher.key.verifies(&self.statement(), &self.signature) {
            return Ok(());
        }
        refused(format!(
            "{} {} is not signed with the key of its publisher {}: do not install it, and inform the operator of the registry",
            self.id, self.version, self.publisher.name
        ))
    }

    /// The bytes that the publisher signs.
    fn statement(&self) -> Vec<u8> {
        let text = format!("{}\n{}\n{}\n", self.id, self.version, self.digest);
        signed::encoding(RELEASE_TYPE, text.as_bytes())
    }

    fn has_words(&self, words: &[String]) -> bool {
        let text = format!("{} {} {}", self.id, self.description, self.publisher.name).to_lowercase();
        words.iter().all(|word| text.contains(&word.to_lowercase()))
    }

    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        let Self {
            id,
            version,
            world,
            description,
            publisher,
            archive,
            ..
        } = self;
        if !is_plugin_id(id) {
            return Err(format!(
                "has the id {id:?}, which must be lowercase words of ASCII letters, digits and hyphens, joined by dots"
            ));
        }
        let digests = [("digest", &self.digest), ("archive.sha256", &archive.sha256)];
        if let Some((name, _)) = digests.into_iter().find(|(_, digest)| !is_digest(digest)) {
            return Err(format!(
                "has a {name} of {id} that is no SHA-256 in lowercase hexadecimal"
            ));
        }
        if version.to_string().len() > MAX_VERSION_CHARS {
            return Err(format!(
                "has a version of {id} that is longer than {MAX_VERSION_CHARS} characters"
            ));
        }
        for (name, text, limit) in [
            ("world", world, MAX_WORLD_CHARS),
            ("description", description, MAX_DESCRIPTION_CHARS),
            ("publisher", &publisher.name, MAX_PUBLISHER_CHARS),
            ("archive.url", &archive.url, MAX_URL_CHARS),
        ] {
            check_line(&format!("a {name} of {id}"), text, limit)?;
        }
        Ok(())
    }
}

/// Checks a text that is shown to people.
fn check_line(what: &str, text: &str, limit: usize) -> std::result::Result<(), String> {
    if text.chars().count() > limit || text.contains(is_invisible) {
        return Err(format!(
            "has {what} that is not one line of at most {limit} visible characters"
        ));
    }
    Ok(())
}

pub(crate) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{key, release};

    const NEW_WORLD: &str = "linepress:image/image-provider@0.9";

    fn index(releases: Vec<Release>) -> Index {
        Index {
            serial: 1,
            plugins: releases,
            ..Index::empty()
        }
    }

    fn found(index: &Index, text: &str) -> std::result::Result<String, String> {
        let found = index.find(&text.parse().unwrap());
        found
            .map(|release| release.version.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_newest_supported_release_is_chosen() {
        let key = key();
        let versions = ["1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1"];
        let mut releases: Vec<Release> = versions
            .iter()
            .map(|version| release("acme.flux", version, &key))
            .collect();
        let mut future = release("acme.flux", "3.0.0", &key);
        future.world = NEW_WORLD.into();
        releases.push(future);
        let index = index(releases);
        assert_eq!(found(&index, "acme.flux").unwrap(), "1.10.0");
        assert_eq!(found(&index, "acme.flux@2.0.0-rc.1").unwrap(), "2.0.0-rc.1");
        let refusal = found(&index, "acme.flux@3.0.0").unwrap_err();
        assert!(refusal.contains("another version; this host supports"), "{refusal}");
        let refusal = found(&index, "acme.flux@1.1.0").unwrap_err();
        assert!(refusal.contains("name one of 1.0.0, 1.9.0, 1.10.0"), "{refusal}");
        let passed_over = index.passed_over("acme.flux", &Version::new(1, 9, 0));
        assert_eq!(passed_over.len(), 2, "{passed_over:?}");
        assert!(passed_over[0].contains("acme.flux@2.0.0-rc.1"), "{passed_over:?}");
        assert!(
            passed_over[1].starts_with("3.0.0 cannot be loaded: its world"),
            "{passed_over:?}"
        );
        assert!(found(&index, "bob.flux").unwrap_err().contains("no plugin bob.flux"));
    }

    #[test]
    fn a_search_finds_words_in_id_description_and_publisher() {
        let key = key();
        let index = index(vec![
            release("acme.flux", "1.0.0", &key),
            release("acme.flux", "1.1.0", &key),
            release("bob.ink", "0.1.0", &key),
        ]);
        let ids = |words: &[&str]| -> Vec<String> {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let found = index.search(&words).into_iter();
            found
                .map(|release| format!("{} {}", release.id, release.version))
                .collect()
        };
        assert_eq!(ids(&[]), ["acme.flux 1.1.0", "bob.ink 0.1.0"]);
        assert_eq!(ids(&["Draws", "INK"]), ["bob.ink 0.1.0"]);
        assert!(ids(&["fox"]).is_empty());
    }

    #[test]
    fn an_index_with_a_dangerous_text_is_refused() {
        let key = key();
        let good = release("acme.flux", "1.0.0", &key);
        assert_eq!(index(vec![good.clone()]).check(), Ok(()));
        for id in ["../acme", "Acme.flux", "acme.flüx", "асме.flux", ""] {
            let bad = Release {
                id: id.into(),
                ..good.clone()
            };
            assert!(index(vec![bad]).check().is_err(), "{id}");
        }
        let bad = Release {
            digest: "../../etc".into(),
            ..good.clone()
        };
        assert!(index(vec![bad]).check().is_err());
        for text in ["a\u{1b}[2J", "a\u{202e}b", "a\nb", "a\u{3164}", &"a".repeat(2049)] {
            let mut bad = [(); 4].map(|()| good.clone());
            bad[0].description = text.into();
            bad[1].publisher.name = text.into();
            bad[2].world = text.into();
            bad[3].archive.url = text.into();
            for bad in bad {
                assert!(index(vec![bad.clone()]).check().is_err(), "{bad:?}");
            }
            let bad = Index {
                issued_at: text.into(),
                ..index(Vec::new())
            };
            assert!(bad.check().is_err(), "{text:?}");
        }
        assert!(index(vec![good.clone(), good]).check().unwrap_err().contains("twice"));
        let bad = Index {
            expires_at: Some("tomorrow".into()),
            ..index(Vec::new())
        };
        assert!(bad.check().unwrap_err().contains("not a time"));
        let future = Index {
            format: 2,
            ..index(Vec::new())
        };
        assert!(future.check().unwrap_err().contains("upgrade"));
    }

    #[test]
    fn an_expired_index_is_refused() {
        let at = |time: &str| time.parse::<Timestamp>().unwrap();
        let index = Index {
            expires_at: Some("2027-01-01T00:00:00Z".into()),
            ..index(Vec::new())
        };
        assert_eq!(index.check(), Ok(()));
        assert!(index.check_not_expired(at("2026-12-31T23:59:59Z")).is_ok());
        let refusal = index
            .check_not_expired(at("2027-01-01T00:00:00Z"))
            .unwrap_err()
            .to_string();
        assert!(refusal.contains("expired at 2027-01-01T00:00:00Z"), "{refusal}");
        assert!(Index::empty().check_not_expired(at("9000-01-01T00:00:00Z")).is_ok());
    }

    #[test]
    fn a_signature_is_for_one_digest_of_one_version() {
        let key = key();
        let good = release("acme.flux", "1.0.0", &key);
        good.check_signature().unwrap();
        let others = [
            Release {
                id: "acme.ink".into(),
                ..good.clone()
            },
            Release {
                version: Version::new(1, 0, 1),
                ..good.clone()
            },
            Release {
                digest: "b".repeat(64),
                ..good
            },
        ];
        for other in others {
            let refusal = other.check_signature().unwrap_err().to_string();
            assert!(refusal.contains("not signed with the key"), "{refusal}");
        }
    }
}
