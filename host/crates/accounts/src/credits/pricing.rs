//! Prices in credits, and the words for them. No other module defines a price, and no sentence contains one as a
//! literal.
use linepress_model::counted;

/// True in a build with other prices, with which one test looks for sentences that contain a price as a literal.
const IS_ALTERED: bool = cfg!(feature = "altered-terms");

/// A character, drawn for the first time or again.
pub const CHARACTER: i64 = if IS_ALTERED { 3 } else { 1 };
/// A page, drawn for the first time or again.
pub const PAGE: i64 = if IS_ALTERED { 2 } else { 1 };
/// The cover that is drawn together with a new book's pages.
pub const COVER: i64 = 0;
/// A cover that is drawn again.
pub const COVER_AGAIN: i64 = if IS_ALTERED { 4 } else { 1 };

/// The price of drawing a cover again: free while the book has never had one.
pub fn cover_again(has_cover: bool) -> i64 {
    if has_cover { COVER_AGAIN } else { COVER }
}

/// The price of a book for which `new_pages` pages are drawn.
pub fn book(new_pages: usize) -> i64 {
    pictures(new_pages).saturating_add(COVER)
}

/// The price of drawing this many pictures of pages.
pub fn pictures(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX).saturating_mul(PAGE)
}

/// A number of credits in words: "1 credit" or "2 credits".
pub fn credits(number: i64) -> String {
    counted(number, "credit")
}

/// A price for a sentence or a button, after "for": "free" or "2 credits".
pub fn price(number: i64) -> String {
    match number {
        0 => "free".into(),
        number => credits(number),
    }
}

/// The predicate of a sentence about a price: "is free" or "costs 2 credits".
pub fn costs(number: i64) -> String {
    match number {
        0 => "is free".into(),
        number => format!("costs {}", credits(number)),
    }
}

/// A sentence, without its full stop, about the refund of a drawing that was charged this many credits.
pub fn refunded(number: i64) -> String {
    match number {
        1 => "Its credit was given back".into(),
        number => format!("Its {} were given back", credits(number)),
    }
}

/// Replaces the placeholders of prices in a description, such as `{page_price}`.
pub fn fill_in(description: &str) -> String {
    let prices = [
        ("{character_price}", credits(CHARACTER)),
        ("{page_price}", credits(PAGE)),
        ("{cover_price}", credits(COVER)),
        ("{cover_costs}", costs(COVER)),
        ("{cover_again_price}", credits(COVER_AGAIN)),
    ];
    let fill = |text: String, (placeholder, words): (&str, String)| text.replace(placeholder, &words);
    prices.into_iter().fold(description.to_owned(), fill)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_worded_in_the_singular_the_plural_or_as_free() {
        assert_eq!(
            [credits(0), credits(1), credits(2)],
            ["0 credits", "1 credit", "2 credits"]
        );
        assert_eq!([price(0), price(1)], ["free", "1 credit"]);
        assert_eq!([costs(0), costs(2)], ["is free", "costs 2 credits"]);
        assert_eq!(
            [refunded(1), refunded(2)],
            ["Its credit was given back", "Its 2 credits were given back"]
        );
    }

    #[test]
    fn a_book_costs_the_sum_of_its_cover_and_its_new_pages() {
        assert_eq!(book(3), COVER + 3 * PAGE);
    }

    #[test]
    fn only_placeholders_of_prices_are_filled_in() {
        assert_eq!(
            fill_in("GET /pages/{id}, for {page_price}"),
            format!("GET /pages/{{id}}, for {}", credits(PAGE))
        );
    }
}
