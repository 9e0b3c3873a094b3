//! Orders: the idempotency key under which a client orders drawings, and the price that it agreed to.
//!
//! Both rules hold in every interface, because they are checked where a generation is accepted. A key belongs to the
//! request that used it (see [`crate::idempotency`]); and an order is charged the agreed price or nothing.
use crate::idempotency::IdempotencyKey;
use crate::webhooks::CallbackUrl;
use linepress_platform::error::{ErrorKind, Result};

/// The price that a client, or the person who uses it, agreed to pay for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgreedPrice {
    /// The listed price, whatever it is: the client named no price, and its interface does not require it to.
    Listed,
    /// Exactly this number of credits. Another price is an error, and nothing is charged.
    Credits(i64),
}

impl AgreedPrice {
    fn check(self, price: i64) -> Result<()> {
        match self {
            Self::Credits(agreed) if agreed != price => Err(ErrorKind::PriceChanged { price }.into()),
            Self::Credits(_) | Self::Listed => Ok(()),
        }
    }
}

/// The terms under which a client orders drawings.
#[derive(Clone, Debug)]
pub struct Order {
    key: IdempotencyKey,
    agreed_price: AgreedPrice,
    /// The address that gets the event of the order's end, if the client named one.
    callback: Option<CallbackUrl>,
    /// True when the request is only tried out and nothing is committed.
    is_rehearsal: bool,
}

impl Order {
    pub fn new(key: IdempotencyKey, agreed_price: AgreedPrice) -> Self {
        Self {
            key,
            agreed_price,
            callback: None,
            is_rehearsal: false,
        }
    }

    /// The order with the address that gets the event of its end.
    pub fn with_callback(self, callback: Option<CallbackUrl>) -> Self {
        Self { callback, ..self }
    }

    /// The order for a rehearsal: the generation is checked in full, at any price, and then rolled back, so that an
    /// interface can show its price and whether it would be accepted.
    pub fn for_rehearsal(&self) -> Self {
        Self {
            key: self.key.clone(),
            agreed_price: AgreedPrice::Listed,
            callback: self.callback.clone(),
            is_rehearsal: true,
        }
    }

    pub fn key(&self) -> &IdempotencyKey {
        &self.key
    }

    pub fn callback(&self) -> Option<&CallbackUrl> {
        self.callback.as_ref()
    }

    pub fn is_rehearsal(&self) -> bool {
        self.is_rehearsal
    }

    /// Fails unless the client agreed to this price.
    pub fn check_price(&self, price: i64) -> Result<()> {
        self.agreed_price.check(price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_price_than_the_agreed_one_is_an_error_even_if_it_is_lower() {
        for price in [0, 1, 3] {
            let error = AgreedPrice::Credits(2).check(price).unwrap_err();
            assert_eq!(error.kind, ErrorKind::PriceChanged { price });
        }
        assert!(AgreedPrice::Credits(2).check(2).is_ok());
        assert!(AgreedPrice::Listed.check(2).is_ok());
    }

    #[test]
    fn a_rehearsal_is_accepted_at_any_price() {
        let order = Order::new(IdempotencyKey::parse(Some("k1")).unwrap(), AgreedPrice::Credits(0));
        assert!(order.check_price(2).is_err() && !order.is_rehearsal());
        let rehearsal = order.for_rehearsal();
        assert!(rehearsal.check_price(2).is_ok() && rehearsal.is_rehearsal());
    }
}
