//! The colors that several outfits, or several parts of an outfit, have in common.

use crate::color::Rgb;

pub(super) const GOLD: Rgb = Rgb::hex(0xff_cf33);
pub(super) const RED: Rgb = Rgb::hex(0xe8_2f3a);
pub(super) const NAVY: Rgb = Rgb::hex(0x35_4a9c);
pub(super) const LIME: Rgb = Rgb::hex(0xe6_f53c);
/// Boots, belts and peaks.
pub(super) const LEATHER: Rgb = Rgb::hex(0x4a_4468);
/// The jacket of a firefighter.
pub(super) const JACKET: Rgb = Rgb::hex(0xff_b21f);
pub(super) const REFLECTOR: Rgb = Rgb::hex(0xe9_fbff);
/// The lab coat of doctors and scientists.
pub(super) const COAT: Rgb = Rgb::hex(0xfb_fdff);
/// The shirt of a builder.
pub(super) const WORK_SHIRT: Rgb = Rgb::hex(0x2f_86e8);
/// The shirt and the cap of the police.
pub(super) const POLICE: Rgb = Rgb::hex(0x2f_5fd0);
