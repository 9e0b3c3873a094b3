//! The options that forms offer.
use linepress_model::{Aspect, Audience};

use super::pictures::Picture;
use super::words;
use linepress_accounts::caller::Caller;
use linepress_accounts::credits::pricing;
use linepress_core::books::CoverStyle;
use linepress_core::characters::{self, CharacterLink};
use linepress_core::variants::{MAX_VARIANTS, Variants};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::Result;
use linepress_platform::ids::CharacterId;

/// One option of several.
pub(super) struct Choice {
    pub value: &'static str,
    pub label: &'static str,
    pub chosen: bool,
}

/// The options for these values, with their names in forms and the words that people read.
pub(super) fn of<T: Copy>(
    values: &[T],
    chosen: &str,
    name: fn(T) -> &'static str,
    words: fn(T) -> &'static str,
) -> Vec<Choice> {
    let choice = |value: &T| Choice {
        value: name(*value),
        label: words(*value),
        chosen: name(*value) == chosen,
    };
    values.iter().map(choice).collect()
}

pub(super) fn audiences(chosen: &str) -> Vec<Choice> {
    of(Audience::ALL, chosen, Audience::as_str, words::audience)
}

pub(super) fn cover_styles(chosen: &str) -> Vec<Choice> {
    of(CoverStyle::ALL, chosen, CoverStyle::as_str, words::cover_style)
}

/// The styles of a cover that shows the account's own picture.
pub(super) fn own_cover_styles(chosen: &str) -> Vec<Choice> {
    of(CoverStyle::ALL, chosen, CoverStyle::as_str, words::own_cover_style)
}

pub(super) fn aspects(chosen: &str) -> Vec<Choice> {
    // The most common aspect comes first.
    let order = [Aspect::Portrait, Aspect::Square, Aspect::Landscape];
    of(&order, chosen, Aspect::as_str, words::aspect)
}

/// A number of pictures to draw, with its price.
pub(super) struct VariantChoice {
    pub number: u32,
    pub price: String,
    pub chosen: bool,
}

/// The numbers of pictures that can be ordered at once: not more than the server stores of a page, cover or character.
/// Each picture has this price.
pub(super) fn variants(app: &App, chosen: Option<Variants>, price: i64) -> Vec<VariantChoice> {
    priced_variants(app, chosen, price, price)
}

/// The same where the first picture of a cover may be free, with its price and that of each further one.
pub(super) fn priced_variants(app: &App, chosen: Option<Variants>, first: i64, further: i64) -> Vec<VariantChoice> {
    let stored = u32::try_from(app.config.attempts.max_per_picture).unwrap_or(u32::MAX);
    let chosen = chosen.unwrap_or_default();
    let numbers = (1..=MAX_VARIANTS.min(stored)).map(Variants);
    numbers
        .map(|variants| VariantChoice {
            number: variants.0,
            price: pricing::price(variants.price(first, further)),
            chosen: variants == chosen,
        })
        .collect()
}

/// A character that the form offers.
pub(super) struct CharacterChoice {
    pub id: CharacterId,
    pub name: String,
    pub picture: Option<Picture>,
    pub chosen: bool,
    /// True if the stored resource has the character.
    pub was_chosen: bool,
}

/// The options for a new resource: the account's newest ready characters, and those that are already chosen.
pub(super) async fn characters(app: &App, caller: &Caller, chosen: &[CharacterId]) -> Result<Vec<CharacterChoice>> {
    changed_characters(app, caller, &[], chosen).await
}

/// The options for a stored resource: the account's newest ready characters, and older ones that the resource has or
/// that are chosen. Archived characters are not offered.
pub(super) async fn changed_characters(
    app: &App,
    caller: &Caller,
    present: &[CharacterId],
    chosen: &[CharacterId],
) -> Result<Vec<CharacterChoice>> {
    let scope = app.cursors.scope(caller.account_id(), CharacterId::PREFIX);
    let newest = PageRequest::parse(Some(&PageRequest::MAX_LIMIT.to_string()), None, scope)?;
    let mut offered = characters::list(app, caller, &newest).await?.items;
    for id in present.iter().chain(chosen) {
        if offered.iter().all(|character| character.id != *id) {
            offered.extend(characters::get(app, caller, id).await?);
        }
    }
    let ready = offered
        .into_iter()
        .filter(|character| character.reference_image.is_some());
    Ok(ready
        .map(|character| CharacterChoice {
            chosen: chosen.contains(&character.id),
            was_chosen: present.contains(&character.id),
            picture: Picture::small(
                &format!("characters/{}", character.id),
                character.reference_image.as_ref(),
            ),
            id: character.id,
            name: character.name,
        })
        .collect())
}

/// The ids of a resource's characters.
pub(super) fn ids(links: &[CharacterLink]) -> Vec<CharacterId> {
    links.iter().map(|link| link.id.clone()).collect()
}
