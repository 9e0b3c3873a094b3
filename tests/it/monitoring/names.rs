//! The names of the metrics in the documents: the list, the dashboard and the alert rules.
use std::collections::{BTreeMap, BTreeSet};

use tempfile::TempDir;

use super::exposition::Exposition;
use super::{count_what_is_off, scrape, use_everything};

const LIST: &str = include_str!("../../../docs/monitoring/README.md");
const DASHBOARD: &str = include_str!("../../../docs/monitoring/grafana-dashboard.json");
const RULES: &str = include_str!("../../../docs/monitoring/alert-rules.yml");

/// Families that no alert is about, with the reason.
const WITHOUT_ALERT: [(&str, &str); 10] = [
    ("linepress_build", "a constant"),
    (
        "linepress_database_connections_waiting",
        "the share of connections in use counts",
    ),
    (
        "linepress_plugin_call_duration_seconds",
        "the share of the deadline counts",
    ),
    ("linepress_plugin_requests", "its failures make calls fail"),
    ("linepress_request_log_losses", "the log is for diagnosis only"),
    ("linepress_drawing_duration_seconds", "each provider has its own speed"),
    (
        "linepress_pdf_making_duration_seconds",
        "requests for PDFs become unavailable",
    ),
    (
        "linepress_pdf_request_duration_seconds",
        "requests for PDFs become unavailable",
    ),
    ("linepress_webhook_attempts", "customers run the receivers"),
    ("linepress_webhook_pauses", "a mail tells the customer"),
];

/// The selectors in expressions of PromQL: the names of samples, each with the labels that it is filtered by.
fn selectors(text: &str) -> Vec<(String, Vec<String>)> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    for (start, _) in text.match_indices(|letter: char| letter.is_ascii_lowercase()) {
        let begins = !text[..start].ends_with(is_letter);
        let rest = &text[start..];
        if !begins || !["linepress_", "process_"].iter().any(|prefix| rest.starts_with(prefix)) {
            continue;
        }
        let end = rest.find(|letter| !is_letter(letter)).unwrap_or(rest.len());
        let filter = rest[end..].strip_prefix('{').and_then(|rest| rest.split('}').next());
        let labels = filter.into_iter().flat_map(|filter| filter.split(','));
        let labels = labels.map(|label| label.split(['=', '!']).next().unwrap().trim().to_owned());
        found.push((
            rest[..end].to_owned(),
            labels.filter(|label| !label.is_empty()).collect(),
        ));
    }
    found
}

/// The expressions of the dashboard's panels and variables.
fn dashboard_expressions() -> String {
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).unwrap();
    let mut expressions = String::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            expressions += target["expr"].as_str().unwrap();
            expressions.push('\n');
        }
    }
    for variable in dashboard["templating"]["list"].as_array().unwrap() {
        expressions += variable["query"].as_str().unwrap_or_default();
        expressions.push('\n');
    }
    expressions
}

fn rule_expressions() -> String {
    let lines = RULES.lines().filter_map(|line| line.trim().strip_prefix("expr: "));
    lines.collect::<Vec<_>>().join("\n")
}

/// The labels of each sample's name.
fn exported(read: &Exposition) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut exported: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for sample in read.samples() {
        let labels = sample.labels.keys().map(String::as_str);
        exported.entry(&sample.name).or_default().extend(labels);
    }
    exported
}

#[tokio::test]
async fn the_documents_name_the_metrics_that_the_server_exports() {
    /// Labels that Prometheus adds.
    const ADDED: [&str; 2] = ["job", "instance"];
    let backups = TempDir::new().unwrap();
    let app = use_everything(&backups).await;
    count_what_is_off(&app);
    let read = scrape(&app).await;
    let exported = exported(&read);
    let used = |family: &str, text: &str| {
        let samples = &read.families[family].samples;
        selectors(text)
            .iter()
            .any(|(name, _)| samples.iter().any(|sample| sample.name == *name))
    };
    let (dashboard, rules) = (dashboard_expressions(), rule_expressions());
    for text in [&dashboard, &rules] {
        let selectors = selectors(text);
        assert!(selectors.len() > 15, "{text}");
        for (name, labels) in selectors {
            let own = exported.get(name.as_str());
            let own = own.unwrap_or_else(|| panic!("the server does not export {name}"));
            for label in labels {
                let is_known = own.contains(label.as_str()) || ADDED.contains(&label.as_str());
                assert!(is_known, "{name} has no label {label}");
            }
        }
    }
    for family in read.families.keys() {
        assert!(LIST.contains(&format!("| `{family}")), "{family} is not in the list");
        assert!(used(family, &dashboard), "{family} is not in the dashboard");
        let has_alert = used(family, &rules);
        let is_excepted = WITHOUT_ALERT.iter().any(|(name, _)| name == family);
        assert!(
            has_alert != is_excepted,
            "{family}: either an alert or a reason for none"
        );
    }
    let listed = LIST.lines().filter_map(|line| line.strip_prefix("| `"));
    for name in listed.filter_map(|line| line.split(['`', '{']).next()) {
        let mut families = read.families.keys();
        let sample = |family: &String| read.families[family].samples.iter().any(|sample| sample.name == name);
        assert!(
            exported.contains_key(name) || families.any(|family| family == name || sample(family)),
            "the list names {name}"
        );
    }
}

#[test]
fn each_alert_has_a_duration_a_severity_and_advice() {
    let alerts: Vec<&str> = RULES.split("- alert: ").skip(1).collect();
    assert!(alerts.len() > 10);
    for alert in alerts {
        for part in ["expr: ", "for: ", "severity: ", "summary: ", "description: "] {
            assert!(alert.contains(part), "no {part}: {alert}");
        }
    }
}

#[test]
fn selectors_are_found_with_their_labels() {
    let text = "sum by (le) (rate(linepress_a_bucket{route!~\"x\", status=\"5\"}[5m])) / my_linepress_b + process_c";
    let expected = [
        ("linepress_a_bucket", vec!["route", "status"]),
        ("process_c", Vec::new()),
    ];
    let found = selectors(text);
    let found: Vec<(&str, Vec<&str>)> = found
        .iter()
        .map(|(name, labels)| (name.as_str(), labels.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(found, expected);
}
