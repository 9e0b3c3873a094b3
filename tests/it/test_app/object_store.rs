//! The separate object store of each test: a folder, or a bucket of the S3 server that the run started.
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use linepress_platform::config::{Config, S3};

use super::Relay;
use super::database::is_on_postgres;

/// The URL of an S3 server where the tests may create buckets. The credentials are in the variables that the tools of
/// Amazon read, and any are accepted.
const S3_VARIABLE: &str = "LINEPRESS_TEST_S3";

/// The prefix of the keys in a bucket.
const PREFIX: &str = "books";

/// An empty store.
#[derive(Clone)]
pub(crate) enum ObjectStore {
    /// The folder `objects` in the data folder of the server.
    Folder,
    Bucket {
        /// The URL of the S3 server.
        server: String,
        name: String,
        stall_seconds: u64,
    },
}

impl ObjectStore {
    /// The kind of store that this run tests: a folder with SQLite, and a bucket with PostgreSQL if there is a server.
    pub(crate) fn of_this_run() -> Self {
        match std::env::var(S3_VARIABLE) {
            Ok(server) if is_on_postgres() => Self::create_bucket(server),
            _ => Self::Folder,
        }
    }

    /// A new bucket, whatever the run tests.
    pub(crate) fn bucket() -> Self {
        let server = std::env::var(S3_VARIABLE);
        Self::create_bucket(server.expect("the tests of S3 run with `cargo xtask test`, which starts a server"))
    }

    /// The same bucket behind a relay, whose silence is noticed within a second.
    pub(crate) fn behind(&self, relay: &Relay) -> Self {
        match self {
            Self::Folder => panic!("the test needs a bucket"),
            Self::Bucket { server, name, .. } => Self::Bucket {
                server: relay.url_of(server),
                name: name.clone(),
                stall_seconds: 1,
            },
        }
    }

    /// The URL of the S3 server.
    pub(crate) fn server(&self) -> &str {
        match self {
            Self::Folder => panic!("the test needs a bucket"),
            Self::Bucket { server, .. } => server,
        }
    }

    fn create_bucket(server: String) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("linepress-{}-{number}", std::process::id());
        ureq::put(format!("{server}/{name}")).send_empty().unwrap();
        Self::Bucket {
            server,
            name,
            stall_seconds: 60,
        }
    }

    /// Changes the settings of a server so that it uses this store.
    pub(crate) fn configure(&self, config: &mut Config) {
        if let Self::Bucket {
            server, stall_seconds, ..
        } = self
        {
            config.storage_url = self.url();
            config.s3 = S3 {
                endpoint: server.clone(),
                allow_http: true,
                stall_seconds: *stall_seconds,
                ..S3::default()
            };
        }
    }

    /// The same settings as environment variables.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Folder => Vec::new(),
            Self::Bucket { server, .. } => vec![
                ("LINEPRESS_STORAGE_URL", self.url()),
                ("LINEPRESS_S3__ENDPOINT", server.clone()),
                ("LINEPRESS_S3__ALLOW_HTTP", "true".into()),
            ],
        }
    }

    /// The value of `storage_url`.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Folder => String::new(),
            Self::Bucket { name, .. } => format!("s3://{name}/{PREFIX}"),
        }
    }

    /// Returns the keys of all stored objects; `data` is the data folder of the server.
    pub(crate) fn keys(&self, data: &Path) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        match self {
            Self::Folder => {
                let root = data.join("objects");
                gather(&root, &root, &mut keys);
            }
            Self::Bucket { .. } => {
                let listed = self.read("list-type=2");
                assert!(listed.contains("<IsTruncated>false"), "{listed}");
                let begin = format!("<Key>{PREFIX}/");
                keys.extend(listed.split(&begin).skip(1).map(|rest| {
                    let (key, _) = rest.split_once("</Key>").unwrap();
                    key.to_owned()
                }));
            }
        }
        keys
    }

    /// Returns the number of uploads to a bucket that are neither complete nor aborted.
    pub(crate) fn begun_uploads(&self) -> usize {
        self.read("uploads").matches("<Upload>").count()
    }

    fn read(&self, query: &str) -> String {
        let Self::Bucket { server, name, .. } = self else {
            panic!("the test needs a bucket");
        };
        let mut reply = ureq::get(format!("{server}/{name}?{query}")).call().unwrap();
        reply.body_mut().read_to_string().unwrap()
    }
}

fn gather(root: &Path, folder: &Path, keys: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            gather(root, &path, keys);
        } else {
            keys.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}
