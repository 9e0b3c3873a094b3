//! The operators, followed: through forms and patterns, with what each of them changes for those that come after it.
use std::collections::HashSet;

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use crate::TooComplex;
use crate::budget::{Budget, LOOK_UP, MOST_FORMS, MOST_STATES};
use crate::content::Ink;
use crate::content::inline;
use crate::content::lexer::{Lexer, Token};
use crate::content::matrix::Matrix;
use crate::content::operands::Operands;
use crate::content::picture::{Picture, pixels};
use crate::content::text::TextPlace;
use crate::content::transparency;
use crate::page::{Page, Rectangle, is_transparency};
use crate::pdf::{array, dictionary, get, name, numbers, resource};

/// What a printer minds.
pub(crate) enum Event<'a> {
    Picture(Picture),
    /// A color is chosen, or a picture is printed in it.
    Ink {
        ink: Ink,
        is_picture: bool,
    },
    Font(&'a Dictionary),
    /// A text begins here.
    Text((f64, f64)),
    Transparency(&'static str),
    /// Something is printed.
    Paint,
    Damage(&'static str),
}

/// Follows operators and tells what a printer minds.
pub(crate) struct Walker<'a, S> {
    document: &'a Document,
    budget: Budget,
    see: S,
    /// Of the page that is read.
    sheet: Option<Rectangle>,
    unit: f64,
    patterns: HashSet<ObjectId>,
}

/// One content stream, and what it stands in.
#[derive(Clone, Copy)]
struct Scope<'a> {
    resources: Option<&'a Dictionary>,
    /// What a pattern starts from.
    base: Matrix,
    depth: usize,
}

/// What `q` saves.
#[derive(Clone)]
struct State {
    matrix: Matrix,
    /// The color space that shapes and texts are filled with, and that of lines.
    fill: Ink,
    stroke: Ink,
    text: TextPlace,
}

