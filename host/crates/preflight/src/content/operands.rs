//! The operands of an operator.

/// The highest number of operands of any operator: 32 inks and the name of a pattern.
const MAX_OPERANDS: usize = 33;

/// The operands since the last operator: the numbers and the last name.
#[derive(Debug, Default)]
pub(crate) struct Operands {
    numbers: Vec<f64>,
    /// The last name, as in `/F1 12 Tf`.
    name: Option<Vec<u8>>,
}

impl Operands {
    pub(crate) fn number(&mut self, number: f64) {
        if self.numbers.len() < MAX_OPERANDS {
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

    /// The last `COUNT` numbers, or `None` when there are fewer.
    pub(crate) fn numbers<const COUNT: usize>(&self) -> Option<[f64; COUNT]> {
        self.numbers.last_chunk().copied()
    }

    pub(crate) fn last_name(&self) -> Option<&[u8]> {
        self.name.as_deref()
    }
}
