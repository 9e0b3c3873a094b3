//! Positions and sizes of text.
use crate::content::matrix::Matrix;
use crate::content::operands::Operands;

/// The text state: the line matrix, the leading and the font size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextPlace {
    line: Matrix,
    leading: f64,
    /// The font size before any transformation.
    size: f64,
}

impl TextPlace {
    pub(crate) const START: Self = Self {
        line: Matrix::IDENTITY,
        leading: 0.0,
        size: 0.0,
    };

    /// Updates the state with an operator that moves the text or sets its font or leading.
    pub(crate) fn follow(&mut self, operator: &[u8], operands: &Operands) {
        match operator {
            b"BT" => self.line = Matrix::IDENTITY,
            b"Tm" => self.line = operands.numbers().map_or(self.line, Matrix),
            b"Tf" => self.size = operands.numbers::<1>().map_or(self.size, |[size]| size.abs()),
            b"TL" => self.leading = operands.numbers::<1>().map_or(self.leading, |[leading]| leading),
            b"T*" | b"'" | b"\"" => self.advance(0.0, -self.leading),
            b"Td" | b"TD" => {
                let [x, y] = operands.numbers().unwrap_or_default();
                if operator == b"TD" {
                    self.leading = -y;
                }
                self.advance(x, y);
            }
            _ => {}
        }
    }

    fn advance(&mut self, x: f64, y: f64) {
        self.line = Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(self.line);
    }

    /// The start of the line on the page.
    pub(crate) fn on_page(&self, page: Matrix) -> (f64, f64) {
        let [.., x, y] = self.line.then(page).0;
        (x, y)
    }

    /// The font size on the page, in units of the page.
    pub(crate) fn size_on_page(&self, page: Matrix) -> f64 {
        self.size * self.line.then(page).sides().1
    }
}
