//! A hash table that is filled at build time.

/// A table of phrases with a number for each. Collisions move to the next free slot.
pub(super) struct Index<const SLOTS: usize> {
    /// An empty phrase marks a free slot.
    slots: [(&'static str, u16); SLOTS],
    used: usize,
}

impl<const SLOTS: usize> Index<SLOTS> {
    pub(super) const EMPTY: Self = Self {
        slots: [("", 0); SLOTS],
        used: 0,
    };

    /// Adds a phrase. The build fails if it is in the table already: the message is the phrase.
    pub(super) const fn insert(&mut self, phrase: &'static str, number: usize) {
        let slot = self.slot(phrase);
        if !self.slots[slot].0.is_empty() {
            panic!("{}", phrase);
        }
        self.used += 1;
        // Searches end at a free slot and are short while a fifth of the slots are free.
        assert!(self.used * 5 <= SLOTS * 4, "the table of phrases needs more slots");
        assert!(
            number <= u16::MAX as usize,
            "the number of a phrase must fit into 16 bits"
        );
        self.slots[slot] = (phrase, number as u16);
    }

    pub(super) const fn find(&self, phrase: &str) -> Option<usize> {
        let (known, number) = self.slots[self.slot(phrase)];
        if known.is_empty() { None } else { Some(number as usize) }
    }

    /// Returns the slot of the phrase, or the free slot where it belongs.
    const fn slot(&self, phrase: &str) -> usize {
        let mut slot = hash(phrase) as usize % SLOTS;
        while !self.slots[slot].0.is_empty() && !same(self.slots[slot].0, phrase) {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }
}

/// Returns the FNV-1a hash of the text.
const fn hash(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let (mut hash, mut at) = (0x811c_9dc5_u32, 0);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// Compares two texts, which `==` cannot do at build time.
pub(crate) const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}
