//! The three shapes a page can have.
use serde::{Deserialize, Serialize};

/// The shape of a page, and with it of every book that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// 1:1.
    Square,
    /// 3:4.
    #[default]
    Portrait,
    /// 4:3.
    Landscape,
}

impl Aspect {
    pub const ALL: [Self; 3] = [Self::Square, Self::Portrait, Self::Landscape];

    /// The recommended width and height of an image, in pixels.
    pub fn recommended_pixels(self) -> (u32, u32) {
        match self {
            Self::Square => (1024, 1024),
            Self::Portrait => (1152, 1536),
            Self::Landscape => (1536, 1152),
        }
    }

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Square => "square",
            Self::Portrait => "portrait",
            Self::Landscape => "landscape",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|aspect| aspect.as_str() == text)
    }
}
