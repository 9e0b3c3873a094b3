//! What stands before an operator.

/// More than this no operator takes: 32 inks and the name of a pattern.
const MOST: usize = 33;

/// The last operands, the numbers and the last name of them.
#[derive(Debug, Default)]
pub(crate) struct Operands {
    numbers: Vec<f64>,
    /// Only when it comes last or before numbers, as in `/F1 12 Tf`.
    name: Option<Vec<u8>>,
}

impl Operands {
    pub(crate) fn number(&mut self, number: f64) {
        if self.numbers.len() < MOST {
            self.numbers.push(number);
        }
    }

    pub(crate) fn name(&mut self, name: &[u8]) {
        self.name = Some(name.to_vec());
    }

    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        self.name = None;
    }

    /// The last so many numbers.
    pub(crate) fn numbers<const COUNT: usize>(&self) -> Option<[f64; COUNT]> {
        self.numbers.last_chunk().copied()
    }

    pub(crate) fn last_name(&self) -> Option<&[u8]> {
        self.name.as_deref()
    }
}
