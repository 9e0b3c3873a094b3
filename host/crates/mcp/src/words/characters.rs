//! Characters.
use linepress_core::artwork::Status;
use linepress_core::characters::Character;

use super::{named_with_status, quoted};

/// A character by its id, name and status.
pub(super) fn line(character: &Character) -> String {
    named_with_status(&character.id, &character.name, character.status)
}

/// The line for a character in a list.
pub(crate) fn list_line(character: &Character) -> String {
    match &character.active_operation_id {
        Some(operation) => format!("{}, drawn by {operation}", line(character)),
        None => line(character),
    }
}

pub(crate) fn character(character: &Character) -> String {
    let mut words = line(character);
    for (name, text) in [("description", &character.description), ("style", &character.style)] {
        if !text.is_empty() {
            words.push_str(&format!("; {name} {}", quoted(text)));
        }
    }
    if let Some(url) = &character.public_preview_url {
        words.push_str(&format!("; public preview at {url}"));
    }
    words.push('.');
    words
}

pub(crate) fn after_character(character: &Character) -> String {
    let id = &character.id;
    match (character.status, &character.active_operation_id) {
        (Status::Ready, _) => {
            format!("name {id} in character_ids of a book or a page; look_at_character shows it to you.")
        }
        (Status::Generating, Some(operation)) => format!("wait_for_operation {operation}."),
        (Status::Generating, None) => format!("get_character {id} again: its drawing ended just now."),
        (Status::Failed, _) => format!("regenerate_character {id}: it could not be drawn."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use linepress_platform::ids::OperationId;

    #[test]
    fn a_character_is_described_with_the_texts_that_it_has() {
        let mut pip = samples::character(Status::Generating);
        pip.active_operation_id = Some(OperationId::from_text("op_1"));
        assert_eq!(
            character(&pip),
            "char_1 \"Pip\", generating; description \"A hedgehog\"."
        );
        assert_eq!(list_line(&pip), "char_1 \"Pip\", generating, drawn by op_1");
        assert_eq!(after_character(&pip), "wait_for_operation op_1.");
    }
}
