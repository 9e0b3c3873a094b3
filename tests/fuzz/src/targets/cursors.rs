//! Cursors and limits of lists.
use linepress_platform::database::{CursorSeal, PageRequest};
use linepress_platform::ids::AccountId;

use crate::Input;

/// A list accepts only limits within its bounds, and only cursors that it issued.
pub(super) fn run(bytes: &[u8]) -> Input {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Input::Unusable;
    };
    let seal = CursorSeal::new(b"secret");
    let account = AccountId::from_text("acc_1");
    let scope = || seal.scope(&account, "pg_");
    if let Ok(request) = PageRequest::parse(Some(text), None, scope()) {
        assert!((1..=PageRequest::MAX_LIMIT).contains(&request.limit));
    }
    if let Ok(request) = PageRequest::parse(None, Some(text), scope()) {
        assert_eq!(request.cursor_after(request.below()), text, "a cursor with two forms");
    }
    let issued = PageRequest::parse(None, None, scope())
        .expect("no parameters")
        .cursor_after(&format!("pg_{text}"));
    let request = PageRequest::parse(None, Some(&issued), scope()).expect("a cursor that was issued");
    assert_eq!(request.below(), format!("pg_{text}"));
    Input::Used
}
