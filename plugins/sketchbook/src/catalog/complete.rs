//! The checks at build time that the catalog is complete. The message of a failure is the label.

use super::{COUNT, ENTRIES, LABELS};
use crate::setting::is_setting;

/// The labels of the compiled-in drawings, which `build.rs` reads from their file.
const DRAWN: &[&str] = include!(concat!(env!("OUT_DIR"), "/labels.rs"));

/// Every drawing has an entry, and every entry has a drawing.
const _: () = {
    let mut drawn = [false; COUNT];
    let mut at = 0;
    while at < DRAWN.len() {
        match LABELS.find(DRAWN[at]) {
            Some(entry) => drawn[entry] = true,
            None => panic!("{}", DRAWN[at]),
        }
        at += 1;
    }
    let mut at = 0;
    while at < COUNT {
        if !drawn[at] {
            panic!("{}", ENTRIES[at].label);
        }
        at += 1;
    }
};

/// Every entry has a word, unless another drawing has its name, and every habitat is a setting.
const _: () = {
    let mut at = 0;
    while at < COUNT {
        let entry = &ENTRIES[at];
        if entry.needs_a_word() {
            panic!("{}", entry.label);
        }
        if let Some(habitat) = entry.habitat
            && !is_setting(habitat)
        {
            panic!("{}", entry.label);
        }
        at += 1;
    }
};

/// Every word can occur in a prompt, whose words contain no capitals and no punctuation.
const _: () = {
    let mut at = 0;
    while at < COUNT {
        let words = ENTRIES[at].words;
        let mut word = 0;
        while word < words.len() {
            if !super::entry::is_phrase(words[word]) {
                panic!("{}", ENTRIES[at].label);
            }
            word += 1;
        }
        at += 1;
    }
};