impl<'a, S: FnMut(Event<'a>)> Walker<'a, S> {
    pub(crate) fn new(document: &'a Document, see: S) -> Self {
        Self {
            document,
            budget: Budget::new(),
            see,
            sheet: None,
            unit: 1.0,
            patterns: HashSet::new(),
        }
    }

    /// All that a page shows.
    pub(crate) fn page(&mut self, page: &Page<'a>) -> Result<(), TooComplex> {
        self.budget.step()?;
        self.sheet = page.sheet();
        self.unit = page.unit;
        self.patterns.clear();
        if page.is_transparency_group(self.document) {
            (self.see)(Event::Transparency("a transparency group"));
        }
        let mut content = Vec::new();
        for part in page.contents(self.document) {
            self.budget.step()?;
            let decoded = match part {
                Some(stream) => self.budget.content(stream)?,
                None => None,
            };
            match decoded {
                Some(decoded) => {
                    content.extend(decoded);
                    // The parts are one stream, and no word goes from one to the next.
                    content.push(b'\n');
                }
                None => (self.see)(Event::Damage("a part of its content cannot be read")),
            }
        }
        let scope = Scope {
            resources: page.resources,
            base: Matrix::IDENTITY,
            depth: 0,
        };
        self.content(&content, scope)
    }

    fn content(&mut self, content: &[u8], scope: Scope<'a>) -> Result<(), TooComplex> {
        let mut state = State {
            matrix: scope.base,
            fill: Ink::Gray,
            stroke: Ink::Gray,
            text: TextPlace::START,
        };
        let mut saved = Vec::new();
        let mut lexer = Lexer::new(content);
        let mut operands = Operands::default();
        // Arrays and dictionaries that are open: what is in them is none of an operator's operands.
        let mut open = 0_usize;
        while let Some(token) = lexer.next() {
            self.budget.step()?;
            let is_done = open == 0 && matches!(token, Token::Operator(_));
            match token {
                Token::Open => open += 1,
                Token::Close => open = open.saturating_sub(1),
                Token::Other => {}
                _ if open > 0 => {}
                Token::Number(number) => operands.number(number),
                Token::Name(name) => operands.name(&name),
                Token::Operator(b"q") => {
                    if saved.len() == MOST_STATES {
                        return Err(TooComplex("its pages save their state too often"));
                    }
                    saved.push(state.clone());
                }
                Token::Operator(b"Q") => {
                    if let Some(last) = saved.pop() {
                        state = last;
                    }
                }
                Token::Operator(b"BI") => match inline::read(&mut lexer) {
                    Some(picture) => self.inline(&picture, &state, scope),
                    None => (self.see)(Event::Damage("a picture within its content does not end")),
                },
                Token::Operator(operator) => self.operator(operator, &operands, &mut state, scope)?,
            }
            if is_done {
                operands.clear();
            }
        }
        if open > 0 {
            (self.see)(Event::Damage("its content breaks off"));
        }
        Ok(())
    }

    fn operator(
        &mut self,
        operator: &[u8],
        operands: &Operands,
        state: &mut State,
        scope: Scope<'a>,
    ) -> Result<(), TooComplex> {
        if operands.last_name().is_some() {
            self.budget.steps(LOOK_UP)?;
        }
        state.text.follow(operator, operands);
        match operator {
            b"cm" => {
                if let Some(matrix) = operands.numbers() {
                    state.matrix = Matrix(matrix).then(state.matrix);
                }
            }
            b"g" => state.fill = Ink::Gray,
            b"G" => state.stroke = Ink::Gray,
            b"rg" => state.fill = self.mixed(Ink::Rgb),
            b"RG" => state.stroke = self.mixed(Ink::Rgb),
            b"k" => state.fill = self.cmyk(operands),
            b"K" => state.stroke = self.cmyk(operands),
            b"cs" => state.fill = self.space(operands, scope),
            b"CS" => state.stroke = self.space(operands, scope),
            b"sc" | b"scn" => self.color(&state.fill, operands, scope)?,
            b"SC" | b"SCN" => self.color(&state.stroke, operands, scope)?,
            b"gs" => self.graphics_state(operands, scope),
            b"Tf" => self.font(operands, scope),
            b"Do" => self.object(operands, state, scope)?,
            b"sh" => {
                (self.see)(Event::Paint);
                self.shading(operands.last_name(), "Shading", scope);
            }
            b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"S" | b"s" => (self.see)(Event::Paint),
            b"Tj" | b"TJ" | b"'" | b"\"" => {
                (self.see)(Event::Text(state.text.on_page(state.matrix)));
                (self.see)(Event::Paint);
            }
            b"w" | b"J" | b"j" | b"M" | b"d" | b"ri" | b"i" | b"m" | b"l" | b"c" | b"v" | b"y" | b"h" | b"re"
            | b"n" | b"W" | b"W*" | b"BT" | b"ET" | b"Tc" | b"Tw" | b"Tz" | b"TL" | b"Tr" | b"Ts" | b"Td" | b"TD"
            | b"Tm" | b"T*" | b"d0" | b"d1" | b"MP" | b"DP" | b"BMC" | b"BDC" | b"EMC" | b"BX" | b"EX" => {}
            _ => (self.see)(Event::Damage("its content holds what is no operator of PDF")),
        }
        Ok(())
    }

    /// A color space that is mixed of more than black, whatever the color.
    fn mixed(&mut self, ink: Ink) -> Ink {
        (self.see)(Event::Ink {
            ink: ink.clone(),
            is_picture: false,
        });
        ink
    }

    /// Black alone is gray, however it is written.
    fn cmyk(&mut self, operands: &Operands) -> Ink {
        if !matches!(operands.numbers(), Some([0.0, 0.0, 0.0, _])) {
            self.mixed(Ink::Cmyk);
        }
        Ink::Cmyk
    }

    fn space(&mut self, operands: &Operands, scope: Scope<'a>) -> Ink {
        let ink = match operands.last_name() {
            Some(name) => Ink::named(self.document, scope.resources, name),
            None => Ink::Unknown,
        };
        match ink {
            // Black until another color is chosen.
            Ink::Gray | Ink::Cmyk | Ink::Pattern | Ink::Unknown => ink,
            ink => self.mixed(ink),
        }
    }

    fn color(&mut self, space: &Ink, operands: &Operands, scope: Scope<'a>) -> Result<(), TooComplex> {
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
                self.nested(id, stream, matrix, scope)
            }
            _ => {
                self.shading(Some(pattern), "Pattern", scope);
                Ok(())
            }
        }
    }

    /// A shading, or a pattern that is one.
    fn shading(&mut self, name: Option<&[u8]>, category: &str, scope: Scope<'a>) {
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

    fn graphics_state(&mut self, operands: &Operands, scope: Scope<'a>) {
        let found = operands
            .last_name()
            .zip(scope.resources)
            .and_then(|(name, resources)| resource(self.document, resources, "ExtGState", name))
            .and_then(|(_, object)| object.as_dict().ok());
        let Some(found) = found else { return };
        for reason in transparency::of_state(self.document, found) {
            (self.see)(Event::Transparency(reason));
        }
        let font = array(self.document, found, "Font").and_then(|font| font.first());
        let font = font.and_then(|font| crate::pdf::resolve(self.document, font));
        if let Some(font) = font.and_then(|font| font.as_dict().ok()) {
            (self.see)(Event::Font(font));
        }
    }

    fn font(&mut self, operands: &Operands, scope: Scope<'a>) {
        let found = operands
            .last_name()
            .zip(scope.resources)
            .and_then(|(name, resources)| resource(self.document, resources, "Font", name))
            .and_then(|(_, object)| object.as_dict().ok());
        (self.see)(match found {
            Some(font) => Event::Font(font),
            None => Event::Damage("it names a font that is not there"),
        });
    }

    fn object(&mut self, operands: &Operands, state: &State, scope: Scope<'a>) -> Result<(), TooComplex> {
        let found = operands
            .last_name()
            .zip(scope.resources)
            .and_then(|(name, resources)| resource(self.document, resources, "XObject", name));
        let Some((id, Object::Stream(stream))) = found else {
            (self.see)(Event::Damage("it names a picture or form that is not there"));
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
                self.nested(id, stream, matrix, scope)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The operators of a form or a pattern.
    fn nested(&mut self, id: ObjectId, stream: &'a Stream, base: Matrix, scope: Scope<'a>) -> Result<(), TooComplex> {
        if scope.depth == MOST_FORMS {
            return Err(TooComplex("its forms stand too deep within each other"));
        }
        let Some(content) = self.budget.form(id, stream)? else {
            (self.see)(Event::Damage("a part of its content cannot be read"));
            return Ok(());
        };
        let inner = Scope {
            // Old files leave them to the page.
            resources: dictionary(self.document, &stream.dict, "Resources").or(scope.resources),
            base,
            depth: scope.depth + 1,
        };
        self.content(&content, inner)
    }

    fn image(&mut self, id: Option<ObjectId>, image: &'a Dictionary, state: &State, scope: Scope<'a>) {
        if let Some(pixels) = pixels(self.document, image) {
            self.picture(id, pixels, state);
        }
        if transparency::of_picture(self.document, image) {
            (self.see)(Event::Transparency("a picture with a soft mask"));
        }
        let is_mask = get(self.document, image, "ImageMask").is_some_and(|mask| mask.as_bool().unwrap_or(false));
        let space = get(self.document, image, "ColorSpace").filter(|_| !is_mask);
        if let Some(space) = space {
            let (ink, is_picture) = (Ink::of(self.document, scope.resources, space), true);
            (self.see)(Event::Ink { ink, is_picture });
        }
    }

    fn inline(&mut self, inline: &inline::Inline<'_>, state: &State, scope: Scope<'a>) {
        self.picture(None, (inline.width, inline.height), state);
        if let Some(space) = inline.space.as_deref().filter(|_| !inline.is_mask) {
            let (ink, is_picture) = (Ink::named(self.document, scope.resources, space), true);
            (self.see)(Event::Ink { ink, is_picture });
        }
    }

    fn picture(&mut self, id: Option<ObjectId>, pixels: (u32, u32), state: &State) {
        let Some(picture) = Picture::placed(id, pixels, state.matrix, self.unit) else {
            return (self.see)(Event::Paint);
        };
        // What lies beside the paper is not printed.
        if self.sheet.is_none_or(|sheet| sheet.meets(&picture.bounds)) {
            (self.see)(Event::Picture(picture));
            (self.see)(Event::Paint);
        }
    }
}

/// Where a form or a pattern lands.
fn matrix_of(document: &Document, dictionary: &Dictionary) -> Matrix {
    array(document, dictionary, "Matrix")
        .and_then(|matrix| numbers(document, matrix))
        .map_or(Matrix::IDENTITY, Matrix)
}
