//! The parsed theme: the worlds that it selects, and the subjects that it names.

use crate::world::Kind;

/// A subject that the theme names, in the singular: "steampunk owl".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    pub noun: String,
    pub kind: Kind,
}

/// A person or animal that a theme names together with its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Person {
    pub name: String,
    /// The kind as a noun: "dog".
    pub noun: String,
    pub kind: Kind,
}

/// The time of day that a theme asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hour {
    Morning,
    Evening,
    Night,
}

/// The contents of a theme.
#[derive(Clone, Debug, Default)]
pub(crate) struct Theme {
    /// The indexes of the worlds, the leading world first.
    pub worlds: Vec<usize>,
    /// The worlds that the theme names as a place: "at the lake".
    pub placed: Vec<usize>,
    /// True if the theme is about animals, people or friends that it does not name one by one: "forest friends".
    pub company: bool,
    /// The drawable subjects, in the order of the theme.
    pub subjects: Vec<Subject>,
    /// Kinds that the theme asks for as a group: "animals".
    pub groups: Vec<Kind>,
    /// Names without a kind.
    pub names: Vec<String>,
    /// Names with a kind: "my dog Biscuit".
    pub people: Vec<Person>,
    /// The activity of the subjects: "baking cookies".
    pub doing: Option<String>,
    /// Topics that cannot be drawn as a thing: "kindness".
    pub about: Vec<String>,
    /// A city or country.
    pub somewhere: Option<String>,
    pub hour: Option<Hour>,
    /// True if the theme asks for ornaments.
    pub patterns: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::Lexicon;
    use crate::{reader, words, world};

    fn read_theme(text: &str) -> (Vec<String>, Vec<String>, Theme) {
        let worlds = world::all();
        let theme = reader::read(&words::split(text), Lexicon::shared(), worlds);
        let names = theme.worlds.iter().map(|index| worlds[*index].name.clone()).collect();
        (
            names,
            theme.subjects.iter().map(|subject| subject.noun.clone()).collect(),
            theme,
        )
    }

    #[test]
    fn a_theme_selects_its_worlds_and_subjects() {
        for (text, worlds, subjects) in [
            ("woodland animals at night", vec!["forest"], vec![]),
            ("my cat's trip to the moon", vec!["space"], vec!["cat", "moon"]),
            (
                "a birthday picnic for hedgehogs",
                vec!["party", "park"],
                vec!["hedgehog"],
            ),
            (
                "Foxes, owls and hedgehogs",
                vec!["forest"],
                vec!["fox", "owl", "hedgehog"],
            ),
            ("pirate cats", vec!["pirates"], vec!["pirate cat"]),
            ("dinosaurs in space", vec!["space"], vec!["dinosaur"]),
            ("steampunk owls", vec!["birds"], vec!["steampunk owl"]),
            ("unicorns", vec!["fantasy"], vec!["unicorn"]),
            ("ocean mandalas", vec!["ocean"], vec![]),
            ("dinosaur friends", vec!["dinosaurs"], vec!["dinosaur"]),
            (
                "fire trucks and diggers",
                vec!["vehicles"],
                vec!["fire truck", "digger"],
            ),
            ("polar bears", vec!["arctic"], vec!["polar bear"]),
            ("gizmos", vec![], vec!["gizmo"]),
            ("Forest friends and their tea parties", vec!["forest", "tea"], vec![]),
            ("Forest friends at the lake in summer", vec!["forest", "lake"], vec![]),
            ("Summer vacation", vec!["beach"], vec![]),
            ("Penguins in summer", vec!["beach"], vec!["penguin"]),
        ] {
            let (read_worlds, read_subjects, theme) = read_theme(text);
            assert_eq!(read_worlds, worlds, "{text}: {theme:?}");
            assert_eq!(read_subjects, subjects, "{text}: {theme:?}");
        }
    }

    #[test]
    fn friends_and_groups_lead_a_theme_that_names_no_subject_before_them() {
        for (text, company) in [
            ("Forest friends", true),
            ("Farm animals and their tractors", true),
            ("Kids baking cookies", true),
            ("Cupcake friends", false),
            ("Foxes and their friends", false),
            ("The bakery", false),
        ] {
            assert_eq!(read_theme(text).2.company, company, "{text}");
        }
    }

    #[test]
    fn a_word_that_cannot_be_drawn_is_a_topic() {
        assert_eq!(read_theme("quantum physics").2.about, ["quantum physics"]);
        assert_eq!(read_theme("mathematics").2.about, ["mathematics"]);
    }

    #[test]
    fn an_activity_is_read_with_its_object() {
        assert_eq!(
            read_theme("bears baking cookies in the snow").2.doing.as_deref(),
            Some("baking cookies")
        );
        assert_eq!(
            read_theme("hedgehogs having a picnic").2.doing.as_deref(),
            Some("having a picnic")
        );
        assert_eq!(read_theme("animals going to school").2.doing, None);
    }

    #[test]
    fn a_name_is_read_with_its_kind() {
        for (text, name, noun) in [
            ("A day at the farm with my dog Biscuit", "Biscuit", "dog"),
            ("Our dog Bear", "Bear", "dog"),
            ("Our Dog Bear", "Bear", "dog"),
            ("My daughter Rose at the beach", "Rose", "daughter"),
            ("a cat named Pepper goes camping", "Pepper", "cat"),
            ("Biscuit the dog", "Biscuit", "dog"),
        ] {
            let theme = read_theme(text).2;
            let [
                Person {
                    name: found,
                    noun: kind,
                    ..
                },
            ] = theme.people.as_slice()
            else {
                panic!("{text}: {theme:?}")
            };
            assert_eq!((found.as_str(), kind.as_str()), (name, noun), "{text}");
            assert!(theme.subjects.is_empty(), "{text}: {theme:?}");
        }
        for text in [
            "My Brother Plays the Cello",
            "Our Rescue Greyhound",
            "my cat's trip to the moon",
            "Farm animals",
        ] {
            assert_eq!(read_theme(text).2.people, [], "{text}");
        }
    }

    #[test]
    fn an_ing_form_before_a_noun_can_be_part_of_a_thing() {
        let (_, subjects, theme) = read_theme("Grandma's Sewing Room");
        assert_eq!((subjects, theme.doing), (vec!["grandma".to_owned()], None));
        let (_, subjects, theme) = read_theme("wheelchair basketball");
        assert_eq!(subjects, ["person in a wheelchair", "basketball"], "{theme:?}");
        let (_, subjects, theme) = read_theme("My brother plays the cello");
        assert_eq!(
            (subjects, theme.doing.as_deref()),
            (vec!["brother".to_owned()], Some("playing the cello"))
        );
        let (worlds, subjects, _) = read_theme("Our Rescue Greyhound");
        assert_eq!(
            (worlds, subjects),
            (vec!["pets".to_owned()], vec!["greyhound".to_owned()])
        );
    }

    #[test]
    fn names_and_places_are_distinguished() {
        let theme = read_theme("Luna's day at the beach in Lisbon").2;
        assert_eq!(
            (theme.names, theme.somewhere),
            (vec!["Luna".to_owned()], Some("Lisbon".to_owned()))
        );
    }

    #[test]
    fn a_whole_day_has_no_single_hour() {
        assert_eq!(read_theme("woodland animals at night").2.hour, Some(Hour::Night));
        assert_eq!(read_theme("the farm from morning to night").2.hour, None);
    }
}
