//! Characters as clients see them.
use serde::Serialize;

use super::StoredCharacter;
use crate::app::App;
use crate::artwork::Image;
use crate::clock::Timestamp;
use crate::ids::{CharacterId, OperationId};
use crate::operations::Operation;
use crate::pages::Status;

/// A character.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Character {
    pub id: CharacterId,
    #[schema(example = "Pip")]
    pub name: String,
    /// What it looks like; may be empty.
    pub description: String,
    /// How it is drawn; may be empty.
    pub style: String,
    /// Whether anyone with the address may see it.
    pub public_preview: bool,
    /// Where anyone may see the character while `public_preview` is true.
    #[schema(required, format = "uri")]
    pub public_preview_url: Option<String>,
    #[schema(inline)]
    pub status: Status,
    /// The drawing that the character's pages follow; null until there is one.
    #[schema(required)]
    pub reference_image: Option<Image>,
    /// The operation that is drawing it at this moment; null when none is.
    #[schema(required)]
    pub active_operation_id: Option<OperationId>,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it last changed; drawing it counts.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// A character as pages and books name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct CharacterLink {
    pub id: CharacterId,
    pub name: String,
}

/// The answer to an accepted generation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CharacterAccepted {
    pub character: Character,
    /// Poll it to learn when the character is drawn.
    pub operation: Operation,
}

impl StoredCharacter {
    pub(super) fn into_character(self, app: &App) -> Character {
        Character {
            public_preview: self.preview_token.is_some(),
            public_preview_url: self.preview_token.map(|token| preview_url(app, &token)),
            reference_image: self.image.at(format!(
                "{}/characters/{}/reference_image",
                app.config.base_url(),
                self.id
            )),
            id: CharacterId::from_text(self.id),
            name: self.name,
            description: self.description,
            style: self.style,
            status: Status::parse(&self.status),
            active_operation_id: self.active_operation_id.map(OperationId::from_text),
            created_at: Timestamp::from_microseconds(self.created_at),
            updated_at: Timestamp::from_microseconds(self.updated_at),
        }
    }
}

/// The page that shows the character to anyone.
fn preview_url(app: &App, token: &str) -> String {
    format!("{}/preview/{token}", app.config.public_url)
}
