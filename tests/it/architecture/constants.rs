//! Limits and words that are defined once, as constants: neither a template nor SQL repeats them.
use std::path::PathBuf;

use linepress_accounts::accounts::{Plan, Role};
use linepress_accounts::credits::EntryKind;
use linepress_core::artwork::Status;
use linepress_core::operations::{FailureCode, OperationStatus, OperationType, ResourceType};
use linepress_core::pages::Origin;
use linepress_drawings::queue::{DrawingStatus, TargetType};
use linepress_operator::administration::audit_log::AuditTarget;
use linepress_platform::credit_period::CreditPeriod;

use super::sources::{all_sources, gather, root};

#[test]
fn no_template_repeats_a_limit() {
    let mut offenders = Vec::new();
    for (path, text) in templates() {
        for (number, line) in (1..).zip(text.lines()) {
            if repeats_a_limit(line) {
                offenders.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(
        offenders.is_empty(),
        "limits without their constant:\n{}",
        offenders.join("\n")
    );
}

#[test]
fn a_limit_in_a_template_is_recognized() {
    for repeated in [
        r#"<input name="title" maxlength="200">"#,
        r#"<input type="number" min="1" max="100">"#,
        r#"{% call m::line("title", "title", "Title", title, 200, true, "", wrong) %}{% endcall %}"#,
        "<p>At least 10 characters.</p>",
    ] {
        assert!(repeats_a_limit(repeated), "{repeated}");
    }
    for fine in [
        r#"<input type="number" min="1" max="{{ most_pages }}" maxlength="{{ Title::MAX_CHARS }}">"#,
        r#"{% call m::line("title", "title", "Title", title, Title::MAX_CHARS, true, "", wrong) %}{% endcall %}"#,
    ] {
        assert!(!repeats_a_limit(fine), "{fine}");
    }
}

#[test]
fn sql_binds_the_words_of_enums() {
    let words = stored_words();
    let mut offenders = Vec::new();
    for (path, text) in all_sources("host") {
        let code = text.lines().map(str::trim).enumerate();
        for (index, line) in code.filter(|(_, line)| !line.starts_with("//")) {
            if words.iter().any(|word| line.contains(&format!("'{word}'"))) {
                offenders.push(format!("{}:{}: {line}", path.display(), index + 1));
            }
        }
    }
    assert!(
        offenders.is_empty(),
        "words without their enum:\n{}",
        offenders.join("\n")
    );
}

/// The crates of interfaces with Askama templates.
const INTERFACES: [&str; 3] = ["http", "oauth", "web"];

/// The Askama templates of the interfaces, by their path in the project.
fn templates() -> Vec<(PathBuf, String)> {
    let root = root();
    let mut files = Vec::new();
    for interface in INTERFACES {
        gather(&root.join("host/crates").join(interface), "html", &mut files);
    }
    assert!(files.len() > 20, "the templates are in {}", root.display());
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.strip_prefix(&root).unwrap().to_owned(), text)
    };
    files.into_iter().map(read).collect()
}

/// Returns true for a line with a number as the limit of a field, as an argument of a macro, or before "characters".
/// Zero and one are no limits that a constant defines.
fn repeats_a_limit(line: &str) -> bool {
    const ATTRIBUTES: [&str; 4] = [" maxlength=\"", " minlength=\"", " max=\"", " min=\""];
    let begins_with_limit = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().is_ok_and(|number: u64| number > 1)
    };
    let is_argument =
        |argument: &str| begins_with_limit(argument) && argument.bytes().all(|byte| byte.is_ascii_digit());
    let ends_with_digit = |text: &str| text.ends_with(|letter: char| letter.is_ascii_digit());
    let words_before = |noun: &str| line.match_indices(noun).any(|(at, _)| ends_with_digit(&line[..at]));
    let calls = line
        .split("{% call ")
        .skip(1)
        .filter_map(|call| call.split("%}").next());
    ATTRIBUTES
        .iter()
        .any(|attribute| line.split(attribute).skip(1).any(begins_with_limit))
        || calls.flat_map(|call| call.split(", ")).any(is_argument)
        || words_before(" characters")
}

/// The words of the enums that columns store.
fn stored_words() -> Vec<&'static str> {
    let all = [
        Status::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>(),
        DrawingStatus::ALL.iter().map(|word| word.as_str()).collect(),
        OperationStatus::ALL.iter().map(|word| word.as_str()).collect(),
        OperationType::ALL.iter().map(|word| word.as_str()).collect(),
        ResourceType::ALL.iter().map(|word| word.as_str()).collect(),
        TargetType::ALL.iter().map(|word| word.as_str()).collect(),
        FailureCode::ALL.iter().map(|word| word.as_str()).collect(),
        EntryKind::ALL.iter().map(|word| word.as_str()).collect(),
        Origin::ALL.iter().map(|word| word.as_str()).collect(),
        Plan::ALL.iter().map(|word| word.as_str()).collect(),
        Role::ALL.iter().map(|word| word.as_str()).collect(),
        CreditPeriod::ALL.iter().map(|word| word.as_str()).collect(),
        AuditTarget::ALL.iter().map(|word| word.as_str()).collect(),
    ];
    all.concat()
}
