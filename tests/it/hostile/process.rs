//! The memory of the server process while it receives hostile pictures concurrently.
#![cfg(target_os = "linux")]
use std::os::unix::fs::PermissionsExt as _;

use crate::recovery::{Server, Site};
use crate::test_app::Form;
use crate::test_app::pictures::{self, ANIMATED_WEBP, CMYK_JPEG, SVG};

/// The limit of the process's peak memory in MiB.
const MAX_PEAK_MEBIBYTES: u64 = 400;

/// The limit in MiB for the private memory that the process retains afterwards, in addition to its memory when it was
/// idle.
const MAX_RETAINED_MEBIBYTES: u64 = 40;

/// Returns the forms by name, with the status that each must get.
fn forms() -> Vec<(&'static str, Vec<u8>, u16)> {
    let forms = [
        ("bomb.png", pictures::bomb(), 422),
        ("half.jpg", pictures::truncated_jpeg(2700, 3600), 422),
        ("moving.webp", ANIMATED_WEBP.to_vec(), 422),
        ("inks.jpg", CMYK_JPEG.to_vec(), 201),
        ("sixteen.png", pictures::sixteen_bit_png(3600, 4800), 201),
        ("tilted.png", pictures::tilted_png(3600, 2700), 201),
        ("drawing.png", SVG.to_vec(), 422),
        ("dot.png", pictures::single_pixel(), 422),
    ];
    let form = |(name, bytes, status): (&'static str, Vec<u8>, u16)| {
        (name, Form::titled(name).picture(name, &bytes).finish(), status)
    };
    forms.into_iter().map(form).collect()
}

fn send(server: &Server, key: &str, form: &[u8]) -> u16 {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let request = agent
        .post(format!("{}/pages/import", server.base))
        .header("authorization", &format!("Bearer {key}"))
        .header("content-type", &Form::media_type());
    request.send(form).unwrap().status().as_u16()
}

/// Returns the peak memory of the process in MiB.
fn high_water_mark(server: &Server) -> u64 {
    mebibytes(server, "VmHWM:")
}

/// Returns a value in MiB from the status that Linux reports for a process.
fn mebibytes(server: &Server, what: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() / 1024
}

/// Incoming files are written to the data folder: the system's temporary folder may be small, or in memory.
#[tokio::test]
async fn an_import_needs_no_temporary_folder_of_the_system() {
    let site = Site::new(1).await;
    let server = site.start();
    let form = Form::titled("A")
        .picture("a.png", &pictures::sixteen_bit_png(900, 1200))
        .finish();
    assert_eq!(send(&server, &site.key, &form), 201);
    let incoming = site.data().join("incoming");
    let mode = std::fs::metadata(&incoming).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(std::fs::read_dir(&incoming).unwrap().count(), 0);
}

#[tokio::test]
async fn eight_hostile_pictures_at_a_time_do_not_exhaust_the_memory() {
    let site = Site::new(1).await;
    let server = site.start();
    let idle = high_water_mark(&server);
    let own = mebibytes(&server, "RssAnon:");
    let forms = forms();
    for round in 0..4 {
        std::thread::scope(|scope| {
            for (name, form, status) in &forms {
                let (server, key) = (&server, &site.key);
                scope.spawn(move || assert_eq!(send(server, key, form), *status, "{name}, round {round}"));
            }
        });
        println!("after round {round}: {} MiB, idle {idle}", high_water_mark(&server));
    }
    let most = high_water_mark(&server);
    assert!(most < MAX_PEAK_MEBIBYTES, "{most} MiB; {idle} before the first");
    let kept = mebibytes(&server, "RssAnon:") - own;
    println!("{kept} MiB are retained");
    // Only glibc's allocator is configured to return memory to the system.
    if cfg!(target_env = "gnu") {
        assert!(
            kept < MAX_RETAINED_MEBIBYTES,
            "{kept} MiB are retained in addition to {own}"
        );
    }
}
