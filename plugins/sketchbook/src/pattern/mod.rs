//! Pages without a scene: mandalas, tessellations, and the subject framed in ornament.

use crate::brief::Brief;
use crate::scene::{self, Sheet};

pub fn draw(brief: &Brief) -> Sheet {
    scene::draw(brief)
}
