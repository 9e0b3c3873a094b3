//! Templates that fail, or try to access what they must not.
use std::fs;
use std::path::Path;
use std::time::Duration;

use linepress_print::{PrintError, RenderSettings, Renderer};

use super::{folder_with, print_from, print_with, renderer, renderer_with};
use crate::test_app::binary;

#[tokio::test]
async fn an_error_in_a_template_names_its_place() {
    let error = print_with(&renderer(), "#let a = 1\n#unknown-function()")
        .await
        .unwrap_err();
    let PrintError::Template { template, diagnostics } = error else {
        panic!("{error}")
    };
    assert_eq!(template, "us_letter.typ");
    assert!(
        diagnostics.starts_with("us_letter.typ:2:2: unknown variable"),
        "{diagnostics}"
    );
}

#[tokio::test]
async fn a_missing_font_stops_the_book() {
    let error = print_with(&renderer(), "#set text(font: \"Nowhere Sans\")\nHello")
        .await
        .unwrap_err();
    assert!(
        matches!(&error, PrintError::Template { diagnostics, .. } if diagnostics.contains("nowhere sans")),
        "{error}"
    );
}

#[tokio::test]
async fn a_template_can_read_only_its_folder_and_the_book() {
    let renderer = renderer();
    for reach in [
        "#read(\"/etc/hostname\")",
        "#read(\"../secret\")",
        "#import \"@preview/cetz:0.3.1\"",
        "#datetime.today()",
        "#image(\"drawings/002.pdf\")",
    ] {
        let error = print_with(&renderer, reach).await.unwrap_err();
        assert!(matches!(error, PrintError::Template { .. }), "{reach}: {error}");
    }
    assert!(print_with(&renderer, "#image(\"drawings/001.pdf\")").await.is_ok());
}

const ENDLESS: &str = "#let n = 0\n#for a in range(1000000) { for b in range(1000000) { n += a * b } }";

/// Returns the status files of a program's processes in `/proc`.
#[cfg(target_os = "linux")]
fn processes_of(program: &Path) -> Vec<String> {
    let folders = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let own = folders.filter(|folder| {
        let line = fs::read_to_string(folder.join("cmdline")).unwrap_or_default();
        line.split('\0').next().is_some_and(|name| Path::new(name) == program)
    });
    own.filter_map(|folder| fs::read_to_string(folder.join("status")).ok())
        .collect()
}

/// The effects of the confinement have separate tests; this one checks that it happens before a template runs.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_template_runs_in_a_confined_process() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("linepress");
    std::os::unix::fs::symlink(binary(), &program).unwrap();
    let renderer = Renderer::new(RenderSettings {
        program: program.clone(),
        timeout: Duration::from_secs(10),
        memory_limit_bytes: 4 << 30,
        max_concurrent: 1,
        font_folders: Vec::new(),
    });
    let confined = async {
        // A process must set `NoNewPrivs` before it can confine itself.
        while !processes_of(&program)
            .iter()
            .any(|status| status.contains("NoNewPrivs:\t1"))
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        ended = print_with(&renderer, ENDLESS) => panic!("no process confined itself: {:?}", ended.map(drop)),
        () = confined => {}
    }
}

#[tokio::test]
async fn a_template_cannot_run_webassembly() {
    let folder = folder_with("");
    fs::write(folder.path().join("a.wasm"), b"\0asm\x01\0\0\0").unwrap();
    for (template, message) in [
        ("#plugin(\"a.wasm\")", "us_letter.typ:1:2: unknown variable: plugin"),
        (
            "#std.plugin(\"a.wasm\")",
            "us_letter.typ:1:6: module `global` does not contain `plugin`",
        ),
    ] {
        fs::write(folder.path().join("us_letter.typ"), template).unwrap();
        let error = print_from(&renderer(), folder.path()).await.unwrap_err();
        assert!(
            matches!(&error, PrintError::Template { diagnostics, .. } if diagnostics.starts_with(message)),
            "{template}: {error}"
        );
    }
}

#[tokio::test]
async fn a_template_folder_with_too_much_in_it_stops_the_book() {
    let folder = folder_with("Hello");
    let large = fs::File::create(folder.path().join("large.png")).unwrap();
    large.set_len(20 << 30).unwrap();
    let error = print_from(&renderer(), folder.path()).await.unwrap_err();
    assert!(matches!(error, PrintError::Templates(_)), "{error}");
    assert!(
        error
            .to_string()
            .contains("large.png has 21474836480 bytes, and at most 67108864 are read"),
        "{error}"
    );
}

#[tokio::test]
async fn an_endless_template_is_stopped() {
    let renderer = renderer_with(Duration::from_millis(1500), 4 << 30);
    let error = print_with(&renderer, ENDLESS).await.unwrap_err();
    // The first limit to take effect ends it: the timeout of the parent or the CPU time of the child.
    assert!(
        matches!(error, PrintError::TimedOut(_) | PrintError::Crashed { .. }),
        "{error}"
    );
    // The permit has been released: otherwise this would wait for it without end. A busy machine may need longer than
    // the timeout for this book, too.
    let next = tokio::time::timeout(Duration::from_secs(60), print_with(&renderer, "Hello")).await;
    let next = next.expect("the permit is released");
    assert!(
        matches!(next, Ok(_) | Err(PrintError::TimedOut(_))),
        "{:?}",
        next.map(drop)
    );
}

#[tokio::test]
async fn a_greedy_template_affects_no_other_book() {
    let renderer = renderer_with(Duration::from_secs(30), 1 << 30);
    let greedy = "#range(1000000000).len()";
    let error = print_with(&renderer, greedy).await.unwrap_err();
    assert!(matches!(error, PrintError::Crashed { .. }), "{error}");
}
