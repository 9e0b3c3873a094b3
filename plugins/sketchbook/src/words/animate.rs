//! Animate labels: people, animals and toys.

use crate::art::Catalog;
use crate::bulk::is_celestial;

/// Labels of the nature group that are not animate: plants, and things that grow or lie on the ground.
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

/// Returns true for a person, an animal, or a toy or figure that is treated as one.
pub fn is_animate(label: &str) -> bool {
    const ANIMATE_FIGURES: &[&str] = &[
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
    if ANIMATE_FIGURES.contains(&label) {
        return true;
    }
    let group = Catalog::get().drawings_of(label).next().map(|drawing| drawing.group);
    matches!(group, Some(0 | 1 | 3)) && !PLANTS.contains(&label) && !is_celestial(label)
}
