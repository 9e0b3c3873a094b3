//! The publication of a version in a repository: its archive, then its manifest.
use std::path::Path;

use http::header::CONTENT_TYPE;
use http::{Method, StatusCode};
use semver::Version;

use super::client::{ARCHIVE_TIMEOUT, Call, MAX_REPLY_BYTES, TIMEOUT, location};
use super::manifest::{self, EMPTY_CONFIG, MANIFEST_TYPE};
use super::place::{OciPlace, Pin, digest_of};
use super::repository::{Offer, Repository};
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

impl Repository {
    /// Packs the author's folder, signs it, and pushes it. Without a tag, the version becomes the tag.
    pub async fn push(&mut self, source: &Path, author: &Author<'_>) -> Result<Pushed> {
        let built = build(source)?;
        let tag = self.tag(&built.preview.version)?;
        let release = self.release(author, &built).await?;
        let manifest = manifest::write(&release)?;
        let pushed = |has_changed| Pushed {
            id: release.id.clone(),
            version: release.version.clone(),
            place: self.place.with_tag(&tag),
            manifest: digest_of(&manifest),
            has_changed,
        };
        let (same, changed) = (pushed(false), pushed(true));
        if self
            .tagged_if_ours(&tag, &release)
            .await?
            .is_some_and(|offer| offer.manifest == same.manifest)
        {
            return Ok(same);
        }
        self.upload(EMPTY_CONFIG.to_vec()).await?;
        self.upload(built.archive).await?;
        self.upload_manifest(&tag, manifest).await?;
        Ok(changed)
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
    async fn release(&mut self, author: &Author<'_>, built: &Built) -> Result<Release> {
        let newest = self.versions().await?.into_iter().next();
        let previous = match newest {
            Some(version) => self.tagged(&version.to_string()).await?,
            None => None,
        };
        let previous = previous.map(|offer| offer.release);
        let id = &built.preview.id;
        if let Some(previous) = previous.as_ref().filter(|previous| previous.id != *id) {
            return refused(format!(
                "{} already has the plugin {}: push {id} to a repository of its own",
                self.place.repository(),
                previous.id
            ));
        }
        let release = sign(author, built, digest_of(&built.archive), previous.as_ref())?;
        let tag = release.version.to_string();
        self.tagged_if_ours(&tag, &release).await?;
        Ok(release)
    }

    /// The version to which a tag leads now. Fails if it is another plugin, or this version with other files or another key.
    async fn tagged_if_ours(&mut self, tag: &str, release: &Release) -> Result<Option<Offer>> {
        // A version with metadata of its build cannot be a tag.
        if tag.contains('+') {
            return Ok(None);
        }
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
        let is_other = published.digest != release.digest || published.publisher.key != release.publisher.key;
        if published.version == release.version && is_other {
            return refused(format!(
                "{} {} was already published with other files or another key: increase the version in plugin.toml and in describe()",
                release.id, release.version
            ));
        }
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
            let what = format!("upload to {}", self.place.repository());
            return self.client.unexpected(&what, &begun);
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
        self.put(&put, &format!("tag {tag}")).await
    }

    async fn put(&mut self, call: &Call, what: &str) -> Result<()> {
        let response = self.client.send(call).await?;
        match response.status() {
            StatusCode::CREATED => Ok(()),
            _ => {
                let what = format!("upload of {what} to {}", self.place.repository());
                self.client.unexpected(&what, &response)
            }
        }
    }
}
