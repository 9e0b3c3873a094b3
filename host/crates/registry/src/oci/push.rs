//! The publication of a version in a repository: its archive, then its manifest.
use std::path::Path;

use http::header::CONTENT_TYPE;
use http::{Method, Response, StatusCode};
use semver::Version;

use super::client::{Call, MAX_REPLY_BYTES, TIMEOUT, location};
use super::manifest::{self, EMPTY_CONFIG, MANIFEST_TYPE};
use super::place::{OciPlace, Pin, digest_of};
use super::repository::{Offer, Repository};
use crate::archive::ARCHIVE_TIMEOUT;
use crate::authoring::{Author, Built, build, sign};
use crate::error::{Result, refused};
use crate::index::Release;

/// A version that was pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    pub id: String,
    pub version: Version,
    pub place: OciPlace,
    /// The digest of the manifest.
    pub manifest: String,
    /// False if the tag already led to exactly this version.
    pub has_changed: bool,
}

/// The tags that a push writes, and the versions to which they lead before.
struct Found {
    /// The version that is pushed.
    version: Version,
    tags: Vec<(String, Option<Offer>)>,
}

impl Found {
    /// The same version, if it is published already.
    fn published(&self) -> Option<&Offer> {
        let mut offers = self.tags.iter().filter_map(|(_, offer)| offer.as_ref());
        offers.find(|offer| offer.release.version == self.version)
    }

    /// The tags that do not lead to this manifest.
    fn stale_tags(&self, manifest: &str) -> Vec<String> {
        let is_stale = |offer: &Option<Offer>| offer.as_ref().is_none_or(|offer| offer.manifest != manifest);
        let stale = self.tags.iter().filter(|(_, offer)| is_stale(offer));
        stale.map(|(tag, _)| tag.clone()).collect()
    }
}

impl Repository {
    /// Packs the author's folder, signs it, and pushes it to the tag of its version, and then to the tag of the place
    /// if that is another one. A version that is already published is not replaced: other tags get its manifest.
    pub async fn push(&mut self, source: &Path, author: &Author<'_>) -> Result<Pushed> {
        let built = build(source)?;
        let tag = self.tag(&built.preview.version)?;
        let release = self.release(author, &built, &tag).await?;
        let found = self.published(&tag, &release).await?;
        let bytes = match found.published() {
            Some(offer) => self.bytes_of(offer).await?,
            None => {
                self.upload(EMPTY_CONFIG.to_vec()).await?;
                self.upload(built.archive).await?;
                manifest::write(&release)?
            }
        };
        let manifest = digest_of(&bytes);
        let stale = found.stale_tags(&manifest);
        for tag in &stale {
            self.upload_manifest(tag, bytes.clone()).await?;
        }
        Ok(Pushed {
            place: self.place.with_tag(&tag),
            id: release.id,
            version: release.version,
            manifest,
            has_changed: !stale.is_empty(),
        })
    }

    /// The versions at the tags that the push writes: first the tag of the version, then the tag of the place.
    async fn published(&mut self, tag: &str, release: &Release) -> Result<Found> {
        let mut tags = Vec::new();
        // A version with metadata of its build cannot be a tag.
        if release.version.build.is_empty() {
            tags.push(release.version.to_string());
        }
        if tags.iter().all(|version| version != tag) {
            tags.push(tag.to_owned());
        }
        let mut found = Found {
            version: release.version.clone(),
            tags: Vec::new(),
        };
        for tag in tags {
            let offer = self.tagged_if_ours(&tag, release).await?;
            found.tags.push((tag, offer));
        }
        Ok(found)
    }

    /// The bytes of the manifest of a published version.
    async fn bytes_of(&mut self, offer: &Offer) -> Result<Vec<u8>> {
        let place = self.place.with_digest(&offer.manifest);
        match self.manifest(&offer.manifest, &place).await? {
            Some((bytes, _)) => Ok(bytes),
            None => refused(format!(
                "{} leads to {place}, which the registry does not have: push again, and inform the operator of the registry if \
                 that does not help",
                offer.place
            )),
        }
    }

