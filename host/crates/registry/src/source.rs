//! The place of a registry: a folder, or a web server.
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt as _;
use jiff::Timestamp;
use linepress_egress::Fetcher;
use url::Url;

use crate::archive::{ARCHIVE_TIMEOUT, MAX_ARCHIVE_BYTES};
use crate::error::{Result, not_fetched, refused};
use crate::index::{Archive, FILE, Index, MAX_INDEX_BYTES};
use crate::keys::PublicKey;
use crate::store::{Seen, Store};

const INDEX_TIMEOUT: Duration = Duration::from_secs(60);

/// The place of a registry, as the settings name it. Another kind of registry would be another variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexPlace {
    Folder(PathBuf),
    /// The URL ends with a slash.
    Web(Url),
}

impl FromStr for IndexPlace {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, &'static str> {
        if !text.contains("://") {
            return match text {
                "" => Err("must name a folder or a URL"),
                path => Ok(Self::Folder(path.into())),
            };
        }
        let mut url =
            Url::parse(text).map_err(|_| "must be the URL of a folder, such as https://plugins.example.com/")?;
        match url.scheme() {
            "file" => url
                .to_file_path()
                .map(Self::Folder)
                .map_err(|()| "must be file:///folder"),
            "https" => {
                let is_plain = url.username().is_empty() && url.password().is_none();
                if !is_plain || url.port().is_some() || url.query().is_some() || url.fragment().is_some() {
                    return Err("must be a URL without user, port, ? and #");
                }
                if !url.path().ends_with('/') {
                    url.set_path(&format!("{}/", url.path()));
                }
                Ok(Self::Web(url))
            }
            _ => Err("must start with https:// or file:///, or name a folder"),
        }
    }
}

impl fmt::Display for IndexPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(formatter),
            Self::Web(url) => url.fmt(formatter),
        }
    }
}

/// A registry that is read.
pub struct Source {
    place: IndexPlace,
    fetcher: Fetcher,
}

impl Source {
    /// The fetcher decides which addresses may be reached.
    pub fn new(place: IndexPlace, fetcher: Fetcher) -> Self {
        Self { place, fetcher }
    }

    /// Reads the index, and refuses one that no trusted key signed, that has expired, or that is older than one that
    /// was seen before.
    pub async fn index(&self, trusted: &[PublicKey], store: &Store, now: Timestamp) -> Result<(Index, Seen)> {
        let bytes = match &self.place {
            IndexPlace::Folder(folder) => linepress_files::read(&folder.join(FILE), MAX_INDEX_BYTES)?,
            IndexPlace::Web(url) => {
                let url = join(url, FILE)?;
                self.fetch(&url, MAX_INDEX_BYTES, INDEX_TIMEOUT).await?
            }
        };
        let (index, key) = Index::open(&bytes, trusted)?;
        index.check_not_expired(now)?;
        let seen = Seen::new(key, index.serial, &bytes);
        store.check_not_older(&seen)?;
        Ok((index, seen))
    }

    /// Reads an archive, and refuses one that is not exactly what the index announces.
    pub async fn archive(&self, archive: &Archive) -> Result<Vec<u8>> {
        archive.check_size()?;
        let Archive { url, bytes: size, .. } = archive;
        let bytes = match &self.place {
            IndexPlace::Folder(folder) => linepress_files::read_inside(folder, relative(url)?, MAX_ARCHIVE_BYTES)?,
            IndexPlace::Web(index) => self.fetch(&join(index, url)?, *size, ARCHIVE_TIMEOUT).await?,
        };
        archive.check_bytes(&bytes, "index")?;
        Ok(bytes)
    }

    async fn fetch(&self, url: &Url, limit: u64, timeout: Duration) -> Result<Vec<u8>> {
        let failed = |error| not_fetched(url, &error);
        let fetcher = self.fetcher.within(timeout);
        let stream = fetcher.fetch(url.as_str(), limit, Arc::new(())).await.map_err(failed)?;
        let bytes = stream.try_fold(Vec::new(), |mut bytes, chunk| async move {
            bytes.extend_from_slice(&chunk);
            Ok(bytes)
        });
        bytes.await.map_err(failed)
    }
}

fn join(index: &Url, text: &str) -> Result<Url> {
    match index.join(text) {
        Ok(url) if url.scheme() == "https" => Ok(url),
        _ => refused(format!("the index names the archive {text:?}, which is no https URL")),
    }
}

/// The path of an archive in the folder of the registry.
fn relative(text: &str) -> Result<&Path> {
    let path = Path::new(text);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    if text.is_empty() || !is_inside || text.contains("://") {
        return refused(format!(
            "the index names the archive {text:?}, which is not in the folder of the registry"
        ));
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_or_an_https_url() {
        let place = |text: &str| text.parse::<IndexPlace>().map(|place| place.to_string());
        assert_eq!(place("https://plugins.test").unwrap(), "https://plugins.test/");
        assert_eq!(place("https://plugins.test/a").unwrap(), "https://plugins.test/a/");
        assert_eq!(place("file:///mnt/plugins").unwrap(), "/mnt/plugins");
        assert_eq!(place("plugins").unwrap(), "plugins");
        for wrong in [
            "",
            "http://plugins.test",
            "https://ada@plugins.test",
            "https://plugins.test:8443",
            "https://plugins.test/?a",
            "file://host/plugins",
            "oci://plugins.test/acme",
        ] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_archive_stays_in_the_folder_or_on_https() {
        assert!(relative("archives/a.tar.gz").is_ok());
        for wrong in ["", "/etc/passwd", "../a.tar.gz", "a/../../b", "https://a.test/a"] {
            assert!(relative(wrong).is_err(), "{wrong}");
        }
        let index = Url::parse("https://plugins.test/a/").unwrap();
        assert_eq!(
            join(&index, "b.tar.gz").unwrap().as_str(),
            "https://plugins.test/a/b.tar.gz"
        );
        assert!(join(&index, "http://plugins.test/b").is_err());
        assert!(join(&index, "file:///etc/passwd").is_err());
    }
}
