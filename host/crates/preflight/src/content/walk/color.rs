//! The operators that choose colors, patterns and shadings.
use lopdf::Object;

use super::objects::matrix_of;
use super::{Event, Scope, Walker};
use crate::TooComplex;
use crate::content::Ink;
use crate::content::operands::Operands;
use crate::pdf::{dictionary, get, resource};

impl<'a, S: FnMut(Event<'a>)> Walker<'a, S> {
    /// Reports a color space that always uses more than black ink, and returns it.
    pub(super) fn mixed(&mut self, ink: Ink) -> Ink {
        (self.see)(Event::Ink {
            ink: ink.clone(),
            is_picture: false,
        });
        ink
    }

    /// Reports a CMYK color unless it uses black ink alone, and returns the color space.
    pub(super) fn cmyk(&mut self, operands: &Operands) -> Ink {
        if !matches!(operands.numbers(), Some([0.0, 0.0, 0.0, _])) {
            self.mixed(Ink::Cmyk);
        }
        Ink::Cmyk
    }

    pub(super) fn space(&mut self, operands: &Operands, scope: Scope<'a>) -> Ink {
        let ink = match operands.last_name() {
            Some(name) => Ink::named(self.document, scope.resources, name),
            None => Ink::Unknown,
        };
        match ink {
            // The initial color of these spaces is black or unknown, so they are reported when a color is chosen.
            Ink::Gray | Ink::Cmyk | Ink::Pattern | Ink::Unknown => ink,
            ink => self.mixed(ink),
        }
    }

    pub(super) fn color(&mut self, space: &Ink, operands: &Operands, scope: Scope<'a>) -> Result<(), TooComplex> {
        match (space, operands.last_name()) {
            (_, Some(name)) => self.pattern(name, scope),
            (Ink::Cmyk, None) => {
                self.cmyk(operands);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn pattern(&mut self, pattern: &[u8], scope: Scope<'a>) -> Result<(), TooComplex> {
        let found = scope
            .resources
            .and_then(|resources| resource(self.document, resources, "Pattern", pattern));
        match found {
            Some((Some(id), Object::Stream(stream))) if self.patterns.insert(id) => {
                let matrix = matrix_of(self.document, &stream.dict).then(scope.base);
                self.nested(id, stream, matrix, Scope { clip: None, ..scope })
            }
            _ => {
                self.shading(Some(pattern), "Pattern", scope);
                Ok(())
            }
        }
    }

    /// Reports the color space of a shading, or of a shading pattern.
    pub(super) fn shading(&mut self, name: Option<&[u8]>, category: &str, scope: Scope<'a>) {
        let found = name
            .zip(scope.resources)
            .and_then(|(name, resources)| resource(self.document, resources, category, name))
            .and_then(|(_, object)| crate::pdf::as_dictionary(object));
        let Some(found) = found else { return };
        let shading = dictionary(self.document, found, "Shading").unwrap_or(found);
        if let Some(space) = get(self.document, shading, "ColorSpace") {
            let (ink, is_picture) = (Ink::of(self.document, scope.resources, space), false);
            (self.see)(Event::Ink { ink, is_picture });
        }
    }
}
