//! The catalog: everything that is known of each drawing, in one file per subject area. The build fails if a drawing has
//! no entry, an entry has no drawing, or a word means two drawings.

mod athletes;
mod clothes;
mod complete;
mod entry;
mod fables;
mod farm;
mod festivals;
mod food;
mod household;
mod index;
mod music;
mod people;
mod places;
mod plants;
mod play;
mod prehistoric;
mod sea;
mod sky;
mod sports;
mod study;
mod tools;
mod vehicles;
mod wild;
mod woods;

pub use entry::{Entry, Extent};
use index::Index;
pub(crate) use index::same;

const AREAS: [&[Entry]; 21] = [
    people::DRAWINGS,
    athletes::DRAWINGS,
    fables::DRAWINGS,
    prehistoric::DRAWINGS,
    farm::DRAWINGS,
    woods::DRAWINGS,
    wild::DRAWINGS,
    sea::DRAWINGS,
    plants::DRAWINGS,
    food::DRAWINGS,
    places::DRAWINGS,
    vehicles::DRAWINGS,
    sky::DRAWINGS,
    festivals::DRAWINGS,
    sports::DRAWINGS,
    play::DRAWINGS,
    music::DRAWINGS,
    clothes::DRAWINGS,
    study::DRAWINGS,
    tools::DRAWINGS,
    household::DRAWINGS,
];

const COUNT: usize = {
    let (mut count, mut area) = (0, 0);
    while area < AREAS.len() {
        count += AREAS[area].len();
        area += 1;
    }
    count
};

/// The entries of all areas.
pub(crate) static ENTRIES: [Entry; COUNT] = {
    let mut entries = [AREAS[0][0]; COUNT];
    let (mut next, mut area) = (0, 0);
    while area < AREAS.len() {
        let mut at = 0;
        while at < AREAS[area].len() {
            entries[next] = AREAS[area][at];
            (next, at) = (next + 1, at + 1);
        }
        area += 1;
    }
    entries
};

const WORD_SLOTS: usize = 2800;

static LABELS: Index<{ COUNT * 3 / 2 }> = {
    let mut index = Index::EMPTY;
    let mut at = 0;
    while at < COUNT {
        index.insert(ENTRIES[at].label, at);
        at += 1;
    }
    index
};

/// The words of all entries, among them the labels that are words.
static WORDS: Index<WORD_SLOTS> = {
    let mut index = Index::EMPTY;
    let mut at = 0;
    while at < COUNT {
        let entry = &ENTRIES[at];
        if entry.label_is_a_word() {
            index.insert(entry.label, at);
        }
        let mut word = 0;
        while word < entry.words.len() {
            index.insert(entry.words[word], at);
            word += 1;
        }
        at += 1;
    }
    index
};

/// Returns the entry of a label.
pub fn entry(label: &str) -> Option<&'static Entry> {
    LABELS.find(label).map(|at| &ENTRIES[at])
}

/// Returns the label of the drawing that a word or phrase means, in lowercase with spaces for hyphens.
pub fn label_of(phrase: &str) -> Option<&'static str> {
    WORDS.find(phrase).map(|at| ENTRIES[at].label)
}
