//! Edits of a composed picture, from the customer's instruction: things that are left out, or drawn in another size.

use tiny_skia::{Rect, Transform};

use crate::figure::Figure;
use crate::inflection::singulars;
use crate::words::{Wish, label, tokens};

/// A clause of the instruction that cannot be followed by the words of the prompt alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The clause, in the customer's words.
    pub clause: String,
    pub kind: Kind,
    /// Labels, and words with which a label may end: "tree" names every tree.
    pub names: Vec<String>,
    /// True if the wish was changed accordingly, whether or not the picture shows one of the things.
    pub is_done: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Remove,
    Resize(Size),
    /// Nothing that this plugin can do.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Bigger,
    Smaller,
}

impl Size {
    const fn factor(self) -> f32 {
        match self {
            Self::Bigger => 1.4,
            Self::Smaller => 0.65,
        }
    }
}

/// Returns the names of the things in a clause.
pub fn names(words: &str) -> Vec<String> {
    let mut names: Vec<String> = Wish::read(words)
        .subjects
        .into_iter()
        .map(|subject| subject.label)
        .collect();
    for word in tokens(words) {
        let forms = singulars(&word).into_iter().chain([word]);
        names.extend(forms.filter(|form| label(std::slice::from_ref(form)).is_some()));
    }
    names
}

impl Edit {
    /// Returns true if the clause is about the drawing of this label.
    pub fn is_about(&self, label: &str) -> bool {
        let last = label.rsplit(' ').next();
        self.names
            .iter()
            .any(|name| name == label || last == Some(name.as_str()))
    }
}

/// Returns the clauses that a picture with these labels does not follow, in the customer's words.
pub fn ignored(edits: &[Edit], shown: &[String]) -> Vec<String> {
    let mut ignored: Vec<String> = Vec::new();
    for edit in edits {
        let is_followed = edit.is_done || edit.kind != Kind::Other && shown.iter().any(|label| edit.is_about(label));
        if !is_followed && ignored.last() != Some(&edit.clause) {
            ignored.push(edit.clause.clone());
        }
    }
    ignored
}

/// Applies the edits to a figure in the picture. `None` if one of them removes it.
pub fn edited(edits: &[Edit], label: &str, figure: Figure, area: &Rect) -> Option<Figure> {
    let about = edits.iter().filter(|edit| edit.is_about(label));
    about.map(|edit| edit.kind).try_fold(figure, |figure, kind| match kind {
        Kind::Remove => None,
        Kind::Resize(size) => Some(resized(&figure, size.factor(), area)),
        Kind::Other => Some(figure),
    })
}

/// Scales a figure, which stays on its ground and inside the picture.
fn resized(figure: &Figure, factor: f32, area: &Rect) -> Figure {
    let bounds = figure.bounds();
    let (middle, ground) = ((bounds.left() + bounds.right()) / 2.0, bounds.bottom());
    let pad = area.width() * 0.02;
    let (left, right, top) = (area.left() + pad, area.right() - pad, area.top() + pad);
    let room = ((ground - top) / bounds.height()).min((right - left) / bounds.width());
    let scale = factor.min(room.max(1.0));
    let half = bounds.width() * scale / 2.0;
    let x = if half * 2.0 < right - left {
        middle.clamp(left + half, right - half)
    } else {
        middle
    };
    let grown = Transform::from_translate(-middle, -ground).post_scale(scale, scale);
    figure.transformed(grown.post_translate(x, ground))
}
