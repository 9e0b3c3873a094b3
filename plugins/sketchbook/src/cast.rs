//! The choice of a drawing for a label on one page, and its outline at a given size.

use fastrand::Rng;
use linepress_plugin_sdk::v1::image::Audience;
use tiny_skia::Rect;

use crate::art::{Collection, Drawing, Drawings, Face, face, trace, without_ears};
use crate::catalog::entry;
use crate::figure::Figure;
use crate::figure::body::{HEAD_SHARE, Pose, Species, is_face, only_a_face, species_in, with_body};
use crate::figure::expression::enliven;
use crate::figure::landmarks::Landmarks;
use crate::style::Style;
use crate::words::is_animate;

/// The drawing chosen for a subject.
#[derive(Clone, Copy, Debug)]
pub enum Actor {
    Drawn(&'static Drawing),
    /// A drawing of a face on a procedural body.
    Embodied(&'static Drawing, Species, Pose),
}

impl Actor {
    /// Chooses among the drawings of a label: from the simple set for toddlers, from the detailed set otherwise. `None`
    /// if the label has no drawing.
    pub fn choose(label: &str, style: &Style, rng: &mut Rng) -> Option<Self> {
        // In a book, an animal has the body that covers show, and that holds things on other pages. The number is taken
        // in any case, because a refinement composes an earlier page again.
        let embodied = species_in(label).filter(|species| {
            only_a_face(label) || species.is_costumed() || style.colored || rng.u8(0..3) == 0 || style.in_book
        });
        if let Some(species) = embodied
            && let Some(face) = preferred(species.face, style, rng)
        {
            return Some(Self::Embodied(face, species, Pose::for_style(style, rng)));
        }
        preferred(label, style, rng).map(Self::Drawn)
    }

    /// Like [`Actor::choose`], for a subject that wears or holds something: prefers a procedural body or, outside a
    /// book, a drawing whose head and hands are known.
    pub fn with_hands(label: &str, style: &Style, rng: &mut Rng) -> Option<Self> {
        let body =
            species_in(label).and_then(|species| preferred(species.face, style, rng).map(|face| (face, species)));
        if let Some((face, species)) = body {
            return Some(Self::Embodied(face, species, Pose::for_style(style, rng)));
        }
        if style.in_book || !Landmarks::known(label) {
            return preferred(label, style, rng).map(Self::Drawn);
        }
        let collection = collection_of(label).unwrap_or(Collection::Noto);
        let drawings = || Drawings::get().with_label(label);
        let measured = drawings().find(|drawing| drawing.collection == collection);
        measured.or_else(|| drawings().next()).map(Self::Drawn)
    }

    pub fn bounds(&self) -> Rect {
        match self {
            Self::Drawn(drawing) | Self::Embodied(drawing, ..) => drawing.bounds,
        }
    }

    pub fn group(&self) -> u8 {
        match self {
            Self::Drawn(drawing) | Self::Embodied(drawing, ..) => drawing.group,
        }
    }

    /// Returns true if the drawing is cut off at the chest and belongs at the lower edge of the picture.
    pub fn is_bust(&self) -> bool {
        matches!(self, Self::Drawn(drawing) if drawing.is_bust())
    }

    /// Returns the figure, centered on the origin and fitted into a box.
    pub fn figure(&self, width: f32, height: f32, style: &Style) -> Figure {
        match self {
            Self::Drawn(drawing) => {
                let scale = (height / drawing.bounds.height()).min(width / drawing.bounds.width());
                traced(drawing, scale, style, false)
            }
            Self::Embodied(face, species, pose) => {
                let bare = species.ears.map(|_| without_ears(face));
                let face = bare.as_ref().unwrap_or(face);
                let bounds = face.bounds;
                let scale = (height * HEAD_SHARE / bounds.height()).min(width * 0.86 / bounds.width());
                let face = traced(face, scale, style, pose.is_asleep());
                with_body(face, species, *pose).fitted(width, height)
            }
        }
    }

    /// Returns the minimum height, in pixels, at which the drawing can still be colored.
    pub fn smallest(&self, style: &Style) -> f32 {
        let drawing = match self {
            Self::Drawn(drawing) | Self::Embodied(drawing, ..) => drawing,
        };
        let regions = drawing.regions.len() as f32;
        let head = style.detail.smallest_radius * (7.0 + 2.2 * regions.sqrt());
        if matches!(self, Self::Embodied(..)) {
            head / HEAD_SHARE
        } else {
            head
        }
    }
}

/// Returns the labels of the faces of a species, which has several if people should look different.
pub(crate) fn faces_of(species: &Species) -> &[&'static str] {
    match species.face {
        "man" => &["man", "man: beard"],
        "child" => &["child", "girl"],
        "person" => &["person", "woman", "man", "man: beard"],
        _ => std::slice::from_ref(&species.face),
    }
}

/// Traces a drawing. On a cover in color, what lives and is awake looks at the viewer with large eyes.
fn traced(drawing: &Drawing, scale: f32, style: &Style, is_asleep: bool) -> Figure {
    let mut figure = trace(drawing, scale, &style.detail);
    if style.colored && is_animate(&drawing.label) {
        let mut face = face(drawing, scale);
        if let ([left, right], true) = (face.eyes.as_slice(), FACING.contains(&drawing.label.as_str())) {
            // The arms of such a drawing would be taken for its mouth.
            let apart = right.at.0 - left.at.0;
            let middle = ((left.at.0 + right.at.0) / 2.0, left.at.1 + apart * 0.1);
            face.mouth = Some((middle, apart * 0.32));
        }
        figure.anchors.lowest_feature = lowest_feature(&face);
        if is_asleep {
            figure.anchors.eyes = face.eyes.iter().map(|eye| eye.at).collect();
        } else {
            enliven(&mut figure, &face, smiles(drawing));
        }
    }
    figure
}

/// Returns the level of the lower lip, or a level below the eyes of a face seen from the side.
fn lowest_feature(face: &Face) -> Option<f32> {
    let lip = face.mouth.map(|((_, y), width)| y + width * 0.5);
    lip.or_else(|| face.eyes.first().map(|eye| eye.at.1 + eye.radius * 3.0))
}

/// Returns true for a face that is seen from the front.
fn smiles(drawing: &Drawing) -> bool {
    drawing.group == 1 || is_face(&drawing.label) || FACING.contains(&drawing.label.as_str())
}

/// The maximum number of regions of a detailed drawing that is simple enough for a toddler.
const MAX_SIMPLE_REGIONS: usize = 14;

/// Returns the only collection whose drawing of the label is used.
fn collection_of(label: &str) -> Option<Collection> {
    entry(label).and_then(|entry| entry.collection)
}

/// Drawings of which only the simple version shows both eyes.
const FACING: &[&str] = &["octopus"];

fn preferred(label: &str, style: &Style, rng: &mut Rng) -> Option<&'static Drawing> {
    let drawings: Vec<&Drawing> = Drawings::get().with_label(label).collect();
    let simple_wanted = match style.audience {
        Audience::Toddler => drawings
            .iter()
            .any(|drawing| drawing.regions.len() > MAX_SIMPLE_REGIONS),
        Audience::Child => rng.u8(0..4) == 0 && !(style.in_book && is_animate(label)),
        Audience::Teen | Audience::Adult => false,
    };
    let usual = if simple_wanted {
        Collection::Fluent
    } else {
        Collection::Noto
    };
    let wanted = if style.colored && FACING.contains(&label) {
        Collection::Fluent
    } else {
        collection_of(label).unwrap_or(usual)
    };
    drawings
        .iter()
        .find(|drawing| drawing.collection == wanted)
        .or(drawings.first())
        .copied()
}
