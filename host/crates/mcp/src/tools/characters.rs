//! Tools for characters.
use futures::FutureExt as _;
use serde_json::json;

use crate::reply::{Outcome, Reply};
use crate::tool::{Call, Effect, Input, Kind, ToolSpec};
use crate::{results, words};
use linepress_core::characters::{
    self, Character, CharacterAccepted, CharacterChange, CharacterRegeneration, NewCharacter,
};
use linepress_platform::error::Error;
use linepress_platform::ids::CharacterId;

const CHARACTER: &[(&str, Kind)] = &[("character", Kind::Object)];
/// The output of a tool that draws.
const ACCEPTED: &[(&str, Kind)] = &[("character", Kind::Object), ("operation", Kind::Object)];
const ID: Input = Input::Id("character_id");

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "create_character",
        title: "Draw a character",
        description: "Draws a figure that looks the same on every page that names it. Costs exactly {character_price}. Wait until it is ready before you name it.",
        effect: Effect::Spends,
        input: &[Input::Fields("NewCharacter"), Input::Order],
        output: ACCEPTED,
        call: |call| create(call).boxed(),
    },
    ToolSpec {
        name: "list_characters",
        title: "Characters",
        description: "The account's characters, newest first, as many as fit.",
        effect: Effect::Reads,
        input: &[Input::Page],
        output: &[("characters", Kind::List), ("meta", Kind::Object)],
        call: |call| list(call).boxed(),
    },
    ToolSpec {
        name: "get_character",
        title: "Character",
        description: "One character.",
        effect: Effect::Reads,
        input: &[ID],
        output: CHARACTER,
        call: |call| get(call).boxed(),
    },
    ToolSpec {
        name: "update_character",
        title: "Change a character",
        description: "Changes a character's name or public preview.",
        effect: Effect::Sets,
        input: &[ID, Input::Fields("CharacterChange")],
        output: CHARACTER,
        call: |call| update(call).boxed(),
    },
    ToolSpec {
        name: "archive_character",
        title: "Archive a character",
        description: "Archives a character. Keep its id: restore_character makes it active again.",
        effect: Effect::Sets,
        input: &[ID],
        output: &[("archived", Kind::Flag)],
        call: |call| archive(call).boxed(),
    },
    ToolSpec {
        name: "restore_character",
        title: "Restore a character",
        description: "Makes an archived character active again.",
        effect: Effect::Sets,
        input: &[ID],
        output: CHARACTER,
        call: |call| restore(call).boxed(),
    },
    ToolSpec {
        name: "regenerate_character",
        title: "Draw a character again",
        description: "Draws a character again. Costs exactly {character_price}. The old picture remains until the new one is ready.",
        effect: Effect::Redraws,
        input: &[ID, Input::Fields("CharacterRegeneration"), Input::Order],
        output: ACCEPTED,
        call: |call| regenerate(call).boxed(),
    },
];

async fn create(mut call: Call) -> Outcome<Reply> {
    let order = call.arguments.take_order()?;
    let new: NewCharacter = call.arguments.parse()?;
    let what = |reply: &CharacterAccepted| format!("A new character {}", json!(reply.character.name));
    let (call, new) = (&call, &new);
    let place = |order| async move { Ok(characters::create(&call.app, &call.caller, &order, new).await?) };
    Reply::accepted(&call.order(order, what, place).await?)
}

async fn list(mut call: Call) -> Outcome<Reply> {
    let request = call.take_page_request(CharacterId::PREFIX)?;
    call.arguments.end()?;
    let page = characters::list(&call.app, &call.caller, &request).await?;
    let then = "get_character returns one in full; create_character draws a new one.";
    let short = results::character_in_short;
    Ok(Reply::list("characters", &page, &request, short, then))
}

async fn get(mut call: Call) -> Outcome<Reply> {
    let id: CharacterId = call.arguments.take("character_id")?;
    call.arguments.end()?;
    let character = characters::get(&call.app, &call.caller, &id).await?;
    Ok(reply(character.ok_or_else(missing)?))
}

async fn update(mut call: Call) -> Outcome<Reply> {
    let id: CharacterId = call.arguments.take("character_id")?;
    let change: CharacterChange = call.arguments.parse()?;
    let character = characters::update(&call.app, &call.caller, &id, &change).await?;
    Ok(reply(character.ok_or_else(missing)?))
}

async fn archive(mut call: Call) -> Outcome<Reply> {
    let id: CharacterId = call.arguments.take("character_id")?;
    call.arguments.end()?;
    if !characters::archive(&call.app, &call.caller, &id).await? {
        return Err(missing().into());
    }
    let text = format!("{id} is archived.");
    let next = format!("restore_character {id} makes it active again; list_characters does not include it.");
    Ok(Reply::new(json!({"archived": true}), text, next))
}

async fn restore(mut call: Call) -> Outcome<Reply> {
    let id: CharacterId = call.arguments.take("character_id")?;
    call.arguments.end()?;
    let character = characters::restore(&call.app, &call.caller, &id).await?;
    Ok(reply(character.ok_or_else(missing)?))
}

async fn regenerate(mut call: Call) -> Outcome<Reply> {
    let id: CharacterId = call.arguments.take("character_id")?;
    let order = call.arguments.take_order()?;
    let change: CharacterRegeneration = call.arguments.parse()?;
    let what = |reply: &CharacterAccepted| format!("A new drawing of the character {}", json!(reply.character.name));
    let (call, id, change) = (&call, &id, &change);
    let place = |order| async move {
        let accepted = characters::regenerate(&call.app, &call.caller, &order, id, change).await?;
        Ok(accepted.ok_or_else(missing)?)
    };
    Reply::accepted(&call.order(order, what, place).await?)
}

fn reply(character: Character) -> Reply {
    let character = json!(character);
    let (text, next) = (words::character(&character), words::after_character(&character));
    Reply::new(json!({"character": results::character(&character)}), text, next)
}

pub(super) fn missing() -> Error {
    Error::not_found("character")
}
