//! The subjects, settings and possessions that the words of a prompt are mapped to.

use sketchbook::figure::body::Posture;
use sketchbook::figure::traits::Trait;
use sketchbook::words::Wish;

fn subjects(prompt: &str) -> Vec<(String, usize)> {
    Wish::read(prompt)
        .subjects
        .into_iter()
        .map(|subject| (subject.label, subject.count))
        .collect()
}

/// The names of the settings of a prompt.
fn settings(prompt: &str) -> Vec<&'static str> {
    let settings = Wish::read(prompt).settings;
    settings.iter().map(|setting| setting.name).collect()
}

#[test]
fn every_phrase_is_mapped_to_its_drawing() {
    for (phrase, label, count) in [
        ("sun", "sun", 1),
        ("house", "house", 1),
        ("fox", "fox", 1),
        ("T-rex", "t-rex", 1),
        ("two foxes", "fox", 2),
        ("a bunny", "rabbit", 1),
        ("three bunnies", "rabbit", 3),
        ("a pup", "dog", 1),
        ("puppies", "dog", 2),
        ("kitten", "cat", 1),
        ("mice", "mouse", 2),
        ("five geese", "goose", 5),
        ("an owl", "owl", 1),
        ("the wolves", "wolf", 2),
        ("a ladybug", "lady beetle", 1),
        ("bees", "honeybee", 2),
        ("butterflies", "butterfly", 2),
        ("mossy log", "wood", 1),
        ("toadstools", "mushroom", 2),
        ("an oak tree", "deciduous tree", 1),
        ("pine trees", "evergreen tree", 2),
        ("cherries", "cherries", 1),
        ("an apple", "red apple", 1),
        ("a slice of cake", "birthday cake", 1),
        ("strawberries", "strawberry", 2),
        ("donuts", "doughnut", 2),
        ("fire truck", "fire engine", 1),
        ("race cars", "racing car", 2),
        ("a tractor", "tractor", 1),
        ("boat", "sailboat", 1),
        ("rocket ship", "rocket", 1),
        ("UFO", "flying saucer", 1),
        ("astronauts", "astronaut", 2),
        ("planets", "ringed planet", 2),
        ("a dinosaur", "sauropod", 1),
        ("tyrannosaurus rex", "t-rex", 1),
        ("brontosaurus", "sauropod", 1),
        ("a dragon", "dragon", 1),
        ("unicorns", "unicorn", 2),
        ("a mermaid", "mermaid", 1),
        ("wizard", "mage", 1),
        ("princess", "princess", 1),
        ("a fairy", "fairy", 1),
        ("octopus", "octopus", 1),
        ("sea turtle", "turtle", 1),
        ("jelly fish", "jellyfish", 1),
        ("starfish", "star", 1),
        ("seashells", "spiral shell", 2),
        ("a whale", "whale", 1),
        ("dolphins", "dolphin", 2),
        ("four sharks", "shark", 4),
        ("a hen", "rooster", 1),
        ("lambs", "ewe", 2),
        ("piglet", "pig", 1),
        ("horses", "horse", 2),
        ("a cow", "cow", 1),
        ("polar bear", "polar bear", 1),
        ("brown bear", "bear", 1),
        ("black cat", "black cat", 1),
        ("elephants", "elephant", 2),
        ("a hippo", "hippopotamus", 1),
        ("monkeys", "monkey", 2),
        ("parrots", "parrot", 2),
        ("a snowman", "snowman", 1),
        ("Santa Claus", "santa claus", 1),
        ("presents", "wrapped gift", 2),
        ("teddy bear", "teddy bear", 1),
        ("a soccer ball", "soccer ball", 1),
        ("a crown", "crown", 1),
        ("four-leaf clover", "four leaf clover", 1),
        ("a family of ducks", "duck", 3),
        ("a pair of penguins", "penguin", 2),
        ("a school of fish", "fish", 5),
        ("a raccoon family", "raccoon", 3),
        ("a lamp", "lantern", 1),
        ("Diwali lamps", "diya lamp", 2),
        ("an ostrich", "ostrich", 1),
        ("a heron", "crane bird", 1),
        ("two knights", "knight", 2),
        ("food stalls", "market stall", 2),
        ("hot-air balloons", "hot air balloon", 2),
        ("a lighthouse", "lighthouse", 1),
        ("a bowl of ramen", "steaming bowl", 1),
        ("a plate of sushi", "maki", 1),
        ("a cup of tea", "hot beverage", 1),
        ("a pagoda", "japanese castle", 1),
        ("a tuk-tuk", "auto rickshaw", 1),
        ("Snow White", "princess", 1),
    ] {
        let found = subjects(phrase);
        let (first, number) = found
            .first()
            .unwrap_or_else(|| panic!("{phrase}: no subject was found"));
        assert_eq!((first.as_str(), *number), (label, count), "{phrase}: {found:?}");
    }
}

