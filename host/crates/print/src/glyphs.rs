//! Characters of laid-out pages that no font has a glyph for. Typst prints an empty box for each without a warning.
use std::collections::BTreeSet;

use typst::layout::{Frame, FrameItem};
use typst::text::TextItem;
use typst_layout::PagedDocument;

/// The maximum number of missing characters that are reported. A stray symbol or two is usual; a book in a script
/// without a font has hundreds.
const MAX_MISSING: usize = 200;

/// Returns the characters of a document that have no glyph.
pub(crate) fn missing_in(document: &PagedDocument) -> Vec<char> {
    let mut missing = BTreeSet::new();
    for page in document.pages() {
        collect(&page.frame, &mut missing);
    }
    missing.into_iter().take(MAX_MISSING).collect()
}

fn collect(frame: &Frame, missing: &mut BTreeSet<char>) {
    for (_, item) in frame.items() {
        match item {
            FrameItem::Group(group) => collect(&group.frame, missing),
            FrameItem::Text(text) => missing.extend(missing_in_text(text)),
            _ => {}
        }
    }
}

/// Returns the characters of a run of text that have no glyph.
pub(crate) fn missing_in_text(text: &TextItem) -> impl Iterator<Item = char> {
    let absent = text.glyphs.iter().filter(|glyph| glyph.id == 0);
    absent
        .filter_map(|glyph| text.text.get(glyph.range()))
        .flat_map(str::chars)
        .filter(|&character| is_visible(character))
}

/// Returns true for a character that leaves a mark itself. Joiners, direction marks and variation selectors only shape
/// their neighbors.
pub(crate) fn is_visible(character: char) -> bool {
    !(character.is_whitespace()
        || character.is_control()
        || matches!(
            character,
            '\u{00AD}' | '\u{034F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}'
                | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}'
        ))
}
