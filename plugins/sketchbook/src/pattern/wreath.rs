//! A wreath around the subject, made of leaves and of small drawings from its habitat.

use std::f32::consts::PI;

use fastrand::Rng;
use tiny_skia::{Rect, Transform};

use crate::art::Drawings;
use crate::brief::Brief;
use crate::cast::Actor;
use crate::figure::Figure;
use crate::figure::shapes::{around, circle, petal, segment, shape};
use crate::setting::{Setting, habitat};

/// Returns the figures of a wreath that is as large as the area allows.
pub(super) fn around_subject(brief: &Brief, area: Rect, fine: f32, rng: &mut Rng) -> Vec<Figure> {
    let (x, y) = ((area.left() + area.right()) / 2.0, (area.top() + area.bottom()) / 2.0);
    let size = brief.style.unit * (12.0 + 2.5 * rng.f32());
    let (rx, ry) = (area.width() / 2.0 - size * 0.72, area.height() / 2.0 - size * 0.72);
    let labels = labels(brief);
    let mut figures = Vec::new();
    let circumference = PI * (3.0 * (rx + ry) - ((3.0 * rx + ry) * (rx + 3.0 * ry)).sqrt());
    let count = (circumference / (size * 1.25)) as usize / 2 * 2;
    // The leaves come first, because the drawings are painted over them.
    for (point, angle) in around(x, y, rx, ry, count * 2, 0.0) {
        for lean in [-0.75, 0.75] {
            let direction = angle + PI / 2.0 + lean;
            let tip = (
                point.0 + direction.cos() * size * 0.4,
                point.1 + direction.sin() * size * 0.4,
            );
            let rib = crate::figure::shapes::line(segment(point, tip));
            figures.push(Figure::from_layers(vec![
                shape(petal(point, size * 0.62, fine * 2.2, direction)),
                rib,
            ]));
        }
    }
    for (index, (point, angle)) in around(x, y, rx, ry, count, 0.0).enumerate() {
        if index % 2 == 1 || labels.is_empty() {
            let berry = fine * 0.75;
            let berries = [(-0.8, 0.3), (0.8, 0.3), (0.0, -0.9)];
            figures.push(Figure::from_layers(
                berries
                    .map(|(dx, dy)| shape(circle(point.0 + dx * berry, point.1 + dy * berry, berry)))
                    .to_vec(),
            ));
            continue;
        }
        let label = &labels[(index / 2) % labels.len()];
        let Some(actor) = Actor::choose(label, &brief.style, rng) else {
            continue;
        };
        let figure = actor.figure(size, size, &brief.style);
        let bounds = figure.bounds();
        let centered = figure.moved(
            -(bounds.left() + bounds.right()) / 2.0,
            -(bounds.top() + bounds.bottom()) / 2.0,
        );
        let turn = angle.cos() * 14.0;
        figures.push(centered.transformed(Transform::from_rotate(turn).post_translate(point.0, point.1)));
    }
    figures
}

/// Returns the labels of the other subjects of the prompt, then of things that belong to its setting.
fn labels(brief: &Brief) -> Vec<String> {
    let subjects = &brief.wish.subjects;
    let first = subjects.first().map_or("blossom", |subject| subject.label.as_str());
    let others = subjects
        .iter()
        .skip(usize::from(brief.characters.is_empty()))
        .map(|subject| subject.label.clone());
    let group = Drawings::get()
        .with_label(first)
        .next()
        .map_or(3, |drawing| drawing.group);
    let setting = brief
        .wish
        .settings
        .first()
        .copied()
        .or_else(|| Setting::named(habitat(first, group)));
    let around = setting
        .into_iter()
        .flat_map(|setting| setting.near)
        .take(3)
        .map(|label| (*label).to_string());
    others.chain(around).filter(|label| label != first).take(4).collect()
}
