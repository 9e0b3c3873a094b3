//! The interpreter of operators. It follows forms and patterns, and tracks the graphics state.
mod color;
mod event;
mod objects;

use std::collections::HashSet;

use lopdf::{Dictionary, Document, ObjectId};

use crate::TooComplex;
use crate::budget::{Budget, LOOKUP_STEPS, MAX_SAVED_STATES};
use crate::content::Ink;
use crate::content::inline;
use crate::content::lexer::{Lexer, Token};
use crate::content::matrix::Matrix;
use crate::content::operands::Operands;
use crate::content::text::TextPlace;
use crate::content::transparency;
use crate::page::{Page, Rectangle};
use crate::pdf::{array, name, resource};

pub(crate) use event::{Event, Text};

/// Interprets the operators of pages and reports the events in them.
pub(crate) struct Walker<'a, S> {
    document: &'a Document,
    budget: Budget,
    see: S,
    /// The sheet of the current page.
    sheet: Option<Rectangle>,
    /// The number of points in a unit of the current page.
    unit: f64,
    patterns: HashSet<ObjectId>,
    /// The bounds of the current path on the page.
    path: Option<Rectangle>,
    /// True when a text since the last operator contains glyph 0, which stands for a missing character.
    has_zero_pair: bool,
}

/// A content stream, and the context that it is drawn in.
#[derive(Clone, Copy)]
struct Scope<'a> {
    resources: Option<&'a Dictionary>,
    /// The transformation that patterns are relative to.
    base: Matrix,
    clip: Option<Rectangle>,
    depth: usize,
}

