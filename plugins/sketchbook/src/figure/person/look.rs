//! The appearance of a person: hair, skin, and clothes.

use super::hair::Hair;
use super::ink::Ink;
use super::wish::HairWish;
use crate::color::{Rgb, SKINS};
use crate::figure::traits::Trait;

/// The clothes of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outfit {
    Shirt,
    Dress,
    /// The ball gown of a princess.
    Gown,
    /// The coat of a prince or a king.
    Royal,
    Firefighter,
    /// A lab coat with the signs of a doctor.
    Doctor,
    /// The lab coat of a scientist.
    LabCoat,
    Builder,
    Police,
    /// The trunk and the tail of a mermaid.
    Fins,
    Astronaut,
    Superhero,
    Fairy,
    /// The robe of a wizard or a witch.
    Robe,
}

impl Outfit {
    /// Returns the outfit that belongs to a label.
    pub fn of_label(label: &str) -> Option<Self> {
        Some(match label.rsplit(' ').next()? {
            "astronaut" => Self::Astronaut,
            "superhero" => Self::Superhero,
            "fairy" => Self::Fairy,
            "mage" => Self::Robe,
            "mermaid" => Self::Fins,
            _ => return None,
        })
    }

    /// Returns the item that the headwear of the outfit replaces. `None` if the outfit has no headwear.
    pub fn usual_hat(self) -> Option<Trait> {
        match self {
            Self::Gown | Self::Royal => Some(Trait::Crown),
            Self::Firefighter | Self::Builder => Some(Trait::Helmet),
            Self::Police => Some(Trait::Cap),
            Self::Robe => Some(Trait::WizardHat),
            Self::Astronaut => Some(Trait::Headphones),
            Self::Shirt | Self::Dress | Self::Doctor | Self::LabCoat | Self::Fins | Self::Superhero | Self::Fairy => {
                None
            }
        }
    }

    /// Returns the label of what is next to a person that is alone on a cover.
    pub fn companion(self) -> Option<&'static str> {
        match self {
            Self::Gown | Self::Royal => Some("castle"),
            Self::Firefighter => Some("fire engine"),
            Self::Builder => Some("excavator"),
            Self::Police => Some("police car"),
            Self::Astronaut => Some("rocket"),
            Self::Fins => Some("dolphin"),
            _ => None,
        }
    }

    /// Returns true if the outfit has something for a free hand.
    pub fn has_gear(self) -> bool {
        matches!(self, Self::Firefighter | Self::Fairy | Self::Robe)
    }

    /// Returns true if the chest already shows the role.
    pub fn has_badge(self) -> bool {
        matches!(self, Self::Doctor | Self::Police)
    }
}

/// The appearance of a person.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub outfit: Outfit,
    pub skin: Rgb,
    pub is_child: bool,
    pub(super) is_baby: bool,
    /// True for the headwear of the outfit.
    pub has_hat: bool,
    /// True for the hose or the wand of the outfit in the right hand.
    pub has_gear: bool,
    /// True for the left and for the right hand if it holds a thing.
    pub grips: [bool; 2],
    pub(super) hair: Hair,
    pub(super) hair_color: Rgb,
    pub(super) has_beard: bool,
    pub(super) has_moustache: bool,
    pub(super) has_lashes: bool,
    /// The main color of the clothes, and the color of trousers or trimmings.
    pub(super) clothes: [Rgb; 2],
    pub(super) iris: Rgb,
    /// True for glasses, between which and the eyes line art needs room.
    pub has_glasses: bool,
    /// The limits of line art. `None` on a cover in color.
    pub(super) ink: Option<Ink>,
}

const HAIR_COLORS: [u32; 6] = [0x7a_4526, 0x3f_2f48, 0xc8_6a2c, 0x9a_5a2e, 0xf3_c24a, 0x5a_3327];
/// The luminance below which a skin counts as dark, for the colors of the hair and the eyes.
const MAX_DARK_SKIN_LUMINANCE: f32 = 0.6;
/// The hair colors of people with a dark skin.
const DARK_HAIR_COLORS: [u32; 3] = [0x3f_2f48, 0x52_3026, 0x6a_3b2a];
pub(super) const GRAY_HAIR: Rgb = Rgb::hex(0xe4_e6f2);
const MERMAID_HAIR: [u32; 3] = [0xff_5f9e, 0xb8_3fd8, 0xff_7a3c];
const CLOTHES: [[u32; 2]; 6] = [
    [0xff_4f5e, 0x2f_6fd0],
    [0x2f_9cf0, 0x3f_4fa8],
    [0xff_a51f, 0x2f_6fd0],
    [0x22_b573, 0x6a_4fc0],
    [0x9a_5be8, 0x2f_8fd0],
    [0xff_6fa8, 0x4f_5fc8],
];
const GOWNS: [[u32; 2]; 4] = [
    [0xf2_4f9c, 0xff_c3e0],
    [0x1f_b2dc, 0xc2_f1ff],
    [0x8f_58e6, 0xe2_d0ff],
    [0xff_b01f, 0xff_eeb0],
];

const HERO_SUITS: [[u32; 2]; 3] = [[0x2f_76e8, 0xe8_2f3a], [0xe8_2f3a, 0x2f_62d8], [0x8f_4fe0, 0xff_8a1f]];

