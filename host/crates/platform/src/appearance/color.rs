//! Colors of the web pages, and the contrast between two of them.
use std::fmt;

use linepress_model::relative_luminance;

/// An sRGB color without transparency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color {
    red: u8,
    green: u8,
    blue: u8,
}

impl Color {
    pub const WHITE: Self = Self::new(0xff, 0xff, 0xff);
    pub const BLACK: Self = Self::new(0, 0, 0);

    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue }
    }

    /// Parses `#rrggbb` or `#rgb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        let digits: Vec<u8> = digits
            .chars()
            .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect::<Option<_>>()?;
        match digits[..] {
            [red, green, blue] => Some(Self::new(red * 17, green * 17, blue * 17)),
            [r, ed, g, reen, b, lue] => Some(Self::new(r * 16 + ed, g * 16 + reen, b * 16 + lue)),
            _ => None,
        }
    }

    /// The color in which `percent` of this color are replaced by the other.
    pub fn mixed(self, other: Self, percent: u8) -> Self {
        let channel = |own: u8, other: u8| {
            let percent = u32::from(percent.min(100));
            let sum = u32::from(own) * (100 - percent) + u32::from(other) * percent;
            u8::try_from((sum + 50) / 100).unwrap_or(u8::MAX)
        };
        Self::new(
            channel(self.red, other.red),
            channel(self.green, other.green),
            channel(self.blue, other.blue),
        )
    }

    /// The contrast ratio of WCAG 2.2, from 1 (equal luminance) to 21 (black on white).
    pub fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance() + 0.05, other.luminance() + 0.05);
        one.max(other) / one.min(other)
    }

    /// The relative luminance of WCAG 2.2, from 0 to 1.
    fn luminance(self) -> f64 {
        relative_luminance([self.red, self.green, self.blue])
    }
}

impl fmt::Display for Color {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_has_three_or_six_hexadecimal_digits() {
        assert_eq!(Color::parse("#1C4fb4"), Some(Color::new(0x1c, 0x4f, 0xb4)));
        assert_eq!(Color::parse("#fa0"), Some(Color::new(0xff, 0xaa, 0)));
        for wrong in [
            "", "#", "1c4fb4", "#1c4fb", "#1c4fb4f", "#ggg", "blue", "#+1c4fb", "# 1c4fb",
        ] {
            assert_eq!(Color::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_contrast_is_that_of_the_guidelines() {
        let rounded = |one: &str, other: &str| {
            let contrast = Color::parse(one).unwrap().contrast(Color::parse(other).unwrap());
            (contrast * 100.0).round() / 100.0
        };
        assert_eq!(rounded("#000", "#fff"), 21.0);
        assert_eq!(rounded("#fff", "#fff"), 1.0);
        // The lightest gray that white text may have as its background.
        assert_eq!(rounded("#767676", "#ffffff"), 4.54);
        assert_eq!(rounded("#ffffff", "#777777"), 4.48);
    }

    #[test]
    fn a_mixture_lies_between_its_colors() {
        assert_eq!(Color::BLACK.mixed(Color::WHITE, 0), Color::BLACK);
        assert_eq!(Color::BLACK.mixed(Color::WHITE, 50).to_string(), "#808080");
        assert_eq!(Color::BLACK.mixed(Color::WHITE, 100), Color::WHITE);
    }
}
