//! Sizes and rectangles on paper, in micrometers.
use linepress_model::PrintFormat;
use serde::{Deserialize, Serialize};

/// The number of micrometers in an inch.
pub const INCH: u32 = 25_400;

/// A width and a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl Size {
    /// The size of a page of this format after trimming.
    pub fn trimmed(format: &PrintFormat) -> Self {
        Self {
            width: format.trim_width_um,
            height: format.trim_height_um,
        }
    }

    /// Returns true when width and height each differ by no more than `tolerance`.
    pub fn is_near(self, other: Self, tolerance: u32) -> bool {
        self.width.abs_diff(other.width) <= tolerance && self.height.abs_diff(other.height) <= tolerance
    }

    /// The size with a border added on all sides.
    pub fn with_border(self, border: u32) -> Self {
        Self {
            width: self.width + 2 * border,
            height: self.height + 2 * border,
        }
    }
}

/// A rectangle, measured from the top left corner of the trimmed sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl Area {
    /// The area without a border on each side. A side that is too short for the border becomes 0.
    pub fn without_border(self, border: u32) -> Self {
        Self {
            x: self.x + border.min(self.width / 2),
            y: self.y + border.min(self.height / 2),
            width: self.width.saturating_sub(2 * border),
            height: self.height.saturating_sub(2 * border),
        }
    }
}
