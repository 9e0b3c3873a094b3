//! Locks of files and folders, which are waited for within a time limit.
use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

const POLL_DELAY: Duration = Duration::from_millis(10);

/// Locks a file or a folder, and waits while another process has locked it. Fails with `WouldBlock` after the time limit:
/// any user of the machine may lock what they may read.
pub fn lock_within(file: &File, limit: Duration) -> Result<(), TryLockError> {
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if begin.elapsed() < limit => std::thread::sleep(POLL_DELAY),
            locked => return locked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_of_another_ends_the_waiting_or_the_time_limit_does() {
        let folder = tempfile::tempdir().unwrap();
        let open = || File::open(folder.path()).unwrap();
        let (held, waiting) = (open(), open());
        lock_within(&held, Duration::ZERO).unwrap();
        assert!(matches!(
            lock_within(&waiting, Duration::from_millis(1)),
            Err(TryLockError::WouldBlock)
        ));
        let releasing = std::thread::spawn(move || drop(held));
        lock_within(&waiting, Duration::from_secs(60)).unwrap();
        releasing.join().unwrap();
    }
}
