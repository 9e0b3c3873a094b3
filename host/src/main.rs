//! The `linepress` binary.
mod cli;

use std::process::ExitCode;

/// The allocator of static builds: musl's own has one lock for all threads.
#[cfg(all(target_os = "linux", target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    give_freed_pictures_back();
    cli::run()
}

/// Makes glibc map each allocation of 1 MiB or more, such as a picture's pixels, separately, so that its memory returns
/// to the system when it is freed. By default the threshold is 128 KiB and rises with every larger block that is freed,
/// up to 32 MiB: from then on pictures share the heaps of the threads that drew them, and a heap returns only the free
/// memory at its end.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "mallopt has no safe wrapper")]
fn give_freed_pictures_back() {
    // SAFETY: the function takes two numbers, and no other thread runs yet. If it fails, the process only uses more
    // memory.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1024 * 1024);
    }
}
