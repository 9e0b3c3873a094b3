//! Pictures to import.
use std::io::Cursor;

use linepress_imaging::{check_kind, import_memory, is_whole_master, prepare_import, prepare_source};

use crate::Input;

/// A picture is prepared for print or refused, and its memory is known from its header.
pub(super) fn run(bytes: &[u8]) -> Input {
    let memory = import_memory(Cursor::new(bytes));
    let prepared = prepare_import(bytes, None);
    if let Ok((prepared, _)) = &prepared {
        assert!(memory.is_ok(), "a picture whose header was refused was prepared");
        assert!(is_whole_master(&prepared.master));
        assert!(prepared.width > 0 && prepared.height > 0);
    }
    if let Ok(source) = prepare_source(bytes) {
        assert!(check_kind(&source).is_ok());
    }
    Input::Used
}
