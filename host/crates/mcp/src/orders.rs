//! The replies of tools to accepted orders.
use super::reply::Reply;
use super::results::orders::{Order, OrderedBook, OrderedBookPage, OrderedCharacter, OrderedPage};
use super::words::orders::{Cost, Drawn, accepted, after_order};
use linepress_core::books::{BookAccepted, BookPageAccepted};
use linepress_core::characters::CharacterAccepted;
use linepress_core::generation::Accepted;
use linepress_core::operations::Operation;
use linepress_core::pages::PageAccepted;

/// The reply of a concept to an accepted order.
pub(super) trait Ordered {
    /// The part of the tool's result that depends on what was ordered.
    type Items;

    fn operation(&self) -> &Operation;

    fn drawn(&self) -> Drawn<'_>;

    fn items(&self) -> Self::Items;
}

/// The reply to an order that was accepted, now or earlier with the same key.
pub(super) fn order_reply<T: Ordered>(order: &Accepted<T>) -> Reply<Order<T::Items>> {
    let cost = Cost {
        consumed: order.consumed,
        available: order.available,
        replayed: order.replayed,
    };
    let operation = order.reply.operation();
    let result = Order {
        items: order.reply.items(),
        operation: operation.into(),
        credits_available: cost.available,
        replayed: cost.replayed,
    };
    Reply::new(
        result,
        accepted(operation, order.reply.drawn(), cost),
        after_order(operation),
    )
    .with_operation(operation)
}

impl Ordered for BookAccepted {
    type Items = OrderedBook;

    fn operation(&self) -> &Operation {
        &self.operation
    }

    fn drawn(&self) -> Drawn<'_> {
        Drawn::Book(&self.book)
    }

    fn items(&self) -> OrderedBook {
        OrderedBook {
            book: (&self.book).into(),
        }
    }
}

impl Ordered for BookPageAccepted {
    type Items = OrderedBookPage;

    fn operation(&self) -> &Operation {
        &self.operation
    }

    fn drawn(&self) -> Drawn<'_> {
        Drawn::BookPage(&self.page, &self.book)
    }

    fn items(&self) -> OrderedBookPage {
        OrderedBookPage {
            page: (&self.page).into(),
            book: (&self.book).into(),
        }
    }
}

impl Ordered for PageAccepted {
    type Items = OrderedPage;

    fn operation(&self) -> &Operation {
        &self.operation
    }

    fn drawn(&self) -> Drawn<'_> {
        Drawn::Page(&self.page)
    }

    fn items(&self) -> OrderedPage {
        OrderedPage {
            page: (&self.page).into(),
        }
    }
}

impl Ordered for CharacterAccepted {
    type Items = OrderedCharacter;

    fn operation(&self) -> &Operation {
        &self.operation
    }

    fn drawn(&self) -> Drawn<'_> {
        Drawn::Character(&self.character)
    }

    fn items(&self) -> OrderedCharacter {
        OrderedCharacter {
            character: (&self.character).into(),
        }
    }
}
