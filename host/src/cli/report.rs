//! Findings of a check, one line each, and what to do about those that are problems.
use std::process::ExitCode;

use super::printable;

/// The findings so far.
#[derive(Default)]
pub(super) struct Report {
    problems: usize,
}

impl Report {
    pub(super) fn good(&mut self, what: &str, finding: &str) {
        println!("ok       {what}: {}", printable(finding));
    }

    /// What is as it was meant to be, perhaps, and will surprise somebody.
    pub(super) fn note(&mut self, what: &str, finding: &str) {
        println!("note     {what}: {}", printable(finding));
    }

    /// One thing after the other that a finding is about, as many as one may want to read.
    pub(super) fn list(&self, things: impl ExactSizeIterator<Item = String>) {
        const MOST: usize = 100;
        let more = things.len().saturating_sub(MOST);
        for thing in things.take(MOST) {
            println!("         - {}", printable(&thing));
        }
        if more > 0 {
            println!("         and {more} more");
        }
    }

    pub(super) fn bad(&mut self, what: &str, finding: &str, remedy: &str) {
        self.problems += 1;
        println!(
            "PROBLEM  {what}: {}\n         {}",
            printable(finding),
            printable(remedy)
        );
    }

    /// Says how many problems there are; a failure when there is one.
    pub(super) fn finish(self) -> ExitCode {
        match self.problems {
            0 => println!("All is well."),
            1 => println!("1 problem."),
            many => println!("{many} problems."),
        }
        if self.problems == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}
