//! How large a thing is beside the hero, and whether it stands, flies, or hangs in the sky.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bulk {
    Tiny,
    Small,
    Medium,
    Large,
    Huge,
}

impl Bulk {
    /// The height as a share of the hero's.
    pub const fn share(self) -> f32 {
        match self {
            Self::Tiny => 0.34,
            Self::Small => 0.46,
            Self::Medium => 0.62,
            Self::Large => 0.80,
            Self::Huge => 0.98,
        }
    }
}

const TINY: &[&str] = &[
    "lady beetle",
    "honeybee",
    "butterfly",
    "ant",
    "snail",
    "worm",
    "bug",
    "beetle",
    "fly",
    "cricket",
    "spider",
    "acorn",
    "chestnut",
    "mushroom",
    "brown mushroom",
    "spiral shell",
    "four leaf clover",
    "shamrock",
    "seedling",
    "blossom",
    "tulip",
    "rose",
    "coin",
    "ring",
    "key",
    "gem stone",
    "star",
    "droplet",
    "snowflake",
    "musical note",
    "feather",
    "fallen leaf",
    "maple leaf",
    "red heart",
    "bone",
    "egg",
    "candy",
    "game die",
];
const SMALL: &[&str] = &[
    "bird",
    "mouse",
    "hedgehog",
    "frog",
    "baby chick",
    "hatching chick",
    "lizard",
    "crab",
    "shrimp",
    "tropical fish",
    "fish",
    "bat",
    "rat",
    "hamster",
    "dove",
    "sunflower",
    "hibiscus",
    "herb",
    "potted plant",
    "nest with eggs",
    "chipmunk",
    "spider web",
    "crown",
    "cactus",
    "black bird",
    "oyster",
    "wood",
    "rock",
    "basket",
    "bucket",
    "scorpion",
];
const LARGE: &[&str] = &[
    "horse",
    "cow",
    "deer",
    "moose",
    "bear",
    "polar bear",
    "lion",
    "tiger",
    "camel",
    "ox",
    "gorilla",
    "shark",
    "dolphin",
    "unicorn",
    "zebra",
    "crocodile",
    "rhinoceros",
    "hippopotamus",
    "bison",
    "octopus",
    "llama",
];
const HUGE: &[&str] = &[
    "elephant",
    "giraffe",
    "whale",
    "spouting whale",
    "mammoth",
    "sauropod",
    "t-rex",
    "dragon",
    "castle",
    "japanese castle",
    "house",
    "houses",
    "house with garden",
    "deciduous tree",
    "evergreen tree",
    "palm tree",
    "leafless tree",
    "volcano",
    "mountain",
    "snow-capped mountain",
    "mount fuji",
    "circus tent",
    "ferris wheel",
    "office building",
    "school",
    "factory",
    "rocket",
    "passenger ship",
    "ship",
    "roller coaster",
    "desert island",
    "christmas tree",
    "classical building",
    "locomotive",
    "fire engine",
    "bus",
    "articulated lorry",
    "hut",
    "tent",
    "camping",
];

/// By label, or by the group of the label: food and things are small beside the living.
pub fn bulk(label: &str, group: u8) -> Bulk {
    if TINY.contains(&label) {
        Bulk::Tiny
    } else if SMALL.contains(&label) {
        Bulk::Small
    } else if LARGE.contains(&label) {
        Bulk::Large
    } else if HUGE.contains(&label) {
        Bulk::Huge
    } else {
        match group {
            4 | 6 | 7 => Bulk::Small,
            1 => Bulk::Large,
            _ => Bulk::Medium,
        }
    }
}

/// Things that fly beside or above the others.
pub fn airborne(label: &str) -> bool {
    const AIRBORNE: &[&str] = &[
        "butterfly",
        "bird",
        "honeybee",
        "airplane",
        "small airplane",
        "helicopter",
        "rocket",
        "kite",
        "balloon",
        "bat",
        "dove",
        "eagle",
        "fairy",
        "flying saucer",
        "parachute",
        "satellite",
        "comet",
        "leaf fluttering in wind",
        "phoenix",
        "airplane departure",
        "airplane arrival",
        "fly",
        "superhero",
        "ghost",
        "black bird",
        "feather",
        "bubbles",
        "flying disc",
        "aerial tramway",
        "baby angel",
    ];
    AIRBORNE.contains(&label)
}

/// Things that belong to the sky itself.
pub fn heavenly(label: &str) -> bool {
    const HEAVENLY: &[&str] = &[
        "sun",
        "sun with face",
        "crescent moon",
        "full moon",
        "first quarter moon face",
        "last quarter moon face",
        "full moon face",
        "cloud",
        "cloud with rain",
        "cloud with snow",
        "cloud with lightning",
        "cloud with lightning and rain",
        "sun behind cloud",
        "sun behind small cloud",
        "sun behind large cloud",
        "sun behind rain cloud",
        "rainbow",
        "star",
        "glowing star",
        "snowflake",
        "droplet",
        "sparkles",
        "high voltage",
    ];
    HEAVENLY.contains(&label)
}
