//! The color of a cover around its picture: on its spine and back, and behind the texts on its front.
use std::ops::RangeInclusive;

use linepress_model::relative_luminance;
use linepress_raster::Colors;

/// The number of bins into which hues are sorted.
const BINS: usize = 36;
const DEGREES_PER_BIN: f64 = 360.0 / BINS as f64;

/// The least difference between the strongest and the weakest channel of a pixel that has a hue.
const MIN_CHROMA: u8 = 48;

/// The share of the picture that a hue needs in order to be chosen.
const MIN_SHARE: f64 = 0.04;

/// Orange and yellow, in degrees. In a tone that is dark enough for white letters, they are brown.
const MUDDY_HUES: RangeInclusive<f64> = 10.0..=78.0;

/// The yellowish greens of grass, in degrees. In a dark tone they are olive, so the last of them replaces the others.
const GRASS_HUES: RangeInclusive<f64> = 78.0..=112.0;

/// The limits of the chosen color's saturation: below them it is gray, above them it is garish.
const SATURATION: RangeInclusive<f64> = 0.75..=0.88;

/// The least value (in the sense of HSV) of the chosen color, which would otherwise be nearly black.
const MIN_VALUE: f64 = 0.42;

/// The highest relative luminance with which white letters have a contrast of 4.5 to 1 (WCAG 2.2, success criterion
/// 1.4.3).
const MAX_LUMINANCE: f64 = 1.05 / 4.5 - 0.05;

/// The color for a picture without colors.
const FALLBACK: [u8; 3] = [36, 78, 140];

/// A color by hue in degrees, saturation and value.
#[derive(Clone, Copy)]
struct Shade {
    hue: f64,
    saturation: f64,
    value: f64,
}

/// The pixels of similar hues. The sums are weighted with the square of the chroma, so that a vivid surface counts more
/// than a pale one.
#[derive(Clone, Copy, Default)]
struct Surface {
    pixels: u32,
    weight: f64,
    hue: f64,
    saturation: f64,
    value: f64,
}

/// Returns the color around a picture: a vivid hue of the picture, dark enough for white letters. Where nearly all of
/// the picture is orange, yellow or brown, it is the complementary blue.
pub(crate) fn ground_of(picture: &Colors) -> [u8; 3] {
    let surfaces = surfaces_of(picture);
    let is_large = |surface: &&Surface| f64::from(surface.pixels) >= MIN_SHARE * picture.pixels.len() as f64;
    let is_clear = |surface: &&Surface| !MUDDY_HUES.contains(&surface.shade().hue);
    let large = || surfaces.iter().filter(is_large);
    if let Some(surface) = most_vivid(large().filter(is_clear)) {
        dark(surface.shade())
    } else if let Some(surface) = most_vivid(large()) {
        dark(surface.shade().complement())
    } else {
        FALLBACK
    }
}

fn most_vivid<'a>(surfaces: impl Iterator<Item = &'a Surface>) -> Option<&'a Surface> {
    surfaces.max_by(|one, other| one.weight.total_cmp(&other.weight))
}

/// Returns the surfaces of a picture, one for each bin with its neighbors, so that no hue is split between two bins.
fn surfaces_of(picture: &Colors) -> Vec<Surface> {
    let mut bins = [Surface::default(); BINS];
    for pixel in &picture.pixels {
        if let Some((shade, weight)) = shade_of(*pixel) {
            // The cast is of a number between 0 and 36, which rounding may reach.
            bins[(shade.hue / DEGREES_PER_BIN) as usize % BINS].add(shade, weight);
        }
    }
    (0..BINS)
        .map(|index| {
            let before = bins[(index + BINS - 1) % BINS].turned(if index == 0 { -360.0 } else { 0.0 });
            let after = bins[(index + 1) % BINS].turned(if index == BINS - 1 { 360.0 } else { 0.0 });
            before.and(bins[index]).and(after)
        })
        .collect()
}

impl Surface {
    fn add(&mut self, shade: Shade, weight: f64) {
        self.pixels += 1;
        self.weight += weight;
        self.hue += shade.hue * weight;
        self.saturation += shade.saturation * weight;
        self.value += shade.value * weight;
    }

    /// The same surface with its hues counted from another full turn.
    fn turned(self, degrees: f64) -> Self {
        Self {
            hue: self.hue + degrees * self.weight,
            ..self
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            pixels: self.pixels + other.pixels,
            weight: self.weight + other.weight,
            hue: self.hue + other.hue,
            saturation: self.saturation + other.saturation,
            value: self.value + other.value,
        }
    }

    /// The mean of the surface.
    fn shade(&self) -> Shade {
        // An empty surface has a weight of zero, and any hue.
        let weight = self.weight.max(f64::MIN_POSITIVE);
        Shade {
            hue: (self.hue / weight).rem_euclid(360.0),
            saturation: self.saturation / weight,
            value: self.value / weight,
        }
    }
}

impl Shade {
    /// The opposite hue, vivid: that of a dull brown is a dull blue otherwise.
    fn complement(self) -> Self {
        Self {
            hue: (self.hue + 180.0).rem_euclid(360.0),
            saturation: 0.8,
            value: 0.8,
        }
    }

