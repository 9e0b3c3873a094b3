//! The `linepress` binary.
mod cli;

use std::process::ExitCode;

/// The allocator of static builds: musl's own has one lock for all threads.
#[cfg(all(target_os = "linux", target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", any(target_env = "gnu", target_env = "musl")))]
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

/// Makes mimalloc map each allocation of more than 1 MiB separately, so that its memory returns to the system when it
/// is freed. By default it retains the memory of freed pictures. docs/benchmarks.md has figures.
#[cfg(all(target_os = "linux", target_env = "musl"))]
#[expect(unsafe_code, reason = "mi_option_set has no safe wrapper")]
fn give_freed_pictures_back() {
    use libmimalloc_sys::{_mi_option_last, mi_option_set, mi_option_t};

    /// `mi_option_arena_max_object_size`, in KiB, which libmimalloc-sys does not name.
    const ARENA_MAX_OBJECT_SIZE: mi_option_t = 45;
    // The numbers of the options may change when another one is added.
    const _: () = assert!(_mi_option_last == 47);
    // SAFETY: the function takes two numbers, and no other thread runs yet.
    unsafe {
        mi_option_set(ARENA_MAX_OBJECT_SIZE, 1024);
    }
}
