//! Accepted orders.
use linepress_core::books::Book;
use linepress_core::characters::Character;
use linepress_core::operations::Operation;
use linepress_core::pages::Page;

use super::{books, characters, credits, pages};

/// The thing that an order draws.
#[derive(Clone, Copy)]
pub(crate) enum Drawn<'a> {
    Book(&'a Book),
    BookPage(&'a Page, &'a Book),
    Page(&'a Page),
    Character(&'a Character),
}

impl Drawn<'_> {
    fn line(self) -> String {
        match self {
            Self::Book(book) => format!("book {}", books::line(book)),
            Self::BookPage(page, book) => format!("page {} in book {}", pages::line(page), books::line(book)),
            Self::Page(page) => format!("page {}", pages::line(page)),
            Self::Character(character) => format!("character {}", characters::line(character)),
        }
    }
}

/// The cost of an accepted order.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// Credits that this call spent.
    pub consumed: i64,
    /// The balance afterwards.
    pub available: i64,
    /// True if the order was accepted before.
    pub replayed: bool,
}

pub(crate) fn accepted(operation: &Operation, drawn: Drawn<'_>, cost: Cost) -> String {
    let spent = if cost.replayed {
        "This order was accepted before; nothing more was spent".to_owned()
    } else {
        format!("Accepted for {}", credits(cost.consumed))
    };
    format!(
        "{spent}; the account has {} now. Operation {} draws {}.",
        credits(cost.available),
        operation.id,
        drawn.line(),
    )
}

/// The number of pictures that an order draws of one page, cover or character, for the end of a phrase; empty for a
/// single one.
pub(crate) fn variants(operation: &Operation) -> String {
    match operation.progress.total {
        1 => String::new(),
        number => format!(" in {number} variants"),
    }
}

pub(crate) fn after_order(operation: &Operation) -> String {
    format!("wait_for_operation {}.", operation.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use linepress_core::artwork::Status;
    use linepress_core::books::BookStatus;
    use linepress_core::operations::OperationStatus;

    #[test]
    fn an_accepted_order_says_what_is_drawn_and_what_it_cost() {
        let operation = samples::operation(OperationStatus::Queued, 0);
        let book = samples::book(BookStatus::Generating, &[]);
        let (page, character) = (
            samples::page(Status::Generating),
            samples::character(Status::Generating),
        );
        let new = Cost {
            consumed: 1,
            available: 8,
            replayed: false,
        };
        for (drawn, words) in [
            (Drawn::Book(&book), "book book_1 \"Woods\", generating"),
            (
                Drawn::BookPage(&page, &book),
                "page page_1 \"A fox\", generating in book book_1 \"Woods\", generating",
            ),
            (Drawn::Page(&page), "page page_1 \"A fox\", generating"),
            (Drawn::Character(&character), "character char_1 \"Pip\", generating"),
        ] {
            assert_eq!(
                accepted(&operation, drawn, new),
                format!("Accepted for 1 credit; the account has 8 credits now. Operation op_1 draws {words}.")
            );
        }
        let replayed = Cost { replayed: true, ..new };
        assert_eq!(
            accepted(&operation, Drawn::Page(&page), replayed),
            "This order was accepted before; nothing more was spent; the account has 8 credits now. Operation op_1 draws \
             page page_1 \"A fox\", generating."
        );
    }
}
