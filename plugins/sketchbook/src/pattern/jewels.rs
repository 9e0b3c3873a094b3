//! Covers in color without a scene: a mandala in jewel colors below the title, around the subject if there is one.

use fastrand::Rng;
use tiny_skia::Rect;

use super::{Design, fine, rings};
use crate::brief::Brief;
use crate::color::Jewels;
use crate::figure::Layer;
use crate::figure::shapes::{circle, rays, shape};
use crate::scene::{CALM_SHARE, Sheet};

/// Returns the cover. Equal motifs at an equal distance from the center have the same color, so that the mandala remains
/// symmetrical.
pub fn draw_in_color(brief: &Brief) -> Sheet {
    let rng = &mut Rng::with_seed(brief.seed);
    let (width, height) = (brief.width as f32, brief.height as f32);
    let jewels = Jewels::choose(brief.seed);
    let Some(area) = Rect::from_xywh(0.0, 0.0, width, height) else {
        return Sheet::default();
    };
    // The lower edge cuts the outermost ring, and nothing reaches the title.
    let radius = (width * 0.47).min(height * (1.0 - CALM_SHARE) * 0.5);
    let center = (width / 2.0, height * CALM_SHARE + radius * 1.1);
    let fine = fine(brief);
    let design = Design {
        brief,
        area,
        center,
        fine,
    };
    let hero = design.hero(rng).map(|hero| design.centered(&hero));
    let bounds = hero.as_ref().map(|hero| hero.bounds());
    let inner = bounds.map_or(fine * 1.3, |bounds| design.hole(&bounds, radius));
    let tone = jewels.ground.brighter(1.65).opaque();
    let mut backdrop = vec![Layer::wash(rays(&area, center, 32), tone)];
    let from = backdrop.len();
    backdrop.push(shape(circle(center.0, center.1, radius)));
    backdrop.extend(rings::mandala(center.0, center.1, radius, inner, fine, rng));
    if hero.is_some() {
        let bright = jewels.colors[2].lighter(0.35);
        backdrop.push(shape(circle(center.0, center.1, inner - fine * 0.5)).colored(bright));
    }
    let mut figures: Vec<_> = hero.into_iter().collect();
    let size = width.min(height) * 0.11;
    for (label, side) in design.others().into_iter().zip([0.14, 0.86]) {
        figures.extend(design.medal(label, (width * side, height * 0.9), size, rng));
    }
    let step = brief.style.unit * 2.4;
    let layers = backdrop[from..].iter_mut();
    for layer in layers.chain(figures.iter_mut().flat_map(|figure| &mut figure.layers)) {
        paint(layer, center, step, &jewels);
    }
    Sheet {
        backdrop,
        figures,
        hero: bounds,
        omitted: design.omitted(),
        paper: Some(jewels.ground.brighter(1.25)),
        ..Sheet::default()
    }
}

/// Gives a layer without a color one that depends on its size and its distance from the center.
fn paint(layer: &mut Layer, (x, y): (f32, f32), step: f32, jewels: &Jewels) {
    let is_plain = layer.color.is_none() && layer.tones.is_empty();
    let Some(path) = layer.fill.as_ref().filter(|_| is_plain) else {
        return;
    };
    let bounds = path.bounds();
    let middle = (
        (bounds.left() + bounds.right()) / 2.0,
        (bounds.top() + bounds.bottom()) / 2.0,
    );
    let distance = ((middle.0 - x).hypot(middle.1 - y) / step).round() as usize;
    // A ring around the whole center is a ground for motifs, not a motif.
    let size = (bounds.width().hypot(bounds.height()) / step).round() as usize;
    let number = distance * 3 + size * 5 + distance / 4;
    layer.color = Some(jewels.colors[number % jewels.colors.len()]);
}
