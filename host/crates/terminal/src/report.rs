//! The findings of a check, one line each, with the remedy for those that are problems.
use std::process::ExitCode;

use crate::{print_line, printable};

/// The findings so far.
#[derive(Default)]
pub struct Report {
    problems: usize,
}

impl Report {
    pub fn good(&mut self, what: &str, finding: &str) {
        print_line!("ok       {what}: {}", printable(finding));
    }

    /// Reports a finding that may be intended but could surprise the operator.
    pub fn note(&mut self, what: &str, finding: &str) {
        print_line!("note     {what}: {}", printable(finding));
    }

    /// Lists the items of a finding, at most 100 of them.
    pub fn list(&self, things: impl ExactSizeIterator<Item = String>) {
        const MAX_ITEMS: usize = 100;
        let more = things.len().saturating_sub(MAX_ITEMS);
        for thing in things.take(MAX_ITEMS) {
            print_line!("         - {}", printable(&thing));
        }
        if more > 0 {
            print_line!("         and {more} more");
        }
    }

    pub fn bad(&mut self, what: &str, finding: &str, remedy: &str) {
        self.problems += 1;
        print_line!(
            "PROBLEM  {what}: {}\n         {}",
            printable(finding),
            printable(remedy)
        );
    }

    /// Prints the number of problems; returns failure when there is at least one.
    pub fn finish(self) -> ExitCode {
        match self.problems {
            0 => print_line!("All is well."),
            1 => print_line!("1 problem."),
            many => print_line!("{many} problems."),
        }
        if self.problems == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}
