//! Colors of covers: the designed palettes, and the flat tones of light and shade.

use tiny_skia::Color;

use crate::setting::{Ground, Setting, Sky};

/// An opaque sRGB color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    pub const WHITE: Self = Self(255, 255, 255);

    /// Returns the color `0xRRGGBB`.
    pub const fn hex(value: u32) -> Self {
        let [_, red, green, blue] = value.to_be_bytes();
        Self(red, green, blue)
    }

    /// Mixes in a share of another color.
    pub fn mixed(self, other: Self, share: f32) -> Self {
        let mix = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share).round() as u8;
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    pub fn lighter(self, share: f32) -> Self {
        self.mixed(Self::WHITE, share)
    }

    pub fn darker(self, share: f32) -> Self {
        self.mixed(Self::hex(0x1b_1440), share)
    }

    /// Returns a brighter color of the same hue.
    pub fn brighter(self, factor: f32) -> Self {
        let scaled = |value: u8| (f32::from(value) * factor).round().min(255.0) as u8;
        Self(scaled(self.0), scaled(self.1), scaled(self.2))
    }

    pub fn luminance(self) -> f32 {
        (0.2126 * f32::from(self.0) + 0.7152 * f32::from(self.1) + 0.0722 * f32::from(self.2)) / 255.0
    }

    /// Returns a nearly black color lightened so far that a black outline remains visible on it, and the gray that
    /// emoji sets use for white as white.
    pub fn outlined(self) -> Self {
        let (most, least) = (self.0.max(self.1).max(self.2), self.0.min(self.1).min(self.2));
        if most - least < 14 && self.luminance() > 0.82 {
            return self.lighter(0.7);
        }
        if self.luminance() < 0.16 {
            self.mixed(Self::hex(0x5a_5f78), 0.55)
        } else {
            self
        }
    }

    pub fn opaque(self) -> Color {
        Color::from_rgba8(self.0, self.1, self.2, 255)
    }

    /// Returns true for the yellow skin that emoji sets give to people, including its shaded parts.
    pub fn is_emoji_skin(self) -> bool {
        let (red, green, blue) = (f32::from(self.0), f32::from(self.1), f32::from(self.2));
        let (high, low) = (red.max(green).max(blue), red.min(green).min(blue));
        if red < high || high < 205.0 || high - low < 90.0 {
            return false;
        }
        let hue = 60.0 * (green - blue) / (high - low);
        (33.0..50.0).contains(&hue)
    }

    /// Replaces the yellow skin of emoji sets with a natural tone of the same shade. Other colors remain.
    pub fn with_skin(self, skin: Self) -> Self {
        if !self.is_emoji_skin() {
            return self;
        }
        let shade = (0.80 - self.luminance()).max(0.0) * 0.9;
        skin.mixed(Self::hex(0x5b_2a1a), shade.min(0.5))
    }
}

/// Skin tones from light to dark.
pub const SKINS: [Rgb; 6] = [
    Rgb::hex(0xff_d7b5),
    Rgb::hex(0xf2_b98a),
    Rgb::hex(0xe0_a070),
    Rgb::hex(0xc6_8248),
    Rgb::hex(0x9c_5d33),
    Rgb::hex(0x74_4427),
];

/// A darker flat tone over a surface, on the side away from the light.
pub fn shade() -> Color {
    Color::from_rgba8(30, 12, 80, 46)
}

/// A lighter flat tone over a surface, on the side of the light.
pub fn shine() -> Color {
    Color::from_rgba8(255, 255, 255, 74)
}

/// The shadow of a figure on the ground.
pub fn cast_shadow() -> Color {
    Color::from_rgba8(20, 10, 60, 64)
}

/// The colors of one cover.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// The two tones of the sky, between which its rays or bands alternate.
    pub sky: [Rgb; 2],
    pub cloud: Rgb,
    pub sun: Rgb,
    /// The far ground, the near ground, and what grows or lies on it.
    pub earth: [Rgb; 3],
    /// Water from its surface to its depth.
    pub water: [Rgb; 4],
    pub path: Rgb,
    pub leaf: Rgb,
    pub wood: Rgb,
    pub star: Rgb,
    /// Saturated colors for ornaments, in an order in which neighbors contrast.
    pub accents: [Rgb; 6],
}

/// A designed mood of a day: the two tones of the sky, the cloud, and the far and near grass.
struct Mood {
    sky: [u32; 2],
    cloud: u32,
    grass: [u32; 2],
    accents: [u32; 6],
}

