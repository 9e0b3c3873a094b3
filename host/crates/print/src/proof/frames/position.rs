//! The position of elements on a page, and their bounds.
use typst::layout::{Abs, GroupItem, Point, Rect, Size, Transform};
use typst::text::TextItem;
use typst::utils::Numeric as _;
use typst::visualize::{Curve, CurveItem};

use crate::measures::Rectangle;

/// The position of a frame on the page.
#[derive(Clone)]
pub(super) struct Position {
    /// The transformation from the frame to the trimmed page.
    pub(super) to_page: Transform,
    /// The part of the page to which the frame is clipped. `None` means that it is not clipped.
    pub(super) clip: Option<Rectangle>,
    /// The fixed-size boxes around the frame, outermost first, each with the transformation from the frame into it.
    pub(super) containers: Vec<(Transform, Size)>,
}

impl Position {
    /// The position of a page's own frame.
    pub(super) fn of_page() -> Self {
        Self {
            to_page: Transform::identity(),
            clip: None,
            containers: Vec::new(),
        }
    }

    pub(super) fn moved(&self, by: Transform) -> Self {
        let containers = self.containers.iter();
        Self {
            to_page: self.to_page.pre_concat(by),
            clip: self.clip,
            containers: containers.map(|(way, size)| (way.pre_concat(by), *size)).collect(),
        }
    }

    /// The position of the frame in a group.
    pub(super) fn within(&self, group: &GroupItem) -> Self {
        let mut inside = self.moved(group.transform);
        if let Some(clip) = &group.clip
            && let Some(clip) = placed(clip.bbox(None), inside.to_page)
        {
            inside.clip = Some(match &inside.clip {
                // The two clips do not overlap, so nothing is visible.
                Some(around) => around.intersection(&clip).unwrap_or(Rectangle {
                    width: 0.0,
                    height: 0.0,
                    ..clip
                }),
                None => clip,
            });
        }
        inside
    }

    /// The factor by which a length grows from the frame to the page.
    pub(super) fn scale(&self) -> f64 {
        let Transform { sx, ky, .. } = self.to_page;
        sx.get().hypot(ky.get())
    }

    pub(super) fn visible(&self, rect: Rect) -> Option<Rectangle> {
        let rectangle = placed(rect, self.to_page)?;
        match &self.clip {
            Some(clip) => clip.intersection(&rectangle),
            None => Some(rectangle),
        }
    }
}

/// The bounding box of each piece of a curve.
pub(super) fn pieces(curve: &Curve) -> Vec<Rect> {
    let mut pieces = Vec::new();
    let (mut start, mut from) = (Point::zero(), Point::zero());
    for item in &curve.0 {
        let (to, between) = match *item {
            CurveItem::Move(to) => {
                (start, from) = (to, to);
                continue;
            }
            CurveItem::Line(to) => (to, None),
            // A cubic Bézier curve lies within the hull of its ends and its control points.
            CurveItem::Cubic(one, other, to) => (to, Some((one, other))),
            CurveItem::Close => (start, None),
        };
        let (mut min, mut max) = (from.min(to), from.max(to));
        if let Some((one, other)) = between {
            min = min.min(one).min(other);
            max = max.max(one).max(other);
        }
        pieces.push(Rect::new(min, max));
        from = to;
    }
    pieces
}

/// The bounds of a text in its frame, without its stroke.
pub(super) fn text_bounds(text: &TextItem) -> Rect {
    let bounds = text.bbox();
    // Typst's bounds of text have the largest y at the top.
    Rect::new(
        Point::new(bounds.min.x, bounds.max.y),
        Point::new(bounds.max.x, bounds.min.y),
    )
}

pub(super) fn grown(rect: Rect, by: Abs) -> Rect {
    Rect::new(rect.min - Point::splat(by), rect.max + Point::splat(by))
}

/// Returns the bounds of a rectangle on the page after a transformation, or `None` for a rectangle that is infinite.
pub(super) fn placed(rect: Rect, transform: Transform) -> Option<Rectangle> {
    let corners = [
        rect.min,
        Point::new(rect.max.x, rect.min.y),
        Point::new(rect.min.x, rect.max.y),
        rect.max,
    ];
    if !corners
        .iter()
        .all(|corner| corner.x.is_finite() && corner.y.is_finite())
    {
        return None;
    }
    let corners = corners.map(|corner| corner.transform(transform));
    let min = corners.into_iter().reduce(Point::min)?;
    let max = corners.into_iter().reduce(Point::max)?;
    Some(Rectangle {
        x: min.x.to_mm(),
        y: min.y.to_mm(),
        width: (max.x - min.x).to_mm(),
        height: (max.y - min.y).to_mm(),
    })
}
