//! Places a scene can be set in: which words mean them, what their ground and sky are, what stands around.

/// What the subjects stand, swim or fly in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    Hills,
    Farmland,
    Garden,
    Peaks,
    Snow,
    Dunes,
    Jungle,
    Street,
    Shore,
    OpenSea,
    Pond,
    Seabed,
    Craters,
    Clouds,
    Room,
    Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sky {
    Day,
    Night,
    Rain,
    Snowfall,
    Space,
    Water,
    Party,
    Wall,
}

/// One place. The lists are labels of the catalog.
#[derive(Debug)]
pub struct Setting {
    pub name: &'static str,
    /// Words that mean this place.
    pub words: &'static [&'static str],
    pub ground: Ground,
    pub sky: Sky,
    /// In the distance, on the horizon.
    pub far: &'static [&'static str],
    /// Around the feet of the subjects.
    pub near: &'static [&'static str],
    /// In the air, or in the water above.
    pub air: &'static [&'static str],
}

macro_rules! place {
    ($name:literal, $ground:ident, $sky:ident, $words:expr, far $far:expr, near $near:expr, air $air:expr) => {
        Setting {
            name: $name,
            words: &$words,
            ground: Ground::$ground,
            sky: Sky::$sky,
            far: &$far,
            near: &$near,
            air: &$air,
        }
    };
}