/// The graphics state that `q` saves.
#[derive(Clone)]
struct State {
    matrix: Matrix,
    /// The color space for shapes and text.
    fill: Ink,
    /// The color space for lines.
    stroke: Ink,
    is_white: bool,
    line_width: f64,
    text: TextPlace,
    /// True when text is neither filled nor outlined.
    is_hidden: bool,
    /// True when the font has two bytes per character, which are glyph numbers.
    has_wide_font: bool,
    /// The area outside which shapes are invisible.
    clip: Option<Rectangle>,
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
            path: None,
            has_zero_pair: false,
        }
    }

    /// Reports every event of a page.
    pub(crate) fn page(&mut self, page: &Page<'a>) -> Result<(), TooComplex> {
        self.budget.step()?;
        self.sheet = page.sheet();
        self.unit = page.unit;
        self.patterns.clear();
        self.path = None;
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
                    // The parts form one stream, but a token never continues from one part to the next.
                    content.push(b'\n');
                }
                None => (self.see)(Event::Damage("a part of its content cannot be read")),
            }
        }
        let scope = Scope {
            resources: page.resources,
            base: Matrix::IDENTITY,
            clip: None,
            depth: 0,
        };
        self.content(&content, scope)
    }

    fn content(&mut self, content: &[u8], scope: Scope<'a>) -> Result<(), TooComplex> {
        let mut state = State {
            matrix: scope.base,
            fill: Ink::Gray,
            stroke: Ink::Gray,
            is_white: false,
            line_width: 1.0,
            text: TextPlace::START,
            is_hidden: false,
            has_wide_font: false,
            clip: scope.clip,
        };
        let mut saved = Vec::new();
        let mut lexer = Lexer::new(content);
        let mut operands = Operands::default();
        // The number of open arrays and dictionaries. Their elements are not operands.
        let mut open = 0_usize;
        while let Some(token) = lexer.next() {
            self.budget.step()?;
            let is_done = open == 0 && matches!(token, Token::Operator(_));
            match token {
                Token::Open => open += 1,
                Token::Close => open = open.saturating_sub(1),
                Token::Text { has_zero_pair } => self.has_zero_pair |= has_zero_pair,
                Token::Other => {}
                _ if open > 0 => {}
                Token::Number(number) => operands.number(number),
                Token::Name(name) => operands.name(&name),
                Token::Operator(b"q") => {
                    if saved.len() == MAX_SAVED_STATES {
                        return Err(TooComplex("its pages save the graphics state too often"));
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
                self.has_zero_pair = false;
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
            self.budget.steps(LOOKUP_STEPS)?;
        }
        state.text.follow(operator, operands);
        match operator {
            b"cm" => {
                if let Some(matrix) = operands.numbers() {
                    state.matrix = Matrix(matrix).then(state.matrix);
                }
            }
            b"g" => {
                state.fill = Ink::Gray;
                state.is_white = operands.numbers() == Some([1.0]);
            }
            b"G" => state.stroke = Ink::Gray,
            b"rg" => {
                state.fill = self.mixed(Ink::Rgb);
                state.is_white = operands.numbers() == Some([1.0, 1.0, 1.0]);
            }
            b"RG" => state.stroke = self.mixed(Ink::Rgb),
            b"k" => {
                state.fill = self.cmyk(operands);
                state.is_white = operands.numbers() == Some([0.0; 4]);
            }
            b"K" => state.stroke = self.cmyk(operands),
            b"cs" => {
                state.fill = self.space(operands, scope);
                state.is_white = false;
            }
            b"CS" => state.stroke = self.space(operands, scope),
            b"sc" | b"scn" => {
                state.is_white = match state.fill {
                    Ink::Gray => operands.numbers() == Some([1.0]),
                    Ink::Rgb => operands.numbers() == Some([1.0; 3]),
                    Ink::Cmyk => operands.numbers() == Some([0.0; 4]),
                    _ => false,
                };
                self.color(&state.fill, operands, scope)?;
            }
            b"SC" | b"SCN" => self.color(&state.stroke, operands, scope)?,
            b"gs" => self.graphics_state(operands, scope),
            b"Tf" => state.has_wide_font = self.font(operands, scope),
            b"Tr" => state.is_hidden = operands.numbers() == Some([3.0]),
            b"w" => state.line_width = operands.numbers().map_or(state.line_width, |[width]| width),
            b"m" | b"l" => self.reach(operands.numbers::<2>(), state),
            b"c" => self.reach(operands.numbers::<6>(), state),
            b"v" | b"y" => self.reach(operands.numbers::<4>(), state),
            b"re" => {
                let corners = operands
                    .numbers()
                    .map(|[x, y, width, height]| [x, y, x + width, y + height]);
                self.reach(corners, state);
                let others = operands
                    .numbers()
                    .map(|[x, y, width, height]| [x + width, y, x, y + height]);
                self.reach(others, state);
            }
            b"W" | b"W*" => {
                state.clip = match (state.clip, self.path) {
                    // The clip and the path do not overlap, so nothing is visible.
                    (Some(clip), Some(path)) => Some(clip.intersection(&path).unwrap_or(Rectangle {
                        right: clip.left,
                        ..clip
                    })),
                    (clip, path) => path.or(clip),
                };
            }
            b"n" => self.path = None,
            b"Do" => self.object(operands, state, scope)?,
            b"sh" => {
                (self.see)(Event::Paint);
                self.shading(operands.last_name(), "Shading", scope);
            }
            b"f" | b"F" | b"f*" => self.shape(false, state),
            b"B" | b"B*" | b"b" | b"b*" | b"S" | b"s" => self.shape(true, state),
            b"Tj" | b"TJ" | b"'" | b"\"" => {
                (self.see)(Event::Text(Text {
                    place: state.text.on_page(state.matrix),
                    size: state.text.size_on_page(state.matrix) * self.unit,
                    is_hidden: state.is_hidden,
                    has_missing_glyph: state.has_wide_font && self.has_zero_pair,
                }));
                (self.see)(Event::Paint);
            }
            b"J" | b"j" | b"M" | b"d" | b"ri" | b"i" | b"h" | b"BT" | b"ET" | b"Tc" | b"Tw" | b"Tz" | b"TL" | b"Ts"
            | b"Td" | b"TD" | b"Tm" | b"T*" | b"d0" | b"d1" | b"MP" | b"DP" | b"BMC" | b"BDC" | b"EMC" | b"BX"
            | b"EX" => {}
            _ => (self.see)(Event::Damage("its content contains an unknown operator")),
        }
        Ok(())
    }

    /// Extends the path's bounds to these points, which are pairs of numbers.
    fn reach<const COUNT: usize>(&mut self, points: Option<[f64; COUNT]>, state: &State) {
        for point in points.iter().flat_map(|points| points.as_chunks::<2>().0) {
            let (x, y) = state.matrix.point(point[0], point[1]);
            let here = Rectangle {
                left: x,
                bottom: y,
                right: x,
                top: y,
            };
            self.path = Some(self.path.map_or(here, |path| path.around(&here)));
        }
    }

    /// Reports the path as filled, or drawn as a line, and ends it.
    fn shape(&mut self, is_line: bool, state: &State) {
        (self.see)(Event::Paint);
        let width = state.line_width * state.matrix.sides().0.max(state.matrix.sides().1);
        if is_line {
            (self.see)(Event::Line(width * self.unit));
        }
        let Some(path) = self.path.take() else { return };
        let by = if is_line { width / 2.0 } else { 0.0 };
        let bounds = Rectangle {
            left: path.left - by,
            bottom: path.bottom - by,
            right: path.right + by,
            top: path.top + by,
        };
        let bounds = match state.clip {
            Some(clip) => clip.intersection(&bounds),
            None => Some(bounds),
        };
        // A shape outside the sheet is not printed.
        let bounds = bounds.filter(|bounds| self.sheet.is_none_or(|sheet| sheet.overlaps(bounds)));
        if let Some(bounds) = bounds {
            let is_white = state.is_white && !is_line;
            (self.see)(Event::Shape { bounds, is_white });
        }
    }

    fn graphics_state(&mut self, operands: &Operands, scope: Scope<'a>) {
        let found = operands
            .last_name()
            .zip(scope.resources)
            .and_then(|(name, resources)| resource(self.document, resources, "ExtGState", name))
            .and_then(|(_, object)| object.as_dict().ok());
        let Some(found) = found else { return };
        for reason in transparency::reasons_in_state(self.document, found) {
            (self.see)(Event::Transparency(reason));
        }
        let font = array(self.document, found, "Font").and_then(|font| font.first());
        let font = font.and_then(|font| crate::pdf::resolve(self.document, font));
        if let Some(font) = font.and_then(|font| font.as_dict().ok()) {
            (self.see)(Event::Font(font));
        }
    }

    /// Reports the font. Returns true when it has two bytes per character, which are glyph numbers.
    fn font(&mut self, operands: &Operands, scope: Scope<'a>) -> bool {
        let found = operands
            .last_name()
            .zip(scope.resources)
            .and_then(|(name, resources)| resource(self.document, resources, "Font", name))
            .and_then(|(_, object)| object.as_dict().ok());
        (self.see)(match found {
            Some(font) => Event::Font(font),
            None => Event::Damage("it uses a font that does not exist"),
        });
        found.is_some_and(|font| {
            name(self.document, font, "Subtype") == Some(b"Type0")
                && matches!(
                    name(self.document, font, "Encoding"),
                    Some(b"Identity-H" | b"Identity-V")
                )
        })
    }
}
