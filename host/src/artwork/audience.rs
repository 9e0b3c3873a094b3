//! Who will color the page.
use serde::{Deserialize, Serialize};

/// Who will color the page: it sets the line weight and how much a page may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    Toddler,
    #[default]
    Child,
    Teen,
    Adult,
}

impl Audience {
    pub const ALL: [Self; 4] = [Self::Toddler, Self::Child, Self::Teen, Self::Adult];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Toddler => "toddler",
            Self::Child => "child",
            Self::Teen => "teen",
            Self::Adult => "adult",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|audience| audience.as_str() == text)
    }
}
