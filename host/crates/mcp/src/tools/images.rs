//! Tools for pictures: links, and small pictures for agents that want to see them.
use futures::FutureExt as _;

use crate::call::Call;
use crate::handler::{Returns, Shows};
use crate::reply::{Outcome, Picture, Reply};
use crate::results::links::LinkResult;
use crate::tool::{Effect, Input, ToolSpec};
use crate::{preview, schemas, words};
use linepress_core::artwork::{ImageSize, Status};
use linepress_core::downloads::{self, Target};
use linepress_core::{books, characters, pages};
use linepress_platform::error::Error;
use linepress_platform::ids::{BookId, CharacterId, PageId};

const PREVIEW: Input = Input::Flag("include_preview", "Also a small picture, which many clients hide.");

/// The next step after a link to a picture.
const AFTER_LINK: &str =
    "give the url to the user; to see the picture yourself, call look_at_page, look_at_cover or look_at_character.";

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "get_page_image",
        title: "Picture of a page",
        description: "A link to a page's picture, valid for {link_minutes} minutes: for the screen, or with size: print as it is printed, at 600 DPI.",
        effect: Effect::Reads,
        input: &[
            Input::Id("page_id"),
            Input::OneOf("size", schemas::words::<ImageSize>, "Default: screen."),
            PREVIEW,
        ],
        handler: &Returns(|call| page(call).boxed()),
    },
    ToolSpec {
        name: "get_character_image",
        title: "Picture of a character",
        description: "A link to a character's picture, valid for {link_minutes} minutes.",
        effect: Effect::Reads,
        input: &[Input::Id("character_id"), PREVIEW],
        handler: &Returns(|call| character(call).boxed()),
    },
    ToolSpec {
        name: "get_book_cover_image",
        title: "Picture of a cover",
        description: "A link to a book's cover, valid for {link_minutes} minutes.",
        effect: Effect::Reads,
        input: &[Input::Id("book_id"), PREVIEW],
        handler: &Returns(|call| cover(call).boxed()),
    },
    ToolSpec {
        name: "look_at_page",
        title: "Look at a page",
        description: "Shows you a small version of a page's picture, and reports what makes it hard to color.",
        effect: Effect::Reads,
        input: &[Input::Id("page_id")],
        handler: &Shows(|call| look_at_page(call).boxed()),
    },
    ToolSpec {
        name: "look_at_cover",
        title: "Look at a cover",
        description: "Shows you a small version of a book's cover.",
        effect: Effect::Reads,
        input: &[Input::Id("book_id")],
        handler: &Shows(|call| look_at_cover(call).boxed()),
    },
    ToolSpec {
        name: "look_at_character",
        title: "Look at a character",
        description: "Shows you a small version of a character's picture.",
        effect: Effect::Reads,
        input: &[Input::Id("character_id")],
        handler: &Shows(|call| look_at_character(call).boxed()),
    },
];

async fn page(mut call: Call) -> Outcome<Reply<LinkResult>> {
    let id: PageId = call.arguments.take("page_id")?;
    let size: Option<ImageSize> = call.arguments.take_optional("size")?;
    let preview = call.arguments.take_optional("include_preview")?;
    let target = match size.unwrap_or_default() {
        ImageSize::Screen => Target::PageImage(id),
        ImageSize::Print => Target::PagePrint(id),
    };
    link(call, target, preview, super::pages::missing).await
}

async fn character(mut call: Call) -> Outcome<Reply<LinkResult>> {
    let id: CharacterId = call.arguments.take("character_id")?;
    let preview = call.arguments.take_optional("include_preview")?;
    link(call, Target::CharacterImage(id), preview, super::characters::missing).await
}

async fn cover(mut call: Call) -> Outcome<Reply<LinkResult>> {
    let id: BookId = call.arguments.take("book_id")?;
    let preview = call.arguments.take_optional("include_preview")?;
    link(call, Target::CoverImage(id), preview, super::books::missing).await
}

async fn look_at_page(mut call: Call) -> Outcome<Picture> {
    let id: PageId = call.arguments.take("page_id")?;
    call.arguments.end()?;
    let page = pages::get(&call.app, &call.caller, &id).await?;
    let page = page.ok_or_else(super::pages::missing)?;
    let next = match page.status {
        Status::Generating => words::pages::after_page(&page),
        Status::Ready | Status::Failed => {
            format!("if it is not good, regenerate_page {id} with another prompt, or replace_page_image.")
        }
    };
    let text = words::pages::page(&page);
    look(&call, &Target::PageImage(id), text, next, super::pages::missing).await
}

async fn look_at_cover(mut call: Call) -> Outcome<Picture> {
    let id: BookId = call.arguments.take("book_id")?;
    call.arguments.end()?;
    let book = books::get(&call.app, &call.caller, &id).await?;
    let text = words::books::book_head(&book.ok_or_else(super::books::missing)?);
    let next =
        format!("if it is not good, regenerate_book_cover {id} with another prompt, or replace_book_cover_image.");
    look(&call, &Target::CoverImage(id), text, next, super::books::missing).await
}

async fn look_at_character(mut call: Call) -> Outcome<Picture> {
    let id: CharacterId = call.arguments.take("character_id")?;
    call.arguments.end()?;
    let character = characters::get(&call.app, &call.caller, &id).await?;
    let character = character.ok_or_else(super::characters::missing)?;
    let text = words::characters::character(&character);
    let next = words::characters::after_character(&character);
    let target = Target::CharacterImage(id);
    look(&call, &target, text, next, super::characters::missing).await
}

async fn look(call: &Call, target: &Target, text: String, next: String, missing: fn() -> Error) -> Outcome<Picture> {
    let picture = preview::load(&call.app, &call.caller, target).await?;
    Ok(Picture::new(picture.ok_or_else(missing)?, text, next))
}

/// Returns a link, after all other arguments were read, and the small picture if the caller wants it.
async fn link(call: Call, target: Target, preview: Option<bool>, missing: fn() -> Error) -> Outcome<Reply<LinkResult>> {
    call.arguments.end()?;
    let picture = match preview {
        Some(true) => preview::load(&call.app, &call.caller, &target).await?,
        _ => None,
    };
    let link = downloads::link(&call.app, &call.caller, target).await?;
    let link = link.ok_or_else(missing)?;
    let text = words::links::link(&link);
    let reply = Reply::new(LinkResult::from(&link), text, AFTER_LINK);
    Ok(reply.with_preview(picture).with_file(&link))
}
