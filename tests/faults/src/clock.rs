//! The clock of a machine, which can jump: the programs that run with it see another time of day than the kernel's.
use std::fs::{self, File};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use rustix::process::Pid;
use tokio::process::Command;

/// The source of the library that changes the time of day. libfaketime is not used: its version 0.9.10, which Debian 12
/// and Ubuntu 24.04 have, fails `clock_nanosleep` until a time of a steady clock, and leaves files in /dev/shm.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/clock.c");

/// The name of the file of the compiled library.
const LIBRARY: &str = "clock.so";

#[derive(Default)]
pub(crate) struct Clock {
    library: PathBuf,
    /// The file with the seconds by which the clock is ahead of the kernel's.
    seconds: PathBuf,
}

impl Clock {
    /// Creates a clock that agrees with the kernel's, with its files in this folder.
    pub(crate) fn create(folder: &Path) -> anyhow::Result<Self> {
        let clock = Self {
            library: folder.join(LIBRARY),
            seconds: folder.join("clock"),
        };
        let mut compiler = std::process::Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O2", "-o"]).arg(&clock.library);
        let compiled = compiler.arg(SOURCE).status();
        let compiled = compiled.context("the C compiler cc cannot be started")?;
        ensure!(compiled.success(), "{SOURCE} cannot be compiled ({compiled})");
        fs::write(&clock.seconds, 0_i64.to_ne_bytes())
            .with_context(|| format!("{} cannot be written", clock.seconds.display()))?;
        // PostgreSQL runs as another user, if this program runs as root.
        for file in [&clock.library, &clock.seconds] {
            fs::set_permissions(file, fs::Permissions::from_mode(0o644))?;
        }
        Ok(clock)
    }

    /// Gives this clock to a program that is not started yet.
    pub(crate) fn apply_to(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", &self.library)
            .env("MACHINE_CLOCK", &self.seconds);
    }

    /// Fails if a program that runs has not loaded the library, so that a jump of its clock would have no effect. The
    /// dynamic linker only warns about a library that it cannot find.
    pub(crate) fn check_is_used_by(&self, process: Pid) -> anyhow::Result<()> {
        let maps = format!("/proc/{}/maps", process.as_raw_nonzero());
        let mapped = fs::read(&maps).with_context(|| format!("{maps} cannot be read"))?;
        ensure!(
            names_library(&String::from_utf8_lossy(&mapped)),
            "a program runs without {}, so its clock cannot be set. Read its log. LD_PRELOAD separates paths at spaces \
             and colons, so the target folder must contain none of them",
            self.library.display()
        );
        Ok(())
    }

    /// Puts the clock ahead of the kernel's by a number of seconds, or behind it by a negative one. Programs that run
    /// see this at once.
    pub(crate) fn set(&self, seconds: i64) -> anyhow::Result<()> {
        // In place, because programs have mapped the file.
        let file = File::options().write(true).open(&self.seconds);
        let written = file.and_then(|file| file.write_all_at(&seconds.to_ne_bytes(), 0));
        written.with_context(|| format!("{} cannot be written", self.seconds.display()))
    }
}

/// Returns true if the library is among the mapped files of a program, which are in the format of `/proc/PID/maps`.
fn names_library(maps: &str) -> bool {
    let mut files = maps.lines().filter_map(|line| line.rsplit_once('/'));
    files.any(|(_, name)| name == LIBRARY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds since 1970, as a program with this clock sees them.
    async fn seen_with(clock: &Clock) -> i64 {
        let mut date = Command::new("date");
        clock.apply_to(&mut date);
        let output = date.arg("+%s").output().await.unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    }

    #[tokio::test]
    async fn a_program_sees_the_clock_that_was_set() {
        const DAY: i64 = 24 * 3600;
        let folder = std::env::temp_dir().join(format!("linepress-clock-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let clock = Clock::create(&folder).unwrap();
        let before = seen_with(&clock).await;
        for days in [40, -40, 0] {
            clock.set(days * DAY).unwrap();
            let jump = seen_with(&clock).await - before;
            assert!(
                (days * DAY..(days + 1) * DAY).contains(&jump),
                "{jump} s instead of {days} days"
            );
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_program_that_has_not_loaded_the_library_is_recognized() {
        for (kind, is_loaded) in [("plain", true), ("with space", false), ("with:colon", false)] {
            let folder = std::env::temp_dir().join(format!("linepress-library-{}-{kind}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            let clock = Clock::create(&folder).unwrap();
            let mut cat = Command::new("cat");
            clock.apply_to(&mut cat);
            let output = cat.arg("/proc/self/maps").output().await.unwrap();
            fs::remove_dir_all(folder).unwrap();
            let maps = String::from_utf8(output.stdout).unwrap();
            assert_eq!(names_library(&maps), is_loaded, "{kind}: {maps}");
        }
    }
}
