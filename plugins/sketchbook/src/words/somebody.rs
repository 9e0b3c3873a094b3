//! Which drawings are somebody.

use crate::art::Catalog;
use crate::bulk::heavenly;

/// Plants and what else grows and lies about: it belongs to nature, but has no hands.
const PLANTS: &[&str] = &[
    "bouquet",
    "cherry blossom",
    "lotus",
    "rosette",
    "rose",
    "hibiscus",
    "sunflower",
    "blossom",
    "tulip",
    "hyacinth",
    "seedling",
    "potted plant",
    "evergreen tree",
    "deciduous tree",
    "palm tree",
    "cactus",
    "sheaf of rice",
    "herb",
    "shamrock",
    "four leaf clover",
    "maple leaf",
    "fallen leaf",
    "leaf fluttering in wind",
    "empty nest",
    "nest with eggs",
    "mushroom",
    "leafless tree",
    "coral",
    "spiral shell",
    "spider web",
    "feather",
    "brown mushroom",
    "rock",
    "wood",
    "christmas tree",
    "tree",
    "flower",
    "oyster",
];

/// Whether a label is somebody: a person, an animal, or a toy that is treated as one.
pub fn is_somebody(label: &str) -> bool {
    const TREATED: &[&str] = &[
        "robot",
        "teddy bear",
        "snowman",
        "snowman without snow",
        "ghost",
        "alien",
        "clown face",
        "alien monster",
        "nesting dolls",
    ];
    if TREATED.contains(&label) {
        return true;
    }
    let group = Catalog::get().of(label).next().map(|drawing| drawing.group);
    matches!(group, Some(0 | 1 | 3)) && !PLANTS.contains(&label) && !heavenly(label)
}
