//! The `[[leaves]]` tables of `layout.toml`.
use std::collections::BTreeMap;

use linepress_model::Leaf;
use serde::Deserialize;

use super::quoted;
use crate::description::is_word;

/// The kind of an empty leaf.
const BLANK: &str = "blank";

/// A `[[leaves]]` table. Exactly one of the three places is given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LeafTable {
    pub(super) kind: String,
    /// The kind of the leaf before whose first occurrence it is inserted.
    before: Option<String>,
    /// The kind of the leaf after whose last occurrence it is inserted.
    after: Option<String>,
    /// The kind of the leaf on whose empty back it is printed.
    behind: Option<String>,
    /// The kind of the other page that is inserted with it; an empty one if omitted.
    with: Option<String>,
}

/// The place of an additional leaf.
enum LeafPlace<'a> {
    Before(&'a str),
    After(&'a str),
    Behind(&'a str),
}

impl LeafTable {
    /// Checks the words, and that there is one place. Returns a problem worded to follow the leaf's kind.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self {
            kind,
            before,
            after,
            behind,
            with,
        } = self;
        let others = [before, after, behind, with].into_iter().flatten();
        if let Some(wrong) = others.chain([kind]).find(|word| !is_word(word, '-')) {
            return Err(format!(
                "has the kind {:?}; a kind is lowercase letters, digits and hyphens",
                quoted(wrong)
            ));
        }
        if self.place().is_none() {
            return Err("needs one place: before, after or behind".to_owned());
        }
        if behind.is_some() && with.is_some() {
            return Err("has both behind and with; a leaf behind another one inserts no other page".to_owned());
        }
        Ok(())
    }

    /// The only place that is given, or `None` if there are none or several.
    fn place(&self) -> Option<LeafPlace<'_>> {
        match (&self.before, &self.after, &self.behind) {
            (Some(kind), None, None) => Some(LeafPlace::Before(kind)),
            (None, Some(kind), None) => Some(LeafPlace::After(kind)),
            (None, None, Some(kind)) => Some(LeafPlace::Behind(kind)),
            _ => None,
        }
    }

    /// Inserts the leaf into a book. Returns false if the book does not have its place.
    ///
    /// `ends` has, for each kind after which leaves were already inserted, the index after the last of these leaves, so
    /// that leaves with the same place are printed in the order of their tables.
    pub(super) fn insert<'a>(&'a self, leaves: &mut Vec<Leaf>, ends: &mut BTreeMap<&'a str, usize>) -> bool {
        let first = |wanted: &str| leaves.iter().position(|leaf| leaf.kind == wanted);
        let at = match self.place() {
            Some(LeafPlace::Before(kind)) => first(kind),
            Some(LeafPlace::After(kind)) => ends.get(kind).copied().or_else(|| {
                let last = leaves.iter().rposition(|leaf| leaf.kind == kind);
                last.map(|last| last + 1)
            }),
            Some(LeafPlace::Behind(kind)) => {
                let back = first(kind).and_then(|front| leaves.get_mut(front + 1));
                return match back.filter(|back| back.kind == BLANK) {
                    Some(back) => {
                        back.kind.clone_from(&self.kind);
                        true
                    }
                    None => false,
                };
            }
            None => None,
        };
        let Some(at) = at else { return false };
        let mut pages = [self.kind.as_str(), self.with.as_deref().unwrap_or(BLANK)];
        // Two pages keep every other page on its side. The leaf has an odd page number, like the fronts of all sheets.
        if !at.is_multiple_of(2) {
            pages.reverse();
        }
        let after = at + pages.len();
        for end in ends.values_mut().filter(|end| **end > at) {
            *end += pages.len();
        }
        if let Some(LeafPlace::After(kind)) = self.place() {
            ends.insert(kind, after);
        }
        leaves.splice(at..at, pages.map(leaf));
        true
    }

    /// A sentence about the leaf in a book that does not have its place.
    pub(super) fn missing_place(&self) -> String {
        let reason = match self.place() {
            Some(LeafPlace::Before(other)) => format!("the book has no leaf {other}, before which it is placed"),
            Some(LeafPlace::After(other)) => format!("the book has no leaf {other}, after which it is placed"),
            Some(LeafPlace::Behind(other)) => format!("the book has no leaf {other} with an empty back"),
            None => "it has no place".to_owned(),
        };
        format!("the leaf {} is not printed: {reason}", self.kind)
    }
}