pub const SETTINGS: &[Setting] = &[
    place!("forest", Hills, Day, ["forest", "wood", "woods", "woodland", "grove", "clearing", "glade", "undergrowth", "thicket", "treehouse", "den", "trail", "path"],
        far ["evergreen tree", "deciduous tree", "evergreen tree"], near ["mushroom", "herb", "seedling", "four leaf clover", "blossom", "chestnut", "brown mushroom", "shamrock", "tulip"],
        air ["butterfly", "bird", "honeybee", "leaf fluttering in wind"]),
    place!("underwater", Seabed, Water, ["underwater", "undersea", "seabed", "reef", "coral reef", "sea floor", "seafloor", "ocean floor", "under the sea", "sunken", "shipwreck", "aquarium", "deep sea", "kelp", "lagoon", "beneath the waves", "under the ocean", "under water", "below the waves", "bottom of the sea", "bottom of the ocean", "beneath the sea", "below the sea", "sea bed", "deep ocean", "under the waves", "sea cave", "treasure cave", "coral", "deep blue sea"],
        far ["coral"], near ["spiral shell", "coral", "star", "crab", "oyster", "snail", "spiral shell"], air ["tropical fish", "fish", "bubbles", "blowfish", "fish", "bubbles"]),
    place!("sea", OpenSea, Day, ["sea", "ocean", "waves", "sail", "sailing", "harbor", "harbour", "port", "bay", "at sea"],
        far ["sailboat", "desert island"], near ["fish", "dolphin", "ring buoy"], air ["bird", "dove"]),
    place!("beach", Shore, Day, ["beach", "shore", "seaside", "coast", "island", "sand", "sandy", "seashore", "tropical"],
        far ["palm tree", "sailboat"], near ["spiral shell", "bucket", "crab", "star", "volleyball", "oyster"], air ["bird", "kite"]),
    place!("space", Craters, Space, ["space", "outer space", "galaxy", "moon surface", "planets", "universe", "cosmos", "orbit", "asteroid belt", "mars", "stars", "moonscape", "on the moon", "moon crater", "far galaxy", "asteroid", "rocky asteroid", "above the earth", "space station", "tiny planet", "among the stars", "comets"],
        far ["ringed planet"], near ["gem stone"], air ["ringed planet", "glowing star", "satellite", "flying saucer", "rocket", "globe showing americas", "star"]),
    place!("night", Hills, Night, ["night", "starry", "midnight", "moonlight", "moonlit", "bedtime", "evening", "dusk", "starlit", "under the stars", "starry sky", "starry night", "quiet night", "night sky"],
        far ["evergreen tree", "deciduous tree"], near ["herb", "mushroom", "blossom"], air ["bat", "owl"]),
    place!("farm", Farmland, Day, ["farm", "farmyard", "barnyard", "barn", "stable", "field", "fields", "ranch", "countryside", "hay", "coop", "pasture", "pen"],
        far ["house", "deciduous tree", "tractor"], near ["sunflower", "ear of corn", "carrot", "tulip", "sheaf of rice", "basket"], air ["bird", "butterfly"]),
    place!("garden", Garden, Day, ["garden", "flower bed", "flowerbed", "backyard", "yard", "greenhouse", "vegetable patch", "patch"],
        far ["deciduous tree", "house with garden"], near ["tulip", "sunflower", "rose", "blossom", "potted plant", "snail", "hibiscus"], air ["butterfly", "honeybee", "bird"]),
    place!("meadow", Hills, Day, ["meadow", "park", "grass", "grassland", "picnic", "spring", "summer", "valley", "hill", "hills", "hillside", "orchard", "springtime", "playground", "zoo"],
        far ["deciduous tree", "deciduous tree"], near ["tulip", "blossom", "sunflower", "four leaf clover", "lady beetle", "herb"], air ["butterfly", "honeybee", "bird", "kite"]),
    place!("autumn", Hills, Day, ["autumn", "fall", "harvest", "thanksgiving"],
        far ["deciduous tree", "leafless tree"], near ["jack-o-lantern", "maple leaf", "mushroom", "chestnut", "fallen leaf", "red apple"], air ["maple leaf", "leaf fluttering in wind", "bird"]),
    place!("winter", Snow, Snowfall, ["winter", "snow", "snowy", "ice", "icy", "arctic", "antarctic", "polar", "north pole", "frozen", "igloo", "snowfall", "glacier", "ski slope"],
        far ["evergreen tree", "evergreen tree", "snow-capped mountain"], near ["snowman without snow", "sled", "evergreen tree", "gloves"], air ["snowflake"]),
    place!("christmas", Snow, Snowfall, ["christmas", "xmas", "holiday", "christmas eve"],
        far ["evergreen tree", "house"], near ["wrapped gift", "christmas tree", "candy", "bell"], air ["snowflake", "star"]),
    place!("desert", Dunes, Day, ["desert", "dunes", "dune", "oasis", "sahara", "pyramid", "pyramids", "canyon"],
        far ["cactus", "palm tree"], near ["cactus", "herb", "cactus"], air ["bird", "eagle"]),
    place!("savanna", Dunes, Day, ["savanna", "savannah", "safari", "africa", "plains", "waterhole", "outback"],
        far ["deciduous tree", "deciduous tree", "palm tree"], near ["herb", "sheaf of rice", "herb"], air ["bird", "butterfly"]),
    place!("jungle", Jungle, Day, ["jungle", "rainforest", "rain forest", "amazon", "swamp", "bamboo", "tropics", "vines"],
        far ["palm tree", "deciduous tree"], near ["hibiscus", "herb", "potted plant", "snail", "herb"], air ["parrot", "butterfly"]),
    place!("prehistoric", Jungle, Day, ["prehistoric", "dinosaur land", "jurassic", "cretaceous", "volcano", "ancient", "lava", "dinosaurs", "dinosaur"],
        far ["volcano", "palm tree"], near ["herb", "egg", "herb", "seedling", "bone"], air ["butterfly", "bird"]),
    place!("mountain", Peaks, Day, ["mountain", "mountains", "peak", "peaks", "alps", "cliff", "cave", "camp", "campsite", "camping", "volcanoes", "waterfall", "highlands"],
        far ["evergreen tree", "evergreen tree"], near ["evergreen tree", "herb", "mushroom", "blossom", "tent"], air ["eagle", "bird"]),
    place!("pond", Pond, Day, ["pond", "lake", "river", "stream", "creek", "brook", "marsh", "wetland", "riverbank", "pool"],
        far ["deciduous tree", "evergreen tree"], near ["lotus", "frog", "sheaf of rice", "duck", "blossom"], air ["butterfly", "bird", "honeybee"]),
    place!("castle", Hills, Day, ["castle", "kingdom", "palace", "tower", "fairytale", "fairy tale", "dungeon", "moat", "drawbridge", "courtyard", "medieval", "royal", "enchanted", "magic", "magical"],
        far ["castle", "evergreen tree"], near ["rose", "shield", "crown", "tulip", "gem stone", "blossom"], air ["dove", "butterfly", "bird"]),
    place!("city", Street, Day, ["city", "town", "village", "street", "road", "downtown", "traffic", "race", "racetrack", "highway", "airport", "railway", "station", "garage", "square", "neighborhood", "construction", "market", "shop"],
        far ["office building", "houses", "school", "house"], near ["deciduous tree", "vertical traffic light", "potted plant", "postbox"], air ["airplane", "helicopter", "bird", "balloon"]),
    place!("sky", Clouds, Day, ["sky", "clouds", "flying high", "air", "cloud", "above the clouds", "heaven"],
        far ["cloud"], near ["cloud"], air ["bird", "balloon", "kite", "airplane", "dove", "rainbow"]),
    place!("rain", Hills, Rain, ["rain", "rainy", "storm", "stormy", "puddle", "puddles", "thunderstorm", "drizzle"],
        far ["deciduous tree", "house"], near ["umbrella", "snail", "frog", "mushroom", "blossom"], air ["droplet"]),
    place!("halloween", Hills, Night, ["halloween", "spooky", "haunted", "haunted house", "graveyard"],
        far ["house", "leafless tree"], near ["jack-o-lantern", "candy", "spider", "black cat", "mushroom"], air ["bat", "ghost", "spider web"]),
    place!("kitchen", Room, Wall, ["kitchen", "bakery", "cafe", "restaurant", "dining room", "table", "tea party", "counter", "feast"],
        far ["teapot", "jar", "potted plant", "honey pot"], near ["cupcake", "teapot", "cookie", "red apple", "bowl with spoon"], air ["spoon"]),
    place!("room", Room, Wall, ["bedroom", "room", "house", "living room", "indoors", "inside", "nursery", "classroom", "library", "workshop", "school", "home", "studio", "attic", "museum", "lab", "laboratory"],
        far ["books", "potted plant", "teddy bear", "framed picture"], near ["teddy bear", "yarn", "game die", "books", "soccer ball", "yo-yo"], air ["balloon"]),
    place!("party", Stage, Party, ["party", "birthday", "celebration", "carnival", "parade", "festival", "wedding", "decorated room", "garland", "garlands", "string of flags", "balloon arch", "dance floor", "garden party"],
        far ["wrapped gift"], near ["wrapped gift", "cupcake", "birthday cake", "party popper", "ice cream"], air ["balloon", "balloon", "star"]),
    place!("circus", Stage, Party, ["circus", "fair", "fairground", "amusement park", "show", "stage", "theater", "theatre", "concert"],
        far ["circus tent", "ferris wheel"], near ["popcorn", "soccer ball", "star", "candy", "drum"], air ["balloon", "star"]),
];

