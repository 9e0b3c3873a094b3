//! The operators that place pictures and forms.
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::{Event, Scope, State, Walker};
use crate::TooComplex;
use crate::budget::MAX_FORM_DEPTH;
use crate::content::Ink;
use crate::content::inline;
use crate::content::matrix::Matrix;
use crate::content::operands::Operands;
use crate::content::picture::{Picture, pixels};
use crate::content::transparency;
use crate::page::is_transparency;
use crate::pdf::{array, dictionary, get, name, numbers, resource};

impl<'a, S: FnMut(Event<'a>)> Walker<'a, S> {
    pub(super) fn object(&mut self, operands: &Operands, state: &State, scope: Scope<'a>) -> Result<(), TooComplex> {
        let found = operands
            .last_name()
            .zip(scope.resources)
            .and_then(|(name, resources)| resource(self.document, resources, "XObject", name));
        let Some((id, Object::Stream(stream))) = found else {
            (self.see)(Event::Damage("it uses a picture or form that does not exist"));
            return Ok(());
        };
        match (name(self.document, &stream.dict, "Subtype"), id) {
            (Some(b"Image"), _) => self.image(id, &stream.dict, state, scope),
            (Some(b"Form"), Some(id)) => {
                let is_group = |group| is_transparency(self.document, group);
                if dictionary(self.document, &stream.dict, "Group").is_some_and(is_group) {
                    (self.see)(Event::Transparency("a transparency group"));
                }
                let matrix = matrix_of(self.document, &stream.dict).then(state.matrix);
                self.nested(
                    id,
                    stream,
                    matrix,
                    Scope {
                        clip: state.clip,
                        ..scope
                    },
                )?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Interprets the operators of a form or a pattern.
    pub(super) fn nested(
        &mut self,
        id: ObjectId,
        stream: &'a Stream,
        base: Matrix,
        scope: Scope<'a>,
    ) -> Result<(), TooComplex> {
        if scope.depth == MAX_FORM_DEPTH {
            return Err(TooComplex("its forms are nested too deeply"));
        }
        let Some(content) = self.budget.form(id, stream)? else {
            (self.see)(Event::Damage("a part of its content cannot be read"));
            return Ok(());
        };
        let inner = Scope {
            // Old files use the resources of the page instead.
            resources: dictionary(self.document, &stream.dict, "Resources").or(scope.resources),
            base,
            clip: scope.clip,
            depth: scope.depth + 1,
        };
        self.content(&content, inner)
    }

    fn image(&mut self, id: Option<ObjectId>, image: &'a Dictionary, state: &State, scope: Scope<'a>) {
        if let Some(pixels) = pixels(self.document, image) {
            self.picture(id, pixels, state);
        }
        if transparency::has_soft_mask(self.document, image) {
            (self.see)(Event::Transparency("a picture with a soft mask"));
        }
        let is_mask = get(self.document, image, "ImageMask").is_some_and(|mask| mask.as_bool().unwrap_or(false));
        let space = get(self.document, image, "ColorSpace").filter(|_| !is_mask);
        if let Some(space) = space {
            let (ink, is_picture) = (Ink::of(self.document, scope.resources, space), true);
            (self.see)(Event::Ink { ink, is_picture });
        }
    }

    pub(super) fn inline(&mut self, inline: &inline::Inline<'_>, state: &State, scope: Scope<'a>) {
        self.picture(None, (inline.width, inline.height), state);
        if let Some(space) = inline.space.as_deref().filter(|_| !inline.is_mask) {
            let (ink, is_picture) = (Ink::named(self.document, scope.resources, space), true);
            (self.see)(Event::Ink { ink, is_picture });
        }
    }

    fn picture(&mut self, id: Option<ObjectId>, pixels: (u32, u32), state: &State) {
        let Some(mut picture) = Picture::placed(id, pixels, state.matrix, self.unit) else {
            return (self.see)(Event::Paint);
        };
        if let Some(clip) = state.clip {
            let Some(visible) = clip.intersection(&picture.bounds) else {
                return;
            };
            picture.bounds = visible;
        }
        // A picture outside the sheet is not printed.
        if self.sheet.is_none_or(|sheet| sheet.overlaps(&picture.bounds)) {
            (self.see)(Event::Picture(picture));
            (self.see)(Event::Paint);
        }
    }
}

/// The transformation of a form or a pattern.
pub(super) fn matrix_of(document: &Document, dictionary: &Dictionary) -> Matrix {
    array(document, dictionary, "Matrix")
        .and_then(|matrix| numbers(document, matrix))
        .map_or(Matrix::IDENTITY, Matrix)
}