const BRIGHT: Mood = Mood {
    sky: [0x3f_c1f5, 0x74_d6fb],
    cloud: 0xff_ffff,
    grass: [0x5f_bf4a, 0x8f_d63f],
    accents: [0xff_4f5e, 0xff_c928, 0x2f_7df6, 0xff_8a1f, 0x8a_4fe0, 0x1f_b86a],
};
const SUNNY: Mood = Mood {
    sky: [0xff_c62e, 0xff_da66],
    cloud: 0xff_fbea,
    grass: [0x3f_a95a, 0x7c_cb45],
    accents: [0xf2_3d5b, 0x1f_8fe0, 0xff_7b1c, 0x7a_3fd0, 0x12_a88f, 0xff_5fa0],
};
const CANDY: Mood = Mood {
    sky: [0xff_8fc4, 0xff_b1d8],
    cloud: 0xff_f7fc,
    grass: [0x48_c29a, 0x86_dd8f],
    accents: [0x8f_5be8, 0xff_d13b, 0x33_b5e5, 0xff_5c8a, 0x3e_c98f, 0xff_8f3f],
};
const MINT: Mood = Mood {
    sky: [0x3f_d0bd, 0x7b_e3d2],
    cloud: 0xff_ffff,
    grass: [0x4f_a846, 0xa0_d04a],
    accents: [0xff_6b4a, 0xff_cf33, 0x6b_4fd8, 0xf2_3f7f, 0x1f_86d8, 0xff_9a2f],
};
const SUNSET: Mood = Mood {
    sky: [0xff_8a4c, 0xff_a968],
    cloud: 0xff_efd6,
    grass: [0x3f_9a62, 0x74_b94c],
    accents: [0xe0_2f6b, 0xff_d23f, 0x5b_3fc4, 0x12_9fb0, 0xff_6a2f, 0x2f_a866],
};
const LAVENDER: Mood = Mood {
    sky: [0x9a_86f0, 0xb7_a8f8],
    cloud: 0xff_fbff,
    grass: [0x3f_b586, 0x7f_d477],
    accents: [0xff_5f9e, 0xff_d23f, 0x2f_b5e8, 0xff_8a3c, 0x5b_46d6, 0x2f_c07a],
};

const fn colors<const N: usize>(values: [u32; N]) -> [Rgb; N] {
    let mut found = [Rgb::WHITE; N];
    let mut index = 0;
    while index < N {
        found[index] = Rgb::hex(values[index]);
        index += 1;
    }
    found
}

