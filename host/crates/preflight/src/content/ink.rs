//! The inks that color spaces are printed with.
use lopdf::{Dictionary, Document, Object};

use crate::pdf::{as_dictionary, display_name, get, number, resolve, resource};

/// How deep color spaces may be nested, as the base of a palette or a pattern is.
const MAX_SPACE_DEPTH: usize = 8;

/// The ink, or the set of inks, that prints a color.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ink {
    /// Black alone, in any color space.
    Gray,
    Rgb,
    Cmyk,
    Lab,
    /// A spot color, with its name.
    Spot(String),
    /// A pattern, whose own operators choose the inks.
    Pattern,
    /// An unknown color space.
    Unknown,
}

impl Ink {
    /// The inks of a color space, which is a name or an array that begins with one.
    pub(crate) fn of(document: &Document, resources: Option<&Dictionary>, space: &Object) -> Self {
        Self::within(document, resources, space, MAX_SPACE_DEPTH)
    }

    pub(crate) fn named(document: &Document, resources: Option<&Dictionary>, name: &[u8]) -> Self {
        Self::of_name(document, resources, name, MAX_SPACE_DEPTH)
    }

    fn of_name(document: &Document, resources: Option<&Dictionary>, name: &[u8], levels: usize) -> Self {
        match name {
            b"DeviceGray" => return Self::Gray,
            b"DeviceRGB" => return Self::Rgb,
            b"DeviceCMYK" => return Self::Cmyk,
            b"Pattern" => return Self::Pattern,
            _ => {}
        }
        let listed = resources.and_then(|resources| resource(document, resources, "ColorSpace", name));
        if let Some((_, space)) = listed {
            return Self::within(document, resources, space, levels);
        }
        // Names of color space families, and the abbreviations that inline pictures use.
        match name {
            b"CalGray" | b"G" => Self::Gray,
            b"CalRGB" | b"RGB" => Self::Rgb,
            b"CMYK" => Self::Cmyk,
            b"Lab" => Self::Lab,
            _ => Self::Unknown,
        }
    }

    fn within(document: &Document, resources: Option<&Dictionary>, space: &Object, levels: usize) -> Self {
        let Some(levels) = levels.checked_sub(1) else {
            return Self::Unknown;
        };
        let parts = match resolve(document, space) {
            Some(Object::Name(name)) => return Self::of_name(document, resources, name, levels),
            Some(Object::Array(parts)) => parts,
            _ => return Self::Unknown,
        };
        let part = |index: usize| parts.get(index).and_then(|part| resolve(document, part));
        let Some(Object::Name(family)) = part(0) else {
            return Self::Unknown;
        };
        match family.as_slice() {
            b"ICCBased" => of_profile(document, part(1)),
            b"Indexed" | b"I" => match part(1) {
                Some(base) => Self::within(document, resources, base, levels),
                None => Self::Unknown,
            },
            b"Separation" => spot(part(1).into_iter()),
            b"DeviceN" => match part(1) {
                Some(Object::Array(names)) => spot(names.iter().filter_map(|name| resolve(document, name))),
                _ => Self::Unknown,
            },
            // The array only parametrizes a family, which determines the inks by itself.
            name => Self::of_name(document, None, name, levels),
        }
    }
}

fn of_profile(document: &Document, profile: Option<&Object>) -> Ink {
    let components = profile
        .and_then(as_dictionary)
        .and_then(|profile| get(document, profile, "N"))
        .and_then(number);
    match components {
        Some(1.0) => Ink::Gray,
        Some(3.0) => Ink::Rgb,
        Some(4.0) => Ink::Cmyk,
        _ => Ink::Unknown,
    }
}

/// The inks of a list of colorant names. Black is not a spot color, and the process colors are mixed from the printer's
/// four inks.
fn spot<'a>(names: impl Iterator<Item = &'a Object>) -> Ink {
    let mut ink = Ink::Gray;
    for name in names {
        match name.as_name() {
            Ok(b"Black" | b"None") => {}
            Ok(b"Cyan" | b"Magenta" | b"Yellow") => ink = Ink::Cmyk,
            Ok(name) => return Ink::Spot(display_name(name)),
            Err(_) => return Ink::Unknown,
        }
    }
    ink
}