/// Words that are a place in a prompt even where the catalog has a drawing of that name.
const ONLY_A_PLACE: &[&str] = &[
    "wood",
    "woods",
    "beach",
    "desert",
    "camping",
    "school",
    "park",
    "home",
    "field",
    "stars",
    "dinosaurs",
    "island",
    "station",
    "cave",
    "pool",
    "hay",
    "trail",
    "road",
    "tropical",
    "show",
    "race",
    "construction",
    "table",
    "room",
    "waves",
    "race",
    "royal",
    "shop",
    "sand",
    "sail",
    "stage",
    "square",
];

impl Setting {
    pub fn named(word: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.words.contains(&word))
    }

    pub fn only_a_place(word: &str) -> bool {
        ONLY_A_PLACE.contains(&word) && word != "dinosaurs"
    }
}

/// Where a subject is at home, for prompts that name no place.
pub fn habitat(label: &str, group: u8) -> &'static str {
    const HABITATS: &[(&str, &[&str])] = &[
        (
            "underwater",
            &[
                "fish",
                "tropical fish",
                "shark",
                "whale",
                "spouting whale",
                "dolphin",
                "octopus",
                "squid",
                "jellyfish",
                "crab",
                "lobster",
                "shrimp",
                "seal",
                "blowfish",
                "coral",
                "mermaid",
                "merman",
                "orca",
                "spiral shell",
                "oyster",
                "turtle",
                "diving mask",
            ],
        ),
        (
            "space",
            &[
                "rocket",
                "astronaut",
                "man astronaut",
                "woman astronaut",
                "ringed planet",
                "flying saucer",
                "alien",
                "satellite",
                "comet",
                "star",
                "glowing star",
                "alien monster",
                "telescope",
                "robot",
                "crescent moon",
            ],
        ),
        (
            "winter",
            &[
                "penguin",
                "polar bear",
                "snowman",
                "snowman without snow",
                "snowflake",
                "sled",
                "skis",
                "skier",
                "ice skate",
                "snowboarder",
                "hairy creature",
                "mammoth",
            ],
        ),
        (
            "farm",
            &[
                "cow",
                "pig",
                "horse",
                "rooster",
                "ewe",
                "ram",
                "goat",
                "duck",
                "tractor",
                "donkey",
                "turkey",
                "baby chick",
                "goose",
                "ox",
                "farmer",
                "hatching chick",
            ],
        ),
        (
            "savanna",
            &[
                "lion",
                "elephant",
                "giraffe",
                "zebra",
                "rhinoceros",
                "hippopotamus",
                "leopard",
                "kangaroo",
                "bison",
            ],
        ),
        (
            "jungle",
            &[
                "tiger",
                "monkey",
                "parrot",
                "gorilla",
                "orangutan",
                "snake",
                "crocodile",
                "sloth",
                "panda",
                "koala",
                "flamingo",
            ],
        ),
        ("prehistoric", &["t-rex", "sauropod", "dodo"]),
        (
            "desert",
            &["camel", "two-hump camel", "cactus", "scorpion", "lizard", "llama"],
        ),
        (
            "castle",
            &[
                "dragon",
                "castle",
                "prince",
                "princess",
                "mage",
                "woman mage",
                "unicorn",
                "fairy",
                "crown",
                "guard",
                "genie",
                "elf",
                "phoenix",
                "ogre",
                "goblin",
            ],
        ),
        (
            "city",
            &[
                "automobile",
                "bus",
                "taxi",
                "fire engine",
                "police car",
                "ambulance",
                "delivery truck",
                "bicycle",
                "motorcycle",
                "racing car",
                "firefighter",
                "police officer",
                "locomotive",
                "motor scooter",
                "train",
                "construction worker",
                "office building",
                "pickup truck",
                "skateboard",
            ],
        ),
        (
            "sky",
            &[
                "airplane",
                "helicopter",
                "parachute",
                "balloon",
                "kite",
                "cloud",
                "rainbow",
                "small airplane",
                "eagle",
                "dove",
            ],
        ),
        (
            "sea",
            &[
                "sailboat",
                "ship",
                "passenger ship",
                "speedboat",
                "canoe",
                "motor boat",
                "person surfing",
                "anchor",
                "person rowing boat",
            ],
        ),
        (
            "beach",
            &[
                "palm tree",
                "desert island",
                "bucket",
                "beach with umbrella",
                "volleyball",
            ],
        ),
        ("pond", &["frog", "swan", "beaver", "lotus", "otter", "crocodile"]),
        (
            "forest",
            &[
                "fox", "bear", "deer", "owl", "hedgehog", "wolf", "raccoon", "chipmunk", "mushroom", "badger", "moose",
                "skunk", "rabbit", "squirrel",
            ],
        ),
        (
            "circus",
            &[
                "clown face",
                "circus tent",
                "ferris wheel",
                "carousel horse",
                "person juggling",
                "person cartwheeling",
                "ballet dancer",
            ],
        ),
        (
            "halloween",
            &[
                "ghost",
                "jack-o-lantern",
                "bat",
                "spider",
                "spider web",
                "black cat",
                "vampire",
            ],
        ),
        ("christmas", &["santa claus", "christmas tree", "mrs. claus"]),
        ("party", &["birthday cake", "wrapped gift", "party popper", "piñata"]),
    ];
    HABITATS.iter().find(|(_, labels)| labels.contains(&label)).map_or_else(
        || match group {
            4 => "kitchen",
            6 => "room",
            7 => "room",
            _ => "meadow",
        },
        |(place, _)| place,
    )
}

#[cfg(test)]
mod tests {
    use super::SETTINGS;
    use crate::art::Catalog;

    #[test]
    fn everything_that_stands_around_is_in_the_catalog() {
        let catalog = Catalog::get();
        for setting in SETTINGS {
            for label in setting.far.iter().chain(setting.near).chain(setting.air) {
                assert!(catalog.has(label), "{}: {label}", setting.name);
            }
        }
    }
}
