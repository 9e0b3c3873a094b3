//! Characters.
use serde::Serialize;
use utoipa::ToSchema;

use super::Meta;
use linepress_core::artwork::Status;
use linepress_core::characters::Character;
use linepress_platform::ids::{CharacterId, OperationId};

/// The result of a tool that returns one character.
#[derive(Serialize, ToSchema)]
pub(crate) struct CharacterResult {
    pub character: Character,
}

/// The summary of a character, for lists.
#[derive(Serialize, ToSchema)]
pub(crate) struct CharacterSummary {
    id: CharacterId,
    name: String,
    style: String,
    status: Status,
    active_operation_id: Option<OperationId>,
}

impl From<&Character> for CharacterSummary {
    fn from(character: &Character) -> Self {
        Self {
            id: character.id.clone(),
            name: character.name.clone(),
            style: character.style.clone(),
            status: character.status,
            active_operation_id: character.active_operation_id.clone(),
        }
    }
}

/// The result of `list_characters`.
#[derive(Serialize, ToSchema)]
pub(crate) struct CharactersResult {
    pub characters: Vec<CharacterSummary>,
    pub meta: Meta,
}

/// The result of `archive_character`.
#[derive(Serialize, ToSchema)]
pub(crate) struct Archived {
    pub archived: bool,
}
