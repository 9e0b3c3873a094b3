//! Singular forms of English nouns, for the vocabulary of coloring books.

const IRREGULAR: &[(&str, &str)] = &[
    ("mice", "mouse"),
    ("geese", "goose"),
    ("oxen", "ox"),
    ("children", "child"),
    ("men", "man"),
    ("women", "woman"),
    ("people", "person"),
    ("snowmen", "snowman"),
    ("feet", "foot"),
    ("teeth", "tooth"),
    ("leaves", "leaf"),
    ("wolves", "wolf"),
    ("calves", "calf"),
    ("loaves", "loaf"),
    ("elves", "elf"),
    ("knives", "knife"),
    ("dwarves", "dwarf"),
    ("scarves", "scarf"),
    ("cacti", "cactus"),
    ("octopi", "octopus"),
    ("fungi", "fungus"),
    ("hippopotami", "hippopotamus"),
    ("fishes", "fish"),
    ("potatoes", "potato"),
    ("tomatoes", "tomato"),
    ("heroes", "hero"),
    ("mangoes", "mango"),
    ("volcanoes", "volcano"),
    ("butterflies", "butterfly"),
    ("flies", "fly"),
    ("puppies", "puppy"),
    ("bunnies", "bunny"),
    ("kitties", "kitty"),
];

/// Returns the possible singular forms of a word, the most likely first, without the word itself.
pub fn singulars(word: &str) -> Vec<String> {
    if let Some((_, singular)) = IRREGULAR.iter().find(|(plural, _)| *plural == word) {
        return vec![(*singular).to_string()];
    }
    let mut forms = Vec::new();
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        forms.push(format!("{stem}y"));
        forms.push(format!("{stem}ie"));
    }
    if let Some(stem) = word.strip_suffix("es").filter(|stem| {
        ["s", "x", "z", "ch", "sh", "o"]
            .iter()
            .any(|ending| stem.ends_with(ending))
    }) {
        forms.push(stem.to_string());
    }
    if let Some(stem) = word
        .strip_suffix('s')
        .filter(|stem| stem.len() > 1 && !stem.ends_with('s'))
    {
        forms.push(stem.to_string());
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::singulars;

    #[test]
    fn plurals_are_reduced_to_their_singular() {
        for (plural, singular) in [
            ("foxes", "fox"),
            ("mice", "mouse"),
            ("cherries", "cherry"),
            ("wolves", "wolf"),
            ("cats", "cat"),
            ("butterflies", "butterfly"),
            ("boxes", "box"),
            ("bushes", "bush"),
            ("horses", "horse"),
        ] {
            assert!(
                singulars(plural).iter().any(|form| form == singular),
                "{plural}: {:?}",
                singulars(plural)
            );
        }
        assert!(singulars("grass").is_empty());
    }
}
