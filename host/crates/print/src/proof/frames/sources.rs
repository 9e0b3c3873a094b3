//! The places in the templates that make the elements of a page, for designers who point at an element.
use std::collections::HashMap;

use typst::layout::{Frame, FrameItem, Point, Rect, Transform};
use typst::syntax::Span;
use typst_layout::Page;

use super::position::{Position, text_bounds};
use crate::diagnostic::Place;
use crate::measures::Rectangle;
use crate::proof::SourceArea;
use crate::world::TemplateWorld;

/// The maximum number of elements of a page whose places are listed.
const MAX_AREAS_PER_PAGE: usize = 2000;

/// Lists the elements of pages, with each place in the templates only once.
pub(in crate::proof) struct Sources<'a> {
    world: &'a TemplateWorld,
    places: Vec<Place>,
    /// The index of each place. `None` for an element that no line of a template makes.
    known: HashMap<Span, Option<usize>>,
}

impl<'a> Sources<'a> {
    pub(in crate::proof) fn new(world: &'a TemplateWorld) -> Self {
        Self {
            world,
            places: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// The elements of a page, in the order in which they are painted.
    pub(in crate::proof) fn of(&mut self, page: &Page) -> Vec<SourceArea> {
        let mut areas = Vec::new();
        self.collect(&page.frame, &Position::of_page(), &mut areas);
        areas
    }

    /// All places, to which the areas refer by index.
    pub(in crate::proof) fn into_places(self) -> Vec<Place> {
        self.places
    }

    fn collect(&mut self, frame: &Frame, position: &Position, areas: &mut Vec<SourceArea>) {
        for (point, item) in frame.items() {
            let here = position.moved(Transform::translate(point.x, point.y));
            let (span, bounds) = match item {
                FrameItem::Group(group) => {
                    self.collect(&group.frame, &here.within(group), areas);
                    continue;
                }
                FrameItem::Text(text) => {
                    let Some(glyph) = text.glyphs.first() else { continue };
                    (glyph.span.0, text_bounds(text))
                }
                FrameItem::Shape(shape, span) => (*span, shape.bbox(true)),
                FrameItem::Image(_, size, span) => (*span, Rect::from_pos_size(Point::zero(), *size)),
                FrameItem::Link(..) | FrameItem::Tag(_) => continue,
            };
            if areas.len() == MAX_AREAS_PER_PAGE {
                return;
            }
            let area: Option<Rectangle> = here.visible(bounds);
            if let (Some(area), Some(place)) = (area, self.place_of(span)) {
                areas.push(SourceArea { area, place });
            }
        }
    }

    fn place_of(&mut self, span: Span) -> Option<usize> {
        if let Some(known) = self.known.get(&span) {
            return *known;
        }
        // An element without a line is made by Typst itself.
        let place = Place::of(self.world, span).filter(|place| place.line.is_some());
        let index = place.map(|place| match self.places.iter().position(|other| *other == place) {
            Some(index) => index,
            None => {
                self.places.push(place);
                self.places.len() - 1
            }
        });
        self.known.insert(span, index);
        index
    }
}
