//! A deck of cards: every suitable card is drawn once before any card is drawn again.

use fastrand::Rng;

/// Cards with the number of their uses.
#[derive(Debug)]
pub(crate) struct Deck<T> {
    cards: Vec<(T, usize)>,
}

impl<T: Clone> Deck<T> {
    /// Returns a deck in which cards with equal use are drawn in a random order.
    pub(crate) fn shuffled(cards: impl IntoIterator<Item = T>, random: &mut Rng) -> Self {
        let mut cards: Vec<T> = cards.into_iter().collect();
        random.shuffle(&mut cards);
        Self::ordered(cards)
    }

    /// Returns a deck in which cards with equal use are drawn in the given order.
    pub(crate) fn ordered(cards: impl IntoIterator<Item = T>) -> Self {
        Self {
            cards: cards.into_iter().map(|card| (card, 0)).collect(),
        }
    }

    /// Draws the least used card that suits, and counts the use. `None` if no card suits.
    pub(crate) fn draw(&mut self, suits: impl Fn(&T) -> bool) -> Option<T> {
        let best = self
            .cards
            .iter_mut()
            .filter(|(card, _)| suits(card))
            .min_by_key(|(_, uses)| *uses)?;
        best.1 += 1;
        Some(best.0.clone())
    }

    /// Returns the cards, the least used first, without counting a use.
    pub(crate) fn by_use(&self) -> Vec<T> {
        let mut cards: Vec<&(T, usize)> = self.cards.iter().collect();
        cards.sort_by_key(|(_, uses)| *uses);
        cards.into_iter().map(|(card, _)| card.clone()).collect()
    }

    /// Counts a use of the first card that matches.
    pub(crate) fn mark(&mut self, used: impl Fn(&T) -> bool) {
        if let Some((_, uses)) = self.cards.iter_mut().find(|(card, _)| used(card)) {
            *uses += 1;
        }
    }
}
