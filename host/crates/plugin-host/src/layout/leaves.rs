//! Checks of the leaves that a layout returns.
use linepress_model::{Leaf, alters_line};

use crate::description::is_word;
use crate::error::CallError;

/// Maximum number of leaves of a book. No printer binds more.
const MAX_LEAVES: usize = 1000;
/// Maximum number of extra values of a leaf.
const MAX_EXTRA_VALUES: usize = 32;
/// Maximum size of the name or the value of an extra value.
const MAX_TEXT_BYTES: usize = 8 << 10;
/// Maximum size of all leaves together.
const MAX_BYTES: usize = 1 << 20;

/// Checks the number and size of the leaves, and that each shows only drawings of the book. `drawings` is the book's
/// number of drawings.
pub(crate) fn check_leaves(leaves: Vec<Leaf>, drawings: usize) -> Result<Vec<Leaf>, CallError> {
    if leaves.len() > MAX_LEAVES {
        return Err(CallError::InvalidResponse(format!("a book of {} leaves", leaves.len())));
    }
    let bytes: usize = leaves.iter().map(bytes_of).sum();
    if bytes > MAX_BYTES {
        return Err(CallError::InvalidResponse(format!(
            "leaves with {bytes} bytes in total, more than the limit of {MAX_BYTES}"
        )));
    }
    for (number, leaf) in leaves.iter().enumerate() {
        check_leaf(leaf, drawings).map_err(|what| CallError::InvalidResponse(format!("leaf {number} has {what}")))?;
    }
    Ok(leaves)
}

fn check_leaf(leaf: &Leaf, drawings: usize) -> Result<(), String> {
    if !is_word(&leaf.kind, '-') {
        return Err("a kind that is not lowercase letters, digits and hyphens".into());
    }
    if let Some(drawing) = leaf.drawing.filter(|drawing| *drawing as usize >= drawings) {
        return Err(format!("drawing {drawing}, but the book has {drawings} drawings"));
    }
    let too_long = |text: &String| text.len() > MAX_TEXT_BYTES;
    if leaf.extra.len() > MAX_EXTRA_VALUES || leaf.extra.iter().any(|(name, value)| too_long(name) || too_long(value)) {
        return Err("too many or too long extra values".into());
    }
    if leaf
        .extra
        .iter()
        .any(|(name, value)| name.contains(alters_line) || value.contains(alters_line))
    {
        return Err("a control character in an extra value".into());
    }
    Ok(())
}

fn bytes_of(leaf: &Leaf) -> usize {
    let extra = leaf.extra.iter().map(|(name, value)| name.len() + value.len());
    leaf.kind.len() + extra.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(kind: &str, drawing: Option<u32>) -> Leaf {
        Leaf {
            kind: kind.into(),
            drawing,
            extra: Vec::new(),
        }
    }

    #[test]
    fn a_leaf_shows_only_drawings_of_the_book() {
        assert!(check_leaves(vec![leaf("title", None), leaf("drawing", Some(1))], 2).is_ok());
        let error = check_leaves(vec![leaf("title", None), leaf("drawing", Some(2))], 2).unwrap_err();
        assert_eq!(
            error,
            CallError::InvalidResponse("leaf 1 has drawing 2, but the book has 2 drawings".into())
        );
    }

    #[test]
    fn leaves_are_bounded_in_number_and_size() {
        assert!(check_leaves(vec![leaf("blank", None); MAX_LEAVES + 1], 0).is_err());
        assert!(check_leaves(vec![leaf("#eval(1)", None)], 0).is_err());
        let heavy = Leaf {
            extra: vec![("note".into(), "x".repeat(MAX_TEXT_BYTES + 1))],
            ..leaf("blank", None)
        };
        assert!(check_leaves(vec![heavy], 0).is_err());
    }

    #[test]
    fn all_leaves_together_are_bounded_and_hold_no_control_characters() {
        let with = |value: &str| Leaf {
            extra: vec![("note".into(), value.into())],
            ..leaf("blank", None)
        };
        assert!(check_leaves(vec![with(&"x".repeat(MAX_TEXT_BYTES)); 127], 0).is_ok());
        let error = check_leaves(vec![with(&"x".repeat(MAX_TEXT_BYTES)); 128], 0).unwrap_err();
        assert!(error.to_string().contains("more than the limit of 1048576"), "{error}");
        let error = check_leaves(vec![with("\u{1b}[2J")], 0).unwrap_err();
        assert!(error.to_string().contains("leaf 0 has a control character"), "{error}");
    }
}
