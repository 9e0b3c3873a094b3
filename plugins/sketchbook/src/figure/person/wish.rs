//! The hair that the description of a character names: "a girl with long red hair".

use super::hair::Hair;
use super::look::GRAY_HAIR;
use crate::color::Rgb;
use crate::token::scan;

/// The style and the color of hair, each `None` if the description does not name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HairWish {
    pub(super) style: Option<Hair>,
    pub(super) color: Option<Rgb>,
}

/// The number of words before and after "hair" that may describe it.
const WORDS_BEFORE: usize = 4;
const WORDS_AFTER: usize = 4;

impl HairWish {
    pub fn read(description: &str) -> Self {
        let words: Vec<String> = scan(description).into_iter().map(|token| token.word).collect();
        let mut wish = Self::default();
        for (index, word) in words.iter().enumerate() {
            match word.as_str() {
                "hair" | "haired" => {
                    let before = words[..index].iter().rev().take(WORDS_BEFORE);
                    let is_described = words.get(index + 1).is_some_and(|next| next == "is");
                    let after = words[index + 1..]
                        .iter()
                        .take(if is_described { WORDS_AFTER } else { 0 });
                    for word in before.chain(after) {
                        wish.style = wish.style.or_else(|| style(word));
                        wish.color = wish.color.or_else(|| color(word));
                    }
                }
                "curls" => wish.style = wish.style.or(Some(Hair::Curly)),
                "braids" | "plaits" | "pigtails" => wish.style = wish.style.or(Some(Hair::Pigtails)),
                "blond" | "blonde" | "redhead" | "redheaded" => wish.color = wish.color.or_else(|| color(word)),
                _ => {}
            }
        }
        wish
    }
}

fn style(word: &str) -> Option<Hair> {
    Some(match word {
        "long" | "straight" => Hair::Long,
        "wavy" => Hair::Wavy,
        "curly" | "frizzy" => Hair::Curly,
        "short" => Hair::Short,
        "spiky" | "messy" => Hair::Tuft,
        "braided" => Hair::Pigtails,
        _ => return None,
    })
}

fn color(word: &str) -> Option<Rgb> {
    Some(Rgb::hex(match word {
        "red" | "ginger" | "redhead" | "redheaded" | "auburn" => 0xd0_5428,
        "blond" | "blonde" | "golden" | "yellow" => 0xf3_c24a,
        "black" | "dark" => 0x3f_2f48,
        "brown" | "brunette" => 0x7a_4526,
        "gray" | "grey" | "white" | "silver" => return Some(GRAY_HAIR),
        "orange" => 0xff_8a2e,
        "pink" => 0xff_6fb0,
        "blue" => 0x3f_8fe8,
        "purple" | "violet" => 0x9a_5be8,
        "green" => 0x3f_b56a,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::{Hair, HairWish, color};

    #[test]
    fn a_description_names_the_style_and_the_color_of_hair() {
        for (description, style, shade) in [
            ("a girl with long red hair", Some(Hair::Long), color("red")),
            ("a red-haired boy", None, color("red")),
            (
                "a girl whose hair is curly and black",
                Some(Hair::Curly),
                color("black"),
            ),
            ("a blonde princess with braids", Some(Hair::Pigtails), color("blond")),
            ("a boy with a red cap", None, None),
            ("a girl with brown hair and a blue dress", None, color("brown")),
        ] {
            let wish = HairWish::read(description);
            assert_eq!((wish.style, wish.color), (style, shade), "{description}");
        }
    }
}
