//! The server as a process, sent the worst pictures at a time: what it remembers is its memory.
#![cfg(target_os = "linux")]
use std::os::unix::fs::PermissionsExt as _;

use crate::recovery::{Server, Site};
use crate::test_app::Form;
use crate::test_app::pictures::{self, ANIMATED_WEBP, CMYK_JPEG, SVG};

/// MiB that the process may ever have taken.
const MOST: u64 = 400;

/// MiB of memory of its own that it may still have when all is done, beside what it had when it was idle.
const KEPT: u64 = 40;

/// Each as a form, and the status it must get.
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

/// The most memory that a process ever had, in MiB.
fn high_water_mark(server: &Server) -> u64 {
    mebibytes(server, "VmHWM:")
}

/// What Linux tells of a process's memory.
fn mebibytes(server: &Server, what: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() / 1024
}

/// Files on their way in lie in the folder of the data: what is for all programs has no room, or is memory.
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
    assert!(most < MOST, "{most} MiB; {idle} before the first");
    let kept = mebibytes(&server, "RssAnon:") - own;
    println!("{kept} MiB are kept");
    // Other allocators than glibc's are not told when to give memory back.
    if cfg!(target_env = "gnu") {
        assert!(kept < KEPT, "{kept} MiB are kept beside {own}");
    }
}