#[test]
fn subjects_are_in_the_order_of_the_prompt() {
    let found = subjects("A fox and two mushrooms beside a mossy log in a quiet forest");
    assert_eq!(found, [("fox".into(), 1), ("mushroom".into(), 2), ("wood".into(), 1)]);
}

#[test]
fn places_are_distinguished_from_things() {
    for (prompt, place) in [
        ("A fox in a quiet forest", "forest"),
        ("fish under the sea", "underwater"),
        ("a boat on the sea", "sea"),
        ("a cow on the farm", "farm"),
        ("a robot in outer space", "space"),
        ("an owl at night", "night"),
        ("a penguin in the snow", "winter"),
        ("a camel in the desert", "desert"),
        ("a dragon near a castle", "castle"),
        ("a cook in the kitchen", "kitchen"),
        ("a bus in the city", "city"),
        ("a crab on the beach", "beach"),
        ("a parrot in the jungle", "jungle"),
        ("an eagle above the mountains", "mountain"),
        ("a frog in a pond", "pond"),
        ("tulips in the garden", "garden"),
        ("a clown at the circus", "circus"),
        ("a whale in the deep sea", "underwater"),
    ] {
        let wish = Wish::read(prompt);
        assert_eq!(
            wish.settings.first().map(|setting| setting.name),
            Some(place),
            "{prompt}"
        );
        assert!(!wish.subjects.is_empty(), "{prompt}");
    }
}

#[test]
fn a_prompt_of_unknown_words_has_no_subjects() {
    assert!(Wish::read("a mandala of calm").pattern);
    assert!(Wish::read("zxqv blorp").subjects.is_empty());
}

#[test]
fn every_word_of_the_published_vocabulary_is_known() {
    let vocabulary = include_str!("../vocabulary.txt");
    let (labels, places) = vocabulary
        .strip_prefix("# subjects\n")
        .and_then(|text| text.split_once("# settings\n"))
        .unwrap();
    let unknown: Vec<&str> = labels
        .lines()
        .filter(|label| subjects(&format!("a {label}")).is_empty())
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    let nowhere: Vec<&str> = places
        .lines()
        .filter(|place| Wish::read(&format!("a fox in the {place}")).settings.is_empty())
        .collect();
    assert!(nowhere.is_empty(), "{nowhere:?}");
}

#[test]
fn the_hero_of_a_mandala_is_the_subject_in_its_middle() {
    let found = subjects("An intricate mandala of oak leaves and acorns around a fox");
    assert_eq!(found[0], ("fox".to_string(), 1));
}

#[test]
fn a_building_that_is_only_nearby_is_a_street_and_not_a_room() {
    assert_eq!(settings("A bus in front of a library"), ["city"]);
    assert_eq!(settings("A bus beside an old school"), ["city"]);
    assert_eq!(settings("A girl in a library"), ["room"]);
}

