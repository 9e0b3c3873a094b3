//! Requests to create, change and name characters.
use garde::Validate;
use garde::error::{Path, Report};
use serde::{Deserialize, Serialize};
use utoipa::openapi::{ArrayBuilder, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::variants::Variants;
use linepress_platform::ids::{CharacterId, UploadId};
use linepress_platform::text::{CharacterName, Description, Style};
use linepress_platform::validation;

/// A new character, which will be drawn.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCharacter {
    #[garde(dive)]
    pub name: CharacterName,
    /// A description of its looks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub description: Option<Description>,
    /// The style of its drawings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub style: Option<Style>,
    /// True to let anyone with the URL see it; the default is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub public_preview: Option<bool>,
    /// An uploaded picture to draw from, such as a photograph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub source_upload_id: Option<UploadId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub variants: Option<Variants>,
}

/// The options of a regeneration.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CharacterRegeneration {
    /// A new description, stored once the character is drawn; the present one if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub description: Option<Description>,
    /// An uploaded picture to draw from this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub source_upload_id: Option<UploadId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub variants: Option<Variants>,
}

/// A change of a character. Omitted fields keep their values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CharacterChange {
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub name: Option<CharacterName>,
    /// True to let anyone with the URL see it. Each time it is turned on, there is a new URL.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub public_preview: Option<bool>,
}

/// The characters that a page or a book names, the most important first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CharacterIds(Vec<CharacterId>);

impl CharacterIds {
    /// Maximum number of characters of one page or book.
    pub const MAX_CHARACTERS: usize = 8;
}

impl FromIterator<CharacterId> for CharacterIds {
    fn from_iter<I: IntoIterator<Item = CharacterId>>(ids: I) -> Self {
        Self(ids.into_iter().collect())
    }
}

impl std::ops::Deref for CharacterIds {
    type Target = [CharacterId];

    fn deref(&self) -> &[CharacterId] {
        &self.0
    }
}

impl Validate for CharacterIds {
    type Context = ();

    fn validate_into(&self, (): &(), parent: &mut dyn FnMut() -> Path, report: &mut Report) {
        if self.0.len() > Self::MAX_CHARACTERS {
            let complaint = format!("may name at most {} characters", Self::MAX_CHARACTERS);
            report.append(parent(), garde::Error::new(complaint));
        }
    }
}

impl PartialSchema for CharacterIds {
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new()
            .items(Ref::from_schema_name(CharacterId::name()))
            .max_items(Some(Self::MAX_CHARACTERS))
            .unique_items(true)
            .description(Some("Ready characters of the account, the most important first."))
            .into()
    }
}

impl ToSchema for CharacterIds {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((CharacterId::name().into(), CharacterId::schema()));
    }
}
