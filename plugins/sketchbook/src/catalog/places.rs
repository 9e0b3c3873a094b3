//! Places: buildings, landscapes, and what stands in streets and parks.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::{Huge, Large};

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("globe showing europe-africa").words(&["globe showing europe africa"]),
    drawing("globe showing americas").words(&["earth", "globe"]).habitat("school"),
    drawing("globe showing asia-australia").words(&["globe showing asia australia"]),
    // The simple versions stand on blocks with vertical sides.
    drawing("snow-capped mountain")
        .words(&["snow capped mountain", "mountain peak", "snowy mountain"]).bulk(Huge).only_detailed(),
    drawing("mountain").bulk(Huge).only_detailed(),
    drawing("volcano").bulk(Huge),
    drawing("mount fuji").bulk(Huge).only_detailed(),
    drawing("camping").bulk(Huge),
    drawing("beach with umbrella").words(&["parasol", "beach umbrella"]).habitat("beach"),
    drawing("desert island").words(&["island"]).bulk(Huge).habitat("beach"),
    drawing("classical building")
        .words(&["parthenon", "greek temple", "roman temple", "colosseum", "courthouse", "town hall"]).bulk(Huge),
    drawing("hut").words(&["treehouse", "tree house", "shed", "yurt"]).bulk(Huge),
    drawing("houses").words(&["village", "fire station"]).bulk(Huge),
    drawing("house")
        .words(&["home", "cottage", "cabin", "farmhouse", "barn", "gingerbread house", "log cabin"]).bulk(Huge),
    drawing("house with garden").bulk(Huge),
    drawing("office building")
        .words(&["skyscraper", "building", "apartment building", "apartment", "hotel building"]).bulk(Huge)
        .habitat("city"),
    drawing("school").bulk(Huge),
    drawing("factory").bulk(Huge),
    drawing("hospital").words(&["clinic"]).bulk(Huge).habitat("city"),
    drawing("japanese castle").words(&["pagoda"]).bulk(Huge),
    drawing("castle")
        .words(&["tower", "palace", "fortress", "stone tower", "fairy castle", "sand castle", "sandcastle"]).bulk(Huge)
        .habitat("castle"),
    // One drawing shows two pyramids.
    drawing("pyramids").words(&["pyramid", "egyptian pyramid", "egyptian pyramids"]).bulk(Huge).habitat("desert"),
    drawing("church").words(&["cathedral", "chapel"]).bulk(Huge),
    drawing("mosque").words(&["minaret"]).bulk(Huge),
    drawing("hindu temple").bulk(Huge),
    drawing("synagogue").bulk(Huge),
    drawing("shinto shrine").words(&["shrine", "torii", "torii gate"]).bulk(Huge),
    drawing("lattice tower")
        .words(&["eiffel tower", "tokyo tower", "radio tower", "tv tower"]).bulk(Huge).habitat("city"),
    drawing("lighthouse").bulk(Huge).habitat("beach"),
    drawing("windmill").words(&["mill", "wind mill"]).bulk(Huge),
    drawing("igloo").words(&["snow house"]).bulk(Large).habitat("winter"),
    drawing("wedding"),
    drawing("statue of liberty"),
    drawing("fountain").words(&["well"]),
    drawing("tent").words(&["tipi", "teepee"]).bulk(Huge),
    drawing("carousel horse").words(&["rocking horse", "carousel", "merry go round"]).habitat("circus"),
    drawing("playground slide").words(&["slide"]),
    drawing("ferris wheel").bulk(Huge).habitat("circus"),
    drawing("roller coaster").bulk(Huge),
    drawing("barber pole"),
    drawing("circus tent").words(&["big top", "marquee"]).bulk(Huge).habitat("circus"),
    drawing("market stall")
        .words(&[
            "stall", "market stand", "food stall", "food stand", "fruit stand", "fruit stall", "lemonade stand",
            "food cart", "ice cream cart", "kiosk", "market booth", "booth",
        ]).bulk(Large).habitat("market"),
    drawing("street lamp")
        .words(&["lamp post", "lamppost", "street light", "streetlight", "streetlamp"]).bulk(Large).habitat("city"),
    drawing("horizontal traffic light"),
    drawing("vertical traffic light").words(&["traffic light"]),
    drawing("fuel pump"),
    drawing("closed mailbox with raised flag"),
    drawing("closed mailbox with lowered flag"),
    drawing("open mailbox with raised flag"),
    drawing("open mailbox with lowered flag"),
    drawing("postbox").words(&["mailbox"]),
];