#[test]
fn a_named_place_beats_one_that_furniture_or_a_meal_suggests() {
    assert_eq!(
        settings("A fox and a bear drinking tea at a table in a forest"),
        ["forest"]
    );
    assert_eq!(settings("A tea party in the garden"), ["garden"]);
    assert_eq!(settings("An owl near a library in the forest"), ["forest"]);
    assert_eq!(settings("A fox at a table"), ["kitchen"]);
    assert_eq!(settings("A fox at a table in a bakery"), ["kitchen"]);
    assert_eq!(settings("A fox at a table at night"), ["kitchen", "night"]);
    assert_eq!(settings("A fox at a thanksgiving feast"), ["autumn", "kitchen"]);
}

#[test]
fn the_hero_of_a_stained_glass_window_is_its_subject() {
    let wish = Wish::read("A tall stained-glass window of a crab with a tropical fish");
    assert!(wish.pattern);
    assert_eq!(wish.subjects[0].label, "crab");
}

#[test]
fn nouns_without_a_drawing_are_reported() {
    for (prompt, unknown) in [
        ("A fox riding a zeppelin", vec!["zeppelin"]),
        ("a zeppelin", vec!["zeppelin"]),
        (
            "Steampunk zeppelins over the harpsichord",
            vec!["zeppelins", "harpsichord"],
        ),
        ("A Fox On A Zeppelin", vec!["zeppelin"]),
        ("A brave fox, a shiny gyroscope and a bear", vec!["gyroscope"]),
        (
            "A girl playing the harpsichord while her cat sleeps",
            vec!["harpsichord"],
        ),
        ("A knight fighting a hydra near a catapult", vec!["hydra", "catapult"]),
        ("A zeppelin hums over the town", vec!["zeppelin"]),
        ("the fox is happy because it found a trampoline", vec!["trampoline"]),
        ("A vending machine next to a sofa", vec!["machine"]),
    ] {
        assert_eq!(Wish::read(prompt).unknown, unknown, "{prompt}");
    }
}

#[test]
fn no_word_is_reported_if_every_subject_has_a_drawing() {
    for prompt in [
        "A fox and two mushrooms beside a mossy log in a quiet forest",
        "a big and happy fox with bright eyes, drawn for kids",
        "A unicorn dancing gracefully under a rainbow, cute kawaii style, simple lines",
        "A happy birthday party with lots of cake and balloons",
        "A dog chasing its tail on the lawn on a breezy sunny day",
        "A mother bear and her two cubs catching fish in the river",
        "a dragon breathing fire over a medieval village, very detailed",
        "Pip and Luna bake cookies with grandma in the kitchen",
        "A graceful robot, filled with intricate patterns of light bulbs and circuits",
        "An intricate repeating pattern of donkeys and horseshoes",
        "A monkey eating a banana and an owl reading a newspaper",
        "happiness and joy",
    ] {
        assert_eq!(Wish::read(prompt).unknown, Vec::<String>::new(), "{prompt}");
    }
}

#[test]
fn a_held_thing_is_not_a_separate_subject() {
    for (prompt, holder, held) in [
        ("a bear reading a book", "bear", vec![("open book", 1)]),
        ("A bear reading under a tree", "bear", vec![("open book", 1)]),
        ("a cat holding a balloon", "cat", vec![("balloon", 1)]),
        ("a girl with an umbrella", "girl", vec![("umbrella", 1)]),
        (
            "a rabbit carrying a big basket and an umbrella",
            "rabbit",
            vec![("basket", 1), ("umbrella", 1)],
        ),
        ("a fox holding three balloons", "fox", vec![("balloon", 3)]),
        ("two rabbits holding umbrellas", "rabbit", vec![("umbrella", 1)]),
        ("a girl hugging a kitten", "girl", vec![("cat", 1)]),
        (
            "a hedgehog and a puppy in the park, the hedgehog holding a balloon",
            "hedgehog",
            vec![("balloon", 1)],
        ),
        ("a fox in a boat near a lamp", "fox", vec![]),
        ("a dragon holding a castle", "dragon", vec![]),
        ("a bear and a book", "bear", vec![]),
        ("a cat with a dog", "cat", vec![]),
        ("a cat eating a mouse", "cat", vec![]),
    ] {
        let wish = Wish::read(prompt);
        let subject = wish.subjects.iter().find(|subject| subject.label == holder).unwrap();
        let expected: Vec<(String, usize)> = held.iter().map(|(label, count)| (label.to_string(), *count)).collect();
        assert_eq!(subject.has.held, expected, "{prompt}");
        let is_subject = |label: &str| wish.subjects.iter().any(|subject| subject.label == label);
        assert!(
            !held.iter().any(|(label, _)| is_subject(label)),
            "{prompt}: {:?}",
            wish.subjects
        );
    }
}