    /// The tag to push. A tag that is a version names the plugin's version.
    fn tag(&self, version: &Version) -> Result<String> {
        let tag = match &self.place.pin {
            Pin::Newest if version.build.is_empty() => version.to_string(),
            Pin::Newest => {
                return refused(format!(
                    "{version} cannot be a tag: name one, such as {}:latest",
                    self.place
                ));
            }
            Pin::Tag(tag) => tag.clone(),
            Pin::Digest(_) => return refused("a version is pushed to a tag: name one instead of the digest"),
        };
        match Version::parse(&tag) {
            Ok(tagged) if tagged != *version => refused(format!(
                "the plugin has the version {version}, and the tag {tag} is another one: leave out the tag, or change the version in \
                 plugin.toml and in describe()"
            )),
            _ => Ok(tag),
        }
    }

    /// The signed record of the version, after the checks against the published versions.
    async fn release(&mut self, author: &Author<'_>, built: &Built, tag: &str) -> Result<Release> {
        let newest = self.versions().await?.into_iter().next();
        // Without a tag of a version, the tag of the place may lead to one.
        let before = newest.map_or_else(|| tag.to_owned(), |version| version.to_string());
        let previous = self.tagged(&before).await?.map(|offer| offer.release);
        let id = &built.preview.id;
        if let Some(previous) = previous.as_ref().filter(|previous| previous.id != *id) {
            return refused(format!(
                "{} already has the plugin {}: push {id} to a repository of its own",
                self.place.repository(),
                previous.id
            ));
        }
        // Its key and its texts are those of the next version.
        if let Some(previous) = &previous {
            previous.check_signature()?;
        }
        sign(author, built, digest_of(&built.archive), previous.as_ref())
    }

    /// The version to which a tag leads now. Fails if it is another plugin, or this version with other files or another
    /// key.
    async fn tagged_if_ours(&mut self, tag: &str, release: &Release) -> Result<Option<Offer>> {
        let Some(offer) = self.tagged(tag).await? else {
            return Ok(None);
        };
        let published = &offer.release;
        if published.id != release.id {
            return refused(format!(
                "{} is the plugin {}: push {} to a repository of its own",
                offer.place, published.id, release.id
            ));
        }
        if published.version != release.version {
            return Ok(Some(offer));
        }
        let is_other = published.digest != release.digest || published.publisher.key != release.publisher.key;
        if is_other {
            return refused(format!(
                "{} {} was already published with other files or another key: increase the version in plugin.toml and in describe()",
                release.id, release.version
            ));
        }
        published.check_signature()?;
        Ok(Some(offer))
    }

    /// Uploads a blob in one piece.
    async fn upload(&mut self, bytes: Vec<u8>) -> Result<()> {
        let digest = digest_of(&bytes);
        let begin = Call {
            method: Method::POST,
            ..Call::get(self.client.url("blobs/uploads/")?, MAX_REPLY_BYTES)
        };
        let begun = self.client.send(&begin).await?;
        if begun.status() != StatusCode::ACCEPTED {
            return self.not_uploaded("a blob", &begun);
        }
        let mut url = location(&begin.url, &begun)?;
        url.query_pairs_mut().append_pair("digest", &digest);
        let put = Call {
            method: Method::PUT,
            url,
            header: Some((CONTENT_TYPE, "application/octet-stream")),
            body: bytes,
            limit: MAX_REPLY_BYTES,
            timeout: ARCHIVE_TIMEOUT,
        };
        self.put(&put, &digest).await
    }

    async fn upload_manifest(&mut self, tag: &str, manifest: Vec<u8>) -> Result<()> {
        let put = Call {
            method: Method::PUT,
            url: self.client.url(&format!("manifests/{tag}"))?,
            header: Some((CONTENT_TYPE, MANIFEST_TYPE)),
            body: manifest,
            limit: MAX_REPLY_BYTES,
            timeout: TIMEOUT,
        };
        self.put(&put, &format!("the tag {tag}")).await
    }

    async fn put(&mut self, call: &Call, what: &str) -> Result<()> {
        let response = self.client.send(call).await?;
        match response.status() {
            StatusCode::CREATED => Ok(()),
            _ => self.not_uploaded(what, &response),
        }
    }

    fn not_uploaded<T>(&self, what: &str, response: &Response<Vec<u8>>) -> Result<T> {
        let repository = self.place.repository();
        match response.status() {
            // Registries also hide repositories from users without rights.
            StatusCode::NOT_FOUND => refused(format!(
                "{what} cannot be uploaded: there is no {repository}, or the user may not write to it. Check the path, create the \
                 repository if the registry asks for that, and check the rights of the user"
            )),
            _ => self
                .client
                .unexpected(&format!("the upload of {what} to {repository}"), response),
        }
    }
}
