//! Tools for characters.
use futures::FutureExt as _;

use crate::call::Call;
use crate::handler::Returns;
use crate::list::list_reply;
use crate::orders::order_reply;
use crate::reply::{Outcome, Reply};
use crate::results::characters::{Archived, CharacterResult, CharactersResult};
use crate::results::orders::{Order, OrderedCharacter};
use crate::tool::{Effect, Input, ToolSpec};
use crate::{schemas, words};
use linepress_core::artwork::Status;
use linepress_core::characters::{
    self, Character, CharacterAccepted, CharacterChange, CharacterRegeneration, NewCharacter,
};
use linepress_platform::error::Error;
use linepress_platform::ids::CharacterId;

const ID: Input = Input::Id("character_id");

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "create_character",
        title: "Draw a character",
        description: "Draws a figure that looks the same on every page that names it, from words or an uploaded picture. Costs exactly {character_price} per variant.",
        effect: Effect::Spends,
        input: &[Input::Fields(schemas::request::<NewCharacter>), Input::Order],
        handler: &Returns(|call| create(call).boxed()),
    },
    ToolSpec {
        name: "list_characters",
        title: "Characters",
        description: "The account's characters, newest first, as many as fit.",
        effect: Effect::Reads,
        input: &[
            Input::Query,
            Input::Filter("status", schemas::words::<Status>),
            Input::Flag("archived", "List archived ones instead."),
            Input::Page,
        ],
        handler: &Returns(|call| list(call).boxed()),
    },
    ToolSpec {
        name: "get_character",
        title: "Character",
        description: "One character.",
        effect: Effect::Reads,
        input: &[ID],
        handler: &Returns(|call| get(call).boxed()),
    },
    ToolSpec {
        name: "update_character",
        title: "Change a character",
        description: "Changes a character's name or public preview.",
        effect: Effect::Sets,
        input: &[ID, Input::Fields(schemas::request::<CharacterChange>)],
        handler: &Returns(|call| update(call).boxed()),
    },
    ToolSpec {
        name: "archive_character",
        title: "Archive a character",
        description: "Archives a character. restore_character reverses that.",
        effect: Effect::Sets,
        input: &[ID],
        handler: &Returns(|call| archive(call).boxed()),
    },
    ToolSpec {
        name: "restore_character",
        title: "Restore a character",
        description: "Makes an archived character active again.",
        effect: Effect::Sets,
        input: &[ID],
        handler: &Returns(|call| restore(call).boxed()),
    },
    ToolSpec {
        name: "regenerate_character",
        title: "Draw a character again",
        description: "Draws a character again. Costs exactly {character_price} per variant. The old picture remains meanwhile.",
        effect: Effect::Redraws,
        input: &[
            ID,
            Input::Fields(schemas::request::<CharacterRegeneration>),
            Input::Order,
        ],
        handler: &Returns(|call| regenerate(call).boxed()),
    },
];

async fn create(mut call: Call) -> Outcome<Reply<Order<OrderedCharacter>>> {
    let order = call.arguments.take_order()?;
    let new: NewCharacter = call.arguments.parse()?;
    let what = |CharacterAccepted { character, operation }: &CharacterAccepted| {
        let name = words::quoted(&character.name);
        format!("A new character {name}{}", words::orders::variants(operation))
    };
    let (call, new) = (&call, &new);
    let place = |order| async move { Ok(characters::create(&call.app, &call.caller, &order, new, None).await?) };
    Ok(order_reply(&call.order(order, what, place).await?))
}

async fn list(mut call: Call) -> Outcome<Reply<CharactersResult>> {
    let request = call.take_page_request(CharacterId::PREFIX)?;
    let archived: Option<bool> = call.arguments.take_optional("archived")?;
    let search = call.take_search::<Status>(None)?;
    call.arguments.end()?;
    let archived = archived.unwrap_or_default();
    let page = characters::search(&call.app, &call.caller, archived, &search, &request).await?;
    let then = "get_character returns one in full; create_character draws a new one.";
    Ok(list_reply(&page, &request, then)?)
}

async fn get(mut call: Call) -> Outcome<Reply<CharacterResult>> {
    let id: CharacterId = call.arguments.take("character_id")?;
    call.arguments.end()?;
    let character = characters::get(&call.app, &call.caller, &id).await?;
    Ok(reply(character.ok_or_else(missing)?))
}

async fn update(mut call: Call) -> Outcome<Reply<CharacterResult>> {
    let id: CharacterId = call.arguments.take("character_id")?;
    let change: CharacterChange = call.arguments.parse()?;
    let character = characters::update(&call.app, &call.caller, &id, &change).await?;
    Ok(reply(character.ok_or_else(missing)?))
}

async fn archive(mut call: Call) -> Outcome<Reply<Archived>> {
    let id: CharacterId = call.arguments.take("character_id")?;
    call.arguments.end()?;
    if !characters::archive(&call.app, &call.caller, &id).await? {
        return Err(missing().into());
    }
    let text = format!("{id} is archived.");
    let next = format!("restore_character {id} makes it active again; list_characters does not include it.");
    Ok(Reply::new(Archived { archived: true }, text, next))
}

async fn restore(mut call: Call) -> Outcome<Reply<CharacterResult>> {
    let id: CharacterId = call.arguments.take("character_id")?;
    call.arguments.end()?;
    let character = characters::restore(&call.app, &call.caller, &id).await?;
    Ok(reply(character.ok_or_else(missing)?))
}

async fn regenerate(mut call: Call) -> Outcome<Reply<Order<OrderedCharacter>>> {
    let id: CharacterId = call.arguments.take("character_id")?;
    let order = call.arguments.take_order()?;
    let change: CharacterRegeneration = call.arguments.parse()?;
    let what = |CharacterAccepted { character, operation }: &CharacterAccepted| {
        let name = words::quoted(&character.name);
        format!(
            "A new drawing of the character {name}{}",
            words::orders::variants(operation)
        )
    };
    let (call, id, change) = (&call, &id, &change);
    let place = |order| async move {
        let accepted = characters::regenerate(&call.app, &call.caller, &order, id, change, None).await?;
        Ok(accepted.ok_or_else(missing)?)
    };
    Ok(order_reply(&call.order(order, what, place).await?))
}

fn reply(character: Character) -> Reply<CharacterResult> {
    let text = words::characters::character(&character);
    let next = words::characters::after_character(&character);
    Reply::new(CharacterResult { character }, text, next)
}

pub(super) fn missing() -> Error {
    Error::not_found("character")
}
