//! The colors of covers for drawings whose own are dull.

use super::{Drawing, Region};
use crate::color::Rgb;

/// The other colors of a drawing.
struct Paint {
    label: &'static str,
    /// The color of the coat, which a procedural body has as well.
    coat: u32,
    /// The colors of the drawing that are replaced, and their replacements.
    tones: &'static [(u32, u32)],
}

const fn paint(label: &'static str, coat: u32, tones: &'static [(u32, u32)]) -> Paint {
    Paint { label, coat, tones }
}

#[rustfmt::skip]
const PAINTS: &[Paint] = &[
    paint("lion", 0xff_9a2b, &[
        (0x86_5c50, 0xb8_4a17), (0x6d_4534, 0xb8_4a17), (0xfe_c000, 0xff_a832), (0xff_d899, 0xff_e6b8),
    ]),
    paint("owl", 0x7a_4fe0, &[
        (0x6e_4f44, 0x7a_4fe0), (0x6d_4534, 0x7a_4fe0), (0xeb_bf9c, 0xff_e3a0), (0xf2_a35b, 0xff_8f2e),
        (0xd0_805f, 0xf0_4f9a), (0x87_8787, 0x3f_b58a),
    ]),
    paint("cow face", 0xff_ffff, &[]),
    paint("bear", 0xc0_7a42, &[(0x85_5b52, 0xc0_7a42), (0xa5_6953, 0xc0_7a42), (0xb9_9277, 0xf2_b56b)]),
];

fn paint_of(drawing: &Drawing) -> Option<&'static Paint> {
    PAINTS.iter().find(|paint| paint.label == drawing.label)
}

/// Returns the color of the coat, if it is not the color of the largest region.
pub(super) fn coat(drawing: &Drawing) -> Option<Rgb> {
    paint_of(drawing).map(|paint| Rgb::hex(paint.coat))
}

/// A gold that is not taken for the skin of an emoji.
const GOLD: Rgb = Rgb::hex(0xff_e03c);
/// The level of a crown's lower edge, as a share of the height of the drawing.
const CROWN: f32 = 0.44;

/// Returns the color of a region of a drawing on a cover.
pub(super) fn tone(drawing: &Drawing, region: &Region) -> Rgb {
    let level = (region.pole.1 - drawing.bounds.top()) / drawing.bounds.height();
    let is_crowned = matches!(drawing.label.as_str(), "princess" | "prince");
    if is_crowned && level < CROWN && region.color.is_emoji_skin() {
        return GOLD;
    }
    let tones = paint_of(drawing).map_or(&[][..], |paint| paint.tones);
    let replaced = tones.iter().find(|(from, _)| Rgb::hex(*from) == region.color);
    replaced.map_or(region.color, |(_, to)| Rgb::hex(*to))
}
