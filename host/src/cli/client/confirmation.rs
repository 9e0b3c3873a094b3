//! The question whether an order may be charged.
use std::io::{self, IsTerminal as _, Write as _};

use anyhow::{bail, ensure};

/// Asks a person; without one at a terminal, the price must have been accepted by an argument.
pub(super) fn ask(question: &str) -> anyhow::Result<()> {
    ensure!(
        io::stdin().is_terminal(),
        "nothing was ordered: there is no terminal on which to confirm the price. Repeat the command with --yes"
    );
    let mut terminal = io::stderr();
    write!(terminal, "{question} [y/N] ")?;
    terminal.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    if is_yes(&answer) {
        return Ok(());
    }
    bail!("nothing was ordered")
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_one() {
        assert!(["y\n", " Yes \n", "YES"].iter().all(|answer| is_yes(answer)));
        assert!(["", "\n", "n", "yesterday"].iter().all(|answer| !is_yes(answer)));
    }
}
