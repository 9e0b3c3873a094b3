//! Rectangles on paper, in micrometers.
use serde::{Deserialize, Serialize};

/// Micrometers in an inch.
pub const INCH: u32 = 25_400;

/// A width and a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl Size {
    /// Whether both differ by no more than `tolerance`.
    pub fn is_near(self, other: Self, tolerance: u32) -> bool {
        self.width.abs_diff(other.width) <= tolerance && self.height.abs_diff(other.height) <= tolerance
    }

    /// The same with a border on all sides.
    pub fn with_border(self, border: u32) -> Self {
        Self {
            width: self.width + 2 * border,
            height: self.height + 2 * border,
        }
    }
}

/// A rectangle from the top left corner of the trimmed sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

impl Area {
    /// The same without a border on each side; empty where that is more than there is.
    pub fn without_border(self, border: u32) -> Self {
        Self {
            x: self.x + border.min(self.width / 2),
            y: self.y + border.min(self.height / 2),
            width: self.width.saturating_sub(2 * border),
            height: self.height.saturating_sub(2 * border),
        }
    }
}
