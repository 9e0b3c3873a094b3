//! The accent color of the web pages: the background of main buttons and of chosen options.
use super::color::Color;

/// An accent color, with its shade in each of the two themes of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accent {
    pub light: Shade,
    /// The same color, lightened if it would disappear on dark paper.
    pub dark: Shade,
}

/// An accent color in one theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shade {
    pub background: Color,
    /// The color of text on the background.
    pub text: Color,
    /// The background under the pointer. The text is at least as readable on it.
    pub hover: Color,
}

/// The dark text of the pages, `--on-crayon` in style.css.
const INK: Color = Color::new(0x23, 0x21, 0x1d);
/// The backgrounds of cards, `--paper` in style.css.
const LIGHT_PAPER: Color = Color::WHITE;
const DARK_PAPER: Color = Color::new(0x24, 0x26, 0x2d);

/// The least contrast of text, by WCAG 2.2, success criterion 1.4.3.
const MIN_TEXT_CONTRAST: f64 = 4.5;
/// The least contrast by which a chosen option differs from the others. Both have an outline of more than 3 to 1.
const MIN_PAPER_CONTRAST: f64 = 1.2;

impl Accent {
    /// Parses a color and checks its contrast; the error says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let color = Color::parse(text)
            .ok_or_else(|| format!("{text:?} is not a color: write it as #rrggbb, such as \"#1c4fb4\""))?;
        let light = Shade::of(color);
        if !light.is_readable() {
            return Err(format!(
                "text on {color} would have a contrast of {:.1} to 1, and {MIN_TEXT_CONTRAST} to 1 is the least that is readable: \
                 choose a lighter or a darker color",
                light.background.contrast(light.text)
            ));
        }
        if !light.differs_from(LIGHT_PAPER) {
            return Err(format!(
                "{color} is too close to the white of the pages: choose a darker color"
            ));
        }
        Ok(Self {
            light,
            dark: lightened(color),
        })
    }
}

/// The first lighter shade that is readable and differs from dark paper.
fn lightened(color: Color) -> Shade {
    let mut shades = (0..=100).map(|percent| Shade::of(color.mixed(Color::WHITE, percent)));
    let fitting = shades.find(|shade| shade.is_readable() && shade.differs_from(DARK_PAPER));
    fitting.unwrap_or_else(|| Shade::of(Color::WHITE))
}

impl Shade {
    fn of(background: Color) -> Self {
        const HOVER_PERCENT: u8 = 15;
        let has_dark_text = background.contrast(INK) >= background.contrast(Color::WHITE);
        let (text, away) = if has_dark_text {
            (INK, Color::WHITE)
        } else {
            (Color::WHITE, Color::BLACK)
        };
        Self {
            background,
            text,
            hover: background.mixed(away, HOVER_PERCENT),
        }
    }

    fn is_readable(&self) -> bool {
        self.background.contrast(self.text) >= MIN_TEXT_CONTRAST
    }

    fn differs_from(&self, paper: Color) -> bool {
        self.background.contrast(paper) >= MIN_PAPER_CONTRAST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_on_an_accepted_color_is_readable_in_both_themes() {
        let mut accepted = 0;
        for number in 0..4096 {
            let text = format!("#{number:03x}");
            let Ok(accent) = Accent::parse(&text) else { continue };
            accepted += 1;
            for (shade, paper) in [(accent.light, LIGHT_PAPER), (accent.dark, DARK_PAPER)] {
                assert!(shade.is_readable() && shade.differs_from(paper), "{text}: {shade:?}");
                assert!(
                    shade.hover.contrast(shade.text) >= MIN_TEXT_CONTRAST,
                    "{text}: {shade:?}"
                );
            }
        }
        assert!(accepted > 3000, "{accepted} of 4096 colors are accepted");
    }

    #[test]
    fn a_dark_color_gets_white_text_and_is_lightened_on_dark_paper() {
        let accent = Accent::parse("#1a1a2e").unwrap();
        assert_eq!(
            (accent.light.background.to_string(), accent.light.text),
            ("#1a1a2e".into(), Color::WHITE)
        );
        assert_ne!(accent.dark.background, accent.light.background);
        let accent = Accent::parse("#ffcb2e").unwrap();
        assert_eq!((accent.light.text, accent.dark), (INK, accent.light));
    }

    #[test]
    fn a_color_without_contrast_is_rejected_with_the_reason() {
        for (text, reason) in [
            ("#808080", "to 1, and 4.5 to 1 is the least"),
            ("#fffbe0", "the white of the pages: choose a darker color"),
            ("blue", "write it as #rrggbb"),
        ] {
            let problem = Accent::parse(text).unwrap_err();
            assert!(problem.contains(reason), "{text}: {problem}");
        }
    }
}
