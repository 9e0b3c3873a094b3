//! From a request to the pixels of a page.

use linepress_plugin_sdk::image::{Audience, DrawError, DrawRequest, Purpose};

use crate::brief::Brief;
use crate::canvas::Gray;
use crate::measure::close_specks;
use crate::{pattern, scene};

/// Draws a request as an 8-bit gray PNG of exactly the requested size.
pub fn draw(request: &DrawRequest) -> Result<Vec<u8>, DrawError> {
    let page = draw_gray(request)?;
    page.png()
        .map_err(|error| DrawError::Other(format!("the PNG could not be written: {error}")))
}

/// The same before encoding.
pub fn draw_gray(request: &DrawRequest) -> Result<Gray, DrawError> {
    let brief = Brief::read(request)?;
    let sheet = match brief.purpose {
        Purpose::Character => scene::portrait(&brief),
        Purpose::Cover => scene::draw(&brief),
        Purpose::Page if wants_pattern(&brief) => pattern::draw(&brief),
        Purpose::Page => scene::draw(&brief),
    };
    let mut image = sheet
        .render(&brief, 1.0)
        .ok_or_else(|| DrawError::Other("no room for a sheet of this size".to_string()))?;
    // A circle of 0.4 mm: a gap between lines, not something to color.
    let speck = (brief.style.pen * brief.style.pen * 0.9).max(6.0) as usize;
    close_specks(&mut image, speck);
    Ok(image)
}

fn wants_pattern(brief: &Brief) -> bool {
    let nothing_known = brief.wish.subjects.is_empty() && brief.characters.is_empty() && brief.wish.settings.is_empty();
    // A book for adults is mostly ornament, with a scene now and then.
    let ornamental = brief.style.audience == Audience::Adult && !brief.seed.is_multiple_of(5);
    brief.wish.pattern || nothing_known || ornamental
}
