//! The processes of the nodes and their logs.
use super::Check;
use crate::site::Site;

/// The words with which a node logs a panic of its own, as opposed to one of a plugin.
const PANIC: &str = "thread panicked";

/// No node ended by itself, ignored a request to end, or panicked.
pub(super) fn processes(site: &Site) -> Check {
    let mut violations = Vec::new();
    let mut count = 0;
    for node in &site.nodes {
        violations.extend(node.history().offenses);
        for log in node.logs() {
            count += 1;
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            let panics = text.lines().filter(|line| line.contains(PANIC));
            violations.extend(panics.map(|line| format!("{}: {line}", log.display())));
        }
    }
    Check::new("no node panicked or ended by itself", count, "processes", violations)
}
