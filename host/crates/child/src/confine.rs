//! Restrictions of the child's access to files and the network.
use std::io;
use std::path::Path;

/// The part of the confinement that the operating system enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Nothing,
    /// Only some of the restrictions, on an older kernel: for example files but not the network.
    Part,
    Whole,
}

/// Confines this thread and every thread and process that it starts: they can read the files below the `readable`
/// folder, if there is one, and can open no other file and no TCP connection. Files and connections that are already
/// open remain usable.
///
/// Linux enforces this with Landlock, from version 5.13 for files and from 6.7 for the network. A kernel without
/// Landlock is not an error, because the child's other limits work without it.
#[cfg(target_os = "linux")]
pub fn confine(readable: Option<&Path>) -> io::Result<Extent> {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreated,
        RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
    };

    /// The newest Landlock version whose rights this code knows. An older kernel enforces those that it supports.
    const NEWEST_ABI: ABI = ABI::V6;
    let folders = readable.map(PathFd::new).transpose().map_err(io::Error::other)?;
    let rights = AccessFs::ReadFile | AccessFs::ReadDir;
    let rules = folders.map(|folder| Ok::<_, RulesetError>(PathBeneath::new(folder, rights)));
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST_ABI))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(NEWEST_ABI)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(NEWEST_ABI)))
        .and_then(Ruleset::create)
        .and_then(|ruleset| ruleset.add_rules(rules))
        .and_then(RulesetCreated::restrict_self);
    match status.map_err(io::Error::other)?.ruleset {
        RulesetStatus::NotEnforced => Ok(Extent::Nothing),
        RulesetStatus::PartiallyEnforced => Ok(Extent::Part),
        RulesetStatus::FullyEnforced => Ok(Extent::Whole),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn confine(_readable: Option<&Path>) -> io::Result<Extent> {
    Ok(Extent::Nothing)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::io::ErrorKind::PermissionDenied;
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_files_below_the_folder_can_be_read() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let secret = outside.path().join("secret");
        fs::write(&secret, "secret").unwrap();
        fs::write(inside.path().join("a.typ"), "hello").unwrap();
        symlink(&secret, inside.path().join("link.typ")).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let confined = || {
            let extent = confine(Some(inside.path())).unwrap();
            assert_eq!(fs::read_to_string(inside.path().join("a.typ")).unwrap(), "hello");
            assert_eq!(fs::read_dir(inside.path()).unwrap().count(), 2);
            if extent == Extent::Nothing {
                eprintln!("skipped: this kernel has no Landlock");
                return;
            }
            for file in [&secret, &inside.path().join("link.typ"), Path::new("/etc/passwd")] {
                assert_eq!(
                    fs::read(file).unwrap_err().kind(),
                    PermissionDenied,
                    "{}",
                    file.display()
                );
            }
            let written = fs::write(inside.path().join("b.typ"), "");
            assert_eq!(written.unwrap_err().kind(), PermissionDenied);
            if extent == Extent::Whole {
                let dialled = TcpStream::connect(listener.local_addr().unwrap());
                assert_eq!(dialled.unwrap_err().kind(), PermissionDenied);
            }
        };
        // Only the spawned thread is confined.
        std::thread::scope(|scope| scope.spawn(confined).join().unwrap());
        assert_eq!(fs::read_to_string(secret).unwrap(), "secret");
    }
}
