//! Characters as clients see them.
use serde::{Deserialize, Serialize};

use super::StoredCharacter;
use crate::artwork::{Image, Status};
use crate::operations::Operation;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::aggregate;
use linepress_platform::ids::{CharacterId, OperationId};

/// A character.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Character {
    pub id: CharacterId,
    #[schema(example = "Pip")]
    pub name: String,
    /// A description of its looks; may be empty.
    pub description: String,
    /// The style of its drawings; may be empty.
    pub style: String,
    /// True when anyone with the URL may see it.
    pub public_preview: bool,
    /// The URL at which anyone may see the character; null unless `public_preview` is true.
    #[schema(required, format = "uri")]
    pub public_preview_url: Option<String>,
    pub status: Status,
    /// The drawing that pages with this character follow; null until there is one.
    #[schema(required)]
    pub reference_image: Option<Image>,
    /// The operation that is drawing it now; null if there is none.
    #[schema(required)]
    pub active_operation_id: Option<OperationId>,
    /// The time of its creation.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The time when it was last changed or drawn.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// A character of a page or a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CharacterLink {
    pub id: CharacterId,
    pub name: String,
}

/// The characters of a page or book, as a query aggregates them: NULL when there are none.
#[derive(Clone, Debug)]
pub struct CharacterLinks(pub Vec<CharacterLink>);

impl TryFrom<Option<String>> for CharacterLinks {
    type Error = DamagedList;

    fn try_from(gathered: Option<String>) -> Result<Self, DamagedList> {
        let links = aggregate::records(gathered.as_deref()).map(|record| {
            let (id, name) = aggregate::fields(record).ok_or(DamagedList)?;
            Ok(CharacterLink {
                id: CharacterId::from_text(id),
                name: name.into(),
            })
        });
        links.collect::<Result<_, _>>().map(Self)
    }
}

/// The error for an aggregated list of characters whose records are not pairs of an id and a name.
#[derive(Debug, thiserror::Error)]
#[error("the database returned a malformed list of characters")]
pub struct DamagedList;

/// The reply to an accepted generation.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CharacterAccepted {
    pub character: Character,
    /// Poll it until the character is drawn.
    pub operation: Operation,
}

impl StoredCharacter {
    pub(crate) fn into_character(self, app: &App) -> Character {
        Character {
            public_preview: self.preview_token.is_some(),
            public_preview_url: self.preview_token.map(|token| preview_url(app, &token)),
            reference_image: self.image.into_image(),
            id: self.id,
            name: self.name,
            description: self.description,
            style: self.style,
            status: self.status,
            active_operation_id: self.active_operation_id,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

/// The URL of the public page that shows the character.
fn preview_url(app: &App, token: &str) -> String {
    format!("{}/preview/{token}", app.config.public_url)
}
