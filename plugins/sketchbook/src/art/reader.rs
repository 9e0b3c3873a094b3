//! The integers, texts and lists of the data file. `build.rs` contains this file as well.

const MAGIC: &[u8] = b"LPSB\x02\x00\x00\x10";

/// The rest of the data. A read returns `None` at its end.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Returns a reader of the decompressed file, positioned at the number of drawings.
    pub(super) fn new(file: &'a [u8]) -> Option<Self> {
        file.strip_prefix(MAGIC).map(|rest| Self { rest })
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    pub(super) fn number(&mut self) -> Option<usize> {
        let (mut value, mut shift) = (0usize, 0);
        loop {
            let byte = self.byte()?;
            value |= usize::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
            shift += 7;
        }
    }

    pub(super) fn signed(&mut self) -> Option<i32> {
        let value = i32::try_from(self.number()?).ok()?;
        Some((value >> 1) ^ -(value & 1))
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    pub(super) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.number()?).map(|_| item(self)).collect()
    }
}
