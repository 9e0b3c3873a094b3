//! Synonyms of the catalog's labels. The list is curated by hand, because a search by tags is wrong a quarter of the
//! time. Each pair is (word in a prompt, label or another synonym), in lowercase with spaces for hyphens. A thing
//! without a drawing is mapped to its nearest relative, such as a stork to a heron, and never to a thing that only
//! shares the word.

mod fables;
mod farm;
mod food;
mod people;
mod places;
mod sea;
mod sky;
mod things;
mod vehicles;
mod wild;
mod woods;

const THEMES: [&[(&str, &str)]; 11] = [
    farm::SYNONYMS,
    woods::SYNONYMS,
    wild::SYNONYMS,
    sea::SYNONYMS,
    fables::SYNONYMS,
    sky::SYNONYMS,
    places::SYNONYMS,
    vehicles::SYNONYMS,
    food::SYNONYMS,
    things::SYNONYMS,
    people::SYNONYMS,
];

pub(super) fn all() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    THEMES.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::all;
    use crate::art::Catalog;
    use crate::words::tokens;

    fn labels() -> HashSet<String> {
        let drawings = Catalog::get().all().iter();
        drawings.map(|drawing| tokens(&drawing.label).join(" ")).collect()
    }

    #[test]
    fn every_synonym_has_a_drawing() {
        let labels = labels();
        let known = |word: &str| labels.contains(word) || all().any(|(from, to)| *from == word && labels.contains(*to));
        let lost: Vec<_> = all().filter(|(_, meaning)| !known(meaning)).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }

    #[test]
    fn no_word_is_listed_twice() {
        let mut seen = HashSet::new();
        let twice: Vec<_> = all().filter(|(word, _)| !seen.insert(*word)).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
