//! The replies to accepted orders, in the form of tools.
use super::reply::Reply;
use super::results::orders::{BookOrder, BookPageOrder, CharacterOrder, PageOrder};
use super::words::orders::{Cost, Drawn, accepted, after_order};
use linepress_core::books::{BookAccepted, BookPageAccepted};
use linepress_core::characters::CharacterAccepted;
use linepress_core::generation::Accepted;
use linepress_core::operations::Operation;
use linepress_core::pages::PageAccepted;

/// The reply of a concept to an accepted order.
pub(super) trait Ordered {
    /// The structured result of the tool.
    type Result;

    fn operation(&self) -> &Operation;

    fn drawn(&self) -> Drawn<'_>;

    fn result(&self, cost: Cost) -> Self::Result;
}

/// The reply to an order that was accepted, now or earlier with the same key.
pub(super) fn order_reply<T: Ordered>(order: &Accepted<T>) -> Reply<T::Result> {
    let cost = Cost {
        consumed: order.consumed,
        available: order.available,
        replayed: order.replayed,
    };
    let operation = order.reply.operation();
    Reply::new(
        order.reply.result(cost),
        accepted(operation, order.reply.drawn(), cost),
        after_order(operation),
    )
}

impl Ordered for BookAccepted {
    type Result = BookOrder;

    fn operation(&self) -> &Operation {
        &self.operation
    }

    fn drawn(&self) -> Drawn<'_> {
        Drawn::Book(&self.book)
    }

    fn result(&self, cost: Cost) -> BookOrder {
        BookOrder {
            book: (&self.book).into(),
            operation: (&self.operation).into(),
            credits_available: cost.available,
            replayed: cost.replayed,
        }
    }
}

impl Ordered for BookPageAccepted {
    type Result = BookPageOrder;

    fn operation(&self) -> &Operation {
        &self.operation
    }

    fn drawn(&self) -> Drawn<'_> {
        Drawn::BookPage(&self.page, &self.book)
    }

    fn result(&self, cost: Cost) -> BookPageOrder {
        BookPageOrder {
            page: (&self.page).into(),
            book: (&self.book).into(),
            operation: (&self.operation).into(),
            credits_available: cost.available,
            replayed: cost.replayed,
        }
    }
}

impl Ordered for PageAccepted {
    type Result = PageOrder;

    fn operation(&self) -> &Operation {
        &self.operation
    }

    fn drawn(&self) -> Drawn<'_> {
        Drawn::Page(&self.page)
    }

    fn result(&self, cost: Cost) -> PageOrder {
        PageOrder {
            page: (&self.page).into(),
            operation: (&self.operation).into(),
            credits_available: cost.available,
            replayed: cost.replayed,
        }
    }
}

impl Ordered for CharacterAccepted {
    type Result = CharacterOrder;

    fn operation(&self) -> &Operation {
        &self.operation
    }

    fn drawn(&self) -> Drawn<'_> {
        Drawn::Character(&self.character)
    }

    fn result(&self, cost: Cost) -> CharacterOrder {
        CharacterOrder {
            character: (&self.character).into(),
            operation: (&self.operation).into(),
            credits_available: cost.available,
            replayed: cost.replayed,
        }
    }
}
