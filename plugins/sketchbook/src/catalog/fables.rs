//! Fables: royalty, magic, monsters, robots and aliens.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::{Huge, Large, Small};
use crate::figure::body::{Coat, Tail};

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("person with crown"),
    drawing("prince").words(&["king", "emperor", "monarch"]).habitat("castle").headwear().face(Tail::None, Coat::Shirt),
    drawing("princess")
        .words(&["queen", "cinderella", "snow white", "rapunzel", "sleeping beauty", "empress"]).habitat("castle")
        .headwear().face(Tail::None, Coat::Shirt),
    drawing("knight").habitat("castle"),
    drawing("baby angel").words(&["angel"]).airborne(),
    drawing("santa claus").words(&["santa", "father christmas"]).habitat("christmas").full_length().headwear(),
    drawing("mrs. claus").words(&["mrs claus"]).habitat("christmas").full_length().headwear(),
    drawing("mx claus").full_length(),
    drawing("superhero").words(&["hero"]).airborne(),
    drawing("man superhero"),
    drawing("woman superhero"),
    drawing("mage").words(&["wizard", "sorcerer"]).habitat("castle").headwear(),
    drawing("man mage"),
    drawing("woman mage").words(&["witch", "sorceress", "enchantress"]).habitat("castle"),
    drawing("fairy").words(&["pixie", "tooth fairy", "fairy godmother"]).airborne().habitat("castle"),
    drawing("man fairy"),
    drawing("woman fairy"),
    drawing("man vampire").words(&["vampire", "dracula"]).habitat("halloween"),
    drawing("woman vampire"),
    drawing("merperson"),
    drawing("merman").habitat("underwater"),
    drawing("mermaid").words(&["merfolk", "little mermaid"]).habitat("underwater"),
    drawing("elf").words(&["gnome", "leprechaun", "dwarf"]).habitat("castle"),
    drawing("man elf"),
    drawing("woman elf"),
    drawing("genie").words(&["djinn", "jinn"]).habitat("castle").full_length(),
    drawing("man genie").full_length(),
    drawing("woman genie").full_length(),
    drawing("hairy creature").words(&["yeti", "bigfoot"]).habitat("winter"),
    drawing("ogre").words(&["monster", "troll"]).habitat("castle"),
    drawing("goblin").words(&["imp"]).habitat("castle"),
    drawing("ghost")
        .words(&["spook"]).airborne().animate().habitat("halloween")
        .upright_landmarks((0.50, 0.28), (0.50, 0.66), (0.50, 0.80)),
    drawing("alien").words(&["martian", "extraterrestrial"]).animate().habitat("space").face(Tail::None, Coat::Belly),
    drawing("alien monster").animate().habitat("space"),
    drawing("robot").words(&["android", "droid"]).animate().habitat("space").face(Tail::None, Coat::Shirt),
    drawing("unicorn")
        .words(&["pegasus"]).bulk(Large).habitat("castle").head_only().only_detailed()
        .landmarks((0.38, 0.44), (0.60, 0.72), (0.08, 0.68)),
    drawing("phoenix").words(&["firebird"]).airborne().habitat("castle"),
    drawing("dragon face"),
    drawing("dragon")
        .words(&["wyvern", "baby dragon", "dragon dance", "chinese dragon", "water dragon"]).bulk(Huge)
        .habitat("castle").landmarks((0.30, 0.20), (0.42, 0.42), (0.14, 0.54)),
    drawing("crystal ball"),
    drawing("magic wand").words(&["wand"]).raised(0.05, 0.95, 72.0, 0.0),
    drawing("crown").bulk(Small).habitat("castle"),
    drawing("sword").words(&["excalibur", "saber", "sabre", "katana"]).raised(0.50, 0.86, 100.0, 16.0),
    drawing("shield").front(50.0, 54.0),
    drawing("trident emblem").raised(0.50, 0.80, 110.0, 0.0),
    drawing("fleur-de-lis").words(&["fleur de lis"]),
    drawing("moai"),
];
