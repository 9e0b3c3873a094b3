//! The marks of sleep on a face: closed eyes, and the letters of a snore.

use tiny_skia::PathBuilder;

use super::shapes::{circle, curve, line};
use super::{Figure, Layer};

/// Returns the closed eyes of a face, and the letters of a snore next to it.
pub(super) fn sleep(face: &Figure) -> Vec<Layer> {
    let head = face.bounds();
    let radius = match face.anchors.eyes.as_slice() {
        [a, b] => ((a.0 - b.0).abs() * 0.2).clamp(head.width() * 0.06, head.width() * 0.11),
        _ => head.width() * 0.08,
    };
    let mut layers = Vec::new();
    for (x, y) in &face.anchors.eyes {
        // The lid hides the eye, and has only a lower edge.
        layers.push(Layer {
            fill: circle(*x, *y, radius),
            color: face.anchors.coat,
            ..Layer::default()
        });
        layers.push(line(curve(
            &[(x - radius * 0.85, *y), (*x, y + radius * 0.6), (x + radius * 0.85, *y)],
            false,
        )));
    }
    let unit = head.height() / 100.0;
    for (step, size) in [(0.0, 5.0), (1.0, 6.5), (2.0, 8.0)] {
        let (x, y) = (
            head.right() + unit * (4.0 + 12.0 * step),
            head.top() + unit * (14.0 - 13.0 * step),
        );
        let half = unit * size;
        let (left, right) = (x - half * 0.8, x + half * 0.8);
        let mut letter = PathBuilder::new();
        letter.move_to(left, y - half);
        letter.line_to(right, y - half);
        letter.line_to(left, y + half);
        letter.line_to(right, y + half);
        layers.push(line(letter.finish()));
    }
    layers
}