#[test]
fn a_worn_item_is_not_a_separate_subject() {
    for (prompt, worn) in [
        (
            "a cat wearing a top hat and a monocle",
            vec![Trait::TopHat, Trait::Monocle],
        ),
        ("a fox with a red scarf in the snow", vec![Trait::Scarf]),
        ("a dog in a straw hat", vec![Trait::SunHat]),
        ("a superhero cat", vec![Trait::Cape]),
        (
            "a horse with a cowboy hat and a bandana",
            vec![Trait::SunHat, Trait::Bandana],
        ),
        ("a bear king", vec![Trait::Crown]),
        ("a bear without a hat", vec![]),
        ("a bear with no glasses", vec![]),
    ] {
        let wish = Wish::read(prompt);
        assert_eq!(wish.subjects.len(), 1, "{prompt}: {:?}", wish.subjects);
        assert_eq!(wish.subjects[0].has.worn, worn, "{prompt}");
    }
}

#[test]
fn a_verb_or_a_participle_names_the_posture_of_its_subject() {
    for (prompt, posture) in [
        ("A dog sleeping under a tree", Some(Posture::Sleeping)),
        ("A sleeping little brown dog", Some(Posture::Sleeping)),
        ("A dog gently waves on the beach", Some(Posture::Waving)),
        ("A dog dances in the rain", Some(Posture::Dancing)),
        ("A dog in a sleeping bag", None),
        ("A dog by the ocean waves", None),
        ("A dog that is not sleeping", None),
    ] {
        let dog = Wish::read(prompt).subjects.remove(0);
        assert_eq!(dog.has.posture.map(|(posture, _)| posture), posture, "{prompt}");
    }
    let wish = Wish::about("Biscuit waves, and the duck waves back", &["Biscuit"]);
    assert_eq!(wish.named[0].posture, Some((Posture::Waving, "waves".into())));
    assert!(wish.settings.is_empty(), "{:?}", wish.settings);
}

#[test]
fn motions_and_landmarks_that_no_drawing_shows_are_listed() {
    for (prompt, unshown) in [
        ("A bear skates on a pond", vec!["skates"]),
        ("A fox and a cat riding a bicycle", vec!["riding"]),
        ("A fox riding a zeppelin", vec![]),
        ("A penguin skating by a waterfall", vec!["skating", "waterfall"]),
        ("A cow on a farm with no fence", vec![]),
        ("A surfing dog", vec!["surfing"]),
        ("A bear in riding boots", vec![]),
        ("A person climbing", vec![]),
        ("A bear with skates", vec![]),
    ] {
        assert_eq!(Wish::read(prompt).unshown, unshown, "{prompt}");
    }
}

#[test]
fn named_characters_hold_things() {
    let names = ["Captain Whiskers", "Luna"];
    let wish = Wish::about("Captain Whiskers reads a book beside Luna with an umbrella", &names);
    assert_eq!(wish.named[0].held, [("open book".to_string(), 1)]);
    assert_eq!(wish.named[1].held, [("umbrella".to_string(), 1)]);
    assert!(wish.unknown.is_empty() && wish.subjects.is_empty(), "{wish:?}");
}

