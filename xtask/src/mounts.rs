//! Programs with small file systems of their own, in memory. Only the program sees them, and they are gone when it has
//! ended.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use rustix::process::{getgid, getuid};

use crate::{project, tools};

/// Mounts a file system with the options `$1` at each path before `--`, and executes the program after it.
const SCRIPT: &str = r#"
options=$1
shift
while [ "$1" != -- ]; do
    mount -t tmpfs -o "$options" tmpfs "$1" || exit
    shift
done
shift
exec "$@"
"#;

/// A way to mount file systems that this machine permits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mounts {
    /// This program runs as root.
    Root,
    /// The user is root in a namespace, which the program leaves for another one before it starts: PostgreSQL refuses
    /// to run as root.
    UserNamespace,
    /// With sudo, in continuous integration. Ubuntu 24.04 refuses the namespaces of users.
    Sudo,
}

/// Returns a line about the test of this module, if this system skips it.
pub(crate) fn skip() -> Option<String> {
    let refusal = Mounts::find().err()?;
    Some(format!(
        "a_program_has_a_disk_that_can_be_full_and_is_gone_afterwards (1 test of xtask): {refusal:#}"
    ))
}

impl Mounts {
    /// Finds a way that works. Fails with the reason for which the last one does not.
    pub(crate) fn find() -> anyhow::Result<Self> {
        if tools::is_root() {
            return Self::Root.tried();
        }
        let own = Self::UserNamespace.tried();
        if own.is_err() && tools::in_ci() {
            return Self::Sudo.tried();
        }
        own
    }

    fn tried(self) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut command = self.command(1 << 20, &[folder.path().to_owned()], Path::new("true"));
        project::read(&mut command).context("this system does not permit mounting a file system")?;
        Ok(self)
    }

    /// Returns a command that runs a program as this user, with an empty file system of this size at each of the
    /// folders, which must exist.
    pub(crate) fn command(self, bytes: u64, folders: &[PathBuf], program: &Path) -> Command {
        let (user, group) = (getuid().as_raw(), getgid().as_raw());
        let options = format!("size={bytes},mode=700");
        let (mut command, options) = match self {
            Self::Root => (Command::new("unshare"), options),
            Self::UserNamespace => {
                let mut command = Command::new("unshare");
                command.arg("--map-root-user");
                (command, options)
            }
            Self::Sudo => {
                let mut command = Command::new("sudo");
                command.args(["-n", "--preserve-env", "unshare"]);
                (command, format!("{options},uid={user},gid={group}"))
            }
        };
        command
            .args(["--mount", "--", "sh", "-c", SCRIPT, "sh", &options])
            .args(folders)
            .arg("--");
        match self {
            Self::Root => {}
            Self::UserNamespace => {
                let (user, group) = (format!("--map-user={user}"), format!("--map-group={group}"));
                command.args(["unshare", "--user", &user, &group, "--"]);
            }
            Self::Sudo => {
                let (user, group) = (format!("--reuid={user}"), format!("--regid={group}"));
                command.args(["setpriv", &user, &group, "--init-groups", "--"]);
            }
        }
        command.arg(program);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_a_disk_that_can_be_full_and_is_gone_afterwards() {
        // `cargo xtask test` lists this test if the system permits no way.
        let Ok(mounts) = Mounts::find() else { return };
        let folder = tempfile::tempdir().unwrap();
        let mut command = mounts.command(1 << 20, &[folder.path().to_owned()], Path::new("sh"));
        let filled = r#"! head -c 2000000 /dev/zero 2>/dev/null >"$0/file" && stat -c "%s %u" "$0/file""#;
        let written = project::read(command.args(["-c", filled]).arg(folder.path())).unwrap();
        assert_eq!(written, format!("1048576 {}", getuid().as_raw()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
