//! What clients say to make and change characters.
use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::validation;

/// A character to be drawn.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCharacter {
    #[garde(length(chars, min = 1, max = 100), custom(validation::line))]
    #[schema(min_length = 1, max_length = 100, format = "line", example = "Pip")]
    pub name: String,
    /// What it looks like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 2000), custom(validation::text)))]
    #[schema(
        max_length = 2000,
        format = "text",
        example = "A small hedgehog with a striped scarf"
    )]
    pub description: Option<String>,
    /// How it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 200), custom(validation::optional_line)))]
    #[schema(max_length = 200, format = "optional_line", example = "Round and simple")]
    pub style: Option<String>,
    /// Whether anyone with the address may see it; false when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub public_preview: Option<bool>,
}

/// What may be said with a regeneration.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CharacterRegeneration {
    /// A new description; the old one when it is left out. It becomes the character's own when it has been drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 2000), custom(validation::text)))]
    #[schema(max_length = 2000, format = "text", example = "A small hedgehog with a pointed hat")]
    pub description: Option<String>,
}

/// What changes of a character. What is left out stays as it is.
#[derive(Clone, Debug, Default, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CharacterChange {
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(inner(length(chars, min = 1, max = 100), custom(validation::line)))]
    #[schema(nullable = false, min_length = 1, max_length = 100, format = "line", example = "Pip")]
    pub name: Option<String>,
    /// Whether anyone with the address may see it. Each time it is turned on there is a new address.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub public_preview: Option<bool>,
}
