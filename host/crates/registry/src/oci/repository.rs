//! A repository that is read: its tags, the versions to which they lead, and their archives.
use http::header::{ACCEPT, LINK};
use http::{Response, StatusCode};
use linepress_egress::Dialer;
use linepress_plugin_host::check_world;
use semver::Version;
use serde::Deserialize;
use url::Url;

use super::client::{Call, Client, MAX_REPLY_BYTES, OciAccess, Rights, bare};
use super::manifest::{self, MANIFEST_TYPE, MAX_MANIFEST_BYTES};
use super::place::{OciPlace, Pin, digest_of, is_tag, sha256_of};
use crate::archive::ARCHIVE_TIMEOUT;
use crate::error::{RegistryError, Result, refused};
use crate::index::Release;

/// Maximum size of one page of tags.
const MAX_TAGS_BYTES: u64 = 1 << 20;
/// Maximum number of pages of tags.
const MAX_TAG_PAGES: usize = 20;
/// Maximum number of versions whose manifests are read to find one that this program supports.
const MAX_EXAMINED: usize = 10;
/// The header with the digest of a manifest.
const CONTENT_DIGEST: &str = "docker-content-digest";

/// A repository of plugins in an OCI registry.
pub struct Repository {
    pub(super) place: OciPlace,
    pub(super) client: Client,
}

/// A version that a repository offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub release: Release,
    /// The place at which it was found: a tag or a digest.
    pub place: OciPlace,
    /// The digest of its manifest.
    pub manifest: String,
    /// The reasons why newer versions were not chosen, one line for each, if the place names no version.
    pub passed_over: Vec<String>,
}

/// A manifest that was received, or the reason why it is not used.
type Examined = std::result::Result<Offer, String>;

/// The newest version of a repository.
pub struct Newest {
    /// `None` if the repository has no released version that this program supports.
    pub offer: Option<Offer>,
    /// The reasons why newer versions were not chosen, one line for each.
    pub passed_over: Vec<String>,
}

impl Repository {
    /// A repository for reading.
    pub fn new(place: &OciPlace, dialer: Dialer, access: OciAccess) -> Result<Self> {
        Self::with_rights(place, dialer, access, Rights::Pull)
    }

    /// A repository for reading and writing.
    pub fn for_push(place: &OciPlace, dialer: Dialer, access: OciAccess) -> Result<Self> {
        Self::with_rights(place, dialer, access, Rights::Push)
    }

    fn with_rights(place: &OciPlace, dialer: Dialer, access: OciAccess, rights: Rights) -> Result<Self> {
        Ok(Self {
            client: Client::new(place, dialer, access, rights)?,
            place: place.clone(),
        })
    }

    /// The version that the place names: by its tag, by its digest, or the newest one.
    pub async fn offer(&mut self, place: &OciPlace) -> Result<Offer> {
        match &place.pin {
            Pin::Newest => self.supported_newest().await,
            Pin::Tag(reference) | Pin::Digest(reference) => {
                let Some(offer) = self.find(reference, place.clone()).await? else {
                    return refused(format!(
                        "there is no {place}: `linepress plugin search {}` lists the versions of the repository",
                        self.place.repository()
                    ));
                };
                match check_world(&offer.release.world) {
                    Ok(()) => Ok(offer),
                    Err(problem) => {
                        let Release { id, version, .. } = &offer.release;
                        refused(format!("{id} {version} cannot be loaded: its {problem}"))
                    }
                }
            }
        }
    }

    async fn supported_newest(&mut self) -> Result<Offer> {
        let Newest { offer, passed_over } = self.newest(&[]).await?;
        match offer {
            Some(offer) => Ok(Offer { passed_over, ..offer }),
            None if passed_over.is_empty() => refused(format!(
                "{} has no tag that is a released version, such as 1.2.0: name a tag",
                self.place.repository()
            )),
            None => refused(passed_over.join("; ")),
        }
    }