impl Palette {
    /// Returns the palette for a setting. The seed chooses among the moods that suit it.
    pub fn choose(setting: &Setting, low_sun: bool, seed: u64) -> Self {
        let moods: &[&Mood] = match setting.name {
            _ if low_sun => &[&SUNSET],
            "castle" | "party" | "circus" => &[&CANDY, &LAVENDER, &BRIGHT],
            "prehistoric" | "desert" | "savanna" => &[&SUNNY, &SUNSET, &MINT],
            "jungle" => &[&MINT, &SUNNY, &BRIGHT],
            "autumn" | "halloween" => &[&SUNSET, &SUNNY],
            "beach" | "sea" | "sky" => &[&BRIGHT, &SUNNY, &CANDY],
            "garden" | "meadow" | "pond" | "forest" => &[&BRIGHT, &MINT, &SUNNY, &CANDY],
            _ => &[&BRIGHT, &SUNNY, &MINT],
        };
        let mood = moods[(seed >> 17) as usize % moods.len()];
        let grass = colors(mood.grass);
        let mut palette = Self {
            sky: colors(mood.sky),
            cloud: Rgb::hex(mood.cloud),
            sun: Rgb::hex(0xff_d52e),
            earth: [grass[0], grass[1], grass[0].darker(0.12)],
            water: colors([0x5f_d3f5, 0x2f_b3ea, 0x1b_8fd6, 0x16_6fbf]),
            path: Rgb::hex(0xf3_d9a0),
            leaf: Rgb::hex(0x2f_9e4f),
            wood: Rgb::hex(0xc9_884f),
            star: Rgb::hex(0xff_e45e),
            accents: colors(mood.accents),
        };
        match setting.sky {
            Sky::Night => {
                palette.sky = colors([0x23_2a72, 0x2e_3788]);
                palette.cloud = Rgb::hex(0x6d_78c8);
                palette.earth = colors([0x1f_6b62, 0x2f_8a5e, 0x1c_5c55]);
                palette.sun = Rgb::hex(0xff_f0a8);
            }
            Sky::Rain => {
                palette.sky = colors([0x7f_a8d0, 0x99_bcdd]);
                palette.cloud = Rgb::hex(0xe4_edf6);
            }
            Sky::Snowfall => {
                palette.sky = colors([0x5f_b4ea, 0x86_c9f2]);
            }
            Sky::Space => {
                palette.sky = colors([0x2b_1f6b, 0x3a_2b86]);
                palette.cloud = Rgb::hex(0x6f_5fd0);
            }
            Sky::Water => {
                palette.sky = colors([0x35_c4ee, 0x22_aee4]);
            }
            Sky::Wall => {
                let walls: [[u32; 2]; 4] = [
                    [0x8f_d8e8, 0xa6_e3f0],
                    [0xff_c76b, 0xff_d68c],
                    [0xff_a9b8, 0xff_bfca],
                    [0xa9_d98a, 0xbc_e5a0],
                ];
                palette.sky = colors(walls[(seed >> 23) as usize % walls.len()]);
            }
            Sky::Day | Sky::Party => {}
        }
        match setting.ground {
            Ground::Snow => {
                palette.earth = colors([0xd3_ecfb, 0xf4_fbff, 0xb4_daf2]);
                if setting.sky == Sky::Night {
                    palette.earth = colors([0x8f_a6e0, 0xc3_d2f6, 0x7f_96d6]);
                }
            }
            Ground::Dunes => palette.earth = colors([0xe8_a948, 0xf7_c968, 0x9f_b84a]),
            Ground::Shore | Ground::Seabed => palette.earth = colors([0xe6_c07a, 0xfa_dc98, 0xc9_a468]),
            Ground::Street => palette.earth = colors([0xd9_d3e4, 0x70_7690, 0x9a_9fb4]),
            Ground::Craters => palette.earth = colors([0xa9_9fd0, 0xc6_bce6, 0x8a_80b8]),
            Ground::Clouds => palette.earth = colors([0xe3_f1fd, 0xff_ffff, 0xd0_e4f8]),
            Ground::Stage => {
                let floor = colors(mood.accents)[4];
                palette.earth = [floor.lighter(0.2), floor.lighter(0.38), floor];
            }
            Ground::Room => palette.earth = colors([0xc9_8a52, 0xd9_9c62, 0xb2_7442]),
            Ground::Farmland => palette.earth = colors([0xd8_a24e, 0x8f_d043, 0x55_a838]),
            Ground::Jungle => palette.earth = colors([0x2f_9a52, 0x6b_c446, 0x24_8046]),
            Ground::OpenSea | Ground::Hills | Ground::Garden | Ground::Peaks | Ground::Pond | Ground::Lakeside => {}
        }
        if setting.name == "autumn" {
            palette.earth = colors([0xc9_8a2f, 0xe3_b040, 0xa8_6a24]);
        }
        palette
    }

    /// Returns an accent by its number, counted around.
    pub fn accent(&self, number: usize) -> Rgb {
        self.accents[number % self.accents.len()]
    }
}

/// The colors of ornaments on a deep ground, for covers without a scene.
pub struct Jewels {
    pub ground: Rgb,
    pub colors: [Rgb; 6],
}

const JEWELS: [([u32; 6], u32); 5] = [
    (
        [0xff_b83f, 0xf2_5f8a, 0x3f_c6c0, 0xff_f2d0, 0x8f_6be0, 0xff_7f50],
        0x1f_2a5e,
    ),
    (
        [0xff_5f7e, 0xff_c857, 0xff_eedb, 0x5f_c9b0, 0xf2_8fb5, 0xff_914d],
        0x5b_1f56,
    ),
    (
        [0x7f_e0c4, 0xff_d166, 0xff_f7e0, 0x3f_a7d6, 0xf2_7f6b, 0xb5_e48c],
        0x0f_4c5c,
    ),
    (
        [0xff_d6e0, 0xc9_7fd8, 0xff_c94f, 0x7f_a8ff, 0xff_7fa5, 0xff_f4d6],
        0x3d_1f70,
    ),
    (
        [0xff_9f1c, 0xff_e8b0, 0x2e_c4b6, 0xe7_4c5b, 0xcb_f3d2, 0xf7_7f3f],
        0x7a_1f33,
    ),
];

impl Jewels {
    pub fn choose(seed: u64) -> Self {
        let (colors_of, ground) = JEWELS[(seed >> 17) as usize % JEWELS.len()];
        Self {
            ground: Rgb::hex(ground),
            colors: colors(colors_of),
        }
    }
}
