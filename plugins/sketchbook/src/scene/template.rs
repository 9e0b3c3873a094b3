//! Templates for compositions: the positions of the hero and its companions.

use fastrand::Rng;

/// A position on the page: the fraction of its width, and the depth of the feet, from 0 at the horizon to 1 at the
/// lower edge.
type Spot = (f32, f32);

#[derive(Clone, Copy, Debug)]
pub(super) struct Template {
    pub horizon: f32,
    pub hero: Spot,
    pub hero_height: f32,
    pub supports: [Spot; 5],
}

const fn template(horizon: f32, hero: Spot, hero_height: f32, supports: [Spot; 5]) -> Template {
    Template {
        horizon,
        hero,
        hero_height,
        supports,
    }
}

/// The templates. Each is also used mirrored.
#[rustfmt::skip]
const TEMPLATES: &[Template] = &[
    // The hero in the middle, companions on both sides.
    template(0.60, (0.50, 0.62), 1.00, [(0.18, 0.80), (0.83, 0.72), (0.20, 0.25), (0.80, 0.20), (0.55, 0.97)]),
    // The hero to one side, a companion opposite.
    template(0.56, (0.33, 0.66), 1.06, [(0.78, 0.82), (0.75, 0.32), (0.15, 0.95), (0.90, 0.55), (0.52, 0.98)]),
    // The hero close to the viewer, the others behind.
    template(0.48, (0.48, 0.90), 1.16, [(0.16, 0.45), (0.84, 0.40), (0.86, 0.92), (0.13, 0.93), (0.50, 0.20)]),
    // The hero farther away, the others in front.
    template(0.66, (0.40, 0.30), 0.94, [(0.80, 0.60), (0.20, 0.92), (0.62, 0.95), (0.88, 0.20), (0.10, 0.40)]),
    template(0.62, (0.62, 0.45), 1.02, [(0.20, 0.55), (0.84, 0.92), (0.40, 0.95), (0.12, 0.95), (0.90, 0.35)]),
    // A low horizon under a large sky.
    template(0.72, (0.36, 0.55), 0.96, [(0.76, 0.70), (0.82, 0.15), (0.58, 0.98), (0.14, 0.95), (0.92, 0.95)]),
    // A high horizon: all subjects are on a wide meadow.
    template(0.42, (0.66, 0.62), 1.04, [(0.24, 0.92), (0.22, 0.38), (0.80, 0.98), (0.46, 0.98), (0.12, 0.65)]),
    // A row along the lower edge.
    template(0.52, (0.28, 0.92), 1.10, [(0.78, 0.95), (0.66, 0.35), (0.88, 0.48), (0.52, 0.98), (0.12, 0.25)]),
    // A diagonal from near to far.
    template(0.46, (0.70, 0.34), 0.98, [(0.28, 0.90), (0.14, 0.30), (0.62, 0.97), (0.88, 0.90), (0.44, 0.60)]),
];

impl Template {
    /// Returns a random template, mirrored or not, with small random shifts.
    pub(super) fn any(rng: &mut Rng) -> Self {
        let mut chosen = TEMPLATES[rng.usize(0..TEMPLATES.len())];
        let mirrored = rng.bool();
        let mut nudged = |(x, depth): Spot, by: f32| -> Spot {
            let x = if mirrored { 1.0 - x } else { x };
            let mut around = |value: f32| (value + by * (rng.f32() * 2.0 - 1.0)).clamp(0.02, 0.98);
            (around(x), around(depth))
        };
        chosen.hero = nudged(chosen.hero, 0.05);
        chosen.supports = chosen.supports.map(|spot| nudged(spot, 0.08));
        chosen.horizon += 0.06 * (rng.f32() - 0.5);
        chosen.hero_height *= 0.95 + 0.14 * rng.f32();
        chosen
    }
}