    /// The newest released version that this program supports, apart from those that are `left_out`. A manifest that is
    /// not one of a plugin does not hide the older versions; a failed request and a wrong digest are errors, because the
    /// next attempt may find a newer version.
    pub async fn newest(&mut self, left_out: &[Version]) -> Result<Newest> {
        let mut passed_over = Vec::new();
        let (early, released): (Vec<Version>, Vec<Version>) = self
            .versions()
            .await?
            .into_iter()
            .filter(|version| !left_out.contains(version))
            .partition(|version| !version.pre.is_empty());
        for version in released.iter().take(MAX_EXAMINED) {
            let tag = version.to_string();
            let offer = match self.examined(&tag, self.place.with_tag(&tag)).await? {
                Some(Ok(offer)) => offer,
                Some(Err(problem)) => {
                    passed_over.push(format!("{version} is left out: {problem}"));
                    continue;
                }
                None => continue,
            };
            match check_world(&offer.release.world) {
                Ok(()) => {
                    passed_over.extend(
                        early
                            .iter()
                            .filter(|early| *early > version)
                            .map(|early| self.named(early)),
                    );
                    let offer = Some(offer);
                    return Ok(Newest { offer, passed_over });
                }
                Err(problem) => passed_over.push(format!("{version} cannot be loaded: its {problem}")),
            }
        }
        passed_over.extend(early.iter().take(MAX_EXAMINED).map(|early| self.named(early)));
        let offer = None;
        Ok(Newest { offer, passed_over })
    }

    fn named(&self, early: &Version) -> String {
        let place = self.place.with_tag(&early.to_string());
        format!("{early} is not yet released: name it to install it, as {place}")
    }

    /// The version to which a tag leads. `None` if there is no such tag.
    pub async fn tagged(&mut self, tag: &str) -> Result<Option<Offer>> {
        self.find(tag, self.place.with_tag(tag)).await
    }

    async fn find(&mut self, reference: &str, place: OciPlace) -> Result<Option<Offer>> {
        let examined = self.examined(reference, place).await?;
        examined.transpose().map_err(RegistryError::Refused)
    }

    /// Reads the manifest to which a reference leads. `None` if there is none.
    async fn examined(&mut self, reference: &str, place: OciPlace) -> Result<Option<Examined>> {
        let found = self.manifest(reference, &place).await?;
        Ok(found.map(|(bytes, manifest)| examine(reference, place, &bytes, manifest)))
    }

    /// The bytes of a manifest and their digest.
    pub(super) async fn manifest(&mut self, reference: &str, place: &OciPlace) -> Result<Option<(Vec<u8>, String)>> {
        let url = self.client.url(&format!("manifests/{reference}"))?;
        let call = Call {
            header: Some((ACCEPT, MANIFEST_TYPE)),
            ..Call::get(url, MAX_MANIFEST_BYTES)
        };
        let response = self.client.send(&call).await?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => return Ok(None),
            _ => return self.client.unexpected(&format!("the manifest of {place}"), &response),
        }
        let announced = response.headers().get(CONTENT_DIGEST).cloned();
        let announced = announced.as_ref().and_then(|digest| digest.to_str().ok());
        // Digests of another algorithm are not computed.
        let announced = announced.filter(|digest| sha256_of(digest).is_some());
        let bytes = response.into_body();
        let digest = digest_of(&bytes);
        let named = match &place.pin {
            Pin::Digest(named) => Some(named.as_str()),
            Pin::Newest | Pin::Tag(_) => None,
        };
        for expected in [named, announced].into_iter().flatten() {
            if expected != digest {
                return refused(format!(
                    "the manifest of {place} has the digest {digest}, and not {expected}: it is damaged or was replaced. Try \
                     again later, and inform the operator of the registry if that does not help"
                ));
            }
        }
        Ok(Some((bytes, digest)))
    }

    /// Reads an archive, and refuses one that is not exactly what the manifest announces.
    pub async fn archive(&mut self, release: &Release) -> Result<Vec<u8>> {
        let archive = &release.archive;
        archive.check_size()?;
        // The limit is also that of a redirect and of an error, whose bodies may be larger than a small archive.
        let limit = archive.bytes.max(MAX_REPLY_BYTES);
        let call = Call {
            timeout: ARCHIVE_TIMEOUT,
            ..Call::get(self.client.url(&format!("blobs/{}", archive.url))?, limit)
        };
        let response = self.client.send(&call).await?;
        if response.status() != StatusCode::OK {
            let what = format!("archive {} of {}", archive.url, self.place.repository());
            return self.client.unexpected(&what, &response);
        }
        let bytes = response.into_body();
        archive.check_bytes(&bytes, "manifest")?;
        Ok(bytes)
    }

    /// The tags that are versions, the newest first.
    pub async fn versions(&mut self) -> Result<Vec<Version>> {
        let tags = self.tags().await?.unwrap_or_default();
        let mut versions: Vec<Version> = tags.iter().filter_map(|tag| Version::parse(tag).ok()).collect();
        versions.sort();
        versions.reverse();
        Ok(versions)
    }

    /// The tags of the repository. `None` if there is no such repository.
    pub async fn tags(&mut self) -> Result<Option<Vec<String>>> {
        let mut tags = Vec::new();
        let mut url = self.client.url("tags/list?n=1000")?;
        for page in 1..=MAX_TAG_PAGES {
            let response = self.client.send(&Call::get(url.clone(), MAX_TAGS_BYTES)).await?;
            match response.status() {
                StatusCode::OK => {}
                StatusCode::NOT_FOUND if page == 1 => return Ok(None),
                _ => {
                    let what = format!("page {page} of the tags of {}", self.place.repository());
                    return self.client.unexpected(&what, &response);
                }
            }
            tags.extend(read_tags(response.body(), &url)?);
            let Some(next) = next_page(&url, &response) else {
                return Ok(Some(tags));
            };
            if !self.client.is_own(&next) {
                return refused(format!(
                    "the tags of {} continue at {}, which is another server: name a tag, and inform the operator of the registry",
                    self.place.repository(),
                    bare(&next)
                ));
            }
            url = next;
        }
        refused(format!(
            "{} has more tags than are read: name one",
            self.place.repository()
        ))
    }
}