fn leaf(kind: &str) -> Leaf {
    Leaf {
        kind: kind.to_owned(),
        drawing: None,
        extra: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::additions::Additions;

    /// The kinds of a book's leaves after those of the file were inserted, and the sentences about the others.
    fn printed(kinds: &[&str], file: &str) -> (Vec<String>, Vec<String>) {
        let mut leaves: Vec<Leaf> = kinds.iter().map(|kind| leaf(kind)).collect();
        let unplaced = Additions::parse(file).unwrap().insert(&mut leaves);
        (leaves.into_iter().map(|leaf| leaf.kind).collect(), unplaced)
    }

    /// The kinds of a book's leaves after a leaf of the kind `map` was inserted.
    fn inserted(kinds: &[&str], place: &str) -> Vec<String> {
        let (kinds, unplaced) = printed(kinds, &format!("[[leaves]]\nkind = \"map\"\n{place}"));
        assert_eq!(unplaced, Vec::<String>::new());
        kinds
    }

    #[test]
    fn a_leaf_needs_plain_words_and_one_place() {
        for (keys, told) in [
            ("kind = \"dedication\"", "needs one place: before, after or behind"),
            (
                "kind = \"dedication\"\nbefore = \"title\"\nafter = \"title\"",
                "needs one place",
            ),
            ("kind = \"#eval\"\nbefore = \"title\"", "has the kind \"#eval\""),
            (
                "kind = \"a\"\nbehind = \"title\"\nwith = \"b\"",
                "has both behind and with",
            ),
        ] {
            let problem = Additions::parse(&format!("[[leaves]]\n{keys}")).unwrap_err();
            assert!(problem.contains(told), "{told}: {problem}");
        }
    }

    #[test]
    fn an_additional_leaf_has_an_odd_page_number_and_moves_no_other_page_to_another_side() {
        let sheets = ["title", "blank", "drawing", "blank", "drawing", "blank"];
        assert_eq!(
            inserted(&sheets, "before = \"drawing\""),
            ["title", "blank", "map", "blank", "drawing", "blank", "drawing", "blank"]
        );
        assert_eq!(
            inserted(&sheets, "after = \"drawing\"\nwith = \"notes\""),
            ["title", "blank", "drawing", "blank", "drawing", "notes", "map", "blank"]
        );
        // A spread stays a spread.
        assert_eq!(
            inserted(&["title", "story", "drawing"], "before = \"story\""),
            ["title", "blank", "map", "story", "drawing"]
        );
    }

    #[test]
    fn leaves_with_the_same_place_are_printed_in_the_order_of_their_tables() {
        let file = |place: &str| {
            let tables = ["one", "two", "three"].map(|kind| format!("[[leaves]]\nkind = \"{kind}\"\n{place}\n"));
            tables.concat()
        };
        let sheets = ["title", "blank", "drawing", "blank"];
        let between = [
            "title", "blank", "one", "blank", "two", "blank", "three", "blank", "drawing", "blank",
        ];
        assert_eq!(printed(&sheets, &file("before = \"drawing\"")).0, between);
        // The pairs begin behind the front of the sheet, so its back is the last empty page.
        assert_eq!(printed(&sheets, &file("after = \"title\"")).0, between);
        // Another leaf that is inserted between them does not change their order.
        let file = "[[leaves]]\nkind = \"one\"\nafter = \"title\"\n[[leaves]]\nkind = \"map\"\nbefore = \"title\"\n\
                    [[leaves]]\nkind = \"two\"\nafter = \"title\"\n";
        assert_eq!(
            printed(&["title", "imprint"], file).0,
            ["map", "blank", "title", "blank", "one", "blank", "two", "imprint"]
        );
    }

    #[test]
    fn a_leaf_behind_another_one_replaces_its_empty_back() {
        assert_eq!(
            inserted(&["title", "blank", "drawing", "blank"], "behind = \"title\""),
            ["title", "map", "drawing", "blank"]
        );
    }

    #[test]
    fn a_leaf_without_its_place_is_left_out_and_reported() {
        for (place, reason) in [
            (
                "before = \"notes\"",
                "the book has no leaf notes, before which it is placed",
            ),
            (
                "after = \"notes\"",
                "the book has no leaf notes, after which it is placed",
            ),
            ("behind = \"title\"", "the book has no leaf title with an empty back"),
        ] {
            // The component's own leaf of the same kind is not mistaken for the additional one.
            let kinds = ["title", "map"];
            let (found, unplaced) = printed(&kinds, &format!("[[leaves]]\nkind = \"map\"\n{place}"));
            assert_eq!(found, kinds);
            assert_eq!(unplaced, [format!("the leaf map is not printed: {reason}")]);
        }
    }
}
