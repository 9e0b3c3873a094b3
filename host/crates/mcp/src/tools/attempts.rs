//! Tools for attempts: the pictures that a page, a cover or a character shows or has shown.
use futures::FutureExt as _;

use super::{books as of_books, characters as of_characters, pages as of_pages};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::handler::{Returns, Shows};
use crate::list::list_reply;
use crate::reply::{Outcome, Picture, Reply};
use crate::results::attempts::{AttemptsResult, ChosenResult};
use crate::results::links::LinkResult;
use crate::tool::{Effect, Input, ToolSpec};
use crate::{preview, words};
use linepress_core::downloads::{self, Target as FileTarget};
use linepress_core::{books, characters, pages};
use linepress_drawings::queue::Target;
use linepress_model::counted;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AttemptId, BookId, CharacterId, PageId};

const PAGE: Input = Input::Text("page_id", "Or book_id, for its cover, or character_id.");
const BOOK: Input = Input::Text("book_id", "For its cover.");
const CHARACTER: Input = Input::Text("character_id", "The character.");
const ATTEMPT: Input = Input::Id("attempt_id");

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "list_attempts",
        title: "Earlier pictures",
        description: "The attempts of one page, cover or character, newest first; the chosen one is shown.",
        effect: Effect::Reads,
        input: &[PAGE, BOOK, CHARACTER, Input::Page],
        handler: &Returns(|call| list(call).boxed()),
    },
    ToolSpec {
        name: "choose_attempt",
        title: "Choose a picture",
        description: "Makes a page, a cover or a character show one of its attempts again, free, with that attempt's prompt.",
        effect: Effect::Sets,
        input: &[PAGE, BOOK, CHARACTER, ATTEMPT],
        handler: &Returns(|call| choose(call).boxed()),
    },
    ToolSpec {
        name: "get_attempt_image",
        title: "Picture of an attempt",
        description: "A link to the picture of an attempt, valid for {link_minutes} minutes.",
        effect: Effect::Reads,
        input: &[PAGE, BOOK, CHARACTER, ATTEMPT],
        handler: &Returns(|call| link(call).boxed()),
    },
    ToolSpec {
        name: "look_at_attempt",
        title: "Look at an attempt",
        description: "Shows you a small version of an attempt's picture.",
        effect: Effect::Reads,
        input: &[PAGE, BOOK, CHARACTER, ATTEMPT],
        handler: &Shows(|call| look(call).boxed()),
    },
];

/// Reads the page, cover or character that the call names.
fn take_target(arguments: &mut Arguments) -> Result<Target> {
    let page: Option<PageId> = arguments.take_optional("page_id")?;
    let book: Option<BookId> = arguments.take_optional("book_id")?;
    let character: Option<CharacterId> = arguments.take_optional("character_id")?;
    match (page, book, character) {
        (Some(page), None, None) => Ok(Target::Page(page)),
        (None, Some(book), None) => Ok(Target::Cover(book)),
        (None, None, Some(character)) => Ok(Target::Character(character)),
        _ => Err(Error::invalid_field(
            Field::page_id(),
            "or book_id (for its cover) or character_id is required: send exactly one of the three",
        )),
    }
}

/// Reads all arguments of a call about one attempt.
fn take_attempt(arguments: &mut Arguments) -> Result<(Target, AttemptId)> {
    let target = take_target(arguments)?;
    let attempt = arguments.take("attempt_id")?;
    arguments.end()?;
    Ok((target, attempt))
}

async fn list(mut call: Call) -> Outcome<Reply<AttemptsResult>> {
    let request = call.take_page_request(AttemptId::PREFIX)?;
    let target = take_target(&mut call.arguments)?;
    call.arguments.end()?;
    let (app, caller) = (&call.app, &call.caller);
    let attempts = match &target {
        Target::Page(id) => pages::list_attempts(app, caller, id, &request).await?,
        Target::Cover(id) => books::list_cover_attempts(app, caller, id, &request).await?,
        Target::Character(id) => characters::list_attempts(app, caller, id, &request).await?,
    };
    let attempts = attempts.ok_or_else(|| missing(&target))?;
    let settings = &app.config.attempts;
    let stored = counted(settings.max_per_picture, "attempt");
    let age = counted(settings.max_age_days, "day");
    let then = format!(
        "look_at_attempt shows one to you; choose_attempt makes it the picture again. The server stores at most {stored} \
         of it, each for {age} after another one was chosen: beyond that, and when the account's stored_bytes reach \
         their limit, those that have been out of use the longest are deleted."
    );
    Ok(list_reply(&attempts, &request, &then)?)
}

async fn choose(mut call: Call) -> Outcome<Reply<ChosenResult>> {
    let (target, attempt) = take_attempt(&mut call.arguments)?;
    let (app, caller, missing) = (&call.app, &call.caller, || missing(&target));
    Ok(match &target {
        Target::Page(id) => {
            let page = pages::choose_attempt(app, caller, id, &attempt).await?;
            let page = page.ok_or_else(missing)?;
            let (text, next) = (words::pages::page(&page), words::pages::after_page(&page));
            Reply::new(ChosenResult::page(page), text, next)
        }
        Target::Cover(id) => {
            let book = books::choose_cover_attempt(app, caller, id, &attempt).await?;
            let book = book.ok_or_else(missing)?;
            let next = format!("look_at_cover {id} shows it to you.");
            Reply::new(ChosenResult::book(&book), words::books::book_head(&book), next)
        }
        Target::Character(id) => {
            let character = characters::choose_attempt(app, caller, id, &attempt).await?;
            let character = character.ok_or_else(missing)?;
            let text = words::characters::character(&character);
            let next = words::characters::after_character(&character);
            Reply::new(ChosenResult::character(character), text, next)
        }
    })
}

async fn link(mut call: Call) -> Outcome<Reply<LinkResult>> {
    let (target, attempt) = take_attempt(&mut call.arguments)?;
    let link = downloads::link(&call.app, &call.caller, file(&target, &attempt)).await?;
    let link = link.ok_or_else(|| missing(&target))?;
    let text = words::links::link(&link);
    let next = "give the url to the user; to see the picture yourself, call look_at_attempt.";
    Ok(Reply::new(LinkResult::from(&link), text, next).with_file(&link))
}

async fn look(mut call: Call) -> Outcome<Picture> {
    let (target, attempt) = take_attempt(&mut call.arguments)?;
    let picture = preview::load(&call.app, &call.caller, &file(&target, &attempt)).await?;
    let picture = picture.ok_or_else(|| missing(&target))?;
    let text = format!("{attempt} of {}.", target.id());
    let next = format!("if it is better than the chosen one, call choose_attempt with {attempt}.");
    Ok(Picture::new(picture, text, next))
}

/// The file of an attempt.
fn file(target: &Target, attempt: &AttemptId) -> FileTarget {
    let attempt = attempt.clone();
    match target {
        Target::Page(id) => FileTarget::PageAttempt(id.clone(), attempt),
        Target::Cover(id) => FileTarget::CoverAttempt(id.clone(), attempt),
        Target::Character(id) => FileTarget::CharacterAttempt(id.clone(), attempt),
    }
}

fn missing(target: &Target) -> Error {
    match target {
        Target::Page(_) => of_pages::missing(),
        Target::Cover(_) => of_books::missing(),
        Target::Character(_) => of_characters::missing(),
    }
}
