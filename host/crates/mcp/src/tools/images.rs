//! Tools for pictures: links, and small pictures for agents that want to see them.
use futures::FutureExt as _;
use serde_json::json;

use crate::reply::{Outcome, Reply};
use crate::tool::{Call, Effect, Input, Kind, ToolSpec};
use crate::{preview, results, words};
use linepress_core::artwork::ImageSize;
use linepress_core::downloads::{self, Target};
use linepress_core::{books, characters, pages};
use linepress_platform::error::Error;
use linepress_platform::ids::{BookId, CharacterId, PageId};

pub(super) const LINK: &[(&str, Kind)] = &[
    ("url", Kind::Text),
    ("media_type", Kind::Text),
    ("byte_size", Kind::Whole),
    ("expires_at", Kind::Text),
];

const PREVIEW: Input = Input::Flag(
    "include_preview",
    "Also return a small picture. Many clients hide it from you; prefer the look_at_ tools.",
);

/// The next step after a link to a picture.
const AFTER_LINK: &str =
    "give the url to the user; to see the picture yourself, call look_at_page, look_at_cover or look_at_character.";

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "get_page_image",
        title: "Picture of a page",
        description: "A link to a page's picture, valid for {link_minutes} minutes: for the screen, or with size: print as it is printed, in black and white at 600 DPI.",
        effect: Effect::Reads,
        input: &[
            Input::Id("page_id"),
            Input::OneOf("size", "ImageSize", "Default: screen."),
            PREVIEW,
        ],
        output: LINK,
        call: |call| page(call).boxed(),
    },
    ToolSpec {
        name: "get_character_image",
        title: "Picture of a character",
        description: "A link to a character's picture, valid for {link_minutes} minutes.",
        effect: Effect::Reads,
        input: &[Input::Id("character_id"), PREVIEW],
        output: LINK,
        call: |call| character(call).boxed(),
    },
    ToolSpec {
        name: "get_book_cover_image",
        title: "Picture of a cover",
        description: "A link to a book's cover, valid for {link_minutes} minutes.",
        effect: Effect::Reads,
        input: &[Input::Id("book_id"), PREVIEW],
        output: LINK,
        call: |call| cover(call).boxed(),
    },
    ToolSpec {
        name: "look_at_page",
        title: "Look at a page",
        description: "Shows you a small version of a page's picture, and reports what makes it hard to color. Look at the pages before you give a book to the user.",
        effect: Effect::Reads,
        input: &[Input::Id("page_id")],
        output: &[],
        call: |call| look_at_page(call).boxed(),
    },
    ToolSpec {
        name: "look_at_cover",
        title: "Look at a cover",
        description: "Shows you a small version of a book's cover.",
        effect: Effect::Reads,
        input: &[Input::Id("book_id")],
        output: &[],
        call: |call| look_at_cover(call).boxed(),
    },
    ToolSpec {
        name: "look_at_character",
        title: "Look at a character",
        description: "Shows you a small version of a character's picture.",
        effect: Effect::Reads,
        input: &[Input::Id("character_id")],
        output: &[],
        call: |call| look_at_character(call).boxed(),
    },
];

async fn page(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    let size: Option<ImageSize> = call.arguments.take_optional("size")?;
    let preview = call.arguments.take_optional("include_preview")?;
    let target = match size.unwrap_or_default() {
        ImageSize::Screen => Target::PageImage(id),
        ImageSize::Print => Target::PagePrint(id),
    };
    link(call, target, preview, super::pages::missing, AFTER_LINK).await
}

async fn character(mut call: Call) -> Outcome<Reply> {
    let id: CharacterId = call.arguments.take("character_id")?;
    let preview = call.arguments.take_optional("include_preview")?;
    link(
        call,
        Target::CharacterImage(id),
        preview,
        super::characters::missing,
        AFTER_LINK,
    )
    .await
}

async fn cover(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let preview = call.arguments.take_optional("include_preview")?;
    link(call, Target::CoverImage(id), preview, super::books::missing, AFTER_LINK).await
}

async fn look_at_page(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    call.arguments.end()?;
    let page = pages::get(&call.app, &call.caller, &id).await?;
    let page = json!(page.ok_or_else(super::pages::missing)?);
    let next = match page["status"].as_str() {
        Some("generating") => words::after_page(&page),
        _ => format!("if it is not good, regenerate_page {id} with another prompt, or replace_page_image."),
    };
    let text = words::page(&results::page(&page));
    look(&call, &Target::PageImage(id), text, next, super::pages::missing).await
}

async fn look_at_cover(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    call.arguments.end()?;
    let book = books::get(&call.app, &call.caller, &id).await?;
    let book = json!(book.ok_or_else(super::books::missing)?);
    let text = words::book_head(&book);
    let next =
        format!("if it is not good, regenerate_book_cover {id} with another prompt, or replace_book_cover_image.");
    look(&call, &Target::CoverImage(id), text, next, super::books::missing).await
}

async fn look_at_character(mut call: Call) -> Outcome<Reply> {
    let id: CharacterId = call.arguments.take("character_id")?;
    call.arguments.end()?;
    let character = characters::get(&call.app, &call.caller, &id).await?;
    let character = json!(character.ok_or_else(super::characters::missing)?);
    let (text, next) = (words::character(&character), words::after_character(&character));
    let target = Target::CharacterImage(id);
    look(&call, &target, text, next, super::characters::missing).await
}

async fn look(call: &Call, target: &Target, text: String, next: String, missing: fn() -> Error) -> Outcome<Reply> {
    let picture = preview::load(&call.app, &call.caller, target).await?;
    Ok(Reply::picture(picture.ok_or_else(missing)?, text, next))
}

/// Returns a link, after all other arguments were read, and the small picture if the caller wants it.
pub(super) async fn link(
    call: Call,
    target: Target,
    preview: Option<bool>,
    missing: fn() -> Error,
    next: &str,
) -> Outcome<Reply> {
    call.arguments.end()?;
    let picture = match preview {
        Some(true) => preview::load(&call.app, &call.caller, &target).await?,
        _ => None,
    };
    let link = downloads::link(&call.app, &call.caller, target).await?;
    let body = json!(link.ok_or_else(missing)?);
    let text = words::download(&body);
    Ok(Reply::new(body, text, next).with_preview(picture))
}