#[test]
fn the_other_words_of_a_prompt_decide_the_sense_of_a_word() {
    for (prompt, label) in [
        ("A crane standing in a pond", "crane bird"),
        ("A crane lifting crates beside the trains", "construction crane"),
        ("A bat hanging in a cave", "bat"),
        ("A bat and a baseball on the grass", "baseball bat"),
        ("A mouse eating cheese", "mouse"),
        ("A mouse beside a computer keyboard", "computer mouse"),
        ("A seal on the ice", "seal"),
        ("A letter with a wax seal", "envelope"),
        ("A trunk full of clothes", "luggage"),
        ("An elephant with a long trunk", "elephant"),
        ("A cricket on a leaf", "cricket"),
        ("A cricket match on the lawn", "cricket game"),
        ("A gondola in Venice", "canoe"),
        ("A jaguar racing on the road", "racing car"),
        ("A bow and arrow", "bow and arrow"),
        ("A temple in India", "hindu temple"),
        ("A street lamp", "street lamp"),
        ("A lamp at the corner of a street", "street lamp"),
        ("A boxer in the ring with big gloves", "boxing glove"),
    ] {
        let found = subjects(prompt);
        assert_eq!(
            found.first().map(|(label, _)| label.as_str()),
            Some(label),
            "{prompt}: {found:?}"
        );
    }
    for (prompt, label) in [
        ("A letter with a wax seal", "seal"),
        ("An elephant with a long trunk", "luggage"),
        ("Saturn and its rings", "ring"),
        ("A turtle with a cracked shell", "spiral shell"),
        ("Two children painting eggs", "framed picture"),
    ] {
        let found = subjects(prompt);
        assert!(!found.iter().any(|(other, _)| other == label), "{prompt}: {found:?}");
    }
}

#[test]
fn the_title_of_a_book_decides_the_sense_of_a_word() {
    let first = |title: &str| Wish::within("A crane at work", &[], title).subjects.remove(0).label;
    assert_eq!(first("Trains and Building Sites"), "construction crane");
    assert_eq!(first("Birds of the Lake"), "crane bird");
}

#[test]
fn a_trade_is_shown_by_its_clothing_and_things() {
    for (prompt, label, worn, held) in [
        (
            "A grandmother in her garden",
            "old woman",
            vec![Trait::Bun, Trait::Glasses],
            vec![],
        ),
        (
            "A scientist in the laboratory",
            "person",
            vec![Trait::LabCoat, Trait::Glasses],
            vec!["test tube"],
        ),
        (
            "A fisherman at the lake",
            "man",
            vec![Trait::SunHat],
            vec!["fishing pole"],
        ),
        (
            "A waitress with a trumpet",
            "woman",
            vec![Trait::BowTie],
            vec!["trumpet"],
        ),
        (
            "A pirate without an eye patch",
            "person",
            vec![Trait::PirateHat],
            vec![],
        ),
        (
            "A carpenter wearing a top hat",
            "person",
            vec![Trait::TopHat],
            vec!["carpentry saw"],
        ),
        (
            "A scientist cat",
            "cat",
            vec![Trait::LabCoat, Trait::Glasses],
            vec!["test tube"],
        ),
    ] {
        let found = Wish::read(prompt).subjects.remove(0);
        let holds: Vec<&str> = found.has.held.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(
            (found.label.as_str(), found.has.worn, holds),
            (label, worn, held),
            "{prompt}"
        );
    }
    assert_eq!(subjects("A carpenter and a tailor").len(), 2);
}

#[test]
fn a_word_that_only_shares_a_tag_with_a_drawing_is_reported() {
    for (prompt, unknown) in [
        ("Jack and the beanstalk", "beanstalk"),
        ("A paper crane", "crane"),
        ("A welded hinge", "hinge"),
    ] {
        let wish = Wish::read(prompt);
        assert!(wish.subjects.is_empty(), "{prompt}: {:?}", wish.subjects);
        assert!(
            wish.unknown.iter().any(|word| word == unknown),
            "{prompt}: {:?}",
            wish.unknown
        );
    }
}

#[test]
fn a_house_is_a_room_only_for_subjects_inside_it() {
    let place = |prompt: &str| Wish::read(prompt).settings.first().map(|setting| setting.name);
    assert_eq!(place("A girl in the house"), Some("room"));
    assert_ne!(place("Three little pigs and a house of straw"), Some("room"));
    assert_eq!(place("A night market with food stalls"), Some("night"));
}
