//! `linepress print check`: what a printer would find wrong with a file.
use std::path::Path;
use std::process::{Command, Output};

use linepress_imaging::prepare_drawing;
use linepress_model::{Aspect, Audience};
use serde_json::Value;
use tempfile::TempDir;

use super::error_of;
use crate::test_app::{binary, pictures};

/// A folder with a PDF of one page, and nothing else: no settings, no database.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let drawing = prepare_drawing(&pictures::png(600, 800), Aspect::Portrait, Audience::Child).unwrap();
    std::fs::write(folder.path().join("page.pdf"), drawing.master).unwrap();
    folder
}

fn check(folder: &Path, arguments: &str) -> Output {
    Command::new(binary())
        .args(["print", "check"])
        .args(arguments.split_whitespace())
        .env_clear()
        // Nobody listens there, and no check asks.
        .env("LINEPRESS_DATABASE_URL", "postgres://127.0.0.1:9/none")
        .current_dir(folder)
        .output()
        .unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_file_without_faults_passes_where_no_server_is() {
    let folder = folder();
    let output = check(folder.path(), "page.pdf --for home");
    assert!(output.status.success(), "{}", error_of(&output));
    insta::assert_snapshot!(printed(&output), @"");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn each_finding_is_one_line_that_says_what_to_do() {
    let folder = folder();
    let output = check(folder.path(), "page.pdf --for kdp");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(printed(&output), @"");
    let output = check(folder.path(), "page.pdf --for lulu --cover --pages 100 --json");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["findings"][0]["rule"], "cover_size");
    assert_eq!(report["part"], "cover");
}

#[test]
fn what_is_no_file_or_no_printer_is_told() {
    let folder = folder();
    std::fs::write(folder.path().join("text.pdf"), "no PDF").unwrap();
    let output = check(folder.path(), "text.pdf --for lulu");
    assert_eq!(output.status.code(), Some(1));
    assert!(printed(&output).contains("damaged"), "{}", printed(&output));
    for (arguments, words) in [
        ("nowhere.pdf --for kdp", "nowhere.pdf cannot be read"),
        (". --for kdp", "is a folder"),
        ("page.pdf --for ingram", "it must be one of home, kdp, lulu"),
        ("page.pdf --for home --cover", "leave out --cover"),
        ("page.pdf", "--for"),
    ] {
        let output = check(folder.path(), arguments);
        assert!(!output.status.success(), "{arguments}");
        assert!(error_of(&output).contains(words), "{arguments}: {}", error_of(&output));
    }
}