/// Reads a manifest. The error is a sentence that names the place.
fn examine(reference: &str, place: OciPlace, bytes: &[u8], manifest: String) -> Examined {
    let release = manifest::read(bytes).map_err(|problem| format!("the manifest of {place} {problem}"))?;
    // A tag that is a version cannot lead to another one, such as an older one with a known fault.
    if let Ok(version) = Version::parse(reference)
        && version != release.version
    {
        return Err(format!(
            "{place} leads to version {}: do not install it, and inform the publisher",
            release.version
        ));
    }
    Ok(Offer {
        release,
        place,
        manifest,
        passed_over: Vec::new(),
    })
}

fn read_tags(bytes: &[u8], url: &Url) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Page {
        /// Registries send null for an empty repository.
        tags: Option<Vec<String>>,
    }
    match serde_json::from_slice::<Page>(bytes) {
        Ok(page) => Ok(page
            .tags
            .unwrap_or_default()
            .into_iter()
            .filter(|tag| is_tag(tag))
            .collect()),
        Err(error) => refused(format!("{url} is not a list of tags: {error}")),
    }
}

/// The URL of the next page, as a header such as `Link: </v2/acme/a/tags/list?last=b>; rel="next"` names it.
fn next_page(url: &Url, response: &Response<Vec<u8>>) -> Option<Url> {
    let link = response.headers().get(LINK)?.to_str().ok()?;
    let (target, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
    let is_next = parameters.contains("rel=\"next\"") || parameters.contains("rel=next");
    is_next.then(|| url.join(target).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_that_of_the_link() {
        let url = Url::parse("https://oci.test/v2/acme/a/tags/list").unwrap();
        let next = |link: &str| {
            let response = Response::builder().header(LINK, link).body(Vec::new()).unwrap();
            next_page(&url, &response).map(|next| next.to_string())
        };
        let page = "https://oci.test/v2/acme/a/tags/list?last=b&n=1";
        assert_eq!(
            next("</v2/acme/a/tags/list?last=b&n=1>; rel=\"next\"").as_deref(),
            Some(page)
        );
        assert_eq!(next(&format!("<{page}>; rel=next")).as_deref(), Some(page));
        for none in ["", "</a>", "</a>; rel=\"prev\"", "/a; rel=\"next\""] {
            assert_eq!(next(none), None, "{none}");
        }
    }

    #[test]
    fn only_valid_tags_are_read() {
        let url = Url::parse("https://oci.test/").unwrap();
        let tags = |text: &str| read_tags(text.as_bytes(), &url);
        let listed = r#"{"name": "a", "tags": ["1.0.0", "../a", "a\u001b", "latest", ""]}"#;
        assert_eq!(tags(listed).unwrap(), ["1.0.0", "latest"]);
        assert!(tags(r#"{"tags": null}"#).unwrap().is_empty());
        assert!(tags("[]").is_err());
    }
}