/// Returns one of the values, chosen by a number.
fn pick<T: Copy>(values: &[T], number: u64) -> T {
    values[(number % values.len() as u64) as usize]
}

/// Returns the hair that suits a face. `None` for other labels.
fn hair_of(face: &str) -> Option<&'static [Hair]> {
    Some(match face {
        "princess" => &[Hair::Long, Hair::Wavy, Hair::Curly],
        "woman" => &[Hair::Long, Hair::Curly, Hair::Wavy, Hair::Bob],
        "girl" => &[Hair::Pigtails, Hair::Bob, Hair::Wavy],
        "boy" | "child" => &[Hair::Tuft, Hair::Short, Hair::Curls],
        "man" | "man: beard" => &[Hair::Short, Hair::Curls, Hair::Tuft],
        "person" => &[Hair::Short, Hair::Bob],
        "prince" => &[Hair::Short, Hair::Tuft],
        "baby" => &[Hair::Wisp],
        "old woman" => &[Hair::Bun],
        "old man" => &[Hair::Bald],
        _ => return None,
    })
}

impl Look {
    /// Returns the look of a person with the face of a label. The numbers choose the skin and everything else. `None`
    /// for other labels.
    pub fn of(face: &str, outfit: Option<Outfit>, skin: u64, number: u64) -> Option<Self> {
        let hair = hair_of(face)?;
        let own = match face {
            "princess" => Outfit::Gown,
            "prince" => Outfit::Royal,
            "woman" | "girl" | "old woman" => Outfit::Dress,
            _ => Outfit::Shirt,
        };
        let outfit = outfit.unwrap_or(own);
        let skin = pick(&SKINS, skin);
        let is_dark = skin.luminance() < MAX_DARK_SKIN_LUMINANCE;
        let is_old = face.starts_with("old");
        let [main, other] = match outfit {
            Outfit::Gown => pick(&GOWNS, number),
            Outfit::Royal => [0x2f_62d8, 0xff_ffff],
            Outfit::Fins => [0x16_c2a3, 0xa0_4fe0],
            Outfit::Superhero => pick(&HERO_SUITS, number),
            Outfit::Fairy => pick(&GOWNS, number),
            Outfit::Robe => pick(&[[0x6a_46d8, 0xff_d23f], [0x2f_7fe8, 0xff_e45e]], number),
            Outfit::Astronaut => pick(
                &[[0xf8_fbff, 0xff_5a4f], [0xf8_fbff, 0x2f_9cf0], [0xff_8f3c, 0xff_ffff]],
                number,
            ),
            _ => pick(&CLOTHES, number),
        };
        let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let hair_color = match outfit {
            _ if is_old => GRAY_HAIR,
            Outfit::Fins => Rgb::hex(pick(&MERMAID_HAIR, spread)),
            _ if is_dark => Rgb::hex(pick(&DARK_HAIR_COLORS, spread)),
            _ => Rgb::hex(pick(&HAIR_COLORS, spread)),
        };
        let hair = match outfit {
            Outfit::Fins => Hair::Wavy,
            _ => pick(hair, spread / 7),
        };
        Some(Self {
            outfit,
            skin,
            is_baby: face == "baby",
            is_child: matches!(face, "girl" | "boy" | "child" | "baby"),
            hair,
            hair_color,
            has_hat: outfit.usual_hat().is_some(),
            has_gear: false,
            grips: [false; 2],
            has_beard: face == "man: beard" || (outfit, face) == (Outfit::Robe, "old man"),
            has_moustache: false,
            has_lashes: matches!(face, "princess" | "woman" | "girl" | "old woman"),
            clothes: [Rgb::hex(main), Rgb::hex(other)],
            iris: Rgb::hex(if is_dark {
                pick(&[0x9a_5a24, 0x2f_8f6a], spread / 3)
            } else {
                pick(&[0x2a_93e0, 0x38_a868, 0x9a_5a24], spread / 3)
            }),
            has_glasses: false,
            ink: None,
        })
    }

    /// Gives a person the hair of a description.
    pub fn with_hair(mut self, wish: HairWish) -> Self {
        let hair = wish.style.map(|style| match (style, self.has_lashes) {
            (Hair::Curly, false) => Hair::Curls,
            (Hair::Short, true) => Hair::Bob,
            (style, _) => style,
        });
        self.hair = hair.unwrap_or(self.hair);
        self.hair_color = wish.color.unwrap_or(self.hair_color);
        self
    }

    /// Gives a person a beard, a moustache, or both.
    pub fn with_beard(mut self, has_beard: bool, has_moustache: bool) -> Self {
        self.has_beard |= has_beard;
        self.has_moustache |= has_moustache;
        self
    }

    /// Flattens hair that a hat would cut off.
    pub fn under_hat(mut self) -> Self {
        self.hair = match (self.hair, self.outfit) {
            (Hair::Long | Hair::Wavy | Hair::Curly, Outfit::Astronaut) | (Hair::Curly, _) => Hair::Bob,
            (Hair::Tuft, _) => Hair::Short,
            (hair, _) => hair,
        };
        self
    }

    /// Ties the hair into a knot.
    pub fn with_bun(mut self) -> Self {
        self.hair = Hair::Bun;
        self
    }
}
