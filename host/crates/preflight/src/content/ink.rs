//! Color spaces, as inks.
use lopdf::{Dictionary, Document, Object};

use crate::pdf::{as_dictionary, get, number, resolve, resource, shown};

/// How deep a color space may stand in another: that of a palette or a pattern.
const MOST_LEVELS: usize = 8;

/// What a color is mixed of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ink {
    /// Black alone, by whatever name.
    Gray,
    Rgb,
    Cmyk,
    Lab,
    /// An ink of its own, with its name.
    Spot(String),
    /// A pattern, whose own operators say more.
    Pattern,
    /// None that is known.
    Unknown,
}

impl Ink {
    /// The inks of a color space: a name, or an array that begins with one.
    pub(crate) fn of(document: &Document, resources: Option<&Dictionary>, space: &Object) -> Self {
        Self::within(document, resources, space, MOST_LEVELS)
    }

    pub(crate) fn named(document: &Document, resources: Option<&Dictionary>, name: &[u8]) -> Self {
        Self::of_name(document, resources, name, MOST_LEVELS)
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
        // Families of spaces, and the short names that pictures within the operators use.
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
            // What it says of itself is what it is drawn with.
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

/// Inks by their names: black is no ink of its own, and the four together are what is mixed anyway.
fn spot<'a>(names: impl Iterator<Item = &'a Object>) -> Ink {
    let mut ink = Ink::Gray;
    for name in names {
        match name.as_name() {
            Ok(b"Black" | b"None") => {}
            Ok(b"Cyan" | b"Magenta" | b"Yellow") => ink = Ink::Cmyk,
            Ok(name) => return Ink::Spot(shown(name)),
            Err(_) => return Ink::Unknown,
        }
    }
    ink
}
