//! Folders and components made to harm the server that loads them.
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use linepress_plugin_host::CompileLimits;
use serde_json::json;

use super::folder::{Folder, draw, woods};

/// Removes one of the files of the plugin `plain`; returns its path.
fn without(folder: &Folder, file: &str) -> PathBuf {
    let path = folder.settings.directory.join("plain").join(file);
    std::fs::remove_file(&path).unwrap();
    path
}

fn sparse(path: &std::path::Path, bytes: u64) {
    std::fs::File::create(path).unwrap().set_len(bytes).unwrap();
}

/// A component that no compiler accepts: its only function adds two numbers from an empty stack.
fn invalid() -> Vec<u8> {
    let module = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x05\x01\x03\0\x6a\x0b";
    let name = b"linepress:image/provider@0.1.0";
    let parts: [&[u8]; 6] = [
        b"\0asm\x0d\0\x01\0\x01\x19",
        module,
        b"\x05\x03\x01\x01\0",
        b"\x0b\x24\x01\0\x1e",
        name,
        b"\x05\0\0",
    ];
    parts.concat()
}

#[tokio::test]
async fn a_pipe_and_a_device_are_no_plugin_files() {
    for (file, kind) in [
        ("plugin.toml", "its plugin.toml is refused"),
        ("plugin.wasm", "its component is refused"),
    ] {
        let folder = Folder::with(&["plain"]);
        let path = without(&folder, file);
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        let refusal = folder.refusal().await;
        assert!(
            refusal.starts_with(kind) && refusal.contains("is a pipe: put a regular file"),
            "{refusal}"
        );
        std::fs::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
        let refusal = folder.refusal().await;
        assert!(
            refusal.starts_with(kind) && refusal.contains("link to outside"),
            "{refusal}"
        );
    }
}

#[tokio::test]
async fn files_that_are_too_large_are_refused_unread() {
    for (file, limit) in [("plugin.toml", 64 << 10), ("plugin.wasm", 64 << 20)] {
        let folder = Folder::with(&["plain"]);
        sparse(&without(&folder, file), 1 << 40);
        let refusal = folder.refusal().await;
        let expected = format!("{file} has 1099511627776 bytes, and at most {limit} are read: make it smaller");
        assert!(refusal.ends_with(&expected), "{refusal}");
    }
}

#[tokio::test]
async fn templates_that_are_too_large_are_refused_unread() {
    let folder = Folder::with(&["folio"]);
    let templates = folder.settings.directory.join("folio/templates");
    std::fs::create_dir_all(&templates).unwrap();
    std::fs::write(templates.join("folio.typ"), "").unwrap();
    sparse(&templates.join("large.png"), 20 << 30);
    let refusal = folder.refusal().await;
    assert!(refusal.starts_with("its templates are refused: "), "{refusal}");
    assert!(
        refusal.ends_with("large.png has 21474836480 bytes, and at most 67108864 are read: make it smaller"),
        "{refusal}"
    );
}

#[tokio::test]
async fn an_endless_description_is_refused() {
    let folder = Folder::with(&["catalog"]);
    std::fs::create_dir_all(folder.settings.directory.join("catalog/templates")).unwrap();
    assert_eq!(
        folder.refusal().await,
        "it cannot describe itself: the response is too large: more than 1048576 bytes"
    );
}

#[tokio::test]
async fn an_invalid_component_is_compiled_only_once() {
    let mut folder = Folder::with(&["plain"]);
    folder.settings.cache_directory = folder.directory.path().join("compiled");
    folder.exchange("plain", &invalid()).await;
    let first = folder.refusal().await;
    assert!(first.starts_with("its component cannot be compiled: "), "{first}");
    let second = folder.refusal().await;
    let (reason, path) = second.split_once("; to try again, delete ").unwrap();
    assert_eq!(reason, first);
    std::fs::remove_file(path).unwrap();
    assert_eq!(folder.refusal().await, first);
}

#[tokio::test]
async fn compiling_has_a_time_limit_and_changed_limits_cause_another_attempt() {
    let mut folder = Folder::with(&["plain"]);
    folder.settings.cache_directory = folder.directory.path().join("compiled");
    folder.settings.compile_limits.memory_mib = 16;
    let first = folder.refusal().await;
    assert!(
        first.starts_with("compiling its component failed, with at most 16 MiB of memory"),
        "{first}"
    );
    assert!(folder.refusal().await.starts_with(&first));
    folder.settings.compile_limits.memory_mib = CompileLimits::default().memory_mib;
    folder.settings.compile_limits.deadline_s = 0;
    // The machine is to blame: nothing is remembered.
    let late = "compiling its component took longer than 0 s on this machine; it will be tried again";
    assert_eq!(folder.refusal().await, late);
    assert_eq!(folder.refusal().await, late);
    folder.settings.compile_limits = CompileLimits::default();
    draw(&folder.load().await, "plain", 1).await.unwrap();
}

#[tokio::test]
async fn a_missing_compiler_is_not_remembered_as_a_fault_of_the_component() {
    let mut folder = Folder::with(&["plain"]);
    folder.settings.cache_directory = folder.directory.path().join("compiled");
    folder.settings.program = folder.directory.path().join("nowhere");
    let refusal = folder.refusal().await;
    assert!(
        refusal.starts_with("its component was not compiled: the compiler process failed"),
        "{refusal}"
    );
    assert_eq!(std::fs::read_dir(&folder.settings.cache_directory).unwrap().count(), 0);
}

#[tokio::test]
async fn a_component_of_another_world_is_not_compiled() {
    let mut folder = Folder::with(&["plain", "stray"]);
    folder.settings.cache_directory = folder.directory.path().join("compiled");
    folder.rewrite("plain", "image/image-provider", "planner/book-planner");
    assert_eq!(folder.load().await.refusals().len(), 2);
    assert_eq!(std::fs::read_dir(&folder.settings.cache_directory).unwrap().count(), 0);
}

#[tokio::test]
async fn busy_providers_do_not_delay_a_planner() {
    let mut folder = Folder::with(&["slow", "echo"]).configure("slow", json!({"milliseconds": 60_000}));
    folder.settings.max_concurrent_calls.image_providers = 1;
    folder.settings.max_concurrent_calls.planners = 1;
    let plugins = folder.load().await;
    let busy = plugins.clone();
    let drawing = tokio::spawn(async move { draw(&busy, "slow", 1).await });
    tokio::task::yield_now().await;
    plugins
        .planner("testbed.echo")
        .unwrap()
        .plan(woods("woods", 3))
        .await
        .unwrap();
    assert!(!drawing.is_finished());
    drawing.abort();
}
