//! Attempts of pages, covers and characters.
use linepress_core::artwork::Origin;
use linepress_core::artwork::attempts::Attempt;

use super::pages::details;
use super::quoted;
use crate::results::attempts::faults;

/// The line for an attempt in a list.
pub(crate) fn list_line(attempt: &Attempt) -> String {
    let origin = match attempt.origin {
        Origin::Generated => "drawn",
        Origin::Imported => "imported",
    };
    let chosen = if attempt.chosen { ", chosen" } else { "" };
    let mut words = format!("{}{chosen}, {origin} {}", attempt.id, attempt.created_at);
    words.push_str(&details("", &attempt.prompt, &faults(attempt), None));
    if let Some(note) = &attempt.note {
        words.push_str(&format!("; note {}", quoted(note)));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn an_attempt_is_described_with_its_prompt_and_note() {
        let mut attempt = samples::attempt();
        assert_eq!(
            list_line(&attempt),
            "att_1, chosen, drawn 2026-11-21T12:00:00.000Z; prompt \"A fox\""
        );
        attempt.chosen = false;
        attempt.origin = Origin::Imported;
        attempt.note = Some("No ferns".into());
        assert_eq!(
            list_line(&attempt),
            "att_1, imported 2026-11-21T12:00:00.000Z; prompt \"A fox\"; note \"No ferns\""
        );
    }
}
