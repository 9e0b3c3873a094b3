//! `linepress print check`: the faults that a printer would find in a file.
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use super::error_of;
use crate::test_app::binary;

/// A PDF of one page in US Letter with these operators.
fn pdf(operators: &str) -> String {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>".to_owned(),
        format!("<< /Length {} >> stream\n{operators}\nendstream", operators.len()),
    ];
    let (mut pdf, mut table) = ("%PDF-1.4\n".to_owned(), "0000000000 65535 f \n".to_owned());
    for (number, object) in (1..).zip(objects) {
        table += &format!("{:010} 00000 n \n", pdf.len());
        pdf += &format!("{number} 0 obj {object} endobj\n");
    }
    let start = pdf.len();
    pdf + &format!("xref\n0 5\n{table}trailer << /Size 5 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n")
}

/// A folder with one PDF, and neither settings nor a database.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("page.pdf"), pdf("1 0 0 rg 100 100 50 50 re f")).unwrap();
    folder
}

fn check(folder: &Path, arguments: &str) -> Output {
    Command::new(binary())
        .args(["print", "check"])
        .args(arguments.split_whitespace())
        .env_clear()
        // No database listens there, and the check connects to none.
        .env("LINEPRESS_DATABASE_URL", "postgres://127.0.0.1:9/none")
        .current_dir(folder)
        .output()
        .unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_file_without_faults_passes_without_a_server() {
    let folder = folder();
    let output = check(folder.path(), "page.pdf --for home");
    assert!(output.status.success(), "{}", error_of(&output));
    assert_eq!(printed(&output), "All is well: book of 1 page for a printer at home.\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn each_finding_is_one_line_that_says_what_to_do() {
    let folder = folder();
    let output = check(folder.path(), "page.pdf --for kdp");
    assert_eq!(output.status.code(), Some(1));
    let lines = "error    file          page_count: Amazon KDP prints 24 to 590 pages of this size, but the book has 1; \
                 add pages until there are 24\n\
                 warning  page 1        ink: text or shapes are in RGB, and the interior is printed with black ink alone; \
                 convert all colors to grayscale when you export the file\n\
                 1 error and 1 warning: interior of 1 page for Amazon KDP.\n";
    assert_eq!(printed(&output), lines);
    let output = check(folder.path(), "page.pdf --for lulu --cover --pages 100 --json");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["findings"][0]["rule"], "cover_size");
    assert_eq!(report["part"], "cover");
}

#[test]
fn a_missing_file_and_an_unknown_printer_are_reported() {
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