    fn rgb(self) -> [u8; 3] {
        [5.0, 3.0, 1.0].map(|offset| {
            let position = (offset + self.hue / 60.0).rem_euclid(6.0);
            let share = position.min(4.0 - position).clamp(0.0, 1.0);
            // The cast is of a number between 0 and 255.
            (self.value * (1.0 - self.saturation * share) * 255.0).round() as u8
        })
    }
}

/// Returns the shade of a pixel and its weight; `None` for a pixel that is nearly gray.
fn shade_of([red, green, blue]: [u8; 3]) -> Option<(Shade, f64)> {
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let chroma = most - least;
    if chroma < MIN_CHROMA {
        return None;
    }
    let span = f64::from(chroma);
    let difference = |one: u8, other: u8| (f64::from(one) - f64::from(other)) / span;
    let sextant = if most == red {
        difference(green, blue).rem_euclid(6.0)
    } else if most == green {
        difference(blue, red) + 2.0
    } else {
        difference(red, green) + 4.0
    };
    let shade = Shade {
        hue: sextant * 60.0,
        saturation: span / f64::from(most),
        value: f64::from(most) / 255.0,
    };
    Some((shade, (span / 255.0).powi(2)))
}

/// Returns a vivid color of this hue that is dark enough for white letters.
fn dark(shade: Shade) -> [u8; 3] {
    const STEP: f64 = 0.98;
    // The steps end far below the darkest color.
    const MAX_STEPS: i32 = 200;
    let is_grass = GRASS_HUES.contains(&shade.hue);
    let value = shade.value.max(MIN_VALUE);
    let darker = |step: i32| Shade {
        hue: if is_grass { *GRASS_HUES.end() } else { shade.hue },
        saturation: shade.saturation.clamp(*SATURATION.start(), *SATURATION.end()),
        value: value * STEP.powi(step),
    };
    (0..MAX_STEPS)
        .map(|step| darker(step).rgb())
        .find(|color| relative_luminance(*color) <= MAX_LUMINANCE)
        .unwrap_or(FALLBACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rgb = [u8; 3];
    /// Colors and their shares of a picture in percent.
    type Areas<'a> = &'a [(Rgb, usize)];

    fn ground(areas: Areas<'_>) -> Rgb {
        let pixels: Vec<Rgb> = areas
            .iter()
            .flat_map(|(color, percent)| vec![*color; percent * 100])
            .collect();
        assert_eq!(pixels.len(), 100 * 100);
        ground_of(&Colors::new(100, 100, pixels))
    }

    const SKY: Rgb = [70, 190, 240];
    const SUNSHINE: Rgb = [255, 205, 60];
    const GRASS: Rgb = [125, 205, 60];
    const WOOD: Rgb = [205, 150, 95];
    const FUR: Rgb = [150, 100, 70];
    const RED: Rgb = [230, 50, 45];
    const PINK: Rgb = [255, 150, 205];
    const WHITE: Rgb = [250, 250, 250];
    const GRAY: Rgb = [100, 100, 110];

    #[test]
    fn the_ground_is_a_vivid_hue_of_the_picture_and_never_brown() {
        // The areas of the covers of sample books.
        let covers: [(&str, Areas<'_>, RangeInclusive<f64>); 6] = [
            (
                "dinosaur",
                &[(SUNSHINE, 55), ([20, 160, 75], 18), (GRASS, 27)],
                110.0..=150.0,
            ),
            (
                "fire engine",
                &[(SUNSHINE, 50), (GRAY, 30), (RED, 10), (FUR, 10)],
                0.0..=10.0,
            ),
            ("birthday", &[(PINK, 35), (WOOD, 45), (FUR, 20)], 315.0..=340.0),
            (
                "family",
                &[(SKY, 45), (GRASS, 30), (FUR, 10), (WHITE, 15)],
                190.0..=205.0,
            ),
            ("night", &[([70, 40, 140], 60), ([170, 170, 175], 40)], 250.0..=265.0),
            // A hue on both sides of zero.
            ("crimson", &[([225, 30, 50], 50), ([225, 50, 30], 50)], 0.0..=10.0),
        ];
        for (name, areas, hues) in covers {
            let color = ground(areas);
            let (shade, _) = shade_of(color).unwrap();
            assert!(hues.contains(&shade.hue), "{name}: {color:?} has the hue {}", shade.hue);
            assert!(shade.saturation > 0.7, "{name}: {color:?}");
        }
    }

    #[test]
    fn a_picture_of_yellow_and_brown_gets_blue_and_one_without_colors_a_fixed_color() {
        let blue = ground(&[(SUNSHINE, 60), (WOOD, 37), (RED, 3)]);
        let (shade, _) = shade_of(blue).unwrap();
        assert!((195.0..=260.0).contains(&shade.hue), "{blue:?}");
        assert_eq!(ground(&[(WHITE, 60), (GRAY, 40)]), FALLBACK);
    }

    #[test]
    fn white_letters_are_legible_on_every_ground() {
        for index in 0..4096_u32 {
            // The casts are of numbers below 256.
            let channel = |shift: u32| (((index >> shift) & 15) * 17) as u8;
            let pixel = [channel(8), channel(4), channel(0)];
            let color = ground_of(&Colors::new(2, 2, vec![pixel; 4]));
            let contrast = 1.05 / (relative_luminance(color) + 0.05);
            assert!(contrast >= 4.49, "{color:?} has a contrast of {contrast:.2}");
        }
    }
}
