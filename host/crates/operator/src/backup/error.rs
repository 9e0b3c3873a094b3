//! The reasons why a backup or a restore fails.
use std::io;

use linepress_platform::database::{OpenError, Place};
use linepress_platform::error::Error;
use linepress_platform::storage::CopyError;

/// The reason why a backup or a restore failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("another backup of this database is being made; wait until it has ended")]
    Running,
    #[error("the backup was interrupted for so long that objects may have been deleted since it began; start it again")]
    Interrupted,
    #[error("{0} contains backups of another server; choose another folder, or another prefix of the bucket")]
    AnotherServer(String),
    #[error("{place} is not a place for backups: it {problem}, or the path of a folder")]
    Unsupported { place: String, problem: &'static str },
    #[error(
        "{place} overlaps the object store {objects}, so that each would delete the other's files; choose another folder, or another prefix of the bucket"
    )]
    Overlap { place: String, objects: String },
    #[error(
        "{0} contains no snapshot, although backups were made there; mount its disk, or begin again with `linepress backup {0}`"
    )]
    Emptied(String),
    #[error("{0} contains no backup")]
    NoBackup(String),
    #[error(
        "the snapshot {snapshot} does not exist in {place}; `linepress backup list {place}` lists the existing ones"
    )]
    NoSnapshot { snapshot: String, place: String },
    #[error("a newer program made the snapshot {0}; update this program")]
    Newer(String),
    #[error("the file {0} of the backup is damaged; restore another snapshot")]
    Damaged(String),
    #[error("the snapshot {snapshot} does not fit the tables of this program: {problem}")]
    Unfit { snapshot: String, problem: String },
    #[error(
        "the database {0} is not empty, and a restore never overwrites data; name a new file or an empty database in `database_url`"
    )]
    DatabaseInUse(Place),
    #[error(
        "the object store {0} is not empty, or belongs to another database; name an empty folder or an unused prefix of a bucket in `storage_url`, or another `data_dir`"
    )]
    ObjectsInUse(String),
    #[error(
        "the restore of the snapshot {begun} was begun here; restore that one again, or begin with an empty database and an empty object store"
    )]
    AnotherBegun { begun: String },
    #[error("{0}; `--skip-damaged` restores everything else")]
    Object(CopyError),
    #[error(transparent)]
    Copy(#[from] CopyError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("the database reported an error: {0}")]
    Sql(#[from] sqlx::Error),
    #[error("{}", .0.for_operator())]
    Server(#[from] Error),
    #[error("a file cannot be read or written: {0}")]
    File(#[from] io::Error),
}
