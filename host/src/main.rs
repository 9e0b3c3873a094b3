//! The command line: `serve`, `account`, `key`, `doctor`.
mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    give_freed_pictures_back();
    cli::run()
}

/// Lets each block of a megabyte or more, which is a picture's pixels, be memory of its own, which goes back to the system
/// when it is freed. glibc begins with 128 KiB and raises that with every larger block that is freed, up to 32 MiB: from
/// then on pictures share the heaps of the threads that drew them, and a heap gives back only what lies free at its end.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "mallopt has no safe wrapper")]
fn give_freed_pictures_back() {
    // SAFETY: it takes two numbers, and no other thread runs yet. If it does nothing, more memory is kept.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1024 * 1024);
    }
}
